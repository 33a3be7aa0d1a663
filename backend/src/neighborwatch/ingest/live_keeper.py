"""One live request from bytes to rows, in a thread of its own."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Engine

from neighborwatch.db.live import prune_live
from neighborwatch.ingest import metrics
from neighborwatch.ingest.expand import expand
from neighborwatch.ingest.flush import as_database_away, check_host, driver_connection
from neighborwatch.ingest.live import decode_live, store_live
from neighborwatch.settings import IngestSettings


class LiveKeeper:
    def __init__(
        self,
        engine: Engine,
        *,
        settings: IngestSettings,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._clock = clock

    def keep(self, host_id: int, body: bytes, encoding: str) -> tuple[int, int]:
        """How many windows were kept, and how many dropped since nobody asked. `host_id` is the
        token's; raises what ingest of batches raises."""
        now = self._clock()
        expanded = expand(body, encoding, max_bytes=self._settings.ingest_max_expanded_bytes)
        metrics.BYTES.labels("expanded").inc(len(expanded))
        request = decode_live(expanded, received_at=now)
        check_host(token=host_id, body=request.host_id)
        count = len(request.windows)
        with as_database_away(), self._engine.begin() as connection:
            driver = driver_connection(connection.connection)
            if not store_live(driver, request, received_at=now):
                return 0, count
            prune_live(connection, now=now)
        return count, 0
