"""The first page in one call."""

from fastapi import APIRouter

from neighborwatch.http.deps import NowDep, RangeDep, ReadSessionDep
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.overview import queries
from neighborwatch.overview.schemas import OverviewAnswer

router = APIRouter(tags=["overview"], route_class=ConditionalRoute)


@router.get("/overview", operation_id="get_overview")
def get_overview(session: ReadSessionDep, now: NowDep, span: RangeDep) -> OverviewAnswer:
    """Is anything wrong in this range, and for whom?"""
    return queries.overview(session, span, now=now)
