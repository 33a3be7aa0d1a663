"""Charts: many metrics of one container or host on one grid."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from neighborwatch.db.coverage import coverage
from neighborwatch.http.deps import NowDep, RangeDep, ReadSessionDep
from neighborwatch.http.errors import ProblemBody
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.meta import meta_fields
from neighborwatch.measures.time_range import grid_of
from neighborwatch.series import queries
from neighborwatch.series.schemas import Metric, SeriesAnswer
from neighborwatch.series.scope import Scope, check_metrics, parse_scope

router = APIRouter(tags=["series"], route_class=ConditionalRoute)


def scope_of(
    scope: Annotated[
        str,
        Query(
            max_length=64,
            description="`container:<id>` or `host:<id>`.",
            examples=["container:7-00c0ffee00c0ffee", "host:7"],
        ),
    ],
) -> Scope:
    return parse_scope(scope)


@router.get(
    "/series",
    operation_id="get_series",
    responses={404: {"description": "The scope does not exist.", "model": ProblemBody}},
)
def get_series(
    session: ReadSessionDep,
    now: NowDep,
    span: RangeDep,
    scope: Annotated[Scope, Depends(scope_of)],
    metric: Annotated[list[Metric], Query(min_length=1, max_length=24)],
    max_points: Annotated[int, Query(ge=2, le=1000)] = 360,
) -> SeriesAnswer:
    """Buckets without a window are null. The grid is aligned to its step, so the first and the
    last bucket may reach beyond the range; they hold only what lies in it."""
    metrics = check_metrics(scope, metric)
    grid = grid_of(span, max_points=max_points)
    series = queries.series_of(session, scope, span, grid, metrics)
    meta = meta_fields(span, coverage(session, span, now=now, host_id=scope.host_id))
    starts = grid.starts_epoch_seconds
    return SeriesAnswer(**meta, step_seconds=grid.step_seconds, t=starts, series=series)
