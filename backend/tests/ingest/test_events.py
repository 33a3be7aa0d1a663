"""Events come between windows, are stored once, and leave everything else of the host as it was."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

import wire_factory as make
from ingest_client import Counted, EnrolledHost, Send
from neighborwatch.db.tables import Container, Event, HostSample10s, IngestCursor
from neighborwatch.ingest.wire import ingest_pb2 as wire

E = "batches[0].events"


def count(session: Session) -> int:
    session.rollback()
    return session.scalar(select(func.count()).select_from(Event)) or 0


def test_a_batch_of_events_is_stored_and_is_no_window(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    window = make.batch(1)
    assert send(make.request(host.host_id, [window])).status_code == 204
    before = session.get_one(IngestCursor, host.host_id)
    said, window_at = before.status, before.window_at
    ended_at = datetime.now(UTC).replace(microsecond=123_456)

    events = make.events_batch(2, [make.event(1, ended_at), make.event(2, ended_at)])
    assert send(make.request(host.host_id, [events])).status_code == 204

    assert count(session) == 2
    event = session.get_one(Event, (host.host_id, ended_at, 1))
    assert (event.kind, event.container_id, event.duration_ns) == (
        "noisy_neighbor",
        make.VICTIM,
        25_000_000,
    )
    assert (event.cpu, event.pid, event.comm, event.skipped) == (3, 4711, "worker", 2)
    assert event.quota_level is None
    assert event.shares == [
        {"id": make.HOG, "ns": 20_000_000},
        {"idle": True, "ns": 4_000_000},
        {"unattributed": True, "ns": 1_000_000},
    ]
    assert session.scalar(select(func.count()).select_from(HostSample10s)) == 1
    after = session.get_one(IngestCursor, host.host_id)
    session.refresh(after)
    assert (after.sequence, after.window_at, after.status) == (2, window_at, said)


def test_events_may_come_before_any_window(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    first = make.events_batch(1, [make.event()])
    assert send(make.request(host.host_id, [first])).status_code == 204
    assert count(session) == 1
    assert session.get_one(Container, (host.host_id, make.HOG)).name == "hog"
    cursor = session.get_one(IngestCursor, host.host_id)
    assert cursor.window_at is None
    assert send(make.request(host.host_id, [make.batch(2)])).status_code == 204
    session.refresh(cursor)
    assert cursor.status["collectors"]


def test_a_window_may_carry_events_too(send: Send, host: EnrolledHost, session: Session) -> None:
    window = make.batch(1)
    window.events.append(make.event())
    assert send(make.request(host.host_id, [window])).status_code == 204
    assert count(session) == 1


def test_a_replay_never_stores_an_event_twice(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    """Neither by the same stream (the cursor knows) nor by another one (the key knows)."""
    duplicates = Counted("nw_ingest_duplicate_rows_total", table="events")
    stored = Counted("nw_ingest_rows_total", table="events")
    events = [make.event(number) for number in (1, 2, 3)]
    body = make.request(host.host_id, [make.events_batch(1, events)])
    for _ in range(3):
        assert send(body).status_code == 204
    assert (count(session), duplicates.growth, stored.growth) == (3, 0, 3)

    again = make.events_batch(1, [*events, make.event(4)])
    assert send(make.request(host.host_id, [again], stream_id=UUID(int=9))).status_code == 204
    assert (count(session), duplicates.growth, stored.growth) == (4, 3, 4)


def test_the_same_number_after_a_restart_is_another_event(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    now = datetime.now(UTC)
    first = make.events_batch(1, [make.event(1, now - timedelta(seconds=30))])
    second = make.events_batch(2, [make.event(1, now)])
    assert send(make.request(host.host_id, [first, second])).status_code == 204
    assert count(session) == 2


def test_losses_are_added_up_and_counted(send: Send, host: EnrolledHost, session: Session) -> None:
    ring = Counted("nw_ingest_events_lost_total", reason="ring_full")
    limited = Counted("nw_ingest_events_lost_total", reason="rate_limited")
    for sequence in (1, 2):
        window = make.batch(sequence, make.recent_window(2 - sequence))
        window.event_loss.ring_full = 3
        window.event_loss.rate_limited = sequence
        body = make.request(host.host_id, [window])
        assert send(body).status_code == 204
        assert send(body).status_code == 204  # a replay loses nothing again
    events = make.request(host.host_id, [make.events_batch(3, [make.event()])])
    assert send(events).status_code == 204
    cursor = session.get_one(IngestCursor, host.host_id)
    assert cursor.status["event_loss"] == {"ring_full": 6, "queue_full": 0, "rate_limited": 3}
    assert (ring.growth, limited.growth) == (6, 3)


def test_a_new_stream_starts_its_losses_at_zero(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    window = make.batch(1, make.recent_window(1))
    window.event_loss.ring_full = 3
    assert send(make.request(host.host_id, [window])).status_code == 204
    other = make.request(host.host_id, [make.batch(1)], stream_id=UUID(int=9))
    assert send(other).status_code == 204
    cursor = session.get_one(IngestCursor, host.host_id)
    assert cursor.status["event_loss"]["ring_full"] == 0


def test_an_events_partition_is_made_on_demand(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    """A spool that was away for long: its day has no partition here (tests keep one day)."""
    at = datetime.now(UTC) - timedelta(hours=40)
    batch = make.events_batch(1, [make.event(1, at)], at)
    assert send(make.request(host.host_id, [batch])).status_code == 204
    assert count(session) == 1


@pytest.mark.parametrize(
    ("field", "change"),
    [
        (f"{E}[0].kind", {"kind": 0}),
        (f"{E}[0].kind", {"kind": 9}),
        (f"{E}[0].quota_level", {"quota_level": 9}),
        (f"{E}[0].number", {"number": 0}),
        (f"{E}[0].container_id", {"container_id": 2**63}),
        (f"{E}[0].ended_at_unix_ns", {"ended_at_unix_ns": 10**18}),
        (f"{E}[0].duration_ns", {"duration_ns": 86_400_000_000_001}),
        (f"{E}[0].cpu", {"cpu": 2**31}),
        (f"{E}[0].pid", {"pid": 2**31}),
        (f"{E}[0].skipped", {"skipped": 2**63}),
        (f"{E}[0].comm", {"comm": "x" * 65}),
        (f"{E}[0].comm", {"comm": "a\x00b"}),
        (f"{E}[0].shares", {"shares": [wire.EventShare(idle=True)] * 9}),
        (f"{E}[0].shares[0]", {"shares": [wire.EventShare(ns=1)]}),
        (f"{E}[0].shares[0].ns", {"shares": [wire.EventShare(idle=True, ns=2**63)]}),
        (f"{E}[0].shares[0].container_id", {"shares": [wire.EventShare(container_id=2**63)]}),
    ],
)
def test_an_absurd_event_is_named_and_nothing_is_stored(
    send: Send, host: EnrolledHost, session: Session, field: str, change: dict[str, object]
) -> None:
    event = make.event()
    for name, value in change.items():
        if isinstance(value, list):
            del event.shares[:]
            event.shares.extend(value)
        else:
            setattr(event, name, value)
    answer = send(make.request(host.host_id, [make.events_batch(1, [event])]))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field
    assert count(session) == 0


def test_more_events_than_a_batch_may_hold_are_refused(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    at = datetime.now(UTC)
    events = [make.event(number, at) for number in range(1, 258)]
    answer = send(make.request(host.host_id, [make.events_batch(1, events)]))
    assert answer.json()["errors"][0]["field"] == E
    most = make.request(host.host_id, [make.events_batch(1, events[:256])])
    assert send(most).status_code == 204
    assert count(session) == 256


def test_one_event_twice_in_a_batch_is_refused(send: Send, host: EnrolledHost) -> None:
    at = datetime.now(UTC)
    twice = make.events_batch(1, [make.event(1, at), make.event(1, at)])
    answer = send(make.request(host.host_id, [twice]))
    assert answer.json()["errors"][0]["field"] == E


@pytest.mark.parametrize("name", ["host", "cgroups", "blame", "collectors", "cost", "facts"])
def test_what_belongs_to_a_window_may_not_come_without_one(
    send: Send, host: EnrolledHost, name: str
) -> None:
    whole = make.batch(1)
    whole.duration_ns = 0
    whole.events.append(make.event())
    whole.started_at_unix_ns = make.unix_ns(datetime.now(UTC))
    for other in ("host", "cgroups", "blame", "collectors", "cost", "facts"):
        if other != name:
            whole.ClearField(other)
    answer = send(make.request(host.host_id, [whole]))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == f"batches[0].{name}"


def test_late_events_are_acknowledged_and_dropped(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    late = Counted("nw_ingest_batches_total", result="late")
    at = datetime.now(UTC) - timedelta(hours=49)
    batch = make.events_batch(1, [make.event(1, at)], at)
    assert send(make.request(host.host_id, [batch])).status_code == 204
    assert (count(session), late.growth) == (0, 1)


def test_events_between_windows_do_not_hide_a_clock_that_is_behind(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    """Windows 10 s apart by the cursor's own word; an event came one second ago."""
    assert send(make.request(host.host_id, [make.batch(1, make.recent_window(20))])).status_code
    cursor = session.get_one(IngestCursor, host.host_id)
    earlier = datetime.now(UTC) - timedelta(seconds=10)
    cursor.status = {**cursor.status, "received_at": earlier.isoformat()}
    session.commit()
    events = make.request(host.host_id, [make.events_batch(2, [make.event()])])
    assert send(events).status_code == 204
    assert send(make.request(host.host_id, [make.batch(3, make.recent_window(19))])).status_code
    session.refresh(cursor)
    assert cursor.clock_skew_ms < -180_000
