"""Checks on single values of a request; each refusal names the field. PURE."""

from collections.abc import Sized
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
MAX_TEXT = 4096
_NS = 1_000_000_000
# 2100-01-01: beyond, a clock is not just wrong but the number is no time.
_MAX_UNIX_NS = 4_102_444_800 * _NS


class MalformedError(ValueError):
    """The request can never be stored; `field` says where."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def within(field: str, value: int, limit: int) -> int:
    if value > limit:
        raise MalformedError(field, f"is {value}, more than {limit}")
    return value


def all_within(field: str, names: tuple[str, ...], values: tuple[Any, ...], limit: int) -> None:
    # One comparison where all is well: this runs several times per cgroup.
    if max(values) > limit:
        for name, value in zip(names, values, strict=True):
            within(f"{field}.{name}", value, limit)


def at_most(field: str, items: Sized, limit: int) -> None:
    count = len(items)
    if count > limit:
        raise MalformedError(field, f"has {count} entries, more than {limit}")


def checked_text(field: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise MalformedError(field, f"is longer than {MAX_TEXT} characters")
    if "\x00" in text:
        raise MalformedError(field, "must not hold a NUL character")
    return text


def uuid_of(field: str, value: bytes) -> UUID:
    if len(value) != 16:
        raise MalformedError(field, f"must be 16 bytes, is {len(value)}")
    return UUID(bytes=value)


def instant(field: str, unix_ns: int) -> datetime:
    if not 0 < unix_ns < _MAX_UNIX_NS:
        raise MalformedError(field, "is not a time between 1970 and 2100")
    seconds, ns = divmod(unix_ns, _NS)
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=ns // 1000)


def duration_ms_of(field: str, duration_ns: int, limit_ns: int) -> int:
    if not 0 < duration_ns <= limit_ns:
        raise MalformedError(field, f"must be above 0 and at most {limit_ns // _NS} s")
    return max(1, round(duration_ns / 1_000_000))
