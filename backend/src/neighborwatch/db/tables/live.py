"""Windows of one second while somebody looks. Unlogged: a crash of the database forgets them, and
a minute later nobody would have asked for them anyway.

`body` of a window, ns and counts within it; what the agent did not measure is null:
    {"duration_ms": int,
     "host": null | {"cpus", "busy_ns", "all_ns", "steal_ns", "context_switches"},
     "containers": [{"id", "ran_ns", "wait_ns", "usage_ns", <the parts of the wait>,
                     "max_wait_ns", "runq": {bucket: count}}],
     "pairs": [{"victim_id", "aggressor_id", "wait_ns"}]}
"""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class LiveRequest(Base):
    """Who wants to see which host, and whether its agent was told. One row per host."""

    __tablename__ = "live_requests"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    asked_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    told_at: Mapped[datetime | None]


class LiveWindow(Base):
    __tablename__ = "live_windows"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    t: Mapped[datetime] = mapped_column(primary_key=True)  # its second, by the host's clock
    received_at: Mapped[datetime]  # by ours: what is shown and pruned goes by this one
    body: Mapped[dict[str, Any]]
