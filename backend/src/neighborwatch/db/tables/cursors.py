"""How far each host's stream has been stored. One row per host, updated with every batch.

`status` is what the agent said of itself in its newest window:
    {"duration_ns": int, "context_switches": int | null, "cpus_online": int | null,
     "received_at": ISO instant,
     "collectors": [{"name", "status": "ok" | "degraded" | "unsupported" | "failed",
                     "reason": str | null, "lost": int, "map_bytes": int,
                     "maps": [{"name", "used", "capacity", "failed_inserts"}]}],
     "cost": null | {"user_ns", "system_ns", "rss_bytes", "spool_batches", "spool_bytes",
                     "spool_dropped", "rejected_batches",
                     "programs": [{"name", "run_count", "run_ns"}],
                     "method": "measured" | "estimated" | null,
                     "budget_ppm", "spent_ppm", "governor_level": int | null,
                     "governor_reason": str | null},
     "event_loss": {"ring_full", "queue_full", "rate_limited"}}
`event_loss` is summed since the stream began, and the only key before the first window. What was
stored by an older backend lacks the newer keys.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Integer
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class IngestCursor(Base):
    __tablename__ = "ingest_cursors"
    # Half-full pages keep updates of this hot row on its page (HOT), without index writes.
    __table_args__ = ({"postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[int] = mapped_column(
        ForeignKey("hosts.host_id"), primary_key=True, autoincrement=False
    )
    stream_id: Mapped[UUID]
    sequence: Mapped[int]  # newest stored
    previous_sequence: Mapped[int]  # what `sequence` was before the newest transaction
    lost_batches: Mapped[int]  # of this stream, never to arrive
    boot_id: Mapped[UUID]
    window_at: Mapped[datetime | None]  # start of the newest stored window; null: none yet
    received_at: Mapped[datetime]
    clock_skew_ms: Mapped[int] = mapped_column(Integer)  # host's clock minus ours, lower bound
    status: Mapped[dict[str, Any]]
