"""Builds a small measured fleet, row by row, so that every figure in a test is worked out by hand.

All instants hang on BASE, a full hour shortly before the test run (partitions exist around now).
"""

import csv
import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Literal
from uuid import UUID

from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import insert, text
from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.db.tables import (
    WAIT_PARTS,
    Blame1m,
    Container,
    Event,
    Host,
    HostSample10s,
    IngestCursor,
    LiveWindow,
    Sample10s,
)
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import floor_to

BASE = floor_to(datetime.now(UTC) - timedelta(hours=2), timedelta(hours=1))
# What the API takes for now: ten minutes of windows lie before it, and those have arrived.
NOW = BASE + timedelta(minutes=10, seconds=15)
RANGE = {"from": BASE.isoformat(), "to": (BASE + timedelta(minutes=10)).isoformat()}
SECOND_NS = 1_000_000_000
# Every CPU time of a quiet window of a host with two CPUs, 10 s.
QUIET_HOST = {
    "cpus": 2,
    "user_ns": 3 * SECOND_NS,
    "system_ns": 1 * SECOND_NS,
    "idle_ns": 14 * SECOND_NS,
    "iowait_ns": 1 * SECOND_NS,
    "steal_ns": 1 * SECOND_NS,
    "context_switches": 50_000,
}


def window(index: int) -> datetime:
    """Start of the window with this index after BASE."""
    return BASE + timedelta(seconds=10 * index)


