"""Every table. Importing this package fills `Base.metadata`."""

from neighborwatch.db.tables.access import (
    ApiToken,
    EnrolmentToken,
    HostToken,
    SignInLink,
    User,
    UserSession,
)
from neighborwatch.db.tables.base import Base
from neighborwatch.db.tables.blame import Blame1m
from neighborwatch.db.tables.containers import Container
from neighborwatch.db.tables.cursors import IngestCursor
from neighborwatch.db.tables.hosts import Host
from neighborwatch.db.tables.samples import (
    RUNQ_BUCKET_NAMES,
    RUNQ_BUCKETS,
    HostSample10s,
    Sample10s,
)

__all__ = [
    "RUNQ_BUCKETS",
    "RUNQ_BUCKET_NAMES",
    "ApiToken",
    "Base",
    "Blame1m",
    "Container",
    "EnrolmentToken",
    "Host",
    "HostSample10s",
    "HostToken",
    "IngestCursor",
    "Sample10s",
    "SignInLink",
    "User",
    "UserSession",
]
