"""Where a container's time went, who took it, and from whom it took."""

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS

CAUSES = [
    *("self", "neighbor", "system", "throttled_own", "throttled_ancestor"),
    *("idle_gap", "unattributed"),
]


def test_demand_is_what_ran_and_every_part_of_the_wait(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "web")
    for index in range(2):
        fleet.sample(
            ref,
            index,
            runq={30: 98, 80: 2},
            unthrottled={30: 100},
            ran_ns=5 * SECOND_NS,
            wait_ns=15 * SECOND_NS,
            self_wait_ns=1 * SECOND_NS,
            neighbor_wait_ns=6 * SECOND_NS,
            system_wait_ns=1 * SECOND_NS,
            throttled_own_wait_ns=4 * SECOND_NS,
            throttled_ancestor_wait_ns=2 * SECOND_NS,
            idle_gap_wait_ns=SECOND_NS // 2,
            unattributed_wait_ns=SECOND_NS // 2,
            max_wait_ns=(index + 3) * SECOND_NS,
        )

    answer = reader.get(f"/containers/{ref}")

    ledger = answer["ledger"]
    assert (ledger["demand_seconds"], ledger["ran_seconds"], ledger["wait_seconds"]) == (40, 10, 30)
    assert (ledger["ran_ratio"], ledger["wait_ratio"]) == (0.25, 0.75)
    assert [part["cause"] for part in ledger["parts"]] == CAUSES
    assert [part["seconds"] for part in ledger["parts"]] == [2, 12, 2, 8, 4, 1, 1]
    assert [part["demand_ratio"] for part in ledger["parts"]] == [
        *(0.05, 0.3, 0.05, 0.2, 0.1, 0.025, 0.025)
    ]
    assert sum(part["wait_ratio"] for part in ledger["parts"]) == pytest.approx(1.0)
    container = answer["container"]
    assert container["runq_p50_seconds"] == UPPER_BOUNDS_NS[30] / 1e9
    assert container["runq_p99_seconds"] == UPPER_BOUNDS_NS[80] / 1e9
    assert container["runq_unthrottled_p99_seconds"] == UPPER_BOUNDS_NS[30] / 1e9
    assert container["max_wait_seconds"] == 4.0
    assert container["throttled_own_wait_seconds"] == 8.0
    assert container["throttled_ancestor_wait_seconds"] == 4.0


def test_time_from_before_the_split_is_nobodys(fleet: Fleet, reader: Reader) -> None:
    """The agent was updated within the range: the ledger still adds up, and blames no one."""
    ref = fleet.container(fleet.host(), "web")
    fleet.sample(ref, 0, wait_ns=9 * SECOND_NS)
    fleet.sample(ref, 1, wait_ns=SECOND_NS, neighbor_wait_ns=SECOND_NS)

    parts = {p["cause"]: p["seconds"] for p in reader.get(f"/containers/{ref}")["ledger"]["parts"]}

    assert (parts["neighbor"], parts["unattributed"]) == (1.0, 9.0)
    assert sum(parts.values()) == 10.0


def test_what_no_agent_split_has_no_parts(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "web")
    fleet.sample(ref, 0, ran_ns=SECOND_NS, wait_ns=SECOND_NS)
    answer = reader.get(f"/containers/{ref}")
    assert answer["ledger"]["parts"] == []
    assert answer["ledger"]["wait_ratio"] == 0.5
    assert answer["container"]["neighbor_wait_seconds"] is None


def test_an_idle_container_has_shares_of_nothing(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "idle")
    fleet.sample(ref, 0, neighbor_wait_ns=0)
    ledger = reader.get(f"/containers/{ref}")["ledger"]
    assert (ledger["demand_seconds"], ledger["ran_ratio"], ledger["wait_ratio"]) == (0, None, None)
    assert {part["wait_ratio"] for part in ledger["parts"]} == {None}


def test_without_a_scheduler_collector_there_is_no_ledger(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "blind")
    fleet.sample(ref, 0, usage_ns=SECOND_NS, ran_ns=None, wait_ns=None)
    assert reader.get(f"/containers/{ref}")["ledger"] is None


