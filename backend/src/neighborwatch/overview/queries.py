"""The first page: totals, the worst, the tiles and the trend, each from one statement."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import CTE, RowMapping, and_, func, select, true
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.coverage import coverage
from neighborwatch.db.expressions import ratio, total, within
from neighborwatch.db.tables import (
    WAIT_PARTS,
    Container,
    Host,
    HostSample10s,
    IngestCursor,
    Sample10s,
)
from neighborwatch.http.meta import meta_fields
from neighborwatch.http.paging import ListRequest, Sort
from neighborwatch.inventory.container_queries import (
    ContainerFilters,
    container_item,
    container_rows,
)
from neighborwatch.inventory.schemas import ContainerItem
from neighborwatch.measures.host_state import STALE_AFTER, host_state
from neighborwatch.measures.time_range import Span, grid_of
from neighborwatch.neighbors.queries import rank_neighbors
from neighborwatch.overview.schemas import HostTile, OverviewAnswer
from neighborwatch.overview.trend import (
    THROTTLED_THRESHOLD_RATIO,
    WAITING_THRESHOLD_SECONDS,
    trend_of,
)

RUNNING_WITHIN: Final = timedelta(minutes=2)
TOP_NEIGHBORS: Final = 5
WORST_CONTAINERS: Final = 8
MAX_TILES: Final = 5000
MAX_TREND_POINTS: Final = 60


def overview(session: Session, span: Span, *, now: datetime) -> OverviewAnswer:
    hosts = _host_counts(session, now)
    totals, worst = _totals_and_worst(session, span, now)
    top = ListRequest(span, TOP_NEIGHBORS, Sort("stolen_cpu_seconds", True), None, None)
    trend = trend_of(session, span, grid_of(span, max_points=MAX_TREND_POINTS))
    return OverviewAnswer(
        **meta_fields(span, coverage(session, span, now=now)),
        hosts_known=hosts["known"],
        hosts_live=hosts["live"],
        hosts_stale=hosts["stale"],
        containers_running=totals["running"],
        preempted_by_neighbors_per_second=trend.preempted_by_neighbors_per_second,
        # Nobody can be counted as waiting or throttled where nobody was measured.
        containers_waiting=totals["waiting"] if totals["sched_measured"] else None,
        containers_throttled=totals["throttled"] if totals["measured"] else None,
        waiting_threshold_seconds=WAITING_THRESHOLD_SECONDS,
        throttled_threshold_ratio=THROTTLED_THRESHOLD_RATIO,
        wait_seconds=totals["wait"],
        ran_seconds=totals["ran"],
        wait_ratio=_wait_ratio(totals["wait"], totals["ran"]),
        stolen_cpu_seconds_per_hour=_per_hour(
            totals["all_neighbor_wait_seconds"], trend.observed_seconds
        ),
        **{f"{part}_seconds": totals[f"all_{part}_seconds"] for part in WAIT_PARTS},
        top_neighbors=rank_neighbors(session, top, host_id=None).items,
        worst_containers=worst,
        host_tiles=_tiles(session, span, now),
        trend=trend.points,
    )


def _wait_ratio(wait: float | None, ran: float | None) -> float | None:
    return wait / (wait + ran) if wait is not None and ran is not None and wait + ran else None


def _per_hour(seconds: float | None, observed_seconds: float) -> float | None:
    return seconds * 3600 / observed_seconds if seconds is not None and observed_seconds else None


def _host_counts(session: Session, now: datetime) -> RowMapping:
    seen_at = identity.host_seen_at()
    return (
        session.execute(
            select(
                func.count().label("known"),
                func.count().filter(seen_at >= now - STALE_AFTER).label("live"),
                func.count().filter(seen_at < now - STALE_AFTER).label("stale"),
            )
            .select_from(Host)
            .outerjoin(IngestCursor, IngestCursor.host_id == Host.host_id)
        )
        .mappings()
        .one()
    )


def _totals_and_worst(
    session: Session, span: Span, now: datetime
) -> tuple[RowMapping, list[ContainerItem]]:
    """One statement, so that the samples are scanned once for both."""
    rows = container_rows(span, ContainerFilters(None, "container", None))
    totals = _totals(rows, span).subquery("totals")
    worst = (
        select(rows)
        .order_by(rows.c.runq_p99_seconds.desc().nulls_last(), rows.c.host_id, rows.c.container_id)
        .limit(WORST_CONTAINERS)
        .subquery("worst")
    )
    found = (
        session.execute(
            select(totals, worst)
            .select_from(totals.outerjoin(worst, true()))
            .order_by(worst.c.runq_p99_seconds.desc().nulls_last(), worst.c.host_id)
            .order_by(worst.c.container_id)
        )
        .mappings()
        .all()
    )
    items = [container_item(row, now=now) for row in found if row["container_id"] is not None]
    return found[0], items


def _totals(rows: CTE, span: Span) -> Any:  # noqa: ANN401 - a select of labelled columns
    c = rows.c
    return select(
        func.count().label("measured"),
        func.count(c.ran_seconds).label("sched_measured"),
        func.count().filter(c.last_seen_at > span.end - RUNNING_WITHIN).label("running"),
        func.count().filter(c.runq_p99_seconds >= WAITING_THRESHOLD_SECONDS).label("waiting"),
        func.count().filter(c.throttled_ratio > THROTTLED_THRESHOLD_RATIO).label("throttled"),
        func.sum(c.wait_seconds).label("wait"),
        func.sum(c.ran_seconds).label("ran"),
        # Columns of the worst containers stand beside these under the parts' own names.
        *(func.sum(c[f"{part}_seconds"]).label(f"all_{part}_seconds") for part in WAIT_PARTS),
    )


def _tiles(session: Session, span: Span, now: datetime) -> list[HostTile]:
    h, s = HostSample10s, Sample10s
    observed = (
        select(h.host_id, total(h.duration_ms).label("duration_ms"))
        .where(*within(h.t, span))
        .group_by(h.host_id)
        .subquery()
    )
    preempted = (
        select(
            s.host_id,
            total(s.preempted_other).label("preempted_other"),
            total(s.neighbor_wait_ns).label("neighbor_wait_ns"),
        )
        .outerjoin(
            Container,
            and_(Container.host_id == s.host_id, Container.container_id == s.container_id),
        )
        .where(*within(s.t, span), identity.kind() == "container")
        .group_by(s.host_id)
        .subquery()
    )
    rows = session.execute(
        select(
            Host.host_id,
            Host.name,
            Host.instance_family,
            identity.host_seen_at().label("seen_at"),
            (ratio(preempted.c.preempted_other, observed.c.duration_ms) * 1000.0).label("value"),
            (ratio(preempted.c.neighbor_wait_ns, observed.c.duration_ms) / 1e6).label(
                "neighbor_wait_cores"
            ),
        )
        .outerjoin(IngestCursor, IngestCursor.host_id == Host.host_id)
        .outerjoin(observed, observed.c.host_id == Host.host_id)
        .outerjoin(preempted, preempted.c.host_id == Host.host_id)
        .order_by(Host.instance_family.asc().nulls_last(), Host.name, Host.host_id)
        .limit(MAX_TILES)
    )
    return [
        HostTile(
            host_id=str(row.host_id),
            name=row.name,
            instance_family=row.instance_family,
            state=host_state(row.seen_at, now),
            value=row.value,
            neighbor_wait_cores=row.neighbor_wait_cores,
        )
        for row in rows
    ]
