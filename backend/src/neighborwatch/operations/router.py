"""For those who keep it running: alive, ready, metrics, the API's description."""

import shutil
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, Request
from prometheus_client import CONTENT_TYPE_LATEST, disable_created_metrics, generate_latest
from pydantic import BaseModel, Field
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import JSONResponse, PlainTextResponse, Response

from neighborwatch.access.deps import require_metrics, require_viewer, settings_of
from neighborwatch.db import migrate
from neighborwatch.settings import Settings

router = APIRouter(tags=["operations"])
# A second series per counter with the time of its birth: noise to every reader so far.
disable_created_metrics()  # type: ignore[no-untyped-call]  # it ships without a type

# Below this Postgres' next checkpoint is in danger.
MIN_FREE_BYTES = 256 << 20

Check = Literal["ok", "failed"]


class Readiness(BaseModel):
    status: Check
    database: Annotated[Check, Field(description="Answers queries.")]
    schema_: Annotated[Check, Field(serialization_alias="schema", description="Is at head.")]
    disk: Annotated[Check, Field(description="The state folder has at least 256 MiB free.")]


@router.get("/healthz", operation_id="get_liveness", response_class=PlainTextResponse)
async def get_liveness() -> str:
    """The process answers. Says nothing about the database: restarting would not mend that."""
    return "ok\n"


@router.get(
    "/readyz",
    operation_id="get_readiness",
    response_model=Readiness,
    responses={503: {"model": Readiness, "description": "Something failed"}},
)
def get_readiness(request: Request) -> JSONResponse:
    """Fit to take requests: database reachable, schema at head, disk not full."""
    settings = settings_of(request)
    database, schema = _database_checks(cast(Engine, request.app.state.engine), settings)
    checks = {"database": database, "schema": schema, "disk": _disk_check(settings)}
    failed = "failed" in checks.values()
    return JSONResponse(
        {"status": "failed" if failed else "ok", **checks}, status_code=503 if failed else 200
    )


def _database_checks(engine: Engine, settings: Settings) -> tuple[Check, Check]:
    try:
        with engine.connect() as connection:
            current = migrate.current_revision(connection)
    except SQLAlchemyError:
        return "failed", "failed"
    head = migrate.head_revision(settings.paths.migrations_dir)
    return "ok", "ok" if current == head else "failed"


def _disk_check(settings: Settings) -> Check:
    folder = settings.paths.data_dir
    if not folder.is_dir():  # the database is elsewhere and looks after its own disk
        return "ok"
    return "ok" if shutil.disk_usage(folder).free >= MIN_FREE_BYTES else "failed"


@router.get(
    "/metrics",
    operation_id="get_metrics",
    response_class=PlainTextResponse,
    dependencies=[Depends(require_metrics)],
)
def get_metrics() -> Response:
    """Prometheus metrics of this process. Needs a token with the role metrics or admin, also on
    loopback: behind a proxy every caller would look local."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


@router.get(
    "/api/v1/openapi.json",
    operation_id="get_openapi",
    dependencies=[Depends(require_viewer)],
)
def get_openapi(request: Request) -> dict[str, Any]:
    """This description."""
    return cast(dict[str, Any], request.app.openapi())
