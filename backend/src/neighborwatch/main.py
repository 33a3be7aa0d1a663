"""create_app(): resources, routers, error handlers. No logic."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI

from neighborwatch.access import router as access
from neighborwatch.access.deps import require_viewer
from neighborwatch.access.failure_limit import FailureLimit
from neighborwatch.db.engine import DatabaseUrlError, create_database_engine
from neighborwatch.db.session import session_factory
from neighborwatch.http.errors import install_error_handlers
from neighborwatch.http.request_id import RequestIdMiddleware
from neighborwatch.settings import Settings, get_settings

# Rooms that only read: whoever may see one of them may see all.
READ_ROUTERS: tuple[APIRouter, ...] = ()


def create_app(settings: Settings | None = None) -> FastAPI:
    settings = settings or get_settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if settings.database.database_url is None:
            raise DatabaseUrlError("NW_DATABASE_URL is not set; `neighborwatch run` sets it itself")
        engine = create_database_engine(settings.database.database_url, settings.database)
        app.state.engine = engine
        app.state.session_factory = session_factory(engine)
        try:
            yield
        finally:
            engine.dispose()

    app = FastAPI(title="Neighborwatch", version=version("neighborwatch"), lifespan=lifespan)
    app.state.settings = settings
    app.state.failure_limit = FailureLimit(settings.access.failed_attempts_per_minute)
    install_error_handlers(app)
    app.include_router(access.router, prefix="/api/v1")  # decides route by route
    for router in READ_ROUTERS:
        app.include_router(router, prefix="/api/v1", dependencies=[Depends(require_viewer)])
    app.add_middleware(RequestIdMiddleware)
    return app
