"""The agents: what they see, what they lost, what they cost."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from neighborwatch.agents import queries
from neighborwatch.agents.schemas import AgentItem, AgentList
from neighborwatch.db.coverage import coverage
from neighborwatch.http.csv import CSV_RESPONSE, WantsCsv, csv_response
from neighborwatch.http.deps import NowDep, ReadSessionDep
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.meta import meta_fields, page_fields
from neighborwatch.http.paging import ListRequest, list_request

router = APIRouter(tags=["agents"], route_class=ConditionalRoute)
AgentListDep = Annotated[ListRequest, Depends(list_request(queries.SORTS, default="host_name"))]


@router.get("/agents", operation_id="list_agents", response_model=AgentList, responses=CSV_RESPONSE)
def list_agents(
    session: ReadSessionDep, now: NowDep, request: AgentListDep, csv: WantsCsv
) -> AgentList | Response:
    """One row per enrolled host, from its newest window."""
    if csv:
        chunks = queries.stream_agents(session, request, now=now)
        return csv_response(chunks, AgentItem, filename="agents.csv")
    page, items = queries.list_agents(session, request, now=now)
    meta = meta_fields(request.span, coverage(session, request.span, now=now))
    return AgentList(**meta, **page_fields(page), items=items)
