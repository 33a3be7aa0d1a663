"""The queue between requests and the database: threads that write many hosts per transaction.

The event loop never waits for a commit, a decompression or a decoder.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from neighborwatch.ingest import metrics
from neighborwatch.ingest.batch import Batch
from neighborwatch.ingest.checks import MalformedError
from neighborwatch.ingest.decode import decode
from neighborwatch.ingest.expand import expand
from neighborwatch.ingest.identities import Connection
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.ingest.sequence import Gap
from neighborwatch.ingest.writer import (
    Horizon,
    Outcome,
    Raced,
    Received,
    Stored,
    TableRows,
    write,
)
from neighborwatch.settings import IngestSettings, RetentionSettings

log = logging.getLogger(__name__)

# A host's clock may be ahead of ours by this much.
MAX_FUTURE = timedelta(minutes=5)
_RACES_BEFORE_GIVING_UP = 3


class ForeignHostError(ValueError):
    """The body speaks for another host than the token does."""


class DatabaseAwayError(RuntimeError):
    """Nothing was stored; sending the same again later will do."""


@dataclass(slots=True)
class Submission:
    host_id: int  # of the token
    body: bytes
    encoding: str
    received_at: datetime
    done: Future[Stored | Gap] = field(default_factory=Future)


class Flusher:
    """Bounded queue plus `ingest_writers` threads."""

    def __init__(
        self,
        engine: Engine,
        guard: PartitionGuard,
        *,
        settings: IngestSettings,
        retention: RetentionSettings,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._engine = engine
        self._guard = guard
        self._settings = settings
        self._retention = retention
        self._clock = clock
        self._queue: queue.Queue[Submission | None] = queue.Queue(settings.ingest_queue_requests)
        self._threads = [
            threading.Thread(target=self._run, name=f"ingest-writer-{index}")
            for index in range(settings.ingest_writers)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Writes what is queued, then ends."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def submit(self, submission: Submission) -> Future[Stored | Gap]:
        """Raises queue.Full when writers cannot keep up."""
        self._queue.put_nowait(submission)
        return submission.done

    def _run(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            batch, ended = self._collect(first)
            self._process(batch)
            if ended:
                return

    def _collect(self, first: Submission) -> tuple[list[Submission], bool]:
        """Waits a moment for others to share the transaction: its cost is mostly fixed."""
        batch = [first]
        deadline = time.monotonic() + self._settings.ingest_flush_seconds
        while len(batch) < self._settings.ingest_flush_requests:
            try:
                following = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return batch, False
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _process(self, submissions: Sequence[Submission]) -> None:
        ready: dict[int, tuple[Submission, Received]] = {}
        for submission in submissions:
            try:
                ready[submission.host_id] = (submission, self._decode(submission))
            except Exception as error:
                # Malformed, too large, foreign: the endpoint turns it into the answer.
                submission.done.set_exception(error)
        try:
            self._write(ready)
        except Exception as error:
            # Whatever it was, every request gets an answer and the thread lives on.
            for submission, _ in ready.values():
                if not submission.done.done():
                    submission.done.set_exception(error)

    def _decode(self, submission: Submission) -> Received:
        body = expand(
            submission.body,
            submission.encoding,
            max_bytes=self._settings.ingest_max_expanded_bytes,
        )
        metrics.BYTES.labels("expanded").inc(len(body))
        request = decode(body)
        check_host(token=submission.host_id, body=request.host_id)
        return Received(request, submission.received_at)

    def _write(self, ready: dict[int, tuple[Submission, Received]]) -> None:
        waiting = ready
        for _ in range(_RACES_BEFORE_GIVING_UP):
            if not waiting:
                return
            outcomes = self._write_isolating(waiting)
            raced = {}
            for host_id, outcome in outcomes.items():
                if isinstance(outcome, Raced):
                    raced[host_id] = waiting[host_id]
                else:
                    _count(outcome)
                    waiting[host_id][0].done.set_result(outcome)
            waiting = raced
        for submission, _ in waiting.values():
            submission.done.set_exception(
                DatabaseAwayError("another backend process keeps moving this host's cursor")
            )

    def _write_isolating(
        self, waiting: dict[int, tuple[Submission, Received]]
    ) -> dict[int, Outcome]:
        """All in one transaction; if the data of one breaks it, each in its own."""
        try:
            return self._transaction([received for _, received in waiting.values()])
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            if len(waiting) == 1:
                raise MalformedError("body", _first_line(error)) from error
        outcomes: dict[int, Outcome] = {}
        for host_id, (submission, received) in waiting.items():
            try:
                outcomes |= self._transaction([received])
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                log.warning("ingest from host %s cannot be stored: %s", host_id, _first_line(error))
                submission.done.set_exception(MalformedError("body", _first_line(error)))
        return outcomes

    def _transaction(self, received: Sequence[Received]) -> dict[int, Outcome]:
        now = self._clock()
        horizon = Horizon(oldest=now - self._retention.samples, newest=now + MAX_FUTURE)
        needed = [
            (table, at)
            for one in received
            for batch in one.request.batches
            if horizon.oldest <= batch.started_at <= horizon.newest
            for table, at in _needs(batch)
        ]
        try:
            return self._commit(received, horizon, needed)
        except psycopg.errors.CheckViolation:
            # "no partition of relation found": dropped since we saw it. Make it and go on.
            self._guard.forget()
            return self._commit(received, horizon, needed)

    def _commit(
        self,
        received: Sequence[Received],
        horizon: Horizon,
        needed: Sequence[tuple[str, datetime]],
    ) -> dict[int, Outcome]:
        with as_database_away():
            self._guard.ensure(needed)
            with metrics.TRANSACTION_SECONDS.time(), self._engine.begin() as connection:
                metrics.TRANSACTION_REQUESTS.observe(len(received))
                written = write(driver_connection(connection.connection), received, horizon)
            _count_rows(written.rows)
            return written.outcomes


def _needs(batch: Batch) -> list[tuple[str, datetime]]:
    window = ("samples_10s", "host_samples_10s") if batch.is_window else ()
    return [
        *((table, batch.started_at) for table in window),
        *(("blame_1m", row[0]) for row in batch.blame[:1]),
        *(("events", row[0]) for row in batch.events),
    ]


def check_host(*, token: int, body: int) -> None:
    if token != body:
        raise ForeignHostError(
            f"the token belongs to host {token}, the body speaks for host {body}"
        )


@contextmanager
def as_database_away() -> Iterator[None]:
    """Whatever says that the database did not answer; what it says of the data passes."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise DatabaseAwayError(_first_line(error)) from error
    except PoolTimeoutError as error:
        raise DatabaseAwayError("all database connections are busy") from error
    except DBAPIError as error:
        raise DatabaseAwayError(_first_line(error.orig or error)) from error
    except SQLAlchemyError as error:
        raise DatabaseAwayError(_first_line(error)) from error


def driver_connection(pooled: object) -> Connection:
    """The psycopg connection under SQLAlchemy's: same pool, same transaction, but COPY."""
    driver = getattr(pooled, "driver_connection", None)
    if not isinstance(driver, psycopg.Connection):
        raise TypeError("ingest needs psycopg below SQLAlchemy")
    return driver


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _count(outcome: Stored | Gap) -> None:
    if isinstance(outcome, Stored):
        metrics.BATCHES.labels("stored").inc(outcome.new)
        metrics.BATCHES.labels("duplicate").inc(outcome.duplicates)
        metrics.BATCHES.labels("late").inc(outcome.late)
        metrics.BATCHES.labels("future").inc(outcome.future)
        metrics.LOST_BATCHES.inc(outcome.newly_lost)
        for reason, count in asdict(outcome.events_lost).items():
            metrics.EVENTS_LOST.labels(reason).inc(count)


def _count_rows(rows: Sequence[TableRows]) -> None:
    for one in rows:
        metrics.ROWS.labels(one.table).inc(one.stored)
        metrics.DUPLICATE_ROWS.labels(one.table).inc(one.duplicates)
