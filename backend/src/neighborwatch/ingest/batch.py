"""A request after decoding: rows in the order of the tables' columns, ready for COPY. PURE."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

RUNQ_BUCKETS = 96

# Column, Postgres type. The order is the order of the row tuples that decode.py makes.
SAMPLE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("t", "timestamptz"),
    ("host_id", "int8"),
    ("container_id", "int8"),
    ("duration_ms", "int4"),
    ("ran_ns", "int8"),
    ("wait_ns", "int8"),
    ("wait_count", "int4"),
    ("migrated_wait_ns", "int8"),
    ("preempted_self", "int4"),
    ("preempted_other", "int4"),
    ("preempted_system", "int4"),
    ("throttled_out", "int4"),
    ("self_wait_ns", "int8"),
    ("neighbor_wait_ns", "int8"),
    ("system_wait_ns", "int8"),
    ("throttled_own_wait_ns", "int8"),
    ("throttled_ancestor_wait_ns", "int8"),
    ("idle_gap_wait_ns", "int8"),
    ("unattributed_wait_ns", "int8"),
    ("max_wait_ns", "int8"),
    ("usage_ns", "int8"),
    ("user_ns", "int8"),
    ("system_ns", "int8"),
    ("nr_periods", "int4"),
    ("nr_throttled", "int4"),
    ("throttled_ns", "int8"),
    ("ancestor_nr_periods", "int4"),
    ("ancestor_nr_throttled", "int4"),
    ("ancestor_throttled_ns", "int8"),
    ("quota_us", "int8"),
    ("period_us", "int8"),
    ("burst_us", "int8"),
    ("cpus_allowed", "int4"),
    ("runq_unthrottled", "int4[]"),
    *((f"runq_b{index:02d}", "int4") for index in range(RUNQ_BUCKETS)),
)
HOST_SAMPLE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("t", "timestamptz"),
    ("host_id", "int8"),
    ("duration_ms", "int4"),
    ("cpus", "int4"),
    ("user_ns", "int8"),
    ("system_ns", "int8"),
    ("idle_ns", "int8"),
    ("iowait_ns", "int8"),
    ("steal_ns", "int8"),
    ("context_switches", "int8"),
)
BLAME_COLUMNS: tuple[tuple[str, str], ...] = (
    ("t", "timestamptz"),
    ("host_id", "int8"),
    ("victim_id", "int8"),
    ("aggressor_id", "int8"),
    ("duration_ms", "int4"),
    ("wait_ns", "int8"),
    ("preemptions", "int8"),
)
EVENT_COLUMNS: tuple[tuple[str, str], ...] = (
    ("t", "timestamptz"),
    ("host_id", "int8"),
    ("number", "int8"),
    ("kind", "text"),
    ("container_id", "int8"),
    ("duration_ns", "int8"),
    ("cpu", "int4"),
    ("pid", "int4"),
    ("comm", "text"),
    ("quota_level", "text"),
    ("skipped", "int8"),
    ("shares", "jsonb"),
)

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    container_id: int
    kind: str
    name: str
    runtime: str | None
    runtime_id: str | None
    image: str | None
    pod: str | None
    namespace: str | None
    pod_uid: str | None
    labels: dict[str, str]
    cgroup_path: str


@dataclass(frozen=True, slots=True)
class EventLoss:
    """Events that never left the host."""

    ring_full: int = 0
    queue_full: int = 0
    rate_limited: int = 0

    def __add__(self, other: "EventLoss") -> "EventLoss":
        return EventLoss(
            self.ring_full + other.ring_full,
            self.queue_full + other.queue_full,
            self.rate_limited + other.rate_limited,
        )


NO_EVENTS_LOST = EventLoss()


@dataclass(frozen=True, slots=True)
class Batch:
    sequence: int
    boot_id: UUID
    started_at: datetime
    ended_at: datetime
    host_sample: Row | None
    samples: list[Row]
    blame: list[Row]
    events: list[Row]
    identities: list[Identity]
    status: dict[str, Any] | None  # None: only events, which say nothing of the agent
    event_loss: EventLoss
    facts: dict[str, str | int | None] | None

    @property
    def is_window(self) -> bool:
        return self.status is not None


@dataclass(frozen=True, slots=True)
class Request:
    host_id: int
    stream_id: UUID
    lost_batches: int
    batches: list[Batch]
