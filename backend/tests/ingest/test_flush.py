"""Many hosts at once: one transaction, one answer each."""

from concurrent.futures import Future, wait
from datetime import UTC, datetime

import psycopg
import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

import wire_factory as make
from ingest_client import Counted, EnrolHost, EnrolledHost
from neighborwatch.db.partitions import partitioned_tables
from neighborwatch.db.tables import HostSample10s, IngestCursor, Sample10s
from neighborwatch.ingest.checks import MalformedError
from neighborwatch.ingest.flush import Flusher, ForeignHostError, Submission
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.ingest.sequence import Gap
from neighborwatch.ingest.wire import ingest_pb2 as wire
from neighborwatch.ingest.writer import Stored
from neighborwatch.settings import Settings


@pytest.fixture
def flusher(engine: Engine, settings: Settings) -> Flusher:
    """Not started yet: what is submitted before the start shares a transaction."""
    return Flusher(
        engine,
        PartitionGuard(engine, partitioned_tables(settings.retention)),
        settings=settings.ingest.model_copy(
            update={"ingest_writers": 1, "ingest_flush_seconds": 0.2}
        ),
        retention=settings.retention,
    )


@pytest.fixture
def hosts(enrol_host: EnrolHost) -> list[EnrolledHost]:
    return [enrol_host(f"{index:032x}") for index in range(20)]


def submit(flusher: Flusher, host_id: int, request: wire.IngestRequest) -> Future[Stored | Gap]:
    body = request.SerializeToString()
    return flusher.submit(Submission(host_id, body, "identity", datetime.now(UTC)))


def count(session: Session, table: type[HostSample10s | Sample10s | IngestCursor]) -> int:
    session.rollback()
    return session.scalar(select(func.count()).select_from(table)) or 0


def test_twenty_hosts_share_one_transaction(
    flusher: Flusher, hosts: list[EnrolledHost], session: Session
) -> None:
    transactions = Counted("nw_ingest_transaction_seconds_count")
    done = [
        submit(flusher, host.host_id, make.request_of_windows(host.host_id, 1)) for host in hosts
    ]
    flusher.start()
    wait(done)
    flusher.stop()
    assert all(future.result() == Stored(1, 0, 0, 0, 0) for future in done)
    assert transactions.growth == 1
    assert (count(session, HostSample10s), count(session, Sample10s)) == (20, 40)


def test_one_bad_request_does_not_spoil_its_neighbors(
    flusher: Flusher, hosts: list[EnrolledHost], session: Session
) -> None:
    good, gap, malformed, foreign = hosts[:4]
    broken = make.request_of_windows(malformed.host_id, 1)
    broken.batches[0].duration_ns = 0
    done = {
        "good": submit(flusher, good.host_id, make.request_of_windows(good.host_id, 1)),
        "gap": submit(flusher, gap.host_id, make.request_of_windows(gap.host_id, 3)),
        "malformed": submit(flusher, malformed.host_id, broken),
        "foreign": submit(flusher, foreign.host_id, make.request_of_windows(good.host_id, 1)),
    }
    flusher.start()
    wait(done.values())
    flusher.stop()
    assert done["good"].result() == Stored(1, 0, 0, 0, 0)
    assert done["gap"].result() == Gap(1)
    assert isinstance(done["malformed"].exception(), MalformedError)
    assert isinstance(done["foreign"].exception(), ForeignHostError)
    assert (count(session, HostSample10s), count(session, IngestCursor)) == (1, 1)


def test_data_that_breaks_the_transaction_is_found_and_the_rest_is_stored(
    flusher: Flusher, hosts: list[EnrolledHost], session: Session, engine: Engine
) -> None:
    good, deleted = hosts[:2]
    with engine.begin() as connection:  # its cursor has nothing to refer to
        for table in ("host_tokens", "enrolment_tokens", "hosts"):
            column = "used_by_host_id" if table == "enrolment_tokens" else "host_id"
            connection.exec_driver_sql(f"DELETE FROM {table} WHERE {column} = {deleted.host_id}")
    done = [
        submit(flusher, host.host_id, make.request_of_windows(host.host_id, 1))
        for host in (good, deleted)
    ]
    flusher.start()
    wait(done)
    flusher.stop()
    assert done[0].result() == Stored(1, 0, 0, 0, 0)
    assert isinstance(done[1].exception(), MalformedError)
    assert count(session, HostSample10s) == 1


def test_two_backends_with_the_same_batches_store_them_once(
    engine: Engine, settings: Settings, hosts: list[EnrolledHost], session: Session
) -> None:
    tables = partitioned_tables(settings.retention)
    backends = [
        Flusher(
            engine,
            PartitionGuard(engine, tables),
            settings=settings.ingest,
            retention=settings.retention,
        )
        for _ in range(2)
    ]
    requests = [make.request_of_windows(host.host_id, 1, 3) for host in hosts]
    done = [
        submit(backend, host.host_id, request)
        for backend in backends
        for host, request in zip(hosts, requests, strict=True)
    ]
    for backend in backends:
        backend.start()
    wait(done)
    for backend in backends:
        backend.stop()
    results = [future.result() for future in done]
    assert all(isinstance(result, Stored) for result in results)
    assert sum(result.new for result in results if isinstance(result, Stored)) == 60
    assert (count(session, HostSample10s), count(session, Sample10s)) == (60, 120)


def test_stopping_writes_what_is_queued(
    flusher: Flusher, hosts: list[EnrolledHost], session: Session
) -> None:
    done = [
        submit(flusher, host.host_id, make.request_of_windows(host.host_id, 1)) for host in hosts
    ]
    flusher.start()
    flusher.stop()
    assert all(future.done() for future in done)
    assert count(session, HostSample10s) == 20


def test_a_transaction_is_whole_or_not_at_all(
    flusher: Flusher, hosts: list[EnrolledHost], session: Session, database_url: str
) -> None:
    host = hosts[0]
    with psycopg.connect(database_url) as db:  # the last table of a transaction refuses
        db.execute("ALTER TABLE blame_1m ADD CONSTRAINT refuse CHECK (preemptions < 0)")
    done = submit(flusher, host.host_id, make.request_of_windows(host.host_id, 1))
    flusher.start()
    wait([done])
    flusher.stop()
    assert done.exception() is not None
    assert (count(session, Sample10s), count(session, IngestCursor)) == (0, 0)
