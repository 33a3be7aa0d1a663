"""create_app(): resources, routers, error handlers. No logic."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from neighborwatch.db.engine import DatabaseUrlError, create_database_engine
from neighborwatch.db.session import session_factory
from neighborwatch.http.errors import install_error_handlers
from neighborwatch.http.request_id import RequestIdMiddleware
from neighborwatch.settings import Settings, get_settings

# Every room's router; all lie under /api/v1.
ROUTERS: tuple[APIRouter, ...] = ()


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

    app = FastAPI(title="Neighborwatch", version="0.1.0", lifespan=lifespan)
    app.state.settings = settings
    install_error_handlers(app)
    for router in ROUTERS:
        app.include_router(router, prefix="/api/v1")
    app.add_middleware(RequestIdMiddleware)
    return app
