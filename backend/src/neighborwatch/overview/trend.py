"""How the fleet fared over the range: at most 60 buckets, null where nothing was measured."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Subquery, and_, func, select
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import (
    grid_bucket,
    ratio,
    runq_waits,
    total,
    wait_part_sums,
    within,
)
from neighborwatch.db.tables import WAIT_PARTS, Container, HostSample10s, Sample10s
from neighborwatch.measures.histogram import buckets_below
from neighborwatch.measures.time_range import Grid, Span
from neighborwatch.overview.schemas import OverviewTrend

# What the first page counts as "waiting" and "throttled"; both are sent along with the counts.
WAITING_THRESHOLD_SECONDS: Final = 0.01
THROTTLED_THRESHOLD_RATIO: Final = 0.05


@dataclass(frozen=True, slots=True)
class Trend:
    preempted_by_neighbors_per_second: float | None  # of the whole range
    observed_seconds: float  # in which at least one host measured
    points: OverviewTrend


@dataclass(frozen=True, slots=True)
class _Bucket:
    observed_ms: int
    preempted_other: int | None
    throttled: int | None
    waiting: int | None
    parts_ns: dict[str, int | None]  # by part


def trend_of(session: Session, span: Span, grid: Grid) -> Trend:
    buckets = _buckets(session, span, grid)
    points = [buckets.get(index) for index in range(grid.points)]
    return Trend(
        _rate([bucket for bucket in points if bucket], whole=True),
        sum(bucket.observed_ms for bucket in points if bucket) / 1000,
        OverviewTrend(
            t=grid.starts_epoch_seconds,
            preempted_by_neighbors_per_second=[_rate([b]) if b else None for b in points],
            throttled_containers=[b.throttled if b else None for b in points],
            waiting_containers=[b.waiting if b else None for b in points],
            **{
                f"{part}_cores": [_cores(b, part) if b else None for b in points]
                for part in WAIT_PARTS
            },
        ),
    )


def _cores(bucket: _Bucket, part: str) -> float | None:
    ns = bucket.parts_ns[part]
    return ns / 1e6 / bucket.observed_ms if ns is not None and bucket.observed_ms else None


def _rate(buckets: list[_Bucket], *, whole: bool = False) -> float | None:
    """Of the whole range over all the time that was observed, as a host's own rate is: time in
    which no container ran counts, or a fleet of one host would differ from its host."""
    measured = [bucket for bucket in buckets if bucket.preempted_other is not None]
    observed = buckets if whole and measured else measured
    observed_ms = sum(bucket.observed_ms for bucket in observed)
    count = sum(bucket.preempted_other or 0 for bucket in measured)
    return count * 1000 / observed_ms if observed_ms else None


def _buckets(session: Session, span: Span, grid: Grid) -> dict[int, _Bucket]:
    per_container = _per_container(span, grid)
    judged = select(
        per_container.c.bucket,
        per_container.c.sched_windows,
        per_container.c.preempted_other,
        ratio(per_container.c.nr_throttled, per_container.c.nr_periods).label("throttled_ratio"),
        # P99 is at least the threshold if less than 99 % of the waits are in buckets below it.
        (per_container.c.shorter_waits * 100 < per_container.c.waits * 99).label("waiting"),
        *(per_container.c[f"{part}_ns"] for part in WAIT_PARTS),
    ).subquery("judged")
    c = judged.c
    counts = (
        select(
            c.bucket,
            total(c.preempted_other).label("preempted_other"),
            total(c.sched_windows).label("sched_windows"),
            func.count().filter(c.throttled_ratio > THROTTLED_THRESHOLD_RATIO).label("throttled"),
            func.count().filter(c.waiting).label("waiting"),
            *(total(c[f"{part}_ns"]).label(f"{part}_ns") for part in WAIT_PARTS),
        )
        .group_by(c.bucket)
        .subquery("counts")
    )
    observed = _observed(span, grid)
    rows = session.execute(
        select(
            func.coalesce(observed.c.bucket, counts.c.bucket).label("bucket"),
            func.coalesce(observed.c.observed_ms, 0).label("observed_ms"),
            counts.c.preempted_other,
            counts.c.sched_windows,
            counts.c.throttled,
            counts.c.waiting,
            *(counts.c[f"{part}_ns"] for part in WAIT_PARTS),
        ).select_from(observed.outerjoin(counts, counts.c.bucket == observed.c.bucket, full=True))
    )
    return {
        row.bucket: _Bucket(
            row.observed_ms,
            row.preempted_other,
            row.throttled,
            row.waiting if row.sched_windows else None,
            {part: row._mapping[f"{part}_ns"] for part in WAIT_PARTS},
        )
        for row in rows
    }


def _per_container(span: Span, grid: Grid) -> Subquery:
    s = Sample10s
    return (
        select(
            grid_bucket(s.t, grid).label("bucket"),
            s.host_id,
            s.container_id,
            func.count(s.ran_ns).label("sched_windows"),
            total(s.preempted_other).label("preempted_other"),
            total(s.nr_periods).label("nr_periods"),
            total(s.nr_throttled).label("nr_throttled"),
            *wait_part_sums(),
            runq_waits().label("waits"),
            runq_waits(buckets_below(WAITING_THRESHOLD_SECONDS)).label("shorter_waits"),
        )
        .outerjoin(
            Container,
            and_(Container.host_id == s.host_id, Container.container_id == s.container_id),
        )
        .where(*within(s.t, span), identity.kind() == "container")
        .group_by("bucket", s.host_id, s.container_id)
        .subquery("per_container")
    )


def _observed(span: Span, grid: Grid) -> Subquery:
    """Time that at least one host measured: windows of many hosts at once count once."""
    h = HostSample10s
    windows = (
        select(h.t, func.max(h.duration_ms).label("duration_ms"))
        .where(*within(h.t, span))
        .group_by(h.t)
        .subquery()
    )
    return (
        select(
            grid_bucket(windows.c.t, grid).label("bucket"),
            total(windows.c.duration_ms).label("observed_ms"),
        )
        .group_by("bucket")
        .subquery("observed")
    )
