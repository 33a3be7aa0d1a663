"""A backend or a Postgres that is killed costs no window and doubles none.

NW_FAULT_SECONDS is how long each outage lasts, 25 by default.
"""

import os
import time
from datetime import timedelta
from typing import Any

import load
from cgroups import Cgroups
from load import Pattern

from parts import Parts, wait_until

OUTAGE_SECONDS = float(os.environ.get("NW_FAULT_SECONDS", "25"))
WINDOW = timedelta(seconds=10)
# The agent waits up to twice as long from try to try, at most a minute, then sends its spool.
CAUGHT_UP_SECONDS = min(2 * OUTAGE_SECONDS, 60) + 30

WINDOWS = "SELECT t FROM host_samples_10s ORDER BY t"
CONTAINER_WINDOWS = """
    SELECT s.t FROM samples_10s s JOIN containers c USING (host_id, container_id)
    WHERE c.name = 'ledger' ORDER BY s.t
"""
STORED_AGE = "SELECT coalesce(extract(epoch FROM now() - max(t)), 1e9) FROM host_samples_10s"
CURSOR = "SELECT lost_batches FROM ingest_cursors"


def wait_until_caught_up(parts: Parts) -> None:
    def is_caught_up() -> bool:
        # A window is sent when it is over: the newest began 10 to 20 s ago.
        return float(parts.query(STORED_AGE)[0][0]) < 22

    wait_until(is_caught_up, seconds=CAUGHT_UP_SECONDS, what="the newest window is stored")


def assert_each_window_once(rows: list[tuple[Any, ...]]) -> None:
    stored = [row[0] for row in rows]
    first, last = stored[0], stored[-1]
    expected = [first + n * WINDOW for n in range((last - first) // WINDOW + 1)]
    assert stored == expected


def test_each_window_is_stored_exactly_once_across_outages(parts: Parts, cgroups: Cgroups) -> None:
    ledger = cgroups.create("ledger", image="test/ledger:1")
    process = load.start(ledger, Pattern(run_us=200, sleep_us=20_000), seconds=900)
    wait_until(lambda: bool(parts.query(CONTAINER_WINDOWS)), seconds=60, what="a first window")

    parts.kill_backend()
    time.sleep(OUTAGE_SECONDS)
    parts.start_backend()
    wait_until_caught_up(parts)

    parts.kill_postgres()
    assert parts.get("/healthz").status == 200
    assert parts.get("/readyz").status == 503
    refused = parts.get("/api/v1/hosts")
    assert (refused.status, refused.content_type) == (503, "application/problem+json")
    assert refused.body["request_id"]
    time.sleep(OUTAGE_SECONDS)
    parts.start_postgres()
    wait_until_caught_up(parts)

    load.stop(process)
    windows = parts.query(WINDOWS)
    assert (windows[-1][0] - windows[0][0]).total_seconds() >= 2 * OUTAGE_SECONDS
    assert_each_window_once(windows)
    assert_each_window_once(parts.query(CONTAINER_WINDOWS))
    assert parts.query(CURSOR) == [(0,)]
    (agent,) = parts.get("/api/v1/agents").body["items"]
    assert agent["lost_batches"] == 0
    print(f"{len(windows)} windows, each once, across two outages of {OUTAGE_SECONDS:.0f} s")
