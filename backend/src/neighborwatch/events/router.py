"""Single waits, within a second or two of their end."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from neighborwatch.db.coverage import coverage
from neighborwatch.events import queries
from neighborwatch.events.schemas import EventItem, EventKind, EventList
from neighborwatch.http.csv import CSV_RESPONSE, WantsCsv, csv_response
from neighborwatch.http.deps import NowDep, ReadSessionDep, range_to_the_second
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.meta import meta_fields, page_fields
from neighborwatch.http.paging import ListRequest, list_request
from neighborwatch.http.params import HostFilter, container_filter
from neighborwatch.measures.ids import CgroupRef

router = APIRouter(tags=["events"], route_class=ConditionalRoute)
EventListDep = Annotated[
    ListRequest,
    Depends(list_request(queries.SORTS, default="-ended_at", ranged=range_to_the_second)),
]
Victim = container_filter("container_id", "Only what this container waited.")
Aggressor = container_filter("aggressor_id", "Only waits during which this container ran there.")


def event_filters(
    host_id: HostFilter,
    victim: Annotated[CgroupRef | None, Depends(Victim)],
    aggressor: Annotated[CgroupRef | None, Depends(Aggressor)],
    kind: Annotated[EventKind | None, Query(description="Only this kind.")] = None,
) -> queries.EventFilters:
    return queries.EventFilters(kind, host_id, victim, aggressor)


@router.get("/events", operation_id="list_events", response_model=EventList, responses=CSV_RESPONSE)
def list_events(
    session: ReadSessionDep,
    now: NowDep,
    request: EventListDep,
    csv: WantsCsv,
    filters: Annotated[queries.EventFilters, Depends(event_filters)],
) -> EventList | Response:
    """Single long waits and throttled spans, the newest first: facts as the agents tell them within
    a second, rate-limited per container (`skipped`). Names (`q`) are the victims'."""
    if csv:
        chunks = queries.stream_events(session, request, filters)
        return csv_response(chunks, EventItem, filename="events.csv")
    page, items = queries.list_events(session, request, filters)
    covered = coverage(session, request.span, now=now, host_id=filters.of_host)
    return EventList(**meta_fields(request.span, covered), **page_fields(page), items=items)
