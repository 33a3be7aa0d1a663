"""How revisions are run: one transaction, and never waiting long for a lock."""

from typing import Literal

from alembic import context
from sqlalchemy import Connection, text

from neighborwatch.db.engine import create_database_engine
from neighborwatch.db.partitions import PARTITION_NAME
from neighborwatch.db.tables import Base
from neighborwatch.settings import get_settings

# A migration that waits for a lock makes every later query wait behind it. Better to give up.
LOCK_TIMEOUT = "5s"


def include_name(
    name: str | None, type_: str, parent_names: dict[str, str | None]
) -> Literal[True, False]:
    """Partitions are made by the clock (db/partitions.py); autogenerate would drop them all."""
    return not (type_ == "table" and name is not None and PARTITION_NAME.match(name))


def run(connection: Connection) -> None:
    connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
    connection.execute(text("SET statement_timeout = 0"))
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=include_name,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    settings = get_settings().database
    if settings.database_url is None:
        raise SystemExit("alembic: set NW_DATABASE_URL to the database to work on")
    with create_database_engine(settings.database_url, settings).begin() as own:
        run(own)
