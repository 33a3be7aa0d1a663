"""Ranking by preemptions inflicted on other containers; a container never counts against itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import CTE, BigInteger, ColumnElement, Subquery, and_, cast, func, select
from sqlalchemy.orm import Session, aliased

from neighborwatch.db import identity
from neighborwatch.db.expressions import ratio, total, within
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

SORTS: Final = ("preemptions", "victims", "name", "host_name")
TIE: Final = ("host_id", "container_id")
MAX_SYSTEM_ITEMS: Final = 100

Kind = Literal["container", "system"]


@dataclass(frozen=True, slots=True)
class Ranking:
    page: PageOfRows
    items: list[NeighborItem]
    total_preemptions: int


def rank_neighbors(session: Session, request: ListRequest, *, host_id: int | None) -> Ranking:
    sums = _sums_by_aggressor(request.span, host_id, "container")
    rows = _ranked_rows(sums, request.span, request.name_contains)
    page = fetch_page(session, rows, request, tie=TIE)
    everything = (
        page.rows[0]["all_preemptions"]
        if page.rows
        else session.scalar(select(total(sums.c.preemptions)))
    )
    items = with_evidence(session, page.rows, request.span)
    return Ranking(page, items, everything or 0)


def system_neighbors(session: Session, span: Span, *, host_id: int | None) -> list[NeighborItem]:
    """System services that took the CPU from containers, ranked among themselves."""
    rows = _ranked_rows(_sums_by_aggressor(span, host_id, "system"), span, None)
    request = ListRequest(span, MAX_SYSTEM_ITEMS, Sort("preemptions", True), None, None)
    return with_evidence(session, fetch_page(session, rows, request, tie=TIE).rows, span)


def stream_neighbors(
    session: Session, request: ListRequest, *, host_id: int | None
) -> Iterator[Sequence[NeighborItem]]:
    sums = _sums_by_aggressor(request.span, host_id, "container")
    rows = _ranked_rows(sums, request.span, request.name_contains)
    for chunk in stream_rows(session, rows, request, tie=TIE):
        yield with_evidence(session, chunk, request.span)


def _sums_by_aggressor(span: Span, host_id: int | None, kind: Kind) -> CTE:
    b = Blame1m
    victim, aggressor = aliased(Container), aliased(Container)
    pairs = (
        select(b.host_id, b.aggressor_id, b.victim_id, total(b.preemptions).label("preemptions"))
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
        .subquery("pairs")
    )
    return (
        select(
            pairs.c.host_id,
            pairs.c.aggressor_id.label("container_id"),
            total(pairs.c.preemptions).label("preemptions"),
            func.count().label("victims"),
        )
        .group_by(pairs.c.host_id, pairs.c.aggressor_id)
        .having(func.sum(pairs.c.preemptions) > 0)
        .cte("aggressors")
    )


def _ranked_rows(sums: CTE, span: Span, name_contains: str | None) -> CTE:
    """Rank and share are among all of the scope; the name only picks rows out of them."""
    order = (sums.c.preemptions.desc(), sums.c.host_id, sums.c.container_id)
    ranked = select(
        sums,
        func.row_number().over(order_by=order).label("rank"),
        cast(func.sum(sums.c.preemptions).over(), BigInteger).label("all_preemptions"),
    ).subquery("ranked")
    observed = _observed(span)
    unmeasured = ranked.c.preemptions / span.seconds
    return (
        select(
            ranked,
            Host.name.label("host_name"),
            identity.kind().label("kind"),
            identity.name(ranked.c.container_id).label("name"),
            Container.image,
            Container.namespace,
            ratio(ranked.c.preemptions, ranked.c.all_preemptions).label("share_ratio"),
            func.coalesce(
                ratio(ranked.c.preemptions, observed.c.duration_ms) * 1000.0, unmeasured
            ).label("preemptions_per_second"),
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
    """Measured time of each host; blame is kept longer than the windows it is divided by."""
    return (
        select(HostSample10s.host_id, total(HostSample10s.duration_ms).label("duration_ms"))
        .where(*within(HostSample10s.t, span))
        .group_by(HostSample10s.host_id)
        .subquery("observed")
    )


def _on_host(column: Any, host_id: int | None) -> list[ColumnElement[bool]]:  # noqa: ANN401
    return [] if host_id is None else [column == host_id]
