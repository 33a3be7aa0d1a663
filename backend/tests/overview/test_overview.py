"""The first page: counts, the worst, the tiles, the trend."""

from datetime import timedelta

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.db.tables import WAIT_PARTS


def test_counts_totals_and_the_worst(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1", instance_family="m7i")
    fleet.cursor(host_id)
    fleet.cursor(fleet.host("h2"), received_at=BASE)
    fleet.host("h3")
    fleet.host_windows(host_id, range(60))
    waiting, quick = fleet.container(host_id, "waiting"), fleet.container(host_id, "quick")
    throttled = fleet.container(host_id, "throttled")
    system = fleet.container(host_id, "kubelet.service", kind="system")
    # Bucket 53 is [10.49 ms, 12.58 ms), bucket 51 ends at 8.39 ms.
    fleet.sample(waiting, 59, runq={53: 1}, preempted_other=600, wait_ns=3 * SECOND_NS)
    fleet.sample(quick, 30, runq={51: 1}, ran_ns=2 * SECOND_NS)
    fleet.sample(throttled, 59, nr_periods=100, nr_throttled=6)
    fleet.sample(system, 59, runq={90: 9}, preempted_other=9999, wait_ns=99 * SECOND_NS)
    fleet.blame(waiting, quick, 600)

    answer = reader.get("/overview")

    assert (answer["hosts_known"], answer["hosts_live"], answer["hosts_stale"]) == (3, 1, 1)
    assert answer["containers_running"] == 2  # quick was last seen five minutes before the end
    assert answer["containers_waiting"] == 1
    assert answer["containers_throttled"] == 1
    assert answer["waiting_threshold_seconds"] == 0.01
    assert answer["throttled_threshold_ratio"] == 0.05
    assert answer["wait_seconds"] == 3.0
    assert answer["ran_seconds"] == 2.0
    assert [c["name"] for c in answer["worst_containers"]] == ["waiting", "quick", "throttled"]
    assert [n["name"] for n in answer["top_neighbors"]] == ["quick"]
    assert [(t["name"], t["state"], t["value"]) for t in answer["host_tiles"]] == [
        ("h1", "live", 1.0),
        ("h2", "stale", None),
        ("h3", "never", None),
    ]


def test_the_fleets_waiting_by_cause_and_who_stole_most(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    fleet.host_windows(host_id, range(60))
    web, hog = fleet.container(host_id, "web"), fleet.container(host_id, "hog")
    often, system = fleet.container(host_id, "often"), fleet.container(host_id, "s", kind="system")
    fleet.sample(
        web,
        0,
        ran_ns=4 * SECOND_NS,
        wait_ns=12 * SECOND_NS,
        neighbor_wait_ns=8 * SECOND_NS,
        system_wait_ns=1 * SECOND_NS,
        throttled_own_wait_ns=2 * SECOND_NS,
        idle_gap_wait_ns=1 * SECOND_NS,
    )
    fleet.sample(hog, 1, wait_ns=2 * SECOND_NS, self_wait_ns=2 * SECOND_NS)
    fleet.sample(system, 1, wait_ns=9 * SECOND_NS, neighbor_wait_ns=9 * SECOND_NS)
    fleet.blame(web, hog, 1, stolen_ns=7 * SECOND_NS)
    fleet.blame(web, often, 5000, stolen_ns=SECOND_NS)

    answer = reader.get("/overview")

    assert {part: answer[f"{part}_seconds"] for part in WAIT_PARTS} == {
        "self_wait": 2.0,
        "neighbor_wait": 8.0,
        "system_wait": 1.0,
        "throttled_own_wait": 2.0,
        "throttled_ancestor_wait": 0.0,
        "idle_gap_wait": 1.0,
        "unattributed_wait": 0.0,
    }
    assert (answer["wait_seconds"], answer["ran_seconds"]) == (14.0, 4.0)
    assert answer["wait_ratio"] == pytest.approx(14 / 18)
    assert answer["stolen_cpu_seconds_per_hour"] == 48.0  # 8 s in ten minutes
    assert [n["name"] for n in answer["top_neighbors"]] == ["hog", "often"]
    assert answer["host_tiles"][0]["neighbor_wait_cores"] == pytest.approx(8 / 600)
    trend = answer["trend"]
    assert trend["neighbor_wait_cores"][:3] == [0.8, 0.0, None]
    assert trend["self_wait_cores"][:3] == [0.0, 0.2, None]
    assert len(trend["unattributed_wait_cores"]) == 60


def test_the_rate_of_hosts_at_once_counts_their_time_once(fleet: Fleet, reader: Reader) -> None:
    first, second = fleet.host("h1"), fleet.host("h2")
    for host_id in (first, second):
        fleet.host_windows(host_id, range(2))
        ref = fleet.container(host_id, "c")
        for index in range(2):
            fleet.sample(ref, index, preempted_other=50)

    # Both hosts at once: 2 x 100 preemptions in the same 20 s.
    assert reader.get("/overview")["preempted_by_neighbors_per_second"] == 10.0


def test_the_rate_of_a_fleet_of_one_host_is_the_rate_of_that_host(
    fleet: Fleet, reader: Reader
) -> None:
    host_id = fleet.host("h1")
    fleet.host_windows(host_id, range(60))
    fleet.sample(fleet.container(host_id, "c"), 59, preempted_other=600)

    answer = reader.get("/overview")

    assert answer["preempted_by_neighbors_per_second"] == 1.0
    assert [tile["value"] for tile in answer["host_tiles"]] == [1.0]
    assert [h["preempted_by_neighbors_per_second"] for h in reader.get("/hosts")["items"]] == [1.0]


def test_trend_has_at_most_sixty_points_with_gaps_as_null(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(1))
    fleet.host_windows(host_id, range(6, 12))
    ref = fleet.container(host_id, "c")
    fleet.sample(ref, 0, runq={53: 1}, preempted_other=10, nr_periods=100, nr_throttled=50)
    for index in range(6, 12):
        fleet.sample(ref, index, runq={10: 1})

    trend = reader.get("/overview", to=BASE.replace(minute=20).isoformat())["trend"]

    assert len(trend["t"]) == 60
    assert trend["t"][0] == int(BASE.timestamp())
    assert trend["t"][1] - trend["t"][0] == 20
    assert trend["preempted_by_neighbors_per_second"] == [
        1.0, None, None, 0.0, 0.0, 0.0, *[None] * 54
    ]  # fmt: skip
    assert trend["throttled_containers"][:7] == [1, None, None, 0, 0, 0, None]
    assert trend["waiting_containers"][:7] == [1, None, None, 0, 0, 0, None]


def test_waiting_in_the_trend_is_the_same_as_waiting_in_the_counts(
    fleet: Fleet, reader: Reader
) -> None:
    ref = fleet.container(fleet.host(), "c")
    for index in range(60):  # around the threshold's bucket, with 1, 2, ... of 100 waits above
        fleet.sample(ref, index, runq={51 + index % 3: index % 5, 10: 97 - index % 7})
    one_window = [
        reader.get(
            "/overview",
            **{
                "from": (BASE + timedelta(seconds=10 * index)).isoformat(),
                "to": (BASE + timedelta(seconds=10 * index + 10)).isoformat(),
            },
        )["containers_waiting"]
        for index in range(60)
    ]
    assert {0, 1} == set(one_window)
    trend = reader.get("/overview")["trend"]
    assert trend["waiting_containers"] == one_window


def test_without_a_scheduler_collector_waiting_is_unknown(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(1))
    fleet.sample(
        fleet.container(host_id, "c"),
        0,
        nr_periods=100,
        nr_throttled=50,
        **dict.fromkeys(("ran_ns", "wait_ns", "preempted_other")),
    )
    answer = reader.get("/overview")
    assert answer["containers_waiting"] is None
    assert answer["wait_seconds"] is None
    assert answer["preempted_by_neighbors_per_second"] is None
    assert answer["containers_throttled"] == 1
    assert answer["trend"]["waiting_containers"][0] is None
    assert answer["trend"]["throttled_containers"][0] == 1


def test_a_fleet_without_windows_has_unknowns_and_not_zeros(fleet: Fleet, reader: Reader) -> None:
    fleet.host()
    answer = reader.get("/overview")
    assert answer["containers_running"] == 0
    for field in (
        "containers_waiting",
        "containers_throttled",
        "wait_seconds",
        "ran_seconds",
        "preempted_by_neighbors_per_second",
        "as_of",
    ):
        assert answer[field] is None
    assert answer["worst_containers"] == answer["top_neighbors"] == []
    assert set(answer["trend"]["throttled_containers"]) == {None}


def test_first_page_is_quick_at_the_size_of_a_demo(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host(created_at=BASE - timedelta(hours=1))
    fleet.demo_hour(host_id, containers=10, services=40)
    fleet.analyze()
    whole = {"from": BASE.isoformat(), "to": (BASE + timedelta(hours=1)).isoformat()}
    seconds = sorted(reader.timed("/overview", **whole) for _ in range(8))
    # Takes 60-100 ms. The bar is wide, since tests share their machine: it catches a lost index
    # or a second scan per row, not a percent.
    assert seconds[0] < 0.3, seconds
