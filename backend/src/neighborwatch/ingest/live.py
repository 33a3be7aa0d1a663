"""Windows of one second: who asked for them, and keeping them while they are looked at.

Beside the stream of batches: not numbered, not durable, not retried.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from google.protobuf.message import DecodeError
from psycopg.types.json import Jsonb

from neighborwatch.ingest.batch import SAMPLE_COLUMNS, Batch, Row
from neighborwatch.ingest.checks import (
    INT64_MAX,
    MalformedError,
    at_most,
    instant,
    within,
)
from neighborwatch.ingest.decode import window_of
from neighborwatch.ingest.identities import Connection, upsert_identities
from neighborwatch.ingest.wire import ingest_pb2 as wire

MAX_LIVE_SECONDS = 120
MAX_LIVE_WINDOWS = 10
# What was on its way when the time was over is still welcome.
_GRACE = timedelta(seconds=10)
# A clock may be off, but a row far away would never be overwritten by its host's next ones.
_MAX_DISTANCE = timedelta(days=1)

_COLUMN = {name: index for index, (name, _) in enumerate(SAMPLE_COLUMNS)}
_KEPT = (
    *("ran_ns", "wait_ns", "usage_ns"),
    *("self_wait_ns", "neighbor_wait_ns", "system_wait_ns", "throttled_own_wait_ns"),
    *("throttled_ancestor_wait_ns", "idle_gap_wait_ns", "unattributed_wait_ns", "max_wait_ns"),
)
_KEPT_AT = tuple((name, _COLUMN[name]) for name in _KEPT)
_RUNQ_AT = _COLUMN["runq_b00"]


@dataclass(frozen=True, slots=True)
class LiveRequest:
    host_id: int
    windows: list[tuple[Batch, dict[str, Any]]]  # and its body, as in db/tables/live.py


def decode_live(body: bytes, *, received_at: datetime) -> LiveRequest:
    message = wire.LiveRequest()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise MalformedError("body", "is not a neighborwatch.v1.LiveRequest") from error
    host_id = within("host_id", message.host_id, INT64_MAX)
    if not message.windows:
        raise MalformedError("windows", "at least one is needed")
    at_most("windows", message.windows, MAX_LIVE_WINDOWS)
    windows = []
    for index, window in enumerate(message.windows):
        field = f"windows[{index}]"
        started_at = instant(f"{field}.started_at_unix_ns", window.started_at_unix_ns)
        if abs(started_at - received_at) > _MAX_DISTANCE:
            raise MalformedError(f"{field}.started_at_unix_ns", "is more than a day off")
        batch = window_of(field, (started_at, host_id), window)
        windows.append((batch, _body(window, batch)))
    return LiveRequest(host_id, windows)


def _body(window: wire.Batch, batch: Batch) -> dict[str, Any]:
    return {
        "duration_ms": max(1, round(window.duration_ns / 1_000_000)),
        "host": _host(window.host) if window.HasField("host") else None,
        "containers": [_container(row) for row in batch.samples],
        "pairs": [
            {"victim_id": p.victim_id, "aggressor_id": p.aggressor_id, "wait_ns": p.wait_ns}
            for p in window.blame.pairs
        ],
    }


def _host(host: wire.HostWindow) -> dict[str, int]:
    busy_ns = host.user_ns + host.system_ns
    return {
        "cpus": host.cpus_online,
        "busy_ns": busy_ns,
        "all_ns": busy_ns + host.idle_ns + host.iowait_ns + host.steal_ns,
        "steal_ns": host.steal_ns,
        "context_switches": host.context_switches,
    }


def _container(row: Row) -> dict[str, Any]:
    measured = row[_COLUMN["ran_ns"]] is not None
    counts = enumerate(row[_RUNQ_AT:])
    return {
        "id": row[_COLUMN["container_id"]],
        **{name: row[index] for name, index in _KEPT_AT},
        "runq": {str(bucket): n for bucket, n in counts if n} if measured else None,
    }


def live_seconds(connection: Connection, hosts: Mapping[int, datetime]) -> dict[int, int]:
    """`hosts`: id and when it sent. For how long somebody wants to see each; notes that it knows.

    Told with every answer until the time is over, so that an answer that gets lost costs nothing.
    """
    rows = connection.execute(
        "SELECT host_id, ends_at, told_at FROM live_requests WHERE host_id = ANY(%s)",
        [list(hosts)],
    ).fetchall()
    wanted = {}
    for host_id, ends_at, told_at in sorted(rows):
        now = hosts[host_id]
        if ends_at <= now:
            continue
        wanted[host_id] = min(MAX_LIVE_SECONDS, ceil((ends_at - now).total_seconds()))
        if told_at is None:
            connection.execute(
                "UPDATE live_requests SET told_at = %s WHERE host_id = %s", [now, host_id]
            )
    return wanted


# The same second again (a clock that was set, a window cut short): the newer one is shown.
_KEEP = """
INSERT INTO live_windows (host_id, t, received_at, body) VALUES (%s, %s, %s, %s)
ON CONFLICT (host_id, t) DO UPDATE SET received_at = excluded.received_at, body = excluded.body
"""


def store_live(connection: Connection, request: LiveRequest, *, received_at: datetime) -> bool:
    """False: nobody asked, nothing was kept. The caller commits."""
    asked = connection.execute(
        "SELECT 1 FROM live_requests WHERE host_id = %s AND ends_at > %s",
        [request.host_id, received_at - _GRACE],
    ).fetchone()
    if asked is None:
        return False
    upsert_identities(connection, [(request.host_id, batch) for batch, _ in request.windows])
    for batch, body in request.windows:
        second = batch.started_at.replace(microsecond=0)
        connection.execute(_KEEP, [request.host_id, second, received_at, Jsonb(body)])
    return True
