"""Sums per grid bucket, then the same figures as in the lists."""

from collections.abc import Sequence

from sqlalchemy import RowMapping, and_, func, select
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import (
    grid_bucket,
    newest,
    newest_field,
    per_second,
    ran_and_parts_per_second,
    ratio,
    runq_percentile_seconds,
    runq_sums,
    runq_unthrottled_percentile_seconds,
    runq_unthrottled_sums,
    seconds,
    total,
    wait_part_sums,
    within,
)
from neighborwatch.db.tables import WAIT_PARTS, Container, Host, HostSample10s, Sample10s
from neighborwatch.http.errors import not_found
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import Grid, Span
from neighborwatch.series.schemas import Metric, Series
from neighborwatch.series.scope import Scope


def series_of(
    session: Session, scope: Scope, span: Span, grid: Grid, metrics: Sequence[Metric]
) -> list[Series]:
    if scope.container_id is None:
        rows = _host_rows(session, scope.host_id, span, grid)
    else:
        ref = CgroupRef(scope.host_id, scope.container_id)
        rows = _container_rows(
            session, ref, span, grid, unthrottled="runq_unthrottled_p99_seconds" in metrics
        )
    by_bucket = {row["bucket"]: row for row in rows}
    return [
        Series(metric=metric, unit=scope.units[metric], values=_values(by_bucket, metric, grid))
        for metric in metrics
    ]


def _values(by_bucket: dict[int, RowMapping], metric: Metric, grid: Grid) -> list[float | None]:
    buckets = (by_bucket.get(bucket) for bucket in range(grid.points))
    return [None if row is None else row[metric] for row in buckets]


def _container_rows(
    session: Session, ref: CgroupRef, span: Span, grid: Grid, *, unthrottled: bool
) -> Sequence[RowMapping]:
    """`unthrottled`: the second histogram too, which doubles the sums."""
    s = Sample10s
    sums = (
        select(
            grid_bucket(s.t, grid).label("bucket"),
            per_second(s.preempted_self, s.duration_ms).label("preempted_self_per_second"),
            per_second(s.preempted_other, s.duration_ms).label("preempted_other_per_second"),
            per_second(s.preempted_system, s.duration_ms).label("preempted_system_per_second"),
            total(s.nr_periods).label("nr_periods"),
            total(s.nr_throttled).label("nr_throttled"),
            per_second(s.throttled_ns, s.duration_ms).label("throttled_ns_per_second"),
            per_second(s.usage_ns, s.duration_ms).label("usage_ns_per_second"),
            per_second(s.wait_ns, s.duration_ms).label("wait_ns_per_second"),
            newest(s.t, s.quota_us, s.period_us, measured=s.usage_ns).label("newest"),
            func.max(s.max_wait_ns).label("max_wait_ns"),
            *ran_and_parts_per_second(),
            *runq_sums(),
            *(runq_unthrottled_sums() if unthrottled else ()),
        )
        .where(s.host_id == ref.host_id, s.container_id == ref.container_id, *within(s.t, span))
        .group_by("bucket")
        .subquery("sums")
    )
    c = sums.c
    rows = session.execute(
        select(
            c.bucket,
            runq_percentile_seconds(50).label("runq_p50_seconds"),
            runq_percentile_seconds(99).label("runq_p99_seconds"),
            c.preempted_self_per_second,
            c.preempted_other_per_second,
            c.preempted_system_per_second,
            ratio(c.nr_throttled, c.nr_periods).label("throttled_ratio"),
            (c.throttled_ns_per_second / 1e9).label("throttled_seconds_per_second"),
            (c.usage_ns_per_second / 1e9).label("cpu_used_cores"),
            (c.wait_ns_per_second / 1e9).label("wait_seconds_per_second"),
            ratio(newest_field(c.newest, 0), newest_field(c.newest, 1)).label("quota_cores"),
            seconds(c.max_wait_ns).label("max_wait_seconds"),
            *(c[f"{name}_cores"] for name in ("ran", *WAIT_PARTS)),
            *(
                [runq_unthrottled_percentile_seconds(99).label("runq_unthrottled_p99_seconds")]
                if unthrottled
                else []
            ),
        ).select_from(sums)
    )
    found = rows.mappings().all()
    if not found and session.get(Container, (ref.host_id, ref.container_id)) is None:
        raise not_found(f"There is no container {ref}.")
    return found


def _host_rows(session: Session, host_id: int, span: Span, grid: Grid) -> Sequence[RowMapping]:
    h, s = HostSample10s, Sample10s
    cpu = (
        select(
            grid_bucket(h.t, grid).label("bucket"),
            total(h.duration_ms).label("duration_ms"),
            total(h.user_ns).label("user_ns"),
            total(h.system_ns).label("system_ns"),
            total(h.idle_ns).label("idle_ns"),
            total(h.iowait_ns).label("iowait_ns"),
            total(h.steal_ns).label("steal_ns"),
        )
        .where(h.host_id == host_id, *within(h.t, span))
        .group_by("bucket")
        .subquery("cpu")
    )
    waits = (
        select(
            grid_bucket(s.t, grid).label("bucket"),
            total(s.preempted_other).label("preempted_other"),
            total(s.ran_ns).label("ran_ns"),
            *wait_part_sums(),
            *runq_sums(),
        )
        .outerjoin(
            Container,
            and_(Container.host_id == s.host_id, Container.container_id == s.container_id),
        )
        .where(s.host_id == host_id, *within(s.t, span), identity.kind() == "container")
        .group_by("bucket")
        .subquery("waits")
    )
    busy_ns = cpu.c.user_ns + cpu.c.system_ns
    all_ns = busy_ns + cpu.c.idle_ns + cpu.c.iowait_ns + cpu.c.steal_ns
    foreign_per_second = ratio(waits.c.preempted_other, cpu.c.duration_ms) * 1000.0
    rows = session.execute(
        select(
            cpu.c.bucket,
            ratio(busy_ns, all_ns).label("cpu_used_ratio"),
            ratio(cpu.c.steal_ns, all_ns).label("steal_ratio"),
            runq_percentile_seconds(99).label("runq_p99_seconds"),
            foreign_per_second.label("preempted_other_per_second"),
            # Over the host's observed time: containers that came and went share it.
            *(
                (ratio(waits.c[f"{name}_ns"], cpu.c.duration_ms) / 1e6).label(f"{name}_cores")
                for name in ("ran", *WAIT_PARTS)
            ),
        ).select_from(cpu.outerjoin(waits, waits.c.bucket == cpu.c.bucket))
    )
    found = rows.mappings().all()
    if not found and session.get(Host, host_id) is None:
        raise not_found(f"There is no host {host_id}.")
    return found
