"""create_app(): resources, routers, error handlers, in the order in which a request meets them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from neighborwatch.access import router as access
from neighborwatch.access.deps import require_viewer
from neighborwatch.access.failure_limit import FailureLimit
from neighborwatch.agents import router as agents
from neighborwatch.db.engine import DatabaseUrlError, create_database_engine
from neighborwatch.db.partition_keeper import PartitionKeeper
from neighborwatch.db.partitions import partitioned_tables
from neighborwatch.db.session import session_factory
from neighborwatch.events import router as events
from neighborwatch.http.crash import CrashMiddleware
from neighborwatch.http.dashboard import Dashboard
from neighborwatch.http.errors import PROBLEM_RESPONSES, install_error_handlers
from neighborwatch.http.logs import RequestLogMiddleware
from neighborwatch.http.request_id import RequestIdMiddleware
from neighborwatch.http.security import SecurityHeadersMiddleware
from neighborwatch.ingest.endpoint import IngestEndpoint
from neighborwatch.ingest.flush import Flusher
from neighborwatch.ingest.host_auth import HostAuthenticator
from neighborwatch.ingest.live_keeper import LiveKeeper
from neighborwatch.ingest.openapi import describe_ingest
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.inventory import router as inventory
from neighborwatch.live import router as live
from neighborwatch.neighbors import router as neighbors
from neighborwatch.operations import router as operations
from neighborwatch.overview import router as overview
from neighborwatch.series import router as series
from neighborwatch.settings import Settings, get_settings

# Whoever may see one of them may see all. Asking a host for live windows is a way of looking.
READ_ROUTERS: tuple[APIRouter, ...] = (
    overview.router,
    inventory.router,
    series.router,
    neighbors.router,
    events.router,
    live.router,
    agents.router,
)


def create_app(settings: Settings | None = None) -> FastAPI:
    settings = settings or get_settings()
    app = FastAPI(
        title="Neighborwatch",
        version=version("neighborwatch"),
        lifespan=_lifespan(settings),
        # Served behind sign-in by operations; the interactive pages load scripts from elsewhere.
        openapi_url=None,
    )
    app.state.settings = settings
    app.state.failure_limit = FailureLimit(settings.access.failed_attempts_per_minute)
    install_error_handlers(app)
    app.include_router(operations.router)
    refusals = PROBLEM_RESPONSES
    # Decides route by route who may call it.
    app.include_router(access.router, prefix="/api/v1", responses=refusals)
    for router in READ_ROUTERS:
        app.include_router(
            router, prefix="/api/v1", dependencies=[Depends(require_viewer)], responses=refusals
        )
    app.router.default = Dashboard(settings.paths.frontend_dir)
    _describe(app)
    # The last one added is the first that a request meets.
    app.add_middleware(IngestEndpoint, settings=settings.ingest)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(CrashMiddleware)
    app.add_middleware(RequestLogMiddleware)
    app.add_middleware(
        SecurityHeadersMiddleware, https=settings.server.base_url.startswith("https://")
    )
    app.add_middleware(RequestIdMiddleware)
    return app


def _lifespan(settings: Settings) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if settings.database.database_url is None:
            raise DatabaseUrlError("NW_DATABASE_URL is not set; `neighborwatch run` sets it itself")
        engine = create_database_engine(settings.database.database_url, settings.database)
        tables = partitioned_tables(settings.retention)
        app.state.engine = engine
        app.state.session_factory = session_factory(engine)
        app.state.host_authenticator = HostAuthenticator(app.state.session_factory)
        app.state.flusher = Flusher(
            engine,
            PartitionGuard(engine, tables),
            settings=settings.ingest,
            retention=settings.retention,
        )
        app.state.live_keeper = LiveKeeper(engine, settings=settings.ingest)
        keeper = PartitionKeeper(engine, tables)
        app.state.flusher.start()
        keeper.start()
        try:
            yield
        finally:
            app.state.flusher.stop()
            keeper.stop()
            engine.dispose()

    return lifespan


def _describe(app: FastAPI) -> None:
    """The API's description, with what does not pass through FastAPI."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            describe_ingest(generate())
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend it
