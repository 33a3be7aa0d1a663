"""What was measured, 10 s windows. Partitioned by time; never updated, never deleted row by row."""

from datetime import datetime

from sqlalchemy import ARRAY, Integer
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base

RUNQ_BUCKETS = 96
# The parts of wait_ns, in the order in which people read them; they add up to it exactly.
WAIT_PARTS = (
    "self_wait",
    "neighbor_wait",
    "system_wait",
    "throttled_own_wait",
    "throttled_ancestor_wait",
    "idle_gap_wait",
    "unattributed_wait",
)
RUNQ_BUCKET_NAMES = tuple(f"runq_b{index:02d}" for index in range(RUNQ_BUCKETS))


class Sample10s(Base):
    __tablename__ = "samples_10s"
    __table_args__ = ({"postgresql_partition_by": "RANGE (t)"},)

    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    container_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    t: Mapped[datetime] = mapped_column(primary_key=True)  # start of the window
    duration_ms: Mapped[int] = mapped_column(Integer)

    # Scheduler collector; null where it did not run.
    ran_ns: Mapped[int | None]
    wait_ns: Mapped[int | None]
    migrated_wait_ns: Mapped[int | None]
    wait_count: Mapped[int | None] = mapped_column(Integer)
    preempted_self: Mapped[int | None] = mapped_column(Integer)
    preempted_other: Mapped[int | None] = mapped_column(Integer)
    preempted_system: Mapped[int | None] = mapped_column(Integer)
    throttled_out: Mapped[int | None] = mapped_column(Integer)
    # Who ran while its tasks waited. Null also where an agent from before the split measured.
    self_wait_ns: Mapped[int | None]
    neighbor_wait_ns: Mapped[int | None]
    system_wait_ns: Mapped[int | None]
    throttled_own_wait_ns: Mapped[int | None]
    throttled_ancestor_wait_ns: Mapped[int | None]
    idle_gap_wait_ns: Mapped[int | None]
    unattributed_wait_ns: Mapped[int | None]
    max_wait_ns: Mapped[int | None]  # longest single wait that ended in the window

    # cpu.stat of the container's own cgroup; null where there is none.
    usage_ns: Mapped[int | None]
    user_ns: Mapped[int | None]
    system_ns: Mapped[int | None]
    nr_periods: Mapped[int | None] = mapped_column(Integer)
    nr_throttled: Mapped[int | None] = mapped_column(Integer)
    throttled_ns: Mapped[int | None]
    # The ancestor with the largest share of throttled periods; null where none has a quota.
    ancestor_nr_periods: Mapped[int | None] = mapped_column(Integer)
    ancestor_nr_throttled: Mapped[int | None] = mapped_column(Integer)
    ancestor_throttled_ns: Mapped[int | None]
    quota_us: Mapped[int | None]  # null: no quota of its own
    period_us: Mapped[int | None]
    burst_us: Mapped[int | None]
    cpus_allowed: Mapped[int | None] = mapped_column(Integer)
    # The same histogram of the same waits without their throttled part: 96 counts, null where
    # nothing was throttled, and then it equals the runq columns. One column and not 96 more: few
    # windows are throttled, so this costs a bit for the others, while 96 columns would double the
    # row's null bitmap and the server's work on every row. Read by db.expressions.
    runq_unthrottled: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))


# Run queue latency histogram. A column per bucket: sum() over rows merges histograms in SQL,
# and a null (= 0) costs one bit. Measured 5 to 20 times cheaper than arrays or bytes.
for _name in RUNQ_BUCKET_NAMES:
    setattr(Sample10s, _name, mapped_column(Integer, nullable=True))


class HostSample10s(Base):
    __tablename__ = "host_samples_10s"
    __table_args__ = ({"postgresql_partition_by": "RANGE (t)"},)

    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    t: Mapped[datetime] = mapped_column(primary_key=True)
    duration_ms: Mapped[int] = mapped_column(Integer)
    cpus: Mapped[int] = mapped_column(Integer)
    user_ns: Mapped[int]
    system_ns: Mapped[int]
    idle_ns: Mapped[int]
    iowait_ns: Mapped[int]
    steal_ns: Mapped[int]
    context_switches: Mapped[int]
    running: Mapped[int | None] = mapped_column(Integer)
