"""The ranking: who ran while somebody else's tasks waited."""

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS


def test_ranking_by_cpu_time_stolen_from_others(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    fleet.host_windows(host_id, range(6))
    hog = fleet.container(host_id, "hog", image="stress:1", namespace="batch")
    small = fleet.container(host_id, "small")
    web, db = fleet.container(host_id, "web"), fleet.container(host_id, "db")
    fleet.sample(hog, 0, usage_ns=15 * SECOND_NS)
    fleet.sample(web, 0, runq={20: 1})
    fleet.sample(db, 0, runq={70: 1})
    fleet.blame(web, hog, 5, stolen_ns=20 * SECOND_NS)
    fleet.blame(web, hog, 2, stolen_ns=8 * SECOND_NS, index=6)
    fleet.blame(db, hog, 2, stolen_ns=8 * SECOND_NS)
    # Came in far more often, and for next to nothing each time.
    fleet.blame(web, small, 1000, stolen_ns=4 * SECOND_NS)

    answer = reader.get("/neighbors")

    assert answer["ranked_by"] == "stolen_cpu_seconds"
    assert answer["total_stolen_cpu_seconds"] == 40.0
    assert answer["total_preemptions"] == 1009
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
        "stolen_cpu_seconds": 36.0,
        "stolen_cpu_seconds_per_hour": pytest.approx(36 * 60),  # the host was observed for a minute
        "share_ratio": 0.9,
        "victims": 2,
        "hosts": 1,
        # It lost less than web, but its waits are longer.
        "worst_victim": {
            "id": str(db),
            "name": "db",
            "runq_p99_seconds": UPPER_BOUNDS_NS[70] / 1e9,
            "runq_unthrottled_p99_seconds": UPPER_BOUNDS_NS[70] / 1e9,
        },
        "top_victims": [
            {
                "id": str(web),
                "name": "web",
                "stolen_cpu_seconds": 28.0,
                "share_ratio": pytest.approx(7 / 9),
                "preemptions": 7,
            },
            {
                "id": str(db),
                "name": "db",
                "stolen_cpu_seconds": 8.0,
                "share_ratio": pytest.approx(2 / 9),
                "preemptions": 2,
            },
        ],
        "preemptions": 9,
        "preemptions_per_second": 0.15,
        "cpu_used_cores": 1.5,
    }
    assert (second["rank"], second["name"], second["share_ratio"]) == (2, "small", 0.1)
    assert second["cpu_used_cores"] is None
    by_count = reader.get("/neighbors", sort="-preemptions")["items"]
    assert [(item["name"], item["rank"]) for item in by_count] == [("small", 2), ("hog", 1)]


def test_the_worst_victim_is_not_the_one_its_own_quota_slows(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    hog, web = fleet.container(host_id, "hog"), fleet.container(host_id, "web")
    capped = fleet.container(host_id, "capped")
    fleet.sample(web, 0, runq={50: 1})
    fleet.sample(capped, 0, runq={90: 1}, unthrottled={10: 1}, throttled_own_wait_ns=SECOND_NS)
    for victim in (web, capped):
        fleet.blame(victim, hog, 1, stolen_ns=SECOND_NS)

    worst = reader.get("/neighbors")["items"][0]["worst_victim"]

    assert worst["name"] == "web"
    assert worst["runq_unthrottled_p99_seconds"] == UPPER_BOUNDS_NS[50] / 1e9


def test_without_stolen_time_preemptions_order_and_share(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim = fleet.container(host_id, "victim")
    for name, preemptions in (("a", 10), ("b", 30), ("c", 60)):
        fleet.blame(victim, fleet.container(host_id, name), preemptions)

    answer = reader.get("/neighbors")

    assert answer["total_stolen_cpu_seconds"] is None
    assert [(i["name"], i["share_ratio"], i["stolen_cpu_seconds"]) for i in answer["items"]] == [
        ("c", 0.6, None),
        ("b", 0.3, None),
        ("a", 0.1, None),
    ]
    paged = reader.get("/neighbors", limit=2)
    after = reader.get("/neighbors", cursor=paged["next_cursor"])
    assert [item["name"] for item in after["items"]] == ["a"]


def test_what_was_measured_stands_before_what_was_not(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim = fleet.container(host_id, "victim")
    fleet.blame(victim, fleet.container(host_id, "old agent"), 999)
    fleet.blame(victim, fleet.container(host_id, "measured"), 1, stolen_ns=1)

    items = reader.get("/neighbors")["items"]

    assert [(i["name"], i["share_ratio"]) for i in items] == [("measured", 1.0), ("old agent", 0.0)]


def test_system_services_can_be_listed_as_rows(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    fleet.blame(web, hog, 1, stolen_ns=8 * SECOND_NS)
    fleet.blame(web, kubelet, 1, stolen_ns=SECOND_NS)

    answer = reader.get("/neighbors", kind="system")

    assert [(i["name"], i["share_ratio"]) for i in answer["items"]] == [("kubelet.service", 1.0)]
    assert (answer["system_items"], answer["total_stolen_cpu_seconds"]) == ([], 1.0)
    assert [row["name"] for row in reader.csv("/neighbors", kind="system")] == ["kubelet.service"]


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
