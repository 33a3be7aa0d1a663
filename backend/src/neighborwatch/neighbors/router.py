"""Which neighbors hurt the most, and whom."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

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
    ListRequest, Depends(list_request(queries.SORTS, default="-preemptions"))
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
) -> NeighborList | Response:
    """Containers by how often their tasks took the CPU from a waiting task of another container."""
    if csv:
        chunks = queries.stream_neighbors(session, request, host_id=host_id)
        return csv_response(chunks, NeighborItem, filename="neighbors.csv")
    ranking = queries.rank_neighbors(session, request, host_id=host_id)
    covered = coverage(session, request.span, now=now, host_id=host_id)
    return NeighborList(
        **meta_fields(request.span, covered),
        **page_fields(ranking.page),
        items=ranking.items,
        system_items=queries.system_neighbors(session, request.span, host_id=host_id),
        ranked_by="preemptions",
        total_preemptions=ranking.total_preemptions,
    )
