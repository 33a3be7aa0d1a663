"""A thread that keeps partitions ahead of the clock and drops those beyond the retention."""

import logging
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from prometheus_client import Counter
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from neighborwatch.db.live import prune_live
from neighborwatch.db.partitions import PartitionedTable, maintain_partitions

log = logging.getLogger(__name__)

EVERY_SECONDS = 600.0
_RETRY_SECONDS = 15.0
CHANGES = Counter("nw_partitions_total", "Partitions created and dropped", ["change"])
FAILURES = Counter("nw_partition_maintenance_failures_total", "Rounds that failed; see the log")


class PartitionKeeper:
    """Any number of processes may run one: an advisory lock makes them take turns."""

    def __init__(
        self,
        engine: Engine,
        tables: Iterable[PartitionedTable],
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._engine = engine
        self._tables = tuple(tables)
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="partition-keeper")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        wait_seconds = 0.0
        while not self._stopping.wait(wait_seconds):
            wait_seconds = EVERY_SECONDS if self.round() else _RETRY_SECONDS

    def round(self) -> bool:
        """True when all is as it should be."""
        try:
            with self._engine.begin() as connection:
                now = self._clock()
                change = maintain_partitions(connection, self._tables, now=now)
                # Usually done by whoever stores the next one; the last ones have no next.
                prune_live(connection, now=now)
        except SQLAlchemyError as error:
            FAILURES.inc()
            log.warning("partitions: %s", str(error).partition("\n")[0])
            return False
        CHANGES.labels("created").inc(len(change.created))
        CHANGES.labels("dropped").inc(len(change.dropped))
        if change.created or change.dropped:
            log.info("partitions: created %d, dropped %d", len(change.created), len(change.dropped))
        return True
