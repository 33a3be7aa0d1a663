"""Asking a host for windows of one second, and looking at them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query

from neighborwatch.http.deps import NowDep, ReadSessionDep, SessionDep
from neighborwatch.http.errors import ProblemBody
from neighborwatch.http.etag import ConditionalRoute
from neighborwatch.http.params import HostPath
from neighborwatch.live import figures, queries
from neighborwatch.live.schemas import (
    MAX_LIVE_SECONDS,
    LiveAnswer,
    LiveAsk,
    LiveRequestAnswer,
)

router = APIRouter(tags=["live"], route_class=ConditionalRoute)
_NO_HOST: dict[int | str, dict[str, Any]] = {
    404: {"description": "There is no host with this id.", "model": ProblemBody}
}
MAX_CONTAINERS = 100


@router.post("/hosts/{id}/live", operation_id="ask_live", status_code=202, responses=_NO_HOST)
def ask_live(
    session: SessionDep, now: NowDep, host_id: HostPath, wanted: LiveAsk
) -> LiveRequestAnswer:
    """Asks the host's agent for windows of one second, for at most two minutes from now. It hears
    of it with its next batch, within 10 s, and may refuse. Asking again goes on."""
    return queries.ask(session, host_id, seconds=wanted.seconds, now=now)


@router.get("/hosts/{id}/live", operation_id="get_live", responses=_NO_HOST)
def get_live(
    session: ReadSessionDep,
    now: NowDep,
    host_id: HostPath,
    seconds: Annotated[
        int, Query(ge=1, le=MAX_LIVE_SECONDS, description="The newest this many windows.")
    ] = 60,
    limit: Annotated[
        int, Query(ge=1, le=MAX_CONTAINERS, description="Containers, who waits most first.")
    ] = 20,
) -> LiveAnswer:
    """The newest windows of one second, on one grid. Asks for nothing: see ask_live."""
    name = queries.host_name(session, host_id)
    windows = queries.newest_windows(session, host_id, seconds=seconds, now=now)
    asked = queries.asked_of(session, host_id)
    waits = figures.waited_ns(windows)
    shown = list(waits)[:limit]
    stolen = figures.stolen_ns(windows)
    mentioned = {*shown, *(id_ for victim in shown for id_ in stolen.get(victim, {}))}
    names = queries.names_of(session, host_id, mentioned)
    grid = figures.seconds_shown(windows)
    end = datetime.fromtimestamp(grid[-1], UTC) + timedelta(seconds=1) if grid else None
    return LiveAnswer(
        host_id=str(host_id),
        host_name=name,
        state=queries.state_of(asked, bool(windows), now=now),
        asked_at=asked.asked_at if asked else None,
        ends_at=asked.ends_at if asked else None,
        as_of=end,
        step_seconds=1,
        t=grid,
        host_series=figures.host_series(windows),
        containers_total=len(waits),
        containers=figures.live_containers(host_id, shown, windows, names),
    )
