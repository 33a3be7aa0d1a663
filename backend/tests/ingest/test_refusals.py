"""Bad input: the right status, a problem that names the field, nothing stored, counted."""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
import zstandard
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

import wire_factory as make
from ingest_client import Counted, EnrolHost, EnrolledHost, Send
from neighborwatch.db.tables import Container, HostSample10s, IngestCursor
from neighborwatch.ingest.flush import Flusher, Submission
from neighborwatch.ingest.partition_guard import PartitionGuard
from neighborwatch.ingest.wire import ingest_pb2 as wire
from neighborwatch.settings import Settings

MIB = 1 << 20


def nothing_stored(session: Session) -> bool:
    session.rollback()
    return not any(
        session.scalar(select(func.count()).select_from(table))
        for table in (HostSample10s, Container, IngestCursor)
    )


def assert_problem(answer: Response, status: int, field: str | None) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert [error["field"] for error in problem["errors"]] == ([field] if field else [])


def change(request: wire.IngestRequest, path: str, value: object) -> None:
    """Sets `batches[0].x.y` the way the problem document would name it."""
    target: object = request
    *parents, last = path.replace("]", "").replace("[", ".").split(".")
    for name in parents:
        target = target[int(name)] if name.isdigit() else getattr(target, name)  # type: ignore[index]
    if isinstance(value, list):
        repeated = getattr(target, last)
        del repeated[:]
        repeated.extend(value)
    else:
        setattr(target, last, value)


B = "batches[0]"
BEYOND_INT32, BEYOND_INT64 = 2**31, 2**63


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stream_id", b"short"),
        ("lost_batches", BEYOND_INT64),
        (f"{B}.sequence", 0),
        (f"{B}.boot_id", b""),
        (f"{B}.started_at_unix_ns", 0),
        (f"{B}.started_at_unix_ns", -5),
        (f"{B}.started_at_unix_ns", make.unix_ns(make.recent_window()) + 1_000_000_000),
        (f"{B}.started_at_unix_ns", 2**62),
        (f"{B}.duration_ns", 0),
        (f"{B}.duration_ns", 61_000_000_000),
        (f"{B}.host.user_ns", BEYOND_INT64),
        (f"{B}.host.cpus_online", BEYOND_INT32),
        (f"{B}.cgroups[1].container_id", make.VICTIM),
        (f"{B}.cgroups[0].container_id", BEYOND_INT64),
        (f"{B}.cgroups[0].sched.wait_ns", BEYOND_INT64),
        (f"{B}.cgroups[0].sched.wait_count", BEYOND_INT32),
        (f"{B}.cgroups[0].sched.throttled_out", BEYOND_INT32),
        (f"{B}.cgroups[0].sched.runq_bucket", [0, 31, 96]),
        (f"{B}.cgroups[0].sched.runq_bucket", [0, 31, 31]),
        (f"{B}.cgroups[0].sched.runq_count", [1, 2]),
        (f"{B}.cgroups[0].sched.runq_count", [1, 2, BEYOND_INT32]),
        (f"{B}.cgroups[0].sched.neighbor_wait_ns", BEYOND_INT64),
        (f"{B}.cgroups[0].sched.max_wait_ns", BEYOND_INT64),
        (f"{B}.cgroups[0].sched.wait_ns", 1),
        (f"{B}.cgroups[0].sched.runq_unthrottled_bucket", [0, 31, 96]),
        (f"{B}.cgroups[0].sched.runq_unthrottled_count", [1, 2]),
        (f"{B}.cgroups[0].sched.runq_unthrottled_count", [1, 2, BEYOND_INT32]),
        (f"{B}.cgroups[0].cpu_stat.usage_ns", BEYOND_INT64),
        (f"{B}.cgroups[0].quotas[0].nr_periods", BEYOND_INT32),
        (f"{B}.cgroups[0].quotas[1].own", True),
        (f"{B}.cgroups[0].quotas[1].throttled_ns", BEYOND_INT64),
        (f"{B}.identities[0].name", ""),
        (f"{B}.identities[0].name", "a\x00b"),
        (f"{B}.identities[0].cgroup_path", "x" * 4097),
        (f"{B}.identities[0].kind", 0),
        (f"{B}.identities[0].kind", 9),
        (f"{B}.blame.duration_ns", 0),
        (f"{B}.blame.started_at_unix_ns", make.unix_ns(make.recent_window(2 * 360))),
        (f"{B}.blame.pairs[0].preemptions", BEYOND_INT64),
        (f"{B}.blame.pairs[0].wait_ns", BEYOND_INT64),
        (f"{B}.collectors[0].state", 0),
        (f"{B}.cost.method", 9),
        (f"{B}.cost.governor_level", BEYOND_INT32),
        (f"{B}.cost.governor_reason", "a\x00b"),
        (f"{B}.event_loss.ring_full", BEYOND_INT64),
        (f"{B}.facts.cgroup_mode", "v3"),
        (f"{B}.facts.cpu_model", "a\x00b"),
    ],
)
def test_a_malformed_field_is_named_and_nothing_is_stored(
    send: Send, host: EnrolledHost, session: Session, field: str, value: object
) -> None:
    malformed = Counted("nw_ingest_requests_total", result="malformed")
    body = make.request_of_windows(host.host_id, 1)
    change(body, field, value)
    assert_problem(send(body), 400, field)
    assert nothing_stored(session)
    assert malformed.growth == 1


