"""Live windows: only when somebody asked, only of one's own host, and gone after two minutes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import zstandard
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

import wire_factory as make
from ingest_client import Counted, EnrolHost, EnrolledHost, Send
from neighborwatch.db.live import prune_live
from neighborwatch.db.tables import Container, HostSample10s, LiveRequest, LiveWindow
from neighborwatch.ingest.live import MAX_LIVE_WINDOWS
from neighborwatch.ingest.wire import ingest_pb2 as wire

SendLive = Callable[..., Response]


@pytest.fixture
def send_live(client: TestClient, host: EnrolledHost) -> SendLive:
    def send_live(
        body: wire.LiveRequest | bytes, *, token: str = host.token, encoding: str | None = None
    ) -> Response:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-protobuf"}
        if encoding is not None:
            headers["Content-Encoding"] = encoding
        content = body if isinstance(body, bytes) else body.SerializeToString()
        return client.post("/api/v1/ingest/live", content=content, headers=headers)

    return send_live


@pytest.fixture
def asked(session: Session, host: EnrolledHost) -> EnrolledHost:
    """Somebody looks at the host for a minute."""
    ask(session, host.host_id, seconds=60)
    return host


def ask(session: Session, host_id: int, *, seconds: float) -> None:
    now = datetime.now(UTC)
    session.add(
        LiveRequest(
            host_id=host_id, asked_at=now, ends_at=now + timedelta(seconds=seconds), told_at=None
        )
    )
    session.commit()


def windows(session: Session) -> int:
    session.rollback()
    return session.scalar(select(func.count()).select_from(LiveWindow)) or 0


def test_an_agent_is_told_with_its_next_batch_and_with_replays(
    send: Send, asked: EnrolledHost, session: Session
) -> None:
    body = make.request(asked.host_id, [make.batch(1)])
    for _ in range(2):
        answer = send(body)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/x-protobuf"
        assert 55 <= wire.IngestAnswer.FromString(answer.content).live_seconds <= 60
    told = session.get_one(LiveRequest, asked.host_id)
    assert told.told_at is not None
    assert session.scalar(select(func.count()).select_from(HostSample10s)) == 1


def test_events_alone_tell_it_too(send: Send, asked: EnrolledHost) -> None:
    body = make.request(asked.host_id, [make.events_batch(1, [make.event()])])
    assert send(body).status_code == 200


def test_nobody_is_told_what_somebody_wants_of_another_host(
    send: Send, host: EnrolledHost, enrol_host: EnrolHost, session: Session
) -> None:
    ask(session, enrol_host("1" * 32).host_id, seconds=60)
    assert send(make.request(host.host_id, [make.batch(1)])).status_code == 204


def test_a_refusal_tells_nothing(send: Send, asked: EnrolledHost, session: Session) -> None:
    assert send(make.request_of_windows(asked.host_id, 5)).status_code == 409
    assert session.get_one(LiveRequest, asked.host_id).told_at is None


def test_after_its_time_nothing_is_wanted(
    send: Send, send_live: SendLive, host: EnrolledHost, session: Session
) -> None:
    ask(session, host.host_id, seconds=-30)
    assert send(make.request(host.host_id, [make.batch(1)])).status_code == 204
    assert send_live(make.live_request(host.host_id, [make.live_window()])).status_code == 204
    assert windows(session) == 0


def test_the_time_told_is_bounded(send: Send, host: EnrolledHost, session: Session) -> None:
    ask(session, host.host_id, seconds=10_000)
    answer = send(make.request(host.host_id, [make.batch(1)]))
    assert wire.IngestAnswer.FromString(answer.content).live_seconds == 120


def test_live_windows_are_kept_beside_the_stream(
    send_live: SendLive, asked: EnrolledHost, session: Session
) -> None:
    stored = Counted("nw_ingest_live_windows_total", result="stored")
    at = datetime.now(UTC).replace(microsecond=0)
    sent = [make.live_window(at - timedelta(seconds=n)) for n in (2, 1)]
    answer = send_live(make.live_request(asked.host_id, sent))
    assert (answer.status_code, answer.content) == (204, b"")
    assert windows(session) == 2
    kept = session.get_one(LiveWindow, (asked.host_id, at - timedelta(seconds=2)))
    assert kept.body["duration_ms"] == 1000
    assert kept.body["host"]["busy_ns"] == 10_000_000_000
    assert kept.body["host"]["all_ns"] == 20_000_000_000
    victim = kept.body["containers"][0]
    assert (victim["id"], victim["neighbor_wait_ns"]) == (make.VICTIM, 2_000_000_000)
    assert victim["runq"] == {"0": 5, "31": 6, "95": 1}
    assert kept.body["pairs"] == [
        {"victim_id": make.VICTIM, "aggressor_id": make.HOG, "wait_ns": 2_000_000_000}
    ]
    # Not durable: nothing of it is in the tables of facts, and who is who is known at once.
    assert session.scalar(select(func.count()).select_from(HostSample10s)) == 0
    assert session.get_one(Container, (asked.host_id, make.HOG)).name == "hog"
    assert stored.growth == 2


def test_a_second_that_comes_again_is_shown_as_it_came_last(
    send_live: SendLive, asked: EnrolledHost, session: Session
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    for switches in (1, 2):
        window = make.live_window(at)
        window.host.context_switches = switches
        assert send_live(make.live_request(asked.host_id, [window])).status_code == 204
    assert windows(session) == 1
    assert session.get_one(LiveWindow, (asked.host_id, at)).body["host"]["context_switches"] == 2


def test_windows_that_nobody_asked_for_are_dropped_and_counted(
    send_live: SendLive, host: EnrolledHost, session: Session
) -> None:
    unasked = Counted("nw_ingest_live_windows_total", result="unasked")
    assert send_live(make.live_request(host.host_id, [make.live_window()])).status_code == 204
    assert (windows(session), unasked.growth) == (0, 1)


def test_old_windows_go_with_the_next_one_of_any_host(
    send_live: SendLive, asked: EnrolledHost, session: Session
) -> None:
    assert send_live(make.live_request(asked.host_id, [make.live_window()])).status_code == 204
    long_ago = datetime.now(UTC) - timedelta(seconds=121)
    session.execute(update(LiveWindow).values(received_at=long_ago, host_id=77))
    session.commit()
    assert send_live(make.live_request(asked.host_id, [make.live_window()])).status_code == 204
    assert set(session.scalars(select(LiveWindow.host_id))) == {asked.host_id}


def test_the_last_windows_go_with_the_keepers_round(
    send_live: SendLive, asked: EnrolledHost, session: Session
) -> None:
    assert send_live(make.live_request(asked.host_id, [make.live_window()])).status_code == 204
    prune_live(session.connection(), now=datetime.now(UTC) + timedelta(seconds=110))
    assert session.scalar(select(func.count()).select_from(LiveWindow)) == 1
    prune_live(session.connection(), now=datetime.now(UTC) + timedelta(seconds=121))
    assert session.scalar(select(func.count()).select_from(LiveWindow)) == 0


def test_a_host_writes_for_itself_only(
    send_live: SendLive, asked: EnrolledHost, enrol_host: EnrolHost, session: Session
) -> None:
    other = enrol_host("1" * 32)
    body = make.live_request(asked.host_id, [make.live_window()])
    assert send_live(body, token=other.token).status_code == 403
    assert send_live(body, token="nwh_wrong").status_code == 401
    assert windows(session) == 0


def test_zstd_is_taken_and_damage_is_told(
    send_live: SendLive, asked: EnrolledHost, session: Session
) -> None:
    body = make.live_request(asked.host_id, [make.live_window()]).SerializeToString()
    assert send_live(zstandard.compress(body), encoding="zstd").status_code == 204
    assert send_live(zstandard.compress(body)[:-5], encoding="zstd").status_code == 400
    assert send_live(b"\xff\xff").status_code == 400
    assert send_live(b"x" * (2 << 20)).status_code == 413
    assert windows(session) == 1


@pytest.mark.parametrize(
    ("field", "windows_sent"),
    [
        ("windows", 0),
        ("windows", MAX_LIVE_WINDOWS + 1),
    ],
)
def test_the_number_of_windows_is_bounded(
    send_live: SendLive, asked: EnrolledHost, field: str, windows_sent: int
) -> None:
    body = make.live_request(asked.host_id, [make.live_window() for _ in range(windows_sent)])
    answer = send_live(body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


def test_a_malformed_window_is_named(send_live: SendLive, asked: EnrolledHost) -> None:
    far = make.live_window(datetime.now(UTC) - timedelta(days=2))
    answer = send_live(make.live_request(asked.host_id, [far]))
    assert answer.json()["errors"][0]["field"] == "windows[0].started_at_unix_ns"
    endless = make.live_window()
    endless.duration_ns = 0
    answer = send_live(make.live_request(asked.host_id, [make.live_window(), endless]))
    assert answer.json()["errors"][0]["field"] == "windows[1].duration_ns"
    absurd = make.live_window()
    absurd.cgroups[1].sched.max_wait_ns = 2**63
    answer = send_live(make.live_request(asked.host_id, [absurd]))
    assert answer.json()["errors"][0]["field"] == "windows[0].cgroups[1].sched.max_wait_ns"
