"""The migrations give the tables that the models describe, and can be taken back."""

from alembic import command
from sqlalchemy import Engine, inspect

from neighborwatch.db import migrate
from neighborwatch.db.tables import RUNQ_BUCKET_NAMES, Base
from neighborwatch.settings import PathSettings


def test_models_and_migrations_agree_with_partitions_present(engine: Engine) -> None:
    config = migrate.alembic_config(PathSettings().migrations_dir)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.check(config)  # raises when autogenerate would find something to do


def test_a_migrated_database_is_at_head(engine: Engine) -> None:
    with engine.connect() as connection:
        assert migrate.current_revision(connection) == migrate.head_revision(
            PathSettings().migrations_dir
        )


def test_downgrade_leaves_no_table_and_upgrade_brings_all_back(engine: Engine) -> None:
    config = migrate.alembic_config(PathSettings().migrations_dir)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
        command.upgrade(config, "head")
        assert set(inspect(connection).get_table_names()) == {
            *Base.metadata.tables,
            "alembic_version",
        }


def test_samples_have_96_bucket_columns_in_order(engine: Engine) -> None:
    columns = [column["name"] for column in inspect(engine).get_columns("samples_10s")]
    first = columns.index(RUNQ_BUCKET_NAMES[0])
    assert columns[first : first + 96] == list(RUNQ_BUCKET_NAMES)
