"""Brings a database to the newest revision, and tells whether it is there."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def alembic_config(migrations_dir: Path) -> Config:
    config = Config(migrations_dir / "alembic.ini")
    config.set_main_option("script_location", str(migrations_dir).replace("%", "%%"))
    return config


def upgrade(connection: Connection, migrations_dir: Path) -> None:
    """Runs what is missing, in the caller's connection (env.py takes it from the attributes)."""
    config = alembic_config(migrations_dir)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def head_revision(migrations_dir: Path) -> str | None:
    return ScriptDirectory.from_config(alembic_config(migrations_dir)).get_current_head()


def current_revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()
