"""Hosts and containers."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response

from neighborwatch.db.coverage import coverage
from neighborwatch.http.csv import CSV_RESPONSE, WantsCsv, csv_response
from neighborwatch.http.deps import NowDep, RangeDep, ReadSessionDep
from neighborwatch.http.errors import ProblemBody
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.meta import meta_fields, page_fields
from neighborwatch.http.paging import TEXT_PATTERN, ListRequest, list_request
from neighborwatch.http.params import ContainerPath, HostFilter, HostPath
from neighborwatch.inventory import container_queries, host_queries
from neighborwatch.inventory.blame import aggressors_of, victims_of
from neighborwatch.inventory.ledger import ledger_of
from neighborwatch.inventory.preempted_by import preempted_by
from neighborwatch.inventory.schemas import (
    ContainerAnswer,
    ContainerItem,
    ContainerList,
    HostAnswer,
    HostItem,
    HostList,
)

router = APIRouter(tags=["inventory"], route_class=ConditionalRoute)

HostListDep = Annotated[ListRequest, Depends(list_request(host_queries.HOST_SORTS, default="name"))]
ContainerListDep = Annotated[
    ListRequest,
    Depends(list_request(container_queries.CONTAINER_SORTS, default="-runq_p99_seconds")),
]


def container_filters(
    host_id: HostFilter,
    kind: Annotated[
        Literal["container", "system", "all"],
        Query(description="System services are cgroups that belong to no container."),
    ] = "container",
    namespace: Annotated[str | None, Query(max_length=253, pattern=TEXT_PATTERN)] = None,
) -> container_queries.ContainerFilters:
    return container_queries.ContainerFilters(host_id, None if kind == "all" else kind, namespace)


ContainerFiltersDep = Annotated[container_queries.ContainerFilters, Depends(container_filters)]
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"description": "There is none with this id.", "model": ProblemBody}
}


@router.get("/hosts", operation_id="list_hosts", response_model=HostList, responses=CSV_RESPONSE)
def list_hosts(
    session: ReadSessionDep, now: NowDep, request: HostListDep, csv: WantsCsv
) -> HostList | Response:
    """Enrolled hosts with what their containers went through in the range."""
    if csv:
        chunks = host_queries.stream_hosts(session, request, now=now)
        return csv_response(chunks, HostItem, filename="hosts.csv")
    meta = meta_fields(request.span, coverage(session, request.span, now=now))
    page, items = host_queries.list_hosts(session, request, now=now)
    return HostList(**meta, **page_fields(page), items=items)


@router.get("/hosts/{id}", operation_id="get_host", responses=NOT_FOUND)
def get_host(session: ReadSessionDep, now: NowDep, span: RangeDep, host_id: HostPath) -> HostAnswer:
    """One host."""
    host = host_queries.get_host(session, host_id, span, now=now)
    meta = meta_fields(span, coverage(session, span, now=now, host_id=host_id))
    return HostAnswer(**meta, host=host)


@router.get(
    "/containers",
    operation_id="list_containers",
    response_model=ContainerList,
    responses=CSV_RESPONSE,
)
def list_containers(
    session: ReadSessionDep,
    now: NowDep,
    request: ContainerListDep,
    csv: WantsCsv,
    filters: ContainerFiltersDep,
) -> ContainerList | Response:
    """Containers with a window in the range; the worst run queue latency first."""
    if csv:
        chunks = container_queries.stream_containers(session, request, filters, now=now)
        return csv_response(chunks, ContainerItem, filename="containers.csv")
    covered = coverage(session, request.span, now=now, host_id=filters.host_id)
    page, items = container_queries.list_containers(session, request, filters, now=now)
    return ContainerList(**meta_fields(request.span, covered), **page_fields(page), items=items)


@router.get("/containers/{id}", operation_id="get_container", responses=NOT_FOUND)
def get_container(
    session: ReadSessionDep, now: NowDep, span: RangeDep, ref: ContainerPath
) -> ContainerAnswer:
    """One container or system service: where its time went, who took it, and from whom it took."""
    container = container_queries.get_container(session, ref, span, now=now)
    return ContainerAnswer(
        **meta_fields(span, coverage(session, span, now=now, host_id=ref.host_id)),
        container=container,
        ledger=ledger_of(container),
        aggressors=aggressors_of(session, ref, span),
        victims=victims_of(session, ref, span),
        preempted_by=preempted_by(session, ref, span),
    )
