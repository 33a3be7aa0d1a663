"""What is sent is stored exactly once, and only by whom it belongs to."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import zstandard
from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session

import wire_factory as make
from ingest_client import Counted, EnrolledHost, Send
from neighborwatch.db.tables import (
    WAIT_PARTS,
    Base,
    Blame1m,
    Container,
    Host,
    HostSample10s,
    IngestCursor,
    Sample10s,
)
from neighborwatch.ingest.wire import ingest_pb2 as wire


def rows(session: Session, table: type[Base]) -> int:
    session.rollback()
    return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_batch_is_stored_in_every_table(send: Send, host: EnrolledHost, session: Session) -> None:
    at = make.recent_window()
    answer = send(make.request(host.host_id, [make.batch(1, at)]))
    assert (answer.status_code, answer.content) == (204, b"")
    sample = session.get_one(Sample10s, (host.host_id, make.VICTIM, at))
    assert sample.duration_ms == 10_000
    assert (sample.ran_ns, sample.wait_ns, sample.wait_count) == (4_000_000_000, 3_000_000_000, 12)
    assert (sample.preempted_self, sample.preempted_other, sample.preempted_system) == (1, 7, 2)
    assert (sample.migrated_wait_ns, sample.throttled_out) == (1_000, 0)
    assert (sample.usage_ns, sample.user_ns, sample.system_ns) == (4_000, 3_000, 1_000)
    assert (sample.nr_periods, sample.nr_throttled, sample.throttled_ns) == (100, 23, 5_000)
    assert (sample.ancestor_nr_periods, sample.ancestor_nr_throttled) == (100, 3)
    assert (sample.quota_us, sample.period_us, sample.burst_us) == (20_000, 100_000, 0)
    assert sample.cpus_allowed == 2
    assert [getattr(sample, f"{part}_ns") for part in WAIT_PARTS] == [
        *(100_000_000, 2_000_000_000, 200_000_000, 600_000_000, 50_000_000, 49_000_000),
        1_000_000,
    ]
    assert sample.max_wait_ns == 16_000_000_000
    unthrottled = sample.runq_unthrottled
    assert unthrottled is not None
    assert len(unthrottled) == 96
    assert {index: n for index, n in enumerate(unthrottled) if n} == {0: 5, 31: 6, 60: 1}
    buckets = [getattr(sample, f"runq_b{index:02d}") for index in range(96)]
    assert {index: n for index, n in enumerate(buckets) if n is not None} == {0: 5, 31: 6, 95: 1}
    host_sample = session.get_one(HostSample10s, (host.host_id, at))
    assert (host_sample.cpus, host_sample.context_switches) == (2, 20_000)
    blame = session.get_one(Blame1m, (host.host_id, at, make.VICTIM, make.HOG))
    assert (blame.preemptions, blame.wait_ns) == (7, 2_000_000_000)
    container = session.get_one(Container, (host.host_id, make.VICTIM))
    assert (container.kind, container.name, container.labels) == (
        "container",
        "victim",
        {"app": "shop"},
    )
    assert container.pod is None
    stored = session.get_one(Host, host.host_id)
    assert (stored.cpus, stored.kernel_release, stored.instance_type) == (2, "6.1.0", None)
    cursor = session.get_one(IngestCursor, host.host_id)
    assert (cursor.sequence, cursor.previous_sequence, cursor.window_at) == (1, 0, at)
    assert cursor.status["collectors"] == [
        {"name": "sched", "status": "ok", "reason": None, "lost": 0, "map_bytes": 0, "maps": []}
    ]
    assert cursor.status["event_loss"] == {"ring_full": 0, "queue_full": 0, "rate_limited": 0}


def test_an_agent_from_before_the_split_leaves_the_parts_null(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    batch = make.batch(1)
    for cgroup in batch.cgroups:
        for field in (*(f"{part}_ns" for part in WAIT_PARTS), "max_wait_ns"):
            cgroup.sched.ClearField(field)
    batch.blame.pairs[0].wait_ns = 0
    assert send(make.request(host.host_id, [batch])).status_code == 204
    sample = session.scalars(select(Sample10s)).first()
    assert sample is not None
    assert sample.wait_ns == 3_000_000_000
    assert [getattr(sample, f"{part}_ns") for part in WAIT_PARTS] == [None] * 7
    assert sample.max_wait_ns is None
    blame = session.scalars(select(Blame1m)).one()
    assert (blame.preemptions, blame.wait_ns) == (7, None)


def test_a_container_that_did_not_wait_has_parts_of_zero(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    batch = make.batch(1)
    del batch.cgroups[1:]
    batch.cgroups[0].sched.CopyFrom(wire.SchedWindow(ran_ns=5))
    assert send(make.request(host.host_id, [batch])).status_code == 204
    sample = session.scalars(select(Sample10s)).one()
    assert [getattr(sample, f"{part}_ns") for part in WAIT_PARTS] == [0] * 7
    assert sample.runq_unthrottled is None


def test_a_zstd_body_is_stored_like_a_plain_one(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    body = make.request_of_windows(host.host_id, 1).SerializeToString()
    assert send(zstandard.compress(body), encoding="zstd").status_code == 204
    assert rows(session, Sample10s) == 2


def test_a_cgroup_without_collectors_is_null_and_not_zero(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    batch = make.batch(1)
    del batch.cgroups[:]
    batch.cgroups.add(container_id=5)
    assert send(make.request(host.host_id, [batch])).status_code == 204
    sample = session.scalars(select(Sample10s)).one()
    assert sample.wait_ns is None
    assert sample.nr_periods is None
    assert sample.quota_us is None
    assert sample.cpus_allowed is None


def test_no_quota_of_its_own_leaves_the_quota_null_and_keeps_the_counters(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    batch = make.batch(1)
    batch.cgroups[0].quotas[0].quota_us = 0
    assert send(make.request(host.host_id, [batch])).status_code == 204
    sample = session.scalars(select(Sample10s).where(Sample10s.container_id == make.VICTIM)).one()
    assert (sample.quota_us, sample.period_us, sample.nr_periods) == (None, None, 100)


def test_the_most_throttled_ancestor_is_the_one_that_is_kept(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    batch = make.batch(1)
    batch.cgroups[0].quotas.add(nr_periods=10, nr_throttled=9, throttled_ns=77, quota_us=1)
    assert send(make.request(host.host_id, [batch])).status_code == 204
    sample = session.scalars(select(Sample10s).where(Sample10s.container_id == make.VICTIM)).one()
    assert (sample.ancestor_nr_periods, sample.ancestor_nr_throttled) == (10, 9)
    assert sample.ancestor_throttled_ns == 77


def test_a_replay_changes_nothing(send: Send, host: EnrolledHost, session: Session) -> None:
    duplicates = Counted("nw_ingest_batches_total", result="duplicate")
    body = make.request_of_windows(host.host_id, 1, 3)
    for _ in range(3):
        assert send(body).status_code == 204
    assert (rows(session, Sample10s), rows(session, HostSample10s)) == (6, 3)
    assert duplicates.growth == 6


def test_what_is_new_in_a_partial_replay_is_stored(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    windows = [make.batch(n, make.recent_window(4 - n)) for n in range(1, 5)]
    assert send(make.request(host.host_id, windows[:2])).status_code == 204
    assert send(make.request(host.host_id, windows[1:])).status_code == 204
    assert rows(session, HostSample10s) == 4
    cursor = session.get_one(IngestCursor, host.host_id)
    assert (cursor.sequence, cursor.previous_sequence) == (4, 2)


def test_a_gap_is_refused_until_its_batches_are_declared_lost(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    lost = Counted("nw_ingest_lost_batches_total")
    assert send(make.request_of_windows(host.host_id, 1)).status_code == 204
    gap = send(make.request_of_windows(host.host_id, 5))
    assert gap.status_code == 409
    assert gap.json()["expected_sequence"] == 2
    assert rows(session, HostSample10s) == 1
    difference = 5 - gap.json()["expected_sequence"]
    window = make.batch(5, make.recent_window(-1))
    assert send(make.request(host.host_id, [window], lost_batches=difference)).status_code == 204
    assert rows(session, HostSample10s) == 2
    assert session.get_one(IngestCursor, host.host_id).lost_batches == 3
    assert lost.growth == 3


def test_a_new_stream_starts_over(send: Send, host: EnrolledHost, session: Session) -> None:
    assert send(make.request_of_windows(host.host_id, 1, 3)).status_code == 204
    other = make.request(
        host.host_id, [make.batch(1, make.recent_window(-1))], stream_id=UUID(int=9)
    )
    assert send(other).status_code == 204
    assert rows(session, HostSample10s) == 4
    cursor = session.get_one(IngestCursor, host.host_id)
    assert (cursor.sequence, cursor.stream_id) == (1, UUID(int=9))


def test_a_window_sent_by_two_streams_is_stored_once(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    duplicates = Counted("nw_ingest_duplicate_rows_total", table="samples_10s")
    at = make.recent_window()
    assert send(make.request(host.host_id, [make.batch(1, at)])).status_code == 204
    again = make.request(
        host.host_id,
        [make.batch(1, at), make.batch(2, make.recent_window(-1))],
        stream_id=UUID(int=9),
    )
    assert send(again).status_code == 204
    assert (rows(session, Sample10s), rows(session, HostSample10s)) == (4, 2)
    assert duplicates.growth == 2


def test_late_and_future_windows_are_dropped_and_do_not_block_the_stream(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    late = Counted("nw_ingest_batches_total", result="late")
    future = Counted("nw_ingest_batches_total", result="future")
    now = datetime.now(UTC)
    old = make.batch(1, make.aligned(now - timedelta(hours=49)))
    ahead = make.batch(2, make.aligned(now + timedelta(minutes=20)))
    assert send(make.request(host.host_id, [old, ahead])).status_code == 204
    assert rows(session, HostSample10s) == 0
    assert (late.growth, future.growth) == (1, 1)
    assert session.get_one(IngestCursor, host.host_id).window_at is None
    assert send(make.request(host.host_id, [make.batch(3)])).status_code == 204
    assert rows(session, HostSample10s) == 1


def test_a_clock_that_is_ahead_is_seen(send: Send, host: EnrolledHost, session: Session) -> None:
    ahead = make.aligned(datetime.now(UTC) + timedelta(minutes=4))
    assert send(make.request(host.host_id, [make.batch(1, ahead)])).status_code == 204
    skew_ms = session.get_one(IngestCursor, host.host_id).clock_skew_ms
    assert 230_000 < skew_ms <= 250_000


def test_a_backlog_is_no_clock_skew(send: Send, host: EnrolledHost, session: Session) -> None:
    old = make.aligned(datetime.now(UTC) - timedelta(hours=1))
    assert send(make.request(host.host_id, [make.batch(1, old)])).status_code == 204
    assert session.get_one(IngestCursor, host.host_id).clock_skew_ms == 0


def test_a_backlog_from_before_any_partition_gets_its_partition(
    send: Send, host: EnrolledHost, engine: Engine, session: Session
) -> None:
    misses = Counted("nw_ingest_partition_misses_total")
    at = make.aligned(datetime.now(UTC) - timedelta(hours=30))
    with engine.begin() as connection:
        for name in connection.scalars(
            text(
                "SELECT inhrelid::regclass::text FROM pg_inherits"
                " WHERE inhparent = 'samples_10s'::regclass"
            )
        ).all():
            connection.execute(text(f'DROP TABLE "{name}"'))
    assert send(make.request(host.host_id, [make.batch(1, at)])).status_code == 204
    assert rows(session, Sample10s) == 2
    assert misses.growth == 1


def test_a_partition_dropped_behind_our_back_is_made_again(
    send: Send, host: EnrolledHost, engine: Engine, session: Session
) -> None:
    assert send(make.request_of_windows(host.host_id, 1)).status_code == 204
    with engine.begin() as connection:
        for name in connection.scalars(
            text(
                "SELECT inhrelid::regclass::text FROM pg_inherits"
                " WHERE inhparent = 'host_samples_10s'::regclass"
            )
        ).all():
            connection.execute(text(f'DROP TABLE "{name}"'))
    assert send(make.request(host.host_id, [make.batch(2, make.recent_window(-1))])).is_success
    assert rows(session, HostSample10s) == 1
    assert rows(session, Sample10s) == 4


def test_the_newest_identity_wins_and_the_first_sight_stays(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    first, second = make.recent_window(1), make.recent_window()
    renamed = make.batch(2, second)
    renamed.identities[0].name = "renamed"
    assert send(make.request(host.host_id, [make.batch(1, first), renamed])).status_code == 204
    container = session.get_one(Container, (host.host_id, make.VICTIM))
    assert container.name == "renamed"
    renamed_again = make.batch(3, make.recent_window(-1))
    renamed_again.identities[0].name = "renamed again"
    assert send(make.request(host.host_id, [renamed_again])).status_code == 204
    session.rollback()
    session.refresh(container)
    assert (container.name, container.first_seen_at) == ("renamed again", first)