def test_aggressors_by_what_they_stole_with_their_share_of_the_wait(
    fleet: Fleet, reader: Reader
) -> None:
    host_id = fleet.host()
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    often = fleet.container(host_id, "often")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    for index in range(12):  # two minutes, but blame has arrived for the first only
        fleet.sample(web, index, wait_ns=2 * SECOND_NS, neighbor_wait_ns=2 * SECOND_NS)
    fleet.blame(web, hog, 3, stolen_ns=6 * SECOND_NS)
    fleet.blame(web, often, 900, stolen_ns=2 * SECOND_NS)
    fleet.blame(web, kubelet, 5, stolen_ns=2 * SECOND_NS)
    fleet.blame(web, web, 50, stolen_ns=99 * SECOND_NS)
    fleet.blame(hog, web, 7, stolen_ns=SECOND_NS)

    answer = reader.get(f"/containers/{web}")

    assert answer["aggressors"] == [
        {
            "id": str(hog),
            "name": "hog",
            "kind": "container",
            "stolen_cpu_seconds": 6.0,
            "share_ratio": 0.6,
            "wait_ratio": 0.5,  # of the 12 s that it waited in the blamed minute
            "preemptions": 3,
        },
        {
            "id": str(often),
            "name": "often",
            "kind": "container",
            "stolen_cpu_seconds": 2.0,
            "share_ratio": 0.2,
            "wait_ratio": pytest.approx(1 / 6),
            "preemptions": 900,
        },
        {
            "id": str(kubelet),
            "name": "kubelet.service",
            "kind": "system",
            "stolen_cpu_seconds": 2.0,
            "share_ratio": 0.2,
            "wait_ratio": pytest.approx(1 / 6),
            "preemptions": 5,
        },
    ]
    assert [(v["name"], v["stolen_cpu_seconds"]) for v in answer["victims"]] == [("hog", 1.0)]


def test_victims_with_the_share_of_their_own_wait(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    hog, web = fleet.container(host_id, "hog"), fleet.container(host_id, "web")
    db, kubelet = (
        fleet.container(host_id, "db"),
        fleet.container(host_id, "kubelet.service", kind="system"),
    )
    fleet.sample(web, 0, wait_ns=4 * SECOND_NS)
    fleet.sample(db, 0, wait_ns=30 * SECOND_NS)
    for victim, stolen in ((web, 3), (db, 6), (kubelet, 9)):
        fleet.blame(victim, hog, 1, stolen_ns=stolen * SECOND_NS)

    victims = reader.get(f"/containers/{hog}")["victims"]

    assert [(v["name"], v["share_ratio"], v["wait_ratio"]) for v in victims] == [
        ("db", pytest.approx(2 / 3), 0.2),
        ("web", pytest.approx(1 / 3), 0.75),
    ]


def test_beyond_twenty_aggressors_the_rest_is_one_row_a_kind(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    web = fleet.container(host_id, "web")
    fleet.sample(web, 0, wait_ns=400 * SECOND_NS)
    for index in range(22):
        aggressor = fleet.container(host_id, f"n{index:02d}")
        fleet.blame(web, aggressor, 1, stolen_ns=(30 - index) * SECOND_NS)
    cron = fleet.container(host_id, "cron.service", kind="system")
    fleet.blame(web, cron, 1, stolen_ns=SECOND_NS)

    aggressors = reader.get(f"/containers/{web}")["aggressors"]

    assert len(aggressors) == 22
    assert [
        (a["id"], a["name"], a["stolen_cpu_seconds"], a["wait_ratio"]) for a in aggressors[20:]
    ] == [
        (None, "2 other containers", 19.0, 0.0475),
        (None, "1 other system service", 1.0, 0.0025),
    ]
    assert sum(a["share_ratio"] for a in aggressors) == pytest.approx(1.0)


def test_blame_without_stolen_time_keeps_its_count(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    fleet.blame(web, hog, 7)
    (aggressor,) = reader.get(f"/containers/{web}")["aggressors"]
    assert (aggressor["preemptions"], aggressor["stolen_cpu_seconds"]) == (7, None)
    assert (aggressor["share_ratio"], aggressor["wait_ratio"]) == (None, None)


def test_lists_sort_by_what_neighbors_took(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    for name, seconds in (("little", 1), ("much", 5)):
        ref = fleet.container(host_id, name)
        fleet.sample(ref, 0, wait_ns=5 * SECOND_NS, neighbor_wait_ns=seconds * SECOND_NS)
    fleet.sample(fleet.container(host_id, "unknown"), 0, wait_ns=99 * SECOND_NS)
    items = reader.get("/containers", sort="-neighbor_wait_seconds")["items"]
    assert [item["name"] for item in items] == ["much", "little", "unknown"]


def test_a_range_without_windows_has_neither_ledger_nor_maximum(
    fleet: Fleet, reader: Reader
) -> None:
    ref = fleet.container(fleet.host(), "gone")
    fleet.sample(ref, 0, neighbor_wait_ns=1, max_wait_ns=1)
    later = {"from": BASE.replace(minute=5).isoformat(), "to": BASE.replace(minute=6).isoformat()}
    answer = reader.get(f"/containers/{ref}", **later)
    assert (answer["ledger"], answer["aggressors"], answer["victims"]) == (None, [], [])
    assert answer["container"]["max_wait_seconds"] is None
    assert answer["container"]["runq_unthrottled_p99_seconds"] is None
