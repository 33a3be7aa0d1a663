"""Who is calling, and what that allows."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    ADMIN = "admin"
    OWNER = "owner"
    VIEWER = "viewer"
    METRICS = "metrics"  # programs only: may read /metrics and nothing else


READERS = frozenset({Role.ADMIN, Role.OWNER, Role.VIEWER})
ADMINS = frozenset({Role.ADMIN})
METRICS_READERS = frozenset({Role.ADMIN, Role.METRICS})


@dataclass(frozen=True, slots=True)
class Principal:
    name: str
    role: Role
    user_id: int | None  # None: a program with an API token
    by_cookie: bool  # the browser sends it by itself, so writes need proof of intent
