"""Ranking by CPU time stolen from other containers: how long their tasks waited on a CPU while this
one's ran there. A container never counts against itself, and throttled time is nobody's.

Preemptions stand beside it. They order only what has no stolen time (older agents).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.orm import Session, aliased

from neighborwatch.db import identity
from neighborwatch.db.expressions import ratio, seconds, total, within
from neighborwatch.db.tables import Blame1m, Container, Host, HostSample10s
from neighborwatch.http.paging import (
    ListRequest,
    PageOfRows,
    Sort,
    contains,
    fetch_page,
    stream_rows,
)
from neighborwatch.measures.time_range import Span
from neighborwatch.neighbors.evidence import with_evidence
from neighborwatch.neighbors.schemas import NeighborItem

SORTS: Final = (
    "stolen_cpu_seconds",
    "stolen_cpu_seconds_per_hour",
    "preemptions",
    "victims",
    "name",
    "host_name",
)
# Unique, and it carries the preemptions where stolen time is unknown.
TIE: Final = ("rank",)
MAX_SYSTEM_ITEMS: Final = 100

Kind = Literal["container", "system"]


@dataclass(frozen=True, slots=True)
class Ranking:
    page: PageOfRows
    items: list[NeighborItem]
    total_stolen_cpu_seconds: float | None
    total_preemptions: int


def rank_neighbors(
    session: Session, request: ListRequest, *, host_id: int | None, kind: Kind = "container"
) -> Ranking:
    sums = _sums_by_aggressor(request.span, host_id, kind)
    rows = _ranked_rows(sums, request.span, request.name_contains)
    page = fetch_page(session, rows, request, tie=TIE)
    if page.rows:
        stolen_ns, preemptions = page.rows[0]["all_wait_ns"], page.rows[0]["all_preemptions"]
    else:
        totals = session.execute(select(total(sums.c.wait_ns), total(sums.c.preemptions))).one()
        stolen_ns, preemptions = totals
    items = with_evidence(session, page.rows, request.span)
    stolen = None if stolen_ns is None else stolen_ns / 1e9
    return Ranking(page, items, stolen, preemptions or 0)


def system_neighbors(session: Session, span: Span, *, host_id: int | None) -> list[NeighborItem]:
    """System services that took the CPU from containers, ranked among themselves."""
    rows = _ranked_rows(_sums_by_aggressor(span, host_id, "system"), span, None)
    request = ListRequest(span, MAX_SYSTEM_ITEMS, Sort("stolen_cpu_seconds", True), None, None)
    return with_evidence(session, fetch_page(session, rows, request, tie=TIE).rows, span)


def stream_neighbors(
    session: Session, request: ListRequest, *, host_id: int | None, kind: Kind = "container"
) -> Iterator[Sequence[NeighborItem]]:
    sums = _sums_by_aggressor(request.span, host_id, kind)
    rows = _ranked_rows(sums, request.span, request.name_contains)
    for chunk in stream_rows(session, rows, request, tie=TIE):
        yield with_evidence(session, chunk, request.span)


def _sums_by_aggressor(span: Span, host_id: int | None, kind: Kind) -> CTE:
    b = Blame1m
    victim, aggressor = aliased(Container), aliased(Container)
    pairs = (
        select(
            b.host_id,
            b.aggressor_id,
            b.victim_id,
            total(b.wait_ns).label("wait_ns"),
            total(b.preemptions).label("preemptions"),
        )
        .outerjoin(victim, and_(victim.host_id == b.host_id, victim.container_id == b.victim_id))
        .outerjoin(
            aggressor,
            and_(aggressor.host_id == b.host_id, aggressor.container_id == b.aggressor_id),
        )
        .where(
            *within(b.t, span),
            b.victim_id != b.aggressor_id,
            identity.kind(victim) == "container",
            identity.kind(aggressor) == kind,
            *_on_host(b.host_id, host_id),
        )
        .group_by(b.host_id, b.aggressor_id, b.victim_id)
        .having(or_(func.sum(b.wait_ns) > 0, func.sum(b.preemptions) > 0))
        .subquery("pairs")
    )
    return (
        select(
            pairs.c.host_id,
            pairs.c.aggressor_id.label("container_id"),
            total(pairs.c.wait_ns).label("wait_ns"),
            total(pairs.c.preemptions).label("preemptions"),
            func.count().label("victims"),
        )
        .group_by(pairs.c.host_id, pairs.c.aggressor_id)
        .cte("aggressors")
    )


def _ranked_rows(sums: CTE, span: Span, name_contains: str | None) -> CTE:
    """Rank and share are among all of the scope; the name only picks rows out of them."""
    order = (
        sums.c.wait_ns.desc().nulls_last(),
        sums.c.preemptions.desc(),
        sums.c.host_id,
        sums.c.container_id,
    )
    ranked = select(
        sums,
        func.row_number().over(order_by=order).label("rank"),
        cast(func.sum(sums.c.wait_ns).over(), BigInteger).label("all_wait_ns"),
        cast(func.sum(sums.c.preemptions).over(), BigInteger).label("all_preemptions"),
    ).subquery("ranked")
    observed = _observed(span)
    # Blame is kept longer than the windows it is divided by.
    observed_ms = func.coalesce(observed.c.duration_ms, literal(round(span.seconds * 1000)))
    share = case(
        (ranked.c.all_wait_ns > 0, func.coalesce(ratio(ranked.c.wait_ns, ranked.c.all_wait_ns), 0)),
        else_=func.coalesce(ratio(ranked.c.preemptions, ranked.c.all_preemptions), 0),
    )
    return (
        select(
            ranked,
            Host.name.label("host_name"),
            identity.kind().label("kind"),
            identity.name(ranked.c.container_id).label("name"),
            Container.image,
            Container.namespace,
            share.label("share_ratio"),
            seconds(ranked.c.wait_ns).label("stolen_cpu_seconds"),
            (ratio(ranked.c.wait_ns, observed_ms) * 0.0036).label("stolen_cpu_seconds_per_hour"),
            (ratio(ranked.c.preemptions, observed_ms) * 1000.0).label("preemptions_per_second"),
        )
        .join(Host, Host.host_id == ranked.c.host_id)
        .outerjoin(observed, observed.c.host_id == ranked.c.host_id)
        .outerjoin(
            Container,
            and_(
                Container.host_id == ranked.c.host_id,
                Container.container_id == ranked.c.container_id,
            ),
        )
        .where(*contains(identity.name(ranked.c.container_id), name_contains))
        .cte("neighbor_rows")
    )


def _observed(span: Span) -> Subquery:
    """Measured time of each host."""
    return (
        select(HostSample10s.host_id, total(HostSample10s.duration_ms).label("duration_ms"))
        .where(*within(HostSample10s.t, span))
        .group_by(HostSample10s.host_id)
        .subquery("observed")
    )


def _on_host(column: Any, host_id: int | None) -> list[ColumnElement[bool]]:  # noqa: ANN401
    return [] if host_id is None else [column == host_id]
