"""Known windows, known figures."""

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS


def upper_seconds(bucket: int) -> float:
    return UPPER_BOUNDS_NS[bucket] / 1e9


def test_figures_are_sums_over_the_measured_time(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    fleet.cursor(host_id)
    fleet.host_windows(host_id, range(2))
    victim = fleet.container(host_id, "victim", image="shop:1", namespace="shop")
    for index in range(2):
        fleet.sample(
            victim,
            index,
            runq={0: 90, 40: 9, 60: 1},
            ran_ns=6 * SECOND_NS,
            wait_ns=2 * SECOND_NS,
            self_wait_ns=SECOND_NS // 2,
            neighbor_wait_ns=SECOND_NS,
            throttled_own_wait_ns=SECOND_NS // 2,
            preempted_self=10,
            preempted_other=50,
            preempted_system=5,
            usage_ns=5 * SECOND_NS,
            nr_periods=100,
            nr_throttled=13,
            throttled_ns=SECOND_NS // 2,
            quota_us=150_000,
            period_us=100_000,
        )

    answer = reader.get("/containers")

    assert answer["total"] == 1
    assert answer["next_cursor"] is None
    item = answer["items"][0]
    assert item == {
        "id": str(victim),
        "host_id": str(host_id),
        "host_name": "h1",
        "host_state": "live",
        "kind": "container",
        "name": "victim",
        "runtime": None,
        "image": "shop:1",
        "pod": None,
        "namespace": "shop",
        "quota_cores": 1.5,
        "cpu_used_cores": 0.5,
        "runq_p50_seconds": upper_seconds(0),
        "runq_p99_seconds": upper_seconds(40),
        "wait_seconds": 4.0,
        "ran_seconds": 12.0,
        "wait_ratio": 0.25,
        "self_wait_seconds": 1.0,
        "neighbor_wait_seconds": 2.0,
        "system_wait_seconds": 0.0,
        "throttled_own_wait_seconds": 1.0,
        "throttled_ancestor_wait_seconds": 0.0,
        "idle_gap_wait_seconds": 0.0,
        "unattributed_wait_seconds": 0.0,
        "preempted_self_per_second": 1.0,
        "preempted_other_per_second": 5.0,
        "preempted_system_per_second": 0.5,
        "throttled_ratio": 0.13,
        "throttled_seconds": 1.0,
        "last_seen_at": (BASE.replace(second=20)).isoformat().replace("+00:00", "Z"),
    }


def test_what_was_not_measured_is_null_and_not_zero(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    no_cpu_stat = fleet.container(host_id, "no-cpu-stat")
    no_scheduler = fleet.container(host_id, "no-scheduler")
    fleet.sample(no_cpu_stat, 0, ran_ns=SECOND_NS, runq={3: 1})
    fleet.sample(
        no_scheduler,
        0,
        usage_ns=SECOND_NS,
        **dict.fromkeys(
            ("ran_ns", "wait_ns", "preempted_self", "preempted_other", "preempted_system")
        ),
    )

    items = {item["name"]: item for item in reader.get("/containers")["items"]}

    blind = items["no-cpu-stat"]
    assert blind["ran_seconds"] == 1.0
    assert blind["wait_seconds"] == 0.0
    assert blind["preempted_other_per_second"] == 0.0
    for field in ("cpu_used_cores", "quota_cores", "throttled_ratio", "throttled_seconds"):
        assert blind[field] is None
    deaf = items["no-scheduler"]
    assert deaf["cpu_used_cores"] == pytest.approx(0.1)
    for field in ("ran_seconds", "wait_seconds", "wait_ratio", "runq_p50_seconds"):
        assert deaf[field] is None
    for cause in ("self", "other", "system"):
        assert deaf[f"preempted_{cause}_per_second"] is None


def test_a_rate_is_over_the_windows_that_have_the_counter(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    ref = fleet.container(host_id, "c")
    fleet.sample(ref, 0, preempted_other=100)
    fleet.sample(ref, 1, preempted_other=None)

    assert reader.get("/containers")["items"][0]["preempted_other_per_second"] == 10.0


def test_quota_is_that_of_the_newest_window(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    raised, freed = fleet.container(host_id, "raised"), fleet.container(host_id, "freed")
    fleet.sample(raised, 0, usage_ns=0, quota_us=20_000, period_us=100_000)
    fleet.sample(raised, 1, usage_ns=0, quota_us=300_000, period_us=100_000)
    fleet.sample(freed, 0, usage_ns=0, quota_us=20_000, period_us=100_000)
    fleet.sample(freed, 1, usage_ns=0, quota_us=None, period_us=None)

    items = {item["name"]: item for item in reader.get("/containers")["items"]}
    assert items["raised"]["quota_cores"] == 3.0
    assert items["freed"]["quota_cores"] is None


def test_a_window_without_cpu_stat_does_not_take_the_quota_away(
    fleet: Fleet, reader: Reader
) -> None:
    ended = fleet.container(fleet.host(), "ended")
    fleet.sample(ended, 0, usage_ns=0, quota_us=20_000, period_us=100_000, cpus_allowed=2)
    fleet.sample(ended, 1, usage_ns=None)  # its cgroup went before cpu.stat was read

    container = reader.get(f"/containers/{ended}")["container"]
    assert container["quota_cores"] == 0.2
    assert container["cpus_allowed"] == 2


def test_open_bucket_is_reported_above_every_bound(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "stuck")
    fleet.sample(ref, 0, runq={95: 1})
    assert reader.get("/containers")["items"][0]["runq_p99_seconds"] == 17.179869184


def test_only_windows_that_start_in_the_range_count(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    for index, ran in ((0, 1), (1, 2), (2, 4), (3, 8)):
        fleet.sample(ref, index, ran_ns=ran * SECOND_NS)
    start, end = BASE.replace(second=10), BASE.replace(second=30)

    answer = reader.get("/containers", **{"from": start.isoformat(), "to": end.isoformat()})

    assert answer["items"][0]["ran_seconds"] == 6.0


def test_system_services_are_listed_only_when_asked_for(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.sample(fleet.container(host_id, "shop"), 0)
    fleet.sample(fleet.container(host_id, "kubelet.service", kind="system"), 0)

    def names(kind: str) -> list[str]:
        return [i["name"] for i in reader.get("/containers", kind=kind, sort="name")["items"]]

    assert names("container") == ["shop"]
    assert names("system") == ["kubelet.service"]
    assert names("all") == ["kubelet.service", "shop"]


def test_a_container_without_identity_is_shown_and_not_hidden(fleet: Fleet, reader: Reader) -> None:
    known = fleet.container(fleet.host(), "known")
    lost = type(known)(known.host_id, 0xBEEF)
    fleet.sample(lost, 0)

    item = reader.get("/containers")["items"][0]
    assert item["name"] == "unidentified 000000000000beef"
    assert item["kind"] == "container"
    assert reader.get(f"/containers/{lost}")["container"]["labels"] == {}


def test_filters_by_host_namespace_and_name(fleet: Fleet, reader: Reader) -> None:
    first, second = fleet.host("h1"), fleet.host("h2")
    fleet.sample(fleet.container(first, "Checkout-1", namespace="shop"), 0)
    fleet.sample(fleet.container(first, "batch_50%", namespace="media"), 0)
    fleet.sample(fleet.container(second, "checkout-2", namespace="shop"), 0)

    def names(**params: str) -> list[str]:
        return [i["name"] for i in reader.get("/containers", sort="name", **params)["items"]]

    assert names(host_id=str(second)) == ["checkout-2"]
    assert names(namespace="media") == ["batch_50%"]
    assert names(q="checkout", host_id=str(first)) == ["Checkout-1"]
    assert names(q="0%") == ["batch_50%"]
    assert names(q="h_50") == ["batch_50%"]
    assert names(q="c_eckout") == []


def test_stale_host_keeps_the_figures_of_the_range(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.cursor(host_id, received_at=BASE)
    fleet.sample(fleet.container(host_id, "c"), 0, ran_ns=SECOND_NS)

    item = reader.get("/containers")["items"][0]
    assert item["host_state"] == "stale"
    assert item["ran_seconds"] == 1.0


def test_detail_adds_identity_and_the_quota_above(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    ref = fleet.container(
        host_id, "c", labels={"app": "shop"}, cgroup_path="/kubepods/pod1/c", runtime_id="ab" * 32
    )
    for index in range(2):
        fleet.sample(
            ref,
            index,
            nr_periods=100,
            nr_throttled=0,
            ancestor_nr_periods=100,
            ancestor_nr_throttled=30 * index,
            ancestor_throttled_ns=SECOND_NS * index,
            usage_ns=SECOND_NS,
            cpus_allowed=4,
        )

    detail = reader.get(f"/containers/{ref}")["container"]

    assert detail["labels"] == {"app": "shop"}
    assert detail["cgroup_path"] == "/kubepods/pod1/c"
    assert detail["runtime_id"] == "ab" * 32
    assert detail["nr_periods"] == 200
    assert detail["nr_throttled"] == 0
    assert detail["throttled_ratio"] == 0.0
    assert detail["ancestor_throttled_ratio"] == 0.15
    assert detail["ancestor_throttled_seconds"] == 1.0
    assert detail["cpus_allowed"] == 4


def test_detail_of_a_container_that_did_not_run_in_the_range(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "gone")
    fleet.sample(ref, 0)
    later = {"from": BASE.replace(minute=5).isoformat(), "to": BASE.replace(minute=6).isoformat()}

    detail = reader.get(f"/containers/{ref}", **later)["container"]

    assert detail["name"] == "gone"
    assert detail["last_seen_at"] == BASE.replace(second=10).isoformat().replace("+00:00", "Z")
    assert detail["ran_seconds"] is None
    assert detail["runq_p99_seconds"] is None
    assert detail["nr_periods"] is None


def test_who_came_in_when_it_was_preempted(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(60))
    victim, hog = fleet.container(host_id, "victim"), fleet.container(host_id, "hog")
    kubelet = fleet.container(host_id, "kubelet.service", kind="system")
    for index in range(6):  # it lived for one of the host's ten minutes
        fleet.sample(victim, index)
    fleet.blame(victim, hog, 400)
    fleet.blame(victim, hog, 200, index=6)
    fleet.blame(victim, victim, 300)
    fleet.blame(victim, kubelet, 100)
    fleet.blame(hog, victim, 7)  # the other way round: not about this victim

    causes = reader.get(f"/containers/{victim}")["preempted_by"]

    assert causes == [
        {
            "id": str(hog),
            "name": "hog",
            "kind": "container",
            "preemptions": 600,
            "per_second": 10.0,
            "share_ratio": 0.6,
        },
        {
            "id": str(victim),
            "name": "victim",
            "kind": "self",
            "preemptions": 300,
            "per_second": 5.0,
            "share_ratio": 0.3,
        },
        {
            "id": str(kubelet),
            "name": "kubelet.service",
            "kind": "system",
            "preemptions": 100,
            "per_second": pytest.approx(100 / 60),
            "share_ratio": 0.1,
        },
    ]


def test_beyond_twenty_causes_the_rest_is_one_row_a_kind(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    victim = fleet.container(host_id, "victim")
    fleet.sample(victim, 0)
    fleet.blame(victim, victim, 1)
    for index in range(22):
        fleet.blame(victim, fleet.container(host_id, f"n{index:02d}"), 100 - index)
    fleet.blame(victim, fleet.container(host_id, "cron.service", kind="system"), 7)

    causes = reader.get(f"/containers/{victim}")["preempted_by"]

    assert [(cause["name"], cause["kind"], cause["preemptions"]) for cause in causes[19:]] == [
        ("victim", "self", 1),
        ("3 other containers", "container", 81 + 80 + 79),
        ("1 other system service", "system", 7),
    ]
    assert [cause["id"] for cause in causes[20:]] == [None, None]
    assert sum(cause["share_ratio"] for cause in causes) == pytest.approx(1.0)


@pytest.mark.parametrize("id_", ["7", "1-xyz", "1-00c0ffee00c0ffe", "0-00c0ffee00c0ffee"])
def test_malformed_id_says_what_ids_look_like(reader: Reader, id_: str) -> None:
    problem = reader.refused(f"/containers/{id_}", 422)
    assert problem["errors"][0]["field"] == "id"
    assert "7-00c0ffee00c0ffee" in problem["detail"]


def test_unknown_container_is_not_found(reader: Reader) -> None:
    problem = reader.refused("/containers/1-00c0ffee00c0ffee", 404)
    assert problem["detail"] == "There is no container 1-00c0ffee00c0ffee."