def test_labels_may_not_hold_what_postgres_cannot(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    body = make.request_of_windows(host.host_id, 1)
    body.batches[0].identities[0].labels["app"] = "a\x00b"
    assert_problem(send(body), 400, "batches[0].identities[0].labels")
    assert nothing_stored(session)


@pytest.mark.parametrize("sequences", [(1, 1), (2, 1)])
def test_sequences_must_ascend(
    send: Send, host: EnrolledHost, session: Session, sequences: tuple[int, int]
) -> None:
    body = make.request(host.host_id, [make.batch(sequence) for sequence in sequences])
    assert_problem(send(body), 400, "batches[1].sequence")
    assert nothing_stored(session)


@pytest.mark.parametrize(
    ("field", "fill"),
    [
        ("batches", lambda body: body.batches.extend(make.batch(n) for n in range(2, 66))),
        (
            f"{B}.cgroups",
            lambda body: body.batches[0].cgroups.extend(
                wire.CgroupWindow(container_id=n) for n in range(10_000, 14_096)
            ),
        ),
        (
            f"{B}.blame.pairs",
            lambda body: body.batches[0].blame.pairs.extend(
                wire.BlamePair(victim_id=n, aggressor_id=1) for n in range(16_384)
            ),
        ),
    ],
)
def test_more_than_the_contract_allows_is_refused(
    send: Send,
    host: EnrolledHost,
    session: Session,
    field: str,
    fill: Callable[[wire.IngestRequest], None],
) -> None:
    body = make.request_of_windows(host.host_id, 1)
    fill(body)
    assert_problem(send(body), 400, field)
    assert nothing_stored(session)


def test_an_empty_request_is_malformed(send: Send, host: EnrolledHost) -> None:
    assert_problem(send(make.request(host.host_id, [])), 400, "batches")


def test_another_hosts_body_is_refused(
    send: Send, host: EnrolledHost, enrol_host: EnrolHost, session: Session
) -> None:
    foreign = Counted("nw_ingest_requests_total", result="foreign_host")
    other = enrol_host("f" * 32)
    answer = send(make.request_of_windows(host.host_id, 1), token=other.token)
    assert_problem(answer, 403, "host_id")
    assert nothing_stored(session)
    assert foreign.growth == 1


@pytest.mark.parametrize("token", ["nwh_unknown", "nwt_wrong_kind", ""])
def test_a_stranger_is_refused_before_the_body_is_looked_at(
    send: Send, session: Session, token: str
) -> None:
    unauthenticated = Counted("nw_ingest_requests_total", result="unauthenticated")
    answer = send(b"garbage", token=token)
    assert_problem(answer, 401, None)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert nothing_stored(session)
    assert unauthenticated.growth == 1


def test_an_api_token_opens_no_ingest(send: Send, host: EnrolledHost, admin_token: str) -> None:
    assert send(make.request_of_windows(host.host_id, 1), token=admin_token).status_code == 401


def test_a_host_token_opens_no_api(client: TestClient, host: EnrolledHost) -> None:
    answer = client.get("/api/v1/session", headers={"Authorization": f"Bearer {host.token}"})
    assert answer.status_code == 401


def test_an_agent_with_a_wrong_token_locks_nobody_out(send: Send, host: EnrolledHost) -> None:
    for attempt in range(50):
        assert send(b"", token=f"nwh_wrong_{attempt % 2}").status_code == 401
    assert send(make.request_of_windows(host.host_id, 1)).status_code == 204


@pytest.mark.parametrize("content_type", ["application/json", "", "text/x-protobuf"])
def test_another_content_type_is_unsupported(send: Send, content_type: str) -> None:
    assert_problem(send(b"{}", content_type=content_type), 415, "Content-Type")


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd, zstd", "deflate"])
def test_another_encoding_is_unsupported(send: Send, encoding: str) -> None:
    assert_problem(send(b"x", encoding=encoding), 415, "Content-Encoding")


def test_a_body_that_is_not_what_its_encoding_says_is_malformed(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    plain = make.request_of_windows(host.host_id, 1).SerializeToString()
    packed = zstandard.compress(plain)
    for damaged in (plain, packed[:-5], packed + b"x", packed + packed, b""):
        assert_problem(send(damaged, encoding="zstd"), 400, "body")
    assert_problem(send(packed), 400, "body")
    assert nothing_stored(session)


def test_a_large_body_is_refused_by_its_declared_length(send: Send, session: Session) -> None:
    too_large = Counted("nw_ingest_requests_total", result="too_large")
    assert_problem(send(b"\0" * (MIB + 1)), 413, "body")
    assert nothing_stored(session)
    assert too_large.growth == 1


def test_a_large_body_without_a_declared_length_is_refused(
    client: TestClient, host: EnrolledHost
) -> None:
    answer = client.post(
        "/api/v1/ingest",
        content=(b"\0" * 65_536 for _ in range(20)),
        headers={
            "Authorization": f"Bearer {host.token}",
            "Content-Type": "application/x-protobuf",
        },
    )
    assert_problem(answer, 413, "body")


def test_a_zip_bomb_is_stopped_at_the_limit(send: Send, session: Session) -> None:
    with_size = zstandard.compress(bytes(512 * MIB))
    streaming = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    without_size = b"".join(streaming.compress(bytes(MIB)) for _ in range(512)) + streaming.flush()
    for bomb in (with_size, without_size):
        assert len(bomb) < MIB
        started = time.process_time()
        assert_problem(send(bomb, encoding="zstd"), 413, "body")
        # Expanding all of it would take far longer than four of 512 MiB.
        assert time.process_time() - started < 1
    assert nothing_stored(session)


def test_a_frame_that_asks_for_a_huge_window_is_refused(send: Send) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, write_content_size=0)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    frame = compressor.compress(b"x" * 1000) + compressor.flush()
    assert_problem(send(frame, encoding="zstd"), 400, "body")


def test_garbage_is_never_stored_and_never_crashes(
    send: Send, host: EnrolledHost, session: Session
) -> None:
    failed = Counted("nw_ingest_requests_total", result="failed")
    numbers = random.Random(7)
    valid = make.request_of_windows(host.host_id, 1, 2).SerializeToString()
    for round_ in range(300):
        if round_ % 3 == 0:
            body = numbers.randbytes(numbers.randrange(400))
        else:
            flipped = bytearray(valid)
            for _ in range(numbers.randrange(1, 6)):
                flipped[numbers.randrange(len(flipped))] = numbers.randrange(256)
            body = bytes(flipped)
        assert send(body).status_code in {204, 400, 403, 409}
    assert failed.growth == 0
    # A flipped digit may leave a request valid; whatever was stored came as whole windows.
    session.rollback()
    windows = session.scalar(select(func.count()).select_from(HostSample10s)) or 0
    cursors = session.scalar(select(func.count()).select_from(IngestCursor)) or 0
    assert windows == 0 or cursors == 1


def test_a_revoked_host_token_ends(
    client: TestClient, send: Send, host: EnrolledHost, enrol_host: EnrolHost, app: FastAPI
) -> None:
    enrol_host("0" * 32)  # the same machine enrols again
    assert send(make.request_of_windows(host.host_id, 1)).status_code == 401


def test_a_full_queue_asks_to_come_back(
    app: FastAPI, send: Send, host: EnrolledHost, engine: Engine, settings: Settings
) -> None:
    full = Flusher(  # never started, and its only place is taken
        engine,
        PartitionGuard(engine, ()),
        settings=settings.ingest.model_copy(update={"ingest_queue_requests": 1}),
        retention=settings.retention,
    )
    full.submit(Submission(host.host_id, b"", "identity", datetime.now(UTC)))
    app.state.flusher.stop()
    app.state.flusher = full
    try:
        answer = send(make.request_of_windows(host.host_id, 1))
    finally:
        app.state.flusher = Flusher(
            engine,
            PartitionGuard(engine, ()),
            settings=settings.ingest,
            retention=settings.retention,
        )
        app.state.flusher.start()
    assert_problem(answer, 429, None)
    assert answer.headers["retry-after"] == "1"
