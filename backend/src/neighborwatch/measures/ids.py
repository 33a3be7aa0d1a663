"""How hosts and containers are written outside: `"7"` and `"7-00c0ffee00c0ffee"`."""

import re
from dataclasses import dataclass

_MAX_BIGINT = (1 << 63) - 1
_HOST = re.compile(r"[1-9][0-9]{0,18}")
_CONTAINER = re.compile(r"([1-9][0-9]{0,18})-([0-9a-f]{16})")


@dataclass(frozen=True, slots=True, order=True)
class CgroupRef:
    """A container or system cgroup; the id is unique within its host only."""

    host_id: int
    container_id: int

    def __str__(self) -> str:
        return f"{self.host_id}-{self.container_id:016x}"


def parse_host_id(text: str) -> int:
    """Raises ValueError with a sentence that says what is allowed."""
    if not _HOST.fullmatch(text) or int(text) > _MAX_BIGINT:
        raise ValueError(f"'{text}' is not a host id; host ids are numbers such as 7")
    return int(text)


def parse_container_id(text: str) -> CgroupRef:
    """Raises ValueError with a sentence that says what is allowed."""
    match = _CONTAINER.fullmatch(text)
    if not match or int(match[1]) > _MAX_BIGINT or int(match[2], 16) > _MAX_BIGINT:
        raise ValueError(
            f"'{text}' is not a container id; container ids look like 7-00c0ffee00c0ffee"
        )
    return CgroupRef(int(match[1]), int(match[2], 16))
