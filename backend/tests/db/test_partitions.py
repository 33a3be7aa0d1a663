"""Partitions lie on a grid, reach ahead, and go when they are too old."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import Connection, Engine, text

from neighborwatch.db.partition_keeper import PartitionKeeper
from neighborwatch.db.partitions import (
    ensure_partitions,
    maintain_partitions,
    partition_name,
    partition_start,
    partitioned_tables,
)
from neighborwatch.settings import RetentionSettings

TABLES = partitioned_tables(RetentionSettings())
NOW = datetime(2030, 5, 17, 13, 59, 59, tzinfo=UTC)
SIX_HOURS = timedelta(hours=6)


def partitions(connection: Connection, table: str) -> list[str]:
    return list(
        connection.scalars(
            text(
                "SELECT inhrelid::regclass::text FROM pg_inherits"
                " WHERE inhparent = CAST(:table AS regclass) ORDER BY 1"
            ),
            {"table": table},
        )
    )


@pytest.mark.parametrize(
    ("at", "start"),
    [
        (NOW, datetime(2030, 5, 17, 12, tzinfo=UTC)),
        (datetime(2030, 5, 17, 12, tzinfo=UTC), datetime(2030, 5, 17, 12, tzinfo=UTC)),
        (datetime(2030, 5, 17, tzinfo=UTC), datetime(2030, 5, 17, tzinfo=UTC)),
    ],
)
def test_partitions_start_on_a_grid(at: datetime, start: datetime) -> None:
    assert partition_start(at, SIX_HOURS) == start


def test_the_name_is_the_first_hour_in_utc() -> None:
    assert partition_name("samples_10s", partition_start(NOW, SIX_HOURS)) == (
        "samples_10s_p2030051712"
    )


def test_the_whole_retention_and_two_spans_ahead_can_be_written(engine: Engine) -> None:
    with engine.begin() as connection:
        maintain_partitions(connection, TABLES, now=NOW)
        names = partitions(connection, "samples_10s")
    assert names[0] == "samples_10s_p2030051512"
    assert names[-1] == "samples_10s_p2030051800"
    assert len(names) == 11


def test_what_is_wholly_beyond_the_retention_is_dropped(engine: Engine) -> None:
    with engine.begin() as connection:
        maintain_partitions(connection, TABLES, now=NOW)
        change = maintain_partitions(connection, TABLES, now=NOW + timedelta(hours=6))
        assert "samples_10s_p2030051512" in change.dropped
        assert "blame_1m_p2030050300" not in change.dropped
        assert partitions(connection, "samples_10s")[0] == "samples_10s_p2030051518"


def test_a_second_round_changes_nothing(engine: Engine) -> None:
    with engine.begin() as connection:
        maintain_partitions(connection, TABLES, now=NOW)
        again = maintain_partitions(connection, TABLES, now=NOW)
    assert (again.created, again.dropped) == ((), ())


def test_somebody_elses_partition_is_left_alone(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(
            text(
                "CREATE TABLE samples_10s_archive PARTITION OF samples_10s"
                " FOR VALUES FROM ('2001-01-01') TO ('2001-02-01')"
            )
        )
        maintain_partitions(connection, TABLES, now=NOW)
        assert "samples_10s_archive" in partitions(connection, "samples_10s")


def test_ensure_makes_what_one_instant_needs(engine: Engine) -> None:
    with engine.begin() as connection:
        created = ensure_partitions(connection, TABLES, begin=NOW, end=NOW)
    assert created == (
        "samples_10s_p2030051712",
        "host_samples_10s_p2030051712",
        "blame_1m_p2030051700",
        "events_p2030051700",
    )


def test_two_keepers_do_not_collide(engine: Engine) -> None:
    keepers = [PartitionKeeper(engine, TABLES, clock=lambda: NOW) for _ in range(4)]
    for keeper in keepers:
        keeper.start()
    for keeper in keepers:
        keeper.stop()
    assert keepers[0].round()
    with engine.begin() as connection:
        assert len(partitions(connection, "samples_10s")) == 11


def test_a_keeper_without_a_database_says_so_and_lives_on(
    engine: Engine, database_url: str
) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("ALTER TABLE samples_10s RENAME TO gone")
    assert PartitionKeeper(engine, TABLES, clock=lambda: NOW).round() is False
