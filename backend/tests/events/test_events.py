"""Single waits: the newest first, with the names of everybody in them."""

from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.orm import Session

from fleet import BASE, NOW, Fleet, Reader
from neighborwatch.http.deps import current_time
from neighborwatch.measures.ids import CgroupRef

MS = 1_000_000


def numbers(answer: dict[str, list[dict[str, str]]]) -> list[int]:
    return [int(item["id"].split("-")[2]) for item in answer["items"]]


def test_an_event_names_everybody_in_it(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    lost = CgroupRef(host_id, 0xBEEF)
    fleet.event(
        web,
        7,
        shares=[
            {"id": hog.container_id, "ns": 20 * MS},
            {"id": kubelet.container_id, "ns": 2 * MS},
            {"id": web.container_id, "ns": 1 * MS},
            {"id": lost.container_id, "ns": 1 * MS},
            {"idle": True, "ns": MS // 2},
            {"unattributed": True, "ns": MS // 2},
        ],
        skipped=4,
    )

    answer = reader.get("/events")

    assert (answer["total"], answer["next_cursor"]) == (1, None)
    ended_at = BASE + timedelta(seconds=7)
    assert answer["items"][0] == {
        "id": f"{host_id}-{int(ended_at.timestamp())}000000-7",
        "kind": "noisy_neighbor",
        "ended_at": ended_at.isoformat().replace("+00:00", "Z"),
        "duration_seconds": 0.025,
        "sentence": "web waited 25.0 ms for CPU 3. Ran there meanwhile: hog 20.0 ms,"
        " kubelet.service 2.0 ms, itself 1.0 ms, 3 others 2.0 ms.",
        "host_id": str(host_id),
        "host_name": "h1",
        "container_id": str(web),
        "container_name": "web",
        "container_kind": "container",
        "quota_level": None,
        "cpu": 3,
        "pid": 4711,
        "comm": "worker",
        "skipped": 4,
        "shares": [
            {
                "who": "container",
                "id": str(hog),
                "name": "hog",
                "seconds": 0.02,
                "ratio": pytest.approx(0.8),
            },
            {
                "who": "system",
                "id": str(kubelet),
                "name": "kubelet.service",
                "seconds": 0.002,
                "ratio": pytest.approx(0.08),
            },
            {
                "who": "self",
                "id": str(web),
                "name": "web",
                "seconds": 0.001,
                "ratio": pytest.approx(0.04),
            },
            {
                "who": "container",
                "id": str(lost),
                "name": "unidentified 000000000000beef",
                "seconds": 0.001,
                "ratio": pytest.approx(0.04),
            },
            {
                "who": "idle",
                "id": None,
                "name": "idle",
                "seconds": 0.0005,
                "ratio": pytest.approx(0.02),
            },
            {
                "who": "unattributed",
                "id": None,
                "name": "unattributed",
                "seconds": 0.0005,
                "ratio": pytest.approx(0.02),
            },
        ],
    }


def test_a_throttled_span_says_whose_quota(fleet: Fleet, reader: Reader) -> None:
    web = fleet.container(fleet.host(), "web")
    fleet.event(web, 1, kind="throttling", duration_ns=83 * MS, quota_level="ancestor")
    fleet.event(web, 2, kind="throttling", duration_ns=1500 * MS, quota_level="own")

    own, above = reader.get("/events")["items"]

    assert own["sentence"] == "web was throttled for 1.50 s by its own quota."
    assert above["sentence"] == "web was throttled for 83.0 ms by a quota above its own cgroup."
    assert (above["quota_level"], above["shares"]) == ("ancestor", [])


def test_filters_by_kind_host_victim_and_aggressor(fleet: Fleet, reader: Reader) -> None:
    first, second = fleet.host("h1"), fleet.host("h2")
    web, hog = fleet.container(first, "web"), fleet.container(first, "hog")
    # The same id on another host is somebody else.
    twin_web, twin_hog = (
        CgroupRef(second, web.container_id),
        CgroupRef(second, hog.container_id),
    )
    by_hog = [{"id": hog.container_id, "ns": 5 * MS}]
    fleet.event(web, 1, shares=[{"idle": True, "ns": MS}, *by_hog])
    fleet.event(web, 2, kind="throttling")
    fleet.event(hog, 3, shares=[{"id": web.container_id, "ns": MS}])
    fleet.event(twin_web, 4, shares=by_hog)

    assert numbers(reader.get("/events")) == [4, 3, 2, 1]
    assert numbers(reader.get("/events", kind="throttling")) == [2]
    assert numbers(reader.get("/events", host_id=str(first))) == [3, 2, 1]
    assert numbers(reader.get("/events", container_id=str(web))) == [2, 1]
    assert numbers(reader.get("/events", aggressor_id=str(hog))) == [1]
    assert numbers(reader.get("/events", aggressor_id=str(twin_hog))) == [4]
    assert numbers(reader.get("/events", container_id=str(hog), aggressor_id=str(web))) == [3]
    assert numbers(reader.get("/events", container_id=str(web), host_id=str(second))) == []
    assert numbers(reader.get("/events", q="HO")) == [3]
    assert reader.get("/events", kind="throttling")["total"] == 1


def test_coverage_is_that_of_the_one_host_that_can_answer(fleet: Fleet, reader: Reader) -> None:
    web = fleet.container(fleet.host("h1"), "web")
    fleet.host("h2")
    for name in ("container_id", "aggressor_id"):
        assert reader.get("/events", **{name: str(web)})["coverage"]["hosts_known"] == 1
    assert reader.get("/events")["coverage"]["hosts_known"] == 2


def test_pages_go_back_in_time_and_miss_nothing(fleet: Fleet, reader: Reader) -> None:
    web = fleet.container(fleet.host(), "web")
    for number in range(1, 12):
        fleet.event(web, number, ended_at=BASE + timedelta(seconds=number // 4))

    page = reader.get("/events", limit=4)
    seen = numbers(page)
    fleet.event(web, 99, ended_at=NOW)  # newer than the first page: it does not move the others
    while page["next_cursor"]:
        page = reader.get("/events", cursor=page["next_cursor"], limit=4)
        seen += numbers(page)

    assert seen == [8, 9, 10, 11, 4, 5, 6, 7, 1, 2, 3]
    assert page["total"] == 11


def test_the_longest_waits_first(fleet: Fleet, reader: Reader) -> None:
    web = fleet.container(fleet.host(), "web")
    for number, ms in ((1, 30), (2, 90), (3, 60)):
        fleet.event(web, number, duration_ns=ms * MS)
    assert numbers(reader.get("/events", sort="-duration_seconds")) == [2, 3, 1]


def test_now_is_this_second_and_not_the_last_whole_window(
    fleet: Fleet, app: FastAPI, reader: Reader
) -> None:
    """Windows end every 10 s and answers about them wait for that; events do not."""
    now = BASE + timedelta(minutes=5, seconds=9, milliseconds=800)
    app.dependency_overrides[current_time] = lambda: now
    web = fleet.container(fleet.host(), "web")
    fleet.event(web, 1, ended_at=now - timedelta(milliseconds=300))

    answer = reader.get("/events", **{"from": "now-1m", "to": "now"})

    assert numbers(answer) == [1]
    assert answer["range"]["to"] == (BASE + timedelta(minutes=5, seconds=10)).isoformat().replace(
        "+00:00", "Z"
    )


def test_csv_has_the_same_rows(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    for number in range(1, 4):
        fleet.event(web, number, shares=[{"id": hog.container_id, "ns": MS}])

    rows = reader.csv("/events", limit=1)

    assert [row["id"] for row in rows] == [item["id"] for item in reader.get("/events")["items"]]
    assert rows[0]["container_name"] == "web"
    assert '"name": "hog"' in rows[0]["shares"]


def test_an_unchanged_list_is_not_sent_again(fleet: Fleet, reader: Reader) -> None:
    web = fleet.container(fleet.host(), "web")
    fleet.event(web, 1)
    etag = reader.ask("/events").headers["etag"]
    again = reader.client.get(
        "/api/v1/events",
        params={"from": BASE.isoformat(), "to": (BASE + timedelta(minutes=10)).isoformat()},
        headers={"If-None-Match": etag},
    )
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"kind": "loud"}, "kind"),
        ({"container_id": "7"}, "container_id"),
        ({"aggressor_id": "x"}, "aggressor_id"),
        ({"host_id": "x"}, "host_id"),
        ({"sort": "pid"}, "sort"),
    ],
)
def test_a_wrong_filter_is_named(reader: Reader, params: dict[str, str], field: str) -> None:
    assert reader.refused("/events", 422, **params)["errors"][0]["field"] == field


def test_nothing_happened(reader: Reader) -> None:
    answer = reader.get("/events")
    assert (answer["items"], answer["total"], answer["as_of"]) == ([], 0, None)


def test_a_page_of_many_events_is_read_off_the_index(
    fleet: Fleet, session: Session, reader: Reader
) -> None:
    """A busy fleet's hour: the page must not sort it, nor resolve the names of all of it."""
    web = fleet.container(fleet.host(), "web")
    session.execute(
        text(
            "INSERT INTO events (host_id, t, number, kind, container_id, duration_ns, cpu, pid,"
            " comm, skipped, shares)"
            " SELECT :host_id, CAST(:base AS timestamptz) + n * interval '5 ms', n,"
            " 'noisy_neighbor', :container_id, 10000000, 1, 1, 'c', 0, '[]'"
            " FROM generate_series(1, 100000) AS n"
        ),
        {"host_id": web.host_id, "container_id": web.container_id, "base": BASE},
    )
    session.commit()
    fleet.analyze()
    reader.get("/events")
    assert min(reader.timed("/events") for _ in range(5)) < 0.25
    assert reader.get("/events")["total"] == 100_000


def test_the_clock_is_the_only_thing_between_an_event_and_its_reader(
    fleet: Fleet, app: FastAPI, reader: Reader
) -> None:
    """A host a little ahead of us is seen at most that much later, and not never."""
    web = fleet.container(fleet.host(), "web")
    now = datetime.now(UTC).replace(microsecond=100_000)
    fleet.event(web, 1, ended_at=now + timedelta(milliseconds=1200))
    asked = {"from": "now-1m", "to": "now"}
    app.dependency_overrides[current_time] = lambda: now
    assert numbers(reader.get("/events", **asked)) == []
    app.dependency_overrides[current_time] = lambda: now + timedelta(seconds=1)
    assert numbers(reader.get("/events", **asked)) == [1]
