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
from neighborwatch.db.tables.events import Event
from neighborwatch.db.tables.hosts import Host
from neighborwatch.db.tables.live import LiveRequest, LiveWindow
from neighborwatch.db.tables.samples import (
    RUNQ_BUCKET_NAMES,
    RUNQ_BUCKETS,
    WAIT_PARTS,
    HostSample10s,
    Sample10s,
)

__all__ = [
    "RUNQ_BUCKETS",
    "RUNQ_BUCKET_NAMES",
    "WAIT_PARTS",
    "ApiToken",
    "Base",
    "Blame1m",
    "Container",
    "EnrolmentToken",
    "Event",
    "Host",
    "HostSample10s",
    "HostToken",
    "IngestCursor",
    "LiveRequest",
    "LiveWindow",
    "Sample10s",
    "SignInLink",
    "User",
    "UserSession",
]
