"""Asking for live windows, and reading what came."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from fleet import NOW, SECOND_NS, Fleet, Reader
from neighborwatch.access import queries
from neighborwatch.access.principal import Role
from neighborwatch.db import partition_keeper
from neighborwatch.db.tables import WAIT_PARTS, LiveRequest
from neighborwatch.http.deps import current_time
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS

PARTS = {f"{part}_ns": 0 for part in WAIT_PARTS}


@pytest.fixture(autouse=True)
def _keeper_leaves_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app's keeper prunes by the real clock when it starts, and these windows are of an
    earlier day: whether one was gone before it was read was a race."""

    def prunes_nothing(*_: object, **__: object) -> None:
        return

    monkeypatch.setattr(partition_keeper, "prune_live", prunes_nothing)


def measured(id_: int, **figures: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    zeros: dict[str, Any] = {
        "ran_ns": 0,
        "wait_ns": 0,
        "usage_ns": None,
        **PARTS,
        "max_wait_ns": 0,
        "runq": {},
    }
    return {"id": id_, **zeros, **figures}


def ask(reader: Reader, host_id: int, **body: int) -> Any:  # noqa: ANN401 - JSON
    answer = reader.client.post(f"/api/v1/hosts/{host_id}/live", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()


def values(series: list[dict[str, Any]], metric: str) -> list[float | None]:
    found: list[float | None] = next(s["values"] for s in series if s["metric"] == metric)
    return found


def at(reader_clock: FastAPI, now: datetime) -> None:
    reader_clock.dependency_overrides[current_time] = lambda: now


def test_from_nobody_looking_to_the_end(
    fleet: Fleet, app: FastAPI, reader: Reader, session: Session
) -> None:
    host_id = fleet.host("h1")
    path = f"/hosts/{host_id}/live"
    nobody = reader.get(path)
    assert (nobody["state"], nobody["asked_at"], nobody["as_of"]) == ("none", None, None)
    assert (nobody["t"], nobody["containers"], nobody["host_name"]) == ([], [], "h1")

    asked = ask(reader, host_id, seconds=60)
    assert asked["state"] == "asked"
    assert asked["ends_at"] == (NOW + timedelta(seconds=60)).isoformat().replace("+00:00", "Z")
    assert reader.get(path)["state"] == "asked"

    request = session.get_one(LiveRequest, host_id)
    request.told_at = NOW
    session.commit()
    assert reader.get(path)["state"] == "waiting"

    fleet.live_window(host_id, NOW, {})
    assert reader.get(path)["state"] == "live"
    at(app, NOW + timedelta(seconds=60))
    ended = reader.get(path)
    assert (ended["state"], len(ended["t"])) == ("ended", 1)
    at(app, NOW + timedelta(seconds=122))
    assert reader.get(path)["state"] == "none"


def test_asking_again_goes_on_and_never_cuts_short(
    fleet: Fleet, app: FastAPI, reader: Reader, session: Session
) -> None:
    host_id = fleet.host()
    ask(reader, host_id)
    session.get_one(LiveRequest, host_id).told_at = NOW
    session.commit()
    at(app, NOW + timedelta(seconds=10))
    shorter = ask(reader, host_id, seconds=5)
    assert shorter["ends_at"] == (NOW + timedelta(seconds=120)).isoformat().replace("+00:00", "Z")
    assert shorter["state"] == "waiting"  # told already; it is told the new end with every answer
    at(app, NOW + timedelta(seconds=200))
    assert ask(reader, host_id)["state"] == "asked"  # after the end it must be told anew


def test_windows_are_series_on_one_grid_with_gaps(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    start = NOW.replace(microsecond=0) - timedelta(seconds=10)
    host = {
        "cpus": 2,
        "busy_ns": 3 * SECOND_NS,
        "all_ns": 4 * SECOND_NS,
        "steal_ns": SECOND_NS,
        "context_switches": 5,
    }
    for second in (0, 1, 3):
        waits = measured(
            web.container_id,
            ran_ns=SECOND_NS // 2,
            usage_ns=SECOND_NS // 2,
            wait_ns=2 * SECOND_NS,
            neighbor_wait_ns=3 * SECOND_NS // 2,
            throttled_own_wait_ns=SECOND_NS // 2,
            max_wait_ns=10**7,
            runq={"20": 98, "50": 2},
        )
        runs = measured(hog.container_id, ran_ns=SECOND_NS, wait_ns=1)
        pairs = [
            {"victim_id": web.container_id, "aggressor_id": id_, "wait_ns": ns}
            for id_, ns in (
                (hog.container_id, SECOND_NS),
                (kubelet.container_id, SECOND_NS // 2),
                (web.container_id, 9 * SECOND_NS),
            )
        ]
        body = {"host": host, "containers": [runs, waits], "pairs": pairs}
        fleet.live_window(host_id, start + timedelta(seconds=second), body)

    answer = reader.get(f"/hosts/{host_id}/live")

    first = int(start.timestamp())
    assert answer["t"] == [first, first + 1, first + 2, first + 3]
    assert answer["step_seconds"] == 1
    assert answer["as_of"] == (start + timedelta(seconds=4)).isoformat().replace("+00:00", "Z")
    assert values(answer["host_series"], "cpu_used_ratio") == [0.75, 0.75, None, 0.75]
    assert values(answer["host_series"], "steal_ratio") == [0.25, 0.25, None, 0.25]
    assert answer["containers_total"] == 2
    worst, other = answer["containers"]
    assert (worst["id"], worst["name"], worst["kind"]) == (str(web), "web", "container")
    assert other["name"] == "hog"
    assert worst["wait_seconds"] == 6.0
    assert values(worst["series"], "neighbor_wait_cores") == [1.5, 1.5, None, 1.5]
    assert values(worst["series"], "throttled_own_wait_cores") == [0.5, 0.5, None, 0.5]
    assert values(worst["series"], "self_wait_cores") == [0.0, 0.0, None, 0.0]
    assert values(worst["series"], "ran_cores") == [0.5, 0.5, None, 0.5]
    assert values(worst["series"], "cpu_used_cores") == [0.5, 0.5, None, 0.5]
    p99 = UPPER_BOUNDS_NS[50] / 1e9
    assert values(worst["series"], "runq_p99_seconds") == [p99, p99, None, p99]
    assert values(worst["series"], "max_wait_seconds") == [0.01, 0.01, None, 0.01]
    assert values(other["series"], "cpu_used_cores") == [None] * 4
    assert worst["aggressors"] == [
        {
            "id": str(hog),
            "name": "hog",
            "kind": "container",
            "stolen_cpu_seconds": 3.0,
            "wait_ratio": 0.5,
        },
        {
            "id": str(kubelet),
            "name": "kubelet.service",
            "kind": "system",
            "stolen_cpu_seconds": 1.5,
            "wait_ratio": 0.25,
        },
    ]


def test_only_the_newest_and_the_worst_are_sent(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    for second in range(10):
        entries = [measured(1000 + n, wait_ns=n) for n in range(5)]
        body = {"containers": entries}
        fleet.live_window(host_id, NOW + timedelta(seconds=second - 10), body)

    answer = reader.get(f"/hosts/{host_id}/live", seconds=3, limit=2)

    assert len(answer["t"]) == 3
    assert answer["containers_total"] == 5
    assert [c["name"] for c in answer["containers"]] == [
        "unidentified 00000000000003ec",
        "unidentified 00000000000003eb",
    ]


def test_a_clock_that_is_off_hides_nothing(fleet: Fleet, reader: Reader, session: Session) -> None:
    """What is shown goes by when it arrived here; its seconds are the host's."""
    host_id = fleet.host()
    fleet.live_window(host_id, NOW - timedelta(seconds=1), {})
    session.connection().exec_driver_sql("UPDATE live_windows SET t = t - interval '1 hour'")
    session.commit()
    answer = reader.get(f"/hosts/{host_id}/live")
    assert answer["t"] == [int((NOW - timedelta(hours=1, seconds=1)).timestamp())]


def test_a_host_that_nobody_knows(reader: Reader) -> None:
    reader.refused("/hosts/9/live", 404)
    assert reader.client.post("/api/v1/hosts/9/live", json={}).status_code == 404


@pytest.mark.parametrize("body", [{"seconds": 121}, {"seconds": 0}, {"minutes": 1}])
def test_a_request_is_bounded(fleet: Fleet, reader: Reader, body: dict[str, int]) -> None:
    host_id = fleet.host()
    assert reader.client.post(f"/api/v1/hosts/{host_id}/live", json=body).status_code == 422


def test_a_program_for_metrics_may_not_look(
    fleet: Fleet, client: TestClient, session: Session
) -> None:
    token = queries.create_api_token(
        session, name="prometheus", role=Role.METRICS, now=datetime.now(UTC)
    )
    session.commit()
    headers = {"Authorization": f"Bearer {token}"}
    path = f"/api/v1/hosts/{fleet.host()}/live"
    assert client.post(path, json={}, headers=headers).status_code == 403
    assert client.get(path, headers=headers).status_code == 403
