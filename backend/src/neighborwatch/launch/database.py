"""Which database a command works on, and bringing it up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic.util.exc import CommandError
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from neighborwatch.db import migrate
from neighborwatch.db.engine import DatabaseUrlError, create_database_engine
from neighborwatch.launch.errors import LaunchError
from neighborwatch.launch.postgres import EmbeddedPostgres
from neighborwatch.settings import Settings

LOGS = ("backend.log", "agent.log", "postgres.log")


def embedded_postgres(data_dir: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(data_dir=data_dir / "postgres", log_file=data_dir / "postgres.log")


def database_url_of(settings: Settings) -> str:
    """NW_DATABASE_URL, else the embedded server of a `run` that is going on."""
    if settings.database.database_url is not None:
        return settings.database.database_url
    server = embedded_postgres(settings.paths.data_dir.resolve())
    if not server.is_ready():
        raise LaunchError(
            f"no database: NW_DATABASE_URL is not set, and none runs in {settings.paths.data_dir}. "
            "Start `make run` first (as the same user), or set NW_DATABASE_URL"
        )
    return server.url()


@contextmanager
def opened(url: str, settings: Settings) -> Iterator[Engine]:
    """An engine; its errors become one line."""
    try:
        engine = create_database_engine(url, settings.database)
    except DatabaseUrlError as error:
        raise LaunchError(str(error)) from error
    try:
        yield engine
    except OperationalError as error:
        raise LaunchError(f"the database does not answer: {_first_line(error)}") from error
    except SQLAlchemyError as error:
        raise LaunchError(f"the database refused: {_first_line(error)}") from error
    finally:
        engine.dispose()


def bring_up_to_date(engine: Engine, settings: Settings) -> str:
    """Runs what is missing; returns the revision."""
    try:
        with engine.begin() as connection:
            migrate.upgrade(connection, settings.paths.migrations_dir)
            return migrate.current_revision(connection) or "none"
    except CommandError as error:
        raise LaunchError(
            f"cannot migrate the database: {error}. Was it made by a newer version?"
        ) from error


def _first_line(error: SQLAlchemyError) -> str:
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().partition("\n")[0]
