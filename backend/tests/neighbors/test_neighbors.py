"""The ranking: who came in when somebody else's tasks were preempted."""

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS


def test_ranking_by_preemptions_inflicted_on_others(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    fleet.host_windows(host_id, range(6))
    hog = fleet.container(host_id, "hog", image="stress:1", namespace="batch")
    small = fleet.container(host_id, "small")
    web, db = fleet.container(host_id, "web"), fleet.container(host_id, "db")
    fleet.sample(hog, 0, usage_ns=15 * SECOND_NS)
    fleet.sample(web, 0, runq={20: 1})
    fleet.sample(db, 0, runq={70: 1})
    fleet.blame(web, hog, 500)
    fleet.blame(web, hog, 200, index=6)
    fleet.blame(db, hog, 200)
    fleet.blame(web, small, 100)

    answer = reader.get("/neighbors")

    assert answer["ranked_by"] == "preemptions"
    assert answer["total_preemptions"] == 1000
    assert answer["total"] == 2
    first, second = answer["items"]
    assert first == {
        "rank": 1,
        "id": str(hog),
        "kind": "container",
        "name": "hog",
        "host_id": str(host_id),
        "host_name": "h1",
        "image": "stress:1",
        "namespace": "batch",
        "preemptions": 900,
        "preemptions_per_second": 15.0,
        "share_ratio": 0.9,
        "victims": 2,
        "hosts": 1,
        # Hit less often than web, but its waits are longer.
        "worst_victim": {
            "id": str(db),
            "name": "db",
            "runq_p99_seconds": UPPER_BOUNDS_NS[70] / 1e9,
        },
        "top_victims": [
            {"id": str(web), "name": "web", "share_ratio": pytest.approx(7 / 9)},
            {"id": str(db), "name": "db", "share_ratio": pytest.approx(2 / 9)},
        ],
        "cpu_used_cores": 1.5,
    }
    assert (second["rank"], second["name"], second["share_ratio"]) == (2, "small", 0.1)
    assert second["cpu_used_cores"] is None


def test_a_container_is_never_its_own_neighbor(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    busy, other = fleet.container(host_id, "busy"), fleet.container(host_id, "other")
    fleet.blame(busy, busy, 10_000)
    fleet.blame(other, busy, 3)

    answer = reader.get("/neighbors")

    assert [(i["name"], i["preemptions"]) for i in answer["items"]] == [("busy", 3)]
    assert answer["total_preemptions"] == 3
    assert [v["name"] for v in answer["items"][0]["top_victims"]] == ["other"]


def test_a_throttled_container_is_no_victim_unless_it_was_preempted(
    fleet: Fleet, reader: Reader
) -> None:
    host_id = fleet.host()
    hog, victim = fleet.container(host_id, "hog"), fleet.container(host_id, "victim")
    throttled = fleet.container(host_id, "throttled")
    fleet.sample(victim, 0, runq={40: 1})
    # The worst latency of the host, all by its own quota.
    fleet.sample(throttled, 0, runq={80: 9}, nr_periods=100, nr_throttled=90, throttled_out=900)
    fleet.blame(victim, hog, 10)
    fleet.blame(throttled, throttled, 50)

    item = reader.get("/neighbors")["items"][0]

    assert item["victims"] == 1
    assert item["worst_victim"]["name"] == "victim"
    assert [v["name"] for v in item["top_victims"]] == ["victim"]


def test_system_services_stand_apart(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    sshd = fleet.container(host_id, "ssh.service", kind="system")
    fleet.blame(web, hog, 10)
    fleet.blame(web, kubelet, 30)
    fleet.blame(web, sshd, 10)
    fleet.blame(kubelet, hog, 999)  # a system service is nobody's victim here
    fleet.blame(sshd, kubelet, 999)

    answer = reader.get("/neighbors")

    assert [(i["name"], i["preemptions"]) for i in answer["items"]] == [("hog", 10)]
    assert [v["name"] for v in answer["items"][0]["top_victims"]] == ["web"]
    system = [(i["rank"], i["name"], i["share_ratio"]) for i in answer["system_items"]]
    assert system == [(1, "kubelet.service", 0.75), (2, "ssh.service", 0.25)]
    assert answer["total_preemptions"] == 10


def test_same_container_id_on_two_hosts_is_two_neighbors(fleet: Fleet, reader: Reader) -> None:
    first, second = fleet.host("h1"), fleet.host("h2")
    hog = fleet.container(first, "hog")
    twin = type(hog)(second, hog.container_id)
    fleet.blame(fleet.container(first, "a"), hog, 5)
    fleet.blame(fleet.container(second, "b"), twin, 7)

    items = reader.get("/neighbors")["items"]
    assert [(i["host_name"], i["preemptions"]) for i in items] == [("h2", 7), ("h1", 5)]
    only_first = reader.get("/neighbors", host_id=str(first))
    assert [i["preemptions"] for i in only_first["items"]] == [5]
    assert only_first["total_preemptions"] == 5
    assert only_first["coverage"]["hosts_known"] == 1


def test_name_filter_keeps_rank_and_share(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim = fleet.container(host_id, "victim")
    fleet.blame(victim, fleet.container(host_id, "hog"), 90)
    fleet.blame(victim, fleet.container(host_id, "batch"), 10)

    answer = reader.get("/neighbors", q="bat")

    assert [(i["rank"], i["name"], i["share_ratio"]) for i in answer["items"]] == [
        (2, "batch", 0.1)
    ]
    assert answer["total"] == 1
    assert answer["total_preemptions"] == 100
    assert reader.get("/neighbors", q="nobody")["total_preemptions"] == 100


def test_only_blame_that_starts_in_the_range_counts(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim, hog = fleet.container(host_id, "victim"), fleet.container(host_id, "hog")
    for index in (0, 6, 12):
        fleet.blame(victim, hog, 10**index if index else 1, index=index)
    middle = {"from": BASE.replace(minute=1).isoformat(), "to": BASE.replace(minute=2).isoformat()}

    assert reader.get("/neighbors", **middle)["items"][0]["preemptions"] == 10**6


def test_nobody_hurts_anybody(fleet: Fleet, reader: Reader) -> None:
    fleet.host()
    answer = reader.get("/neighbors")
    assert answer["items"] == []
    assert answer["system_items"] == []
    assert answer["total"] == answer["total_preemptions"] == 0


def test_csv_has_the_same_rows_with_nested_fields_as_columns(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim = fleet.container(host_id, "victim")
    fleet.sample(victim, 0, runq={40: 1})
    for index in range(5):
        fleet.blame(victim, fleet.container(host_id, f"n{index}"), 10 + index)

    items = reader.get("/neighbors")["items"]
    rows = reader.csv("/neighbors", limit=2)

    assert [row["id"] for row in rows] == [item["id"] for item in items]
    assert [float(row["share_ratio"]) for row in rows] == [i["share_ratio"] for i in items]
    assert rows[0]["worst_victim_name"] == "victim"
    assert float(rows[0]["worst_victim_runq_p99_seconds"]) == UPPER_BOUNDS_NS[40] / 1e9
    assert rows[0]["cpu_used_cores"] == ""
