"""A long wait is in the API within two seconds of its end, with whom it was for."""

import os
import statistics
import time
from datetime import datetime
from typing import Any

import load
import pytest
from cgroups import Cgroups
from load import Pattern

from parts import Parts, wait_until

EVENTS = "/api/v1/events?from=now-1m&to=now&kind=noisy_neighbor&limit=200"
MOST_SECONDS = 2.0
LEAST_EVENTS = 12
POLL_SECONDS = 0.1
# One event a second and container; a busy machine takes its time.
WATCH_SECONDS = 20


def events_now(parts: Parts) -> list[dict[str, Any]]:
    answer = parts.get(EVENTS)
    assert answer.status == 200, answer.body
    items: list[dict[str, Any]] = answer.body["items"]
    return items


def delay_seconds(event: dict[str, Any]) -> float:
    return time.time() - datetime.fromisoformat(event["ended_at"]).timestamp()


def assert_tells_the_wait(event: dict[str, Any]) -> None:
    assert event["duration_seconds"] >= 0.010
    assert event["comm"]
    told = sum(share["seconds"] for share in event["shares"])
    assert told == pytest.approx(event["duration_seconds"], abs=1e-6)


def test_an_event_is_in_the_api_within_two_seconds(parts: Parts, cgroups: Cgroups) -> None:
    cpu = min(os.sched_getaffinity(0))
    hog = cgroups.create("hog", image="test/hog:1", shares=16 * 1024)
    victims = [cgroups.create(f"victim-{n}", image="test/victim:1") for n in range(2)]
    running = [load.start(hog, Pattern(run_us=8000, cpu=cpu), seconds=120)]
    running += [
        load.start(victim, Pattern(run_us=3000, cpu=cpu), seconds=120) for victim in victims
    ]
    wait_until(lambda: bool(events_now(parts)), seconds=30, what="a first event")

    old = {event["id"] for event in events_now(parts)}
    seen: dict[str, float] = {}
    by_hog: set[str] = set()
    deadline = time.monotonic() + WATCH_SECONDS
    while time.monotonic() < deadline and (len(seen) < LEAST_EVENTS or len(by_hog) < 2):
        for event in events_now(parts):
            if event["id"] in old or event["id"] in seen:
                continue
            # Of everybody on this machine: whoever waited, it must not come late.
            seen[event["id"]] = delay_seconds(event)
            assert_tells_the_wait(event)
            names = [share["name"] for share in event["shares"] if share["who"] == "container"]
            if event["container_name"].startswith("victim-") and "hog" in names:
                by_hog.add(event["container_name"])
        time.sleep(POLL_SECONDS)
    for process in running:
        load.stop(process)

    delays = list(seen.values())
    print(
        f"{len(delays)} events, seen {statistics.median(delays):.2f} s after the wait's end"
        f" (median), {max(delays):.2f} s at worst"
    )
    assert len(delays) >= LEAST_EVENTS
    assert by_hog == {"victim-0", "victim-1"}
    assert max(delays) <= MOST_SECONDS
