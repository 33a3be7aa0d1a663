"""Makes sure, before rows are written, that their partitions are there."""

from collections.abc import Iterable
from datetime import datetime
from threading import Lock

from sqlalchemy import Engine

from neighborwatch.db.partitions import (
    PartitionedTable,
    ensure_partitions,
    partition_start,
)
from neighborwatch.ingest import metrics


class PartitionGuard:
    """Remembers what it has seen, so that the usual batch costs a set lookup."""

    def __init__(self, engine: Engine, tables: Iterable[PartitionedTable]) -> None:
        self._engine = engine
        self._tables = {table.name: table for table in tables}
        self._known: set[tuple[str, datetime]] = set()
        self._lock = Lock()

    def ensure(self, needed: Iterable[tuple[str, datetime]]) -> None:
        """`needed`: table and instant of each row or window."""
        wanted = {
            (name, partition_start(at, self._tables[name].span)) for name, at in needed
        } - self._known
        for name, start in sorted(wanted):
            with self._engine.begin() as connection:
                created = ensure_partitions(
                    connection, [self._tables[name]], begin=start, end=start
                )
            metrics.PARTITION_MISSES.inc(len(created))
            with self._lock:
                self._known.add((name, start))

    def forget(self) -> None:
        """After a partition turned out to be gone: look again."""
        with self._lock:
            self._known = set()
