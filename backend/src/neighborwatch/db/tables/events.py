"""Single waits worth telling at once: facts from the agents, no verdicts.

`shares` is who ran while the task waited, longest first, at most 8:
    [{"id": int, "ns": int} | {"idle": true, "ns": int} | {"unattributed": true, "ns": int}]
"""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, Integer
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class Event(Base):
    __tablename__ = "events"
    __table_args__ = (
        CheckConstraint("kind in ('noisy_neighbor', 'throttling')", name="kind"),
        CheckConstraint("quota_level in ('own', 'ancestor')", name="quota_level"),
        # The newest of the whole fleet. One host's events of a time are the primary key's start.
        Index(None, "t"),
        {"postgresql_partition_by": "RANGE (t)"},
    )

    # When it ended and its number (from 1 at each start of the agent) are the agent's own and the
    # same in every delivery, so that a replay meets its first copy under the same key.
    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    t: Mapped[datetime] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str]
    container_id: Mapped[int]  # who waited
    # Of the wait without its throttled part; of the throttled span where kind is throttling.
    duration_ns: Mapped[int]
    cpu: Mapped[int] = mapped_column(Integer)
    pid: Mapped[int] = mapped_column(Integer)  # thread id
    comm: Mapped[str]
    quota_level: Mapped[str | None]
    skipped: Mapped[int]  # like events of this cgroup that the rate limit swallowed before it
    shares: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
