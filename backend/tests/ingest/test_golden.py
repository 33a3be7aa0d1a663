"""The bytes that the agent's encoder is tested to produce are stored, figure by figure."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from ingest_client import EnrolledHost
from neighborwatch.db.partitions import partitioned_tables
from neighborwatch.db.tables import Blame1m, Container, Host, IngestCursor, Sample10s
from neighborwatch.ingest.flush import Flusher, Submission
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.ingest.wire import ingest_pb2 as wire
from neighborwatch.ingest.writer import Stored
from neighborwatch.settings import Settings

GOLDEN = Path(__file__).parents[3] / "e2e" / "contract" / "batch_golden.pb"


def test_the_agents_golden_request_is_stored_as_it_was_meant(
    engine: Engine, settings: Settings, host: EnrolledHost, session: Session
) -> None:
    body = GOLDEN.read_bytes()
    request = wire.IngestRequest.FromString(body)
    assert request.host_id == host.host_id, "the golden request speaks for the first host"
    ends_at = datetime.fromtimestamp(
        request.batches[-1].started_at_unix_ns // 1_000_000_000, UTC
    ) + timedelta(seconds=10)
    flusher = Flusher(
        engine,
        PartitionGuard(engine, partitioned_tables(settings.retention)),
        settings=settings.ingest,
        retention=settings.retention,
        clock=lambda: ends_at,
    )
    done = flusher.submit(Submission(host.host_id, body, "identity", ends_at))
    flusher.start()
    flusher.stop()
    assert done.result() == Stored(
        new=len(request.batches),
        duplicates=0,
        late=0,
        future=0,
        newly_lost=request.lost_batches,
    )
    stored = {(row.t, row.container_id): row for row in session.scalars(select(Sample10s))}
    assert len(stored) == sum(len(batch.cgroups) for batch in request.batches)
    for batch in request.batches:
        at = datetime.fromtimestamp(batch.started_at_unix_ns // 1_000_000_000, UTC)
        for cgroup in batch.cgroups:
            assert_same(cgroup, stored[at, cgroup.container_id])
    identities = {i.container_id: i for batch in request.batches for i in batch.identities}
    containers = {row.container_id: row for row in session.scalars(select(Container))}
    assert {id_: row.name for id_, row in containers.items()} == {
        id_: identity.name for id_, identity in identities.items()
    }
    for id_, identity in identities.items():
        assert containers[id_].labels == dict(identity.labels)
        assert (containers[id_].pod_uid or "") == identity.pod_uid
    pairs = {
        (pair.victim_id, pair.aggressor_id): pair.preemptions
        for batch in request.batches
        for pair in batch.blame.pairs
    }
    assert {
        (row.victim_id, row.aggressor_id): row.preemptions
        for row in session.scalars(select(Blame1m))
    } == pairs
    facts = next(batch.facts for batch in request.batches if batch.HasField("facts"))
    known = session.get_one(Host, host.host_id)
    assert (known.name, known.cpus, known.memory_bytes) == (
        facts.hostname,
        facts.cpus_online,
        facts.memory_bytes,
    )
    cursor = session.get_one(IngestCursor, host.host_id)
    assert cursor.sequence == request.batches[-1].sequence
    assert [one["name"] for one in cursor.status["collectors"]] == [
        one.name for one in request.batches[-1].collectors
    ]


def assert_same(cgroup: wire.CgroupWindow, row: Sample10s) -> None:
    buckets = {
        index: count
        for index in range(96)
        if (count := getattr(row, f"runq_b{index:02d}")) is not None
    }
    if cgroup.HasField("sched"):
        assert row.wait_ns == cgroup.sched.wait_ns
        assert row.preempted_other == cgroup.sched.preempted_other
        assert row.throttled_out == cgroup.sched.throttled_out
        assert buckets == dict(zip(cgroup.sched.runq_bucket, cgroup.sched.runq_count, strict=True))
    else:
        assert (row.wait_ns, row.preempted_other, buckets) == (None, None, {})
    assert row.usage_ns == (cgroup.cpu_stat.usage_ns if cgroup.HasField("cpu_stat") else None)
    own = next((quota for quota in cgroup.quotas if quota.own), None)
    assert row.nr_throttled == (own.nr_throttled if own else None)
    assert row.quota_us == ((own.quota_us or None) if own else None)
    assert row.cpus_allowed == (cgroup.cpus_allowed or None)
