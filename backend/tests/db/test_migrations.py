"""The migrations give the tables that the models describe, and can be taken back."""

from collections.abc import Sequence
from datetime import UTC, datetime

from alembic import command
from sqlalchemy import Engine, inspect, text
from sqlalchemy.orm import Session

from neighborwatch.db import migrate
from neighborwatch.db.partitions import maintain_partitions, partitioned_tables
from neighborwatch.db.tables import (
    RUNQ_BUCKET_NAMES,
    WAIT_PARTS,
    Base,
    Blame1m,
    Event,
    Sample10s,
)
from neighborwatch.settings import PathSettings, RetentionSettings


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


def test_an_upgrade_keeps_what_was_measured_and_does_not_invent_the_rest(engine: Engine) -> None:
    """From the first revision, with rows in partitions, as on a server that is updated."""
    config = migrate.alembic_config(PathSettings().migrations_dir)
    now = datetime.now(UTC)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        connection.execute(
            text("INSERT INTO hosts (machine_id, name, created_at) VALUES ('m', 'h1', :now)"),
            {"now": now},
        )
        connection.execute(
            text(
                "INSERT INTO samples_10s (host_id, container_id, t, duration_ms, wait_ns, runq_b95)"
                " VALUES (1, 5, :now, 10000, 77, 3)"
            ),
            {"now": now},
        )
        connection.execute(
            text(
                "INSERT INTO blame_1m (host_id, t, victim_id, aggressor_id, duration_ms,"
                " preemptions) VALUES (1, :now, 5, 6, 60000, 9)"
            ),
            {"now": now},
        )
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        command.check(config)
        maintain_partitions(connection, partitioned_tables(RetentionSettings()), now=now)
    with Session(engine) as session:
        sample = session.get_one(Sample10s, (1, 5, now))
        assert (sample.wait_ns, sample.max_wait_ns, sample.runq_unthrottled) == (77, None, None)
        assert [getattr(sample, f"{part}_ns") for part in WAIT_PARTS] == [None] * 7
        assert session.get_one(Blame1m, (1, now, 5, 6)).wait_ns is None
        session.add(
            Event(
                **{"host_id": 1, "t": now, "number": 1, "kind": "throttling", "container_id": 5},
                **{"duration_ns": 1, "cpu": 0, "pid": 1, "comm": "c", "skipped": 0, "shares": []},
            )
        )
        session.commit()


def test_no_key_and_no_reference_stands_in_the_way_of_splitting_by_host(engine: Engine) -> None:
    """Every unique key of a table of facts holds host_id; references point to reference tables."""
    inspected = inspect(engine)
    facts = [
        *("samples_10s", "host_samples_10s", "blame_1m", "events"),
        *("containers", "ingest_cursors", "live_requests", "live_windows"),
    ]
    for table in facts:
        keys: list[Sequence[str | None]] = [
            inspected.get_pk_constraint(table)["constrained_columns"]
        ]
        keys += [index["column_names"] for index in inspected.get_indexes(table) if index["unique"]]
        assert all("host_id" in key for key in keys), table
        referred = {key["referred_table"] for key in inspected.get_foreign_keys(table)}
        assert referred <= {"hosts"}, table
    with engine.connect() as connection:
        triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"
        assert connection.scalar(text(triggers)) == 0
        unlogged = "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"
        assert set(connection.scalars(text(unlogged))) == {"live_requests", "live_windows"}


def test_samples_have_96_bucket_columns_in_order(engine: Engine) -> None:
    columns = [column["name"] for column in inspect(engine).get_columns("samples_10s")]
    first = columns.index(RUNQ_BUCKET_NAMES[0])
    assert columns[first : first + 96] == list(RUNQ_BUCKET_NAMES)
