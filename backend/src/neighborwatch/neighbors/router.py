"""Which neighbors hurt the most, and whom."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from neighborwatch.db.coverage import coverage
from neighborwatch.http.csv import CSV_RESPONSE, WantsCsv, csv_response
from neighborwatch.http.deps import NowDep, ReadSessionDep
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.meta import meta_fields, page_fields
from neighborwatch.http.paging import ListRequest, list_request
from neighborwatch.http.params import HostFilter
from neighborwatch.neighbors import queries
from neighborwatch.neighbors.schemas import NeighborItem, NeighborList

router = APIRouter(tags=["neighbors"], route_class=ConditionalRoute)
NeighborListDep = Annotated[
    ListRequest, Depends(list_request(queries.SORTS, default="-stolen_cpu_seconds"))
]


@router.get(
    "/neighbors",
    operation_id="list_neighbors",
    response_model=NeighborList,
    responses=CSV_RESPONSE,
)
def list_neighbors(
    session: ReadSessionDep,
    now: NowDep,
    request: NeighborListDep,
    csv: WantsCsv,
    host_id: HostFilter,
    kind: Annotated[
        queries.Kind,
        Query(description="Containers, or the system services that took the CPU from them."),
    ] = "container",
) -> NeighborList | Response:
    """Containers by the CPU time they stole: how long tasks of other containers waited on a CPU
    while theirs ran there. Throttled time is never charged to a neighbor."""
    if csv:
        chunks = queries.stream_neighbors(session, request, host_id=host_id, kind=kind)
        return csv_response(chunks, NeighborItem, filename="neighbors.csv")
    ranking = queries.rank_neighbors(session, request, host_id=host_id, kind=kind)
    covered = coverage(session, request.span, now=now, host_id=host_id)
    return NeighborList(
        **meta_fields(request.span, covered),
        **page_fields(ranking.page),
        items=ranking.items,
        system_items=[]
        if kind == "system"
        else queries.system_neighbors(session, request.span, host_id=host_id),
        ranked_by="stolen_cpu_seconds",
        total_stolen_cpu_seconds=ranking.total_stolen_cpu_seconds,
        total_preemptions=ranking.total_preemptions,
    )
