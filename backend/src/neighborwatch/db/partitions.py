"""Partitions by time: made ahead, dropped when too old. Fact rows are never deleted one by one.

Partitions are no part of the migrations: a revision describes the shape, the clock makes the rest.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, text

from neighborwatch.settings import RetentionSettings

# samples_10s_p2026112106: the first hour that the partition holds, UTC.
PARTITION_NAME = re.compile(r"^(?P<table>\w+)_p(?P<start>\d{10})$")
# Any number will do, as long as nothing else in this database locks on it.
_LOCK_KEY = 0x4E57_7061_7274


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    name: str
    span: timedelta
    retention: timedelta


@dataclass(frozen=True, slots=True)
class PartitionChange:
    created: tuple[str, ...]
    dropped: tuple[str, ...]


def partitioned_tables(retention: RetentionSettings) -> tuple[PartitionedTable, ...]:
    six_hours, day = timedelta(hours=6), timedelta(days=1)
    return (
        PartitionedTable("samples_10s", six_hours, retention.samples),
        PartitionedTable("host_samples_10s", six_hours, retention.samples),
        PartitionedTable("blame_1m", day, retention.blame),
        PartitionedTable("events", day, retention.events),
    )


def partition_start(at: datetime, span: timedelta) -> datetime:
    """Partitions lie on a grid from the epoch, so that any two processes agree on them."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return epoch + ((at - epoch) // span) * span


def partition_name(table: str, start: datetime) -> str:
    return f"{table}_p{start.astimezone(UTC):%Y%m%d%H}"


def ensure_partitions(
    connection: Connection,
    tables: Iterable[PartitionedTable],
    *,
    begin: datetime,
    end: datetime,
) -> tuple[str, ...]:
    """Creates what is missing for instants in [begin, end]; returns the names it created."""
    _lock(connection)
    created = []
    for table in tables:
        existing = _existing(connection, table.name)
        start = partition_start(begin, table.span)
        while start <= end:
            name = partition_name(table.name, start)
            if name not in existing:
                _create(connection, table, name, start)
                created.append(name)
            start += table.span
    return tuple(created)


def maintain_partitions(
    connection: Connection, tables: Iterable[PartitionedTable], *, now: datetime
) -> PartitionChange:
    """Keeps the whole retention writable (agents catch up late) and two spans ahead; drops what
    lies wholly before the retention."""
    tables = tuple(tables)
    _lock(connection)
    created: list[str] = []
    dropped: list[str] = []
    for table in tables:
        created += ensure_partitions(
            connection, [table], begin=now - table.retention, end=now + 2 * table.span
        )
        for name, start in _existing(connection, table.name).items():
            if start + table.span <= now - table.retention:
                connection.execute(text(f'DROP TABLE "{name}"'))
                dropped.append(name)
    return PartitionChange(tuple(created), tuple(dropped))


def _lock(connection: Connection) -> None:
    """One maker at a time; held until the transaction ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})


def _existing(connection: Connection, table: str) -> dict[str, datetime]:
    names = connection.scalars(
        text(
            "SELECT c.relname FROM pg_inherits i"
            " JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = to_regclass(:table)"
        ),
        {"table": table},
    )
    existing = {}
    for name in names:
        match = PARTITION_NAME.match(name)
        if match is not None:  # somebody's own partition is left alone
            start = datetime.strptime(match["start"], "%Y%m%d%H").replace(tzinfo=UTC)
            existing[name] = start
    return existing


def _create(connection: Connection, table: PartitionedTable, name: str, start: datetime) -> None:
    # Names and bounds are made here from a fixed list and a clock, never from input.
    connection.execute(
        text(
            f'CREATE TABLE "{name}" PARTITION OF "{table.name}"'
            f" FOR VALUES FROM ('{start.isoformat()}') TO ('{(start + table.span).isoformat()}')"
        )
    )