@dataclass
class Fleet:
    sessions: sessionmaker[Session]
    _ids: "count[int]" = field(default_factory=lambda: count(0xA0))

    def host(
        self, name: str = "h1", *, created_at: datetime = BASE, **facts: int | str | None
    ) -> int:
        with self.sessions.begin() as session:
            host = Host(machine_id=f"{next(self._ids):032x}", name=name, created_at=created_at)
            for fact, value in facts.items():
                setattr(host, fact, value)
            session.add(host)
            session.flush()
            return host.host_id

    def cursor(
        self,
        host_id: int,
        *,
        received_at: datetime = NOW,
        window_at: datetime | None = BASE,
        status: Mapping[str, Any] | None = None,
        clock_skew_ms: int = 0,
        lost_batches: int = 0,
    ) -> None:
        self._insert(
            IngestCursor,
            {
                "host_id": host_id,
                "stream_id": UUID(int=1),
                "sequence": 60,
                "previous_sequence": 59,
                "lost_batches": lost_batches,
                "boot_id": UUID(int=2),
                "window_at": window_at,
                "received_at": received_at,
                "clock_skew_ms": clock_skew_ms,
                "status": status or {"collectors": [], "cost": None},
            },
        )

    def container(
        self,
        host_id: int,
        name: str,
        *,
        kind: Literal["container", "system"] = "container",
        **identity: str | dict[str, str],
    ) -> CgroupRef:
        ref = CgroupRef(host_id, next(self._ids))
        self._insert(
            Container,
            {
                "host_id": host_id,
                "container_id": ref.container_id,
                "kind": kind,
                "name": name,
                "labels": {},
                "cgroup_path": f"/test/{name}",
                "first_seen_at": BASE,
                "identified_at": BASE,
                **identity,
            },
        )
        return ref

    def sample(
        self,
        ref: CgroupRef,
        index: int,
        *,
        runq: Mapping[int, int] | None = None,
        unthrottled: Mapping[int, int] | None = None,
        **columns: int | None,
    ) -> None:
        """One window; `runq` maps bucket to count. The scheduler's columns are 0 unless given; the
        parts of the wait are null unless one is given."""
        scheduler = dict.fromkeys(
            (
                "ran_ns",
                "wait_ns",
                "migrated_wait_ns",
                "wait_count",
                "preempted_self",
                "preempted_other",
                "preempted_system",
                "throttled_out",
            ),
            0,
        )
        if any(f"{part}_ns" in columns for part in WAIT_PARTS):
            scheduler |= dict.fromkeys((*(f"{part}_ns" for part in WAIT_PARTS), "max_wait_ns"), 0)
        self._insert(
            Sample10s,
            {
                "host_id": ref.host_id,
                "container_id": ref.container_id,
                "t": window(index),
                "duration_ms": 10_000,
                **scheduler,
                **columns,
                **{f"runq_b{bucket:02d}": n for bucket, n in (runq or {}).items()},
                "runq_unthrottled": None
                if unthrottled is None
                else [unthrottled.get(bucket, 0) for bucket in range(96)],
            },
        )

    def host_windows(self, host_id: int, indexes: range, **columns: int) -> None:
        for index in indexes:
            values = {"host_id": host_id, "t": window(index), "duration_ms": 10_000}
            self._insert(HostSample10s, {**values, **QUIET_HOST, **columns})

    def blame(
        self,
        victim: CgroupRef,
        aggressor: CgroupRef,
        preemptions: int,
        *,
        index: int = 0,
        stolen_ns: int | None = None,
    ) -> None:
        self._insert(
            Blame1m,
            {
                "t": window(index),
                "host_id": victim.host_id,
                "victim_id": victim.container_id,
                "aggressor_id": aggressor.container_id,
                "duration_ms": 60_000,
                "wait_ns": stolen_ns,
                "preemptions": preemptions,
            },
        )

    def event(
        self,
        victim: CgroupRef,
        number: int,
        *,
        ended_at: datetime | None = None,
        shares: Sequence[Mapping[str, Any]] = (),
        **columns: int | str | None,
    ) -> None:
        """One wait of 25 ms, `number` seconds after BASE unless told otherwise."""
        self._insert(
            Event,
            {
                "host_id": victim.host_id,
                "t": ended_at or BASE + timedelta(seconds=number),
                "number": number,
                "kind": "noisy_neighbor",
                "container_id": victim.container_id,
                "duration_ns": 25_000_000,
                "cpu": 3,
                "pid": 4711,
                "comm": "worker",
                "quota_level": None,
                "skipped": 0,
                "shares": [dict(share) for share in shares],
                **columns,
            },
        )

    def live_window(self, host_id: int, at: datetime, body: Mapping[str, Any]) -> None:
        """One second that arrived when it ended."""
        self._insert(
            LiveWindow,
            {
                "host_id": host_id,
                "t": at,
                "received_at": at + timedelta(seconds=1),
                "body": {"duration_ms": 1000, "host": None, "containers": [], "pairs": [], **body},
            },
        )

    def demo_hour(self, host_id: int, *, containers: int, services: int) -> None:
        """An hour of one busy host: every cgroup in every window, 24 buckets each."""
        refs = [self.container(host_id, f"c{n}") for n in range(containers)]
        refs += [self.container(host_id, f"s{n}.service", kind="system") for n in range(services)]
        buckets = {f"runq_b{bucket:02d}": bucket for bucket in range(20, 44)}
        counters = {
            **{"ran_ns": 10**9, "wait_ns": 10**8, "preempted_other": 7, "duration_ms": 10_000},
            **{"neighbor_wait_ns": 10**8, "max_wait_ns": 10**6},
        }
        key = {"host_id": host_id}
        self.host_windows(host_id, range(360))
        rows = [
            {**key, "container_id": ref.container_id, "t": window(i), **counters, **buckets}
            for ref in refs
            for i in range(360)
        ]
        pairs = [
            {
                **key,
                "t": window(i),
                "victim_id": victim.container_id,
                "aggressor_id": aggressor.container_id,
                "duration_ms": 60_000,
                "wait_ns": 10**7,
                "preemptions": 5,
            }
            for victim in refs[:containers]
            for aggressor in refs
            for i in range(0, 360, 6)
        ]
        with self.sessions.begin() as session:
            session.execute(insert(Sample10s), rows)
            session.execute(insert(Blame1m), pairs)

    def analyze(self) -> None:
        """What autovacuum does on a living server."""
        with self.sessions.begin() as session:
            session.execute(text("ANALYZE"))

    def _insert(self, table: type[Any], values: Mapping[str, Any]) -> None:
        with self.sessions.begin() as session:
            session.execute(insert(table), [dict(values)])


@dataclass(frozen=True)
class Reader:
    """A signed-in program for which it is NOW; asks about RANGE unless told otherwise."""

    client: TestClient

    def ask(self, path: str, **params: str | int | list[str]) -> Response:
        asked = {**RANGE, **params} if "cursor" not in params else params
        return self.client.get(f"/api/v1{path}", params=asked)

    def get(self, path: str, **params: str | int | list[str]) -> Any:  # noqa: ANN401 - JSON
        response = self.ask(path, **params)
        assert response.status_code == 200, response.text
        return response.json()

    def refused(self, path: str, status: int, **params: str | int | list[str]) -> Any:  # noqa: ANN401
        response = self.ask(path, **params)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/problem+json"
        problem = response.json()
        assert problem["request_id"] == response.headers["x-request-id"]
        return problem

    def csv(self, path: str, **params: str | int | list[str]) -> list[dict[str, str]]:
        response = self.client.get(
            f"/api/v1{path}", params={**RANGE, **params}, headers={"Accept": "text/csv"}
        )
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        return list(csv.DictReader(io.StringIO(response.text)))

    def timed(self, path: str, **params: str) -> float:
        """Seconds until the whole answer is there."""
        started = time.perf_counter()
        self.get(path, **params)
        return time.perf_counter() - started
