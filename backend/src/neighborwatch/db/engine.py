"""The one place that opens connections to Postgres."""

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from neighborwatch.settings import DatabaseSettings


class DatabaseUrlError(ValueError):
    """NW_DATABASE_URL cannot be used; the message says why and never repeats the URL."""


def database_url(text: str) -> URL:
    """Accepts what people write (`postgres://`, `postgresql://`) and names the driver."""
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise DatabaseUrlError(
            "NW_DATABASE_URL is not a URL; it looks like postgresql://user:password@host/name"
        ) from error
    if url.drivername not in {"postgres", "postgresql", "postgresql+psycopg"}:
        raise DatabaseUrlError(
            f"NW_DATABASE_URL starts with {url.drivername}://; only postgresql:// is supported"
        )
    return url.set(drivername="postgresql+psycopg")


def create_database_engine(url: str, settings: DatabaseSettings) -> Engine:
    """Connections speak UTC and cancel what runs longer than the statement timeout."""
    timeout_ms = round(settings.database_statement_timeout_seconds * 1000)
    return create_engine(
        database_url(url),
        pool_size=settings.database_pool_size,
        max_overflow=settings.database_pool_overflow,
        # Longer than a browser waits would only pile up threads.
        pool_timeout=settings.database_connect_timeout_seconds,
        # A server that was restarted must not cost the next request an error.
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": settings.database_connect_timeout_seconds,
            "application_name": "neighborwatch",
            "options": f"-c timezone=UTC -c statement_timeout={timeout_ms} -c jit=off",
        },
    )
