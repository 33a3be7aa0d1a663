"""The bytes that the agent's encoder is tested to produce are stored, figure by figure."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from ingest_client import EnrolledHost
from neighborwatch.db.partitions import partitioned_tables
from neighborwatch.db.tables import (
    WAIT_PARTS,
    Blame1m,
    Container,
    Event,
    Host,
    IngestCursor,
    Sample10s,
)
from neighborwatch.ingest.batch import EventLoss
from neighborwatch.ingest.flush import Flusher, Submission
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.ingest.sequence import Gap
from neighborwatch.ingest.wire import ingest_pb2 as wire
from neighborwatch.ingest.writer import Stored
from neighborwatch.settings import Settings

CONTRACT = Path(__file__).parents[3] / "e2e" / "contract"
GOLDEN = CONTRACT / "batch_golden.pb"
GOLDEN_EVENTS = CONTRACT / "events_golden.pb"


def test_the_agents_golden_request_is_stored_as_it_was_meant(
    engine: Engine, settings: Settings, host: EnrolledHost, session: Session
) -> None:
    request, stored_as = store(GOLDEN, engine, settings, host)
    losses = [batch.event_loss for batch in request.batches]
    assert stored_as == Stored(
        new=len(request.batches),
        duplicates=0,
        late=0,
        future=0,
        newly_lost=request.lost_batches,
        events_lost=EventLoss(
            ring_full=sum(loss.ring_full for loss in losses),
            queue_full=sum(loss.queue_full for loss in losses),
            rate_limited=sum(loss.rate_limited for loss in losses),
        ),
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
        (pair.victim_id, pair.aggressor_id): (pair.preemptions, pair.wait_ns)
        for batch in request.batches
        for pair in batch.blame.pairs
    }
    assert {
        (row.victim_id, row.aggressor_id): (row.preemptions, row.wait_ns)
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


def test_the_agents_golden_events_are_stored_as_they_were_meant(
    engine: Engine, settings: Settings, host: EnrolledHost, session: Session
) -> None:
    before, _ = store(GOLDEN, engine, settings, host)
    request, stored_as = store(GOLDEN_EVENTS, engine, settings, host)
    assert stored_as == Stored(new=1, duplicates=0, late=0, future=0, newly_lost=0)
    (batch,) = request.batches
    rows = {row.number: row for row in session.scalars(select(Event))}
    assert set(rows) == {event.number for event in batch.events}
    kinds = {
        wire.EVENT_KIND_NOISY_NEIGHBOR: "noisy_neighbor",
        wire.EVENT_KIND_THROTTLING: "throttling",
    }
    levels = {0: None, wire.QUOTA_LEVEL_OWN: "own", wire.QUOTA_LEVEL_ANCESTOR: "ancestor"}
    for event in batch.events:
        row = rows[event.number]
        assert row.kind == kinds[event.kind]
        assert int(row.t.timestamp() * 1e6) == event.ended_at_unix_ns // 1000
        assert (row.container_id, row.duration_ns) == (event.container_id, event.duration_ns)
        assert (row.cpu, row.pid, row.comm) == (event.cpu, event.pid, event.comm)
        assert (row.quota_level, row.skipped) == (levels[event.quota_level], event.skipped)
        assert row.shares == [
            {"id": share.container_id, "ns": share.ns}
            if share.WhichOneof("who") == "container_id"
            else {share.WhichOneof("who"): True, "ns": share.ns}
            for share in event.shares
        ]
    cursor = session.get_one(IngestCursor, host.host_id)
    window = before.batches[-1]
    assert cursor.sequence == batch.sequence
    # What the agent said of itself with its newest window stays.
    assert cursor.status["duration_ns"] == window.duration_ns
    assert cursor.window_at == datetime.fromtimestamp(window.started_at_unix_ns // 10**9, UTC)


def store(
    path: Path, engine: Engine, settings: Settings, host: EnrolledHost
) -> tuple[wire.IngestRequest, Stored | Gap]:
    """As if it had arrived when its last batch ended."""
    body = path.read_bytes()
    request = wire.IngestRequest.FromString(body)
    assert request.host_id == host.host_id, "the golden request speaks for the first host"
    newest = request.batches[-1]
    ends_at = datetime.fromtimestamp(newest.started_at_unix_ns // 1_000_000_000, UTC) + timedelta(
        microseconds=newest.duration_ns // 1000
    )
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
    return request, done.result()


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
        for part in WAIT_PARTS:
            assert getattr(row, f"{part}_ns") == getattr(cgroup.sched, f"{part}_ns"), part
        assert row.max_wait_ns == cgroup.sched.max_wait_ns
        unthrottled = dict(
            zip(
                cgroup.sched.runq_unthrottled_bucket,
                cgroup.sched.runq_unthrottled_count,
                strict=True,
            )
        )
        kept = row.runq_unthrottled
        assert {i: n for i, n in enumerate(kept or []) if n} == unthrottled
        assert (kept is None) == (not unthrottled)
        assert buckets == dict(zip(cgroup.sched.runq_bucket, cgroup.sched.runq_count, strict=True))
    else:
        assert (row.wait_ns, row.preempted_other, buckets) == (None, None, {})
    assert row.usage_ns == (cgroup.cpu_stat.usage_ns if cgroup.HasField("cpu_stat") else None)
    own = next((quota for quota in cgroup.quotas if quota.own), None)
    assert row.nr_throttled == (own.nr_throttled if own else None)
    assert row.quota_us == ((own.quota_us or None) if own else None)
    assert row.cpus_allowed == (cgroup.cpus_allowed or None)
