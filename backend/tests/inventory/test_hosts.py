"""Hosts: facts, and what their containers went through."""

from datetime import timedelta

import pytest

from fleet import BASE, NOW, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS


def test_facts_and_figures_of_a_host(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host(
        "h1", cpus=2, cores=1, kernel_release="6.1.0", cgroup_mode="v2", memory_bytes=2**34
    )
    fleet.cursor(host_id, received_at=NOW - timedelta(seconds=5))
    fleet.host_windows(host_id, range(2))
    shop, batch = fleet.container(host_id, "shop"), fleet.container(host_id, "batch")
    system = fleet.container(host_id, "kubelet.service", kind="system")
    fleet.sample(shop, 0, runq={10: 98}, preempted_other=30)
    fleet.sample(batch, 1, runq={30: 2}, preempted_other=10)
    fleet.sample(system, 1, runq={90: 500}, preempted_other=1000)

    answer = reader.get("/hosts")

    assert answer["total"] == 1
    host = answer["items"][0]
    assert (host["id"], host["name"], host["state"]) == (str(host_id), "h1", "live")
    assert (host["cpus"], host["cores"], host["kernel_release"]) == (2, 1, "6.1.0")
    assert host["memory_bytes"] == 2**34
    assert host["instance_type"] is None
    assert host["containers"] == 2
    assert host["cpu_used_ratio"] == pytest.approx(0.2)
    assert host["steal_ratio"] == pytest.approx(0.05)
    assert host["runq_p99_seconds"] == UPPER_BOUNDS_NS[30] / 1e9
    assert host["preempted_by_neighbors_per_second"] == 2.0
    assert reader.get(f"/hosts/{host_id}")["host"] == host


def test_a_host_sums_what_its_containers_waited_for(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    fleet.host_windows(host_id, range(2))
    shop, batch = fleet.container(host_id, "shop"), fleet.container(host_id, "batch")
    system = fleet.container(host_id, "kubelet.service", kind="system")
    fleet.sample(
        shop, 0, ran_ns=6 * SECOND_NS, wait_ns=3 * SECOND_NS, neighbor_wait_ns=3 * SECOND_NS
    )
    fleet.sample(batch, 1, wait_ns=SECOND_NS, throttled_own_wait_ns=SECOND_NS)
    fleet.sample(system, 1, wait_ns=50 * SECOND_NS, neighbor_wait_ns=50 * SECOND_NS)

    host = reader.get(f"/hosts/{host_id}")["host"]

    assert (host["wait_seconds"], host["ran_seconds"], host["wait_ratio"]) == (4.0, 6.0, 0.4)
    assert (host["neighbor_wait_seconds"], host["throttled_own_wait_seconds"]) == (3.0, 1.0)
    assert (host["self_wait_seconds"], host["unattributed_wait_seconds"]) == (0.0, 0.0)
    assert host["steal_seconds"] == 2.0
    other = fleet.host("h2")
    fleet.sample(
        fleet.container(other, "c"), 0, wait_ns=5 * SECOND_NS, neighbor_wait_ns=5 * SECOND_NS
    )
    most_stolen = reader.get("/hosts", sort="-neighbor_wait_seconds")["items"]
    assert [item["name"] for item in most_stolen] == ["h2", "h1"]


def test_states_of_hosts(fleet: Fleet, reader: Reader) -> None:
    live, stale = fleet.host("a-live"), fleet.host("b-stale")
    started, enrolled = fleet.host("c-started"), fleet.host("d-enrolled")
    fleet.cursor(live, received_at=NOW - timedelta(seconds=120))
    fleet.cursor(stale, received_at=NOW - timedelta(seconds=121))
    fleet.cursor(started, window_at=None)

    items = reader.get("/hosts")["items"]

    assert [item["state"] for item in items] == ["live", "stale", "never", "never"]
    assert items[2]["last_seen_at"] is None
    assert items[3]["id"] == str(enrolled)


def test_a_host_without_windows_has_no_figures(fleet: Fleet, reader: Reader) -> None:
    host = reader.get(f"/hosts/{fleet.host()}")["host"]
    assert host["containers"] == 0
    for field in ("cpu_used_ratio", "steal_ratio", "runq_p99_seconds"):
        assert host[field] is None
    assert host["preempted_by_neighbors_per_second"] is None


def test_unknown_host_is_not_found(reader: Reader) -> None:
    assert reader.refused("/hosts/9", 404)["detail"] == "There is no host 9."
    assert reader.refused("/hosts/nine", 422)["errors"][0]["field"] == "id"


def test_coverage_counts_windows_since_each_host_was_enrolled(fleet: Fleet, reader: Reader) -> None:
    # Ten minutes are 60 windows; the second host came after five, and misses ten windows.
    first = fleet.host("h1", created_at=BASE - timedelta(days=1))
    second = fleet.host("h2", created_at=BASE + timedelta(minutes=5))
    fleet.host_windows(first, range(60))
    fleet.host_windows(second, range(30, 50))
    fleet.host("h3", created_at=NOW)

    answer = reader.get("/hosts")

    assert answer["coverage"] == {
        "hosts_reporting": 2,
        "hosts_known": 3,
        "ratio": pytest.approx(80 / 90),
    }
    assert answer["as_of"] == (BASE + timedelta(minutes=10)).isoformat().replace("+00:00", "Z")
    of_second = reader.get(f"/hosts/{second}")
    assert of_second["coverage"]["ratio"] == pytest.approx(20 / 30)
    assert of_second["as_of"] == BASE.replace(minute=8, second=20).isoformat().replace(
        "+00:00", "Z"
    )


def test_a_window_on_its_way_is_not_missing(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(60))
    to_now = {"from": BASE.isoformat(), "to": (NOW + timedelta(minutes=5)).isoformat()}
    assert reader.get("/hosts", **to_now)["coverage"]["ratio"] == 1.0


def test_as_of_of_an_empty_range_is_the_last_window_before_its_end(
    fleet: Fleet, reader: Reader
) -> None:
    host_id = fleet.host()
    fleet.cursor(host_id, window_at=BASE, received_at=BASE)
    later = {"from": BASE.replace(minute=5).isoformat(), "to": BASE.replace(minute=6).isoformat()}
    answer = reader.get("/hosts", **later)
    assert answer["as_of"] == BASE.replace(second=10).isoformat().replace("+00:00", "Z")
    assert answer["coverage"]["ratio"] == 0.0


def test_nothing_known_is_no_coverage(reader: Reader) -> None:
    answer = reader.get("/hosts")
    assert answer["items"] == []
    assert answer["as_of"] is None
    assert answer["coverage"] == {"hosts_reporting": 0, "hosts_known": 0, "ratio": 0.0}
