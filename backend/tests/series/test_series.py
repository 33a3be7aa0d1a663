"""Charts: one grid, gaps as null, each metric by hand."""

import pytest

from fleet import BASE, SECOND_NS, Fleet, Reader
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS
from neighborwatch.series.scope import CONTAINER_METRICS, HOST_METRICS

MINUTE = {"from": BASE.isoformat(), "to": BASE.replace(minute=1).isoformat()}


def values(answer: dict[str, list[dict[str, object]]], metric: str) -> object:
    return next(s["values"] for s in answer["series"] if s["metric"] == metric)


def test_container_metrics_per_window(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    fleet.sample(
        ref,
        1,
        runq={0: 98, 50: 2},
        wait_ns=5 * SECOND_NS,
        preempted_self=10,
        preempted_other=20,
        preempted_system=30,
        usage_ns=15 * SECOND_NS,
        nr_periods=100,
        nr_throttled=40,
        throttled_ns=2 * SECOND_NS,
        quota_us=150_000,
        period_us=100_000,
    )
    expected = {
        "runq_p50_seconds": ("seconds", UPPER_BOUNDS_NS[0] / 1e9),
        "runq_p99_seconds": ("seconds", UPPER_BOUNDS_NS[50] / 1e9),
        "preempted_self_per_second": ("per_second", 1.0),
        "preempted_other_per_second": ("per_second", 2.0),
        "preempted_system_per_second": ("per_second", 3.0),
        "throttled_ratio": ("ratio", 0.4),
        "throttled_seconds_per_second": ("seconds_per_second", 0.2),
        "cpu_used_cores": ("cores", 1.5),
        "wait_seconds_per_second": ("seconds_per_second", 0.5),
        "quota_cores": ("cores", 1.5),
    }

    answer = reader.get("/series", scope=f"container:{ref}", metric=list(expected), **MINUTE)

    assert answer["step_seconds"] == 10
    start = int(BASE.timestamp())
    assert answer["t"] == [start + 10 * index for index in range(6)]
    assert [s["metric"] for s in answer["series"]] == list(expected)
    for series in answer["series"]:
        unit, value = expected[series["metric"]]
        assert series["unit"] == unit
        assert series["values"] == [None, pytest.approx(value), None, None, None, None]


def test_the_parts_of_the_wait_are_cores_and_the_quota_can_be_left_out(
    fleet: Fleet, reader: Reader
) -> None:
    ref = fleet.container(fleet.host(), "c")
    fleet.sample(
        ref,
        1,
        runq={0: 98, 90: 2},
        unthrottled={0: 98, 40: 2},
        ran_ns=4 * SECOND_NS,
        wait_ns=16 * SECOND_NS,
        self_wait_ns=1 * SECOND_NS,
        neighbor_wait_ns=5 * SECOND_NS,
        system_wait_ns=2 * SECOND_NS,
        throttled_own_wait_ns=3 * SECOND_NS,
        throttled_ancestor_wait_ns=3 * SECOND_NS,
        idle_gap_wait_ns=1 * SECOND_NS,
        unattributed_wait_ns=1 * SECOND_NS,
        max_wait_ns=7 * SECOND_NS,
    )
    fleet.sample(ref, 2, runq={20: 1}, neighbor_wait_ns=0)  # nothing throttled: one histogram
    fleet.sample(ref, 3, runq={20: 1})  # by an agent from before the split
    expected: dict[str, tuple[str, list[float | None]]] = {
        "ran_cores": ("cores", [0.4, 0.0, 0.0]),
        "self_wait_cores": ("cores", [0.1, 0.0, None]),
        "neighbor_wait_cores": ("cores", [0.5, 0.0, None]),
        "system_wait_cores": ("cores", [0.2, 0.0, None]),
        "throttled_own_wait_cores": ("cores", [0.3, 0.0, None]),
        "throttled_ancestor_wait_cores": ("cores", [0.3, 0.0, None]),
        "idle_gap_wait_cores": ("cores", [0.1, 0.0, None]),
        "unattributed_wait_cores": ("cores", [0.1, 0.0, None]),
        "max_wait_seconds": ("seconds", [7.0, 0.0, None]),
        "runq_unthrottled_p99_seconds": (
            "seconds",
            [UPPER_BOUNDS_NS[bucket] / 1e9 for bucket in (40, 20, 20)],
        ),
    }

    answer = reader.get("/series", scope=f"container:{ref}", metric=list(expected), **MINUTE)

    for series in answer["series"]:
        unit, measured = expected[series["metric"]]
        assert series["unit"] == unit
        assert series["values"] == [None, *measured, None, None], series["metric"]


def test_the_parts_of_a_host_are_those_of_its_containers(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(3))
    for name in ("a", "b"):
        ref = fleet.container(host_id, name)
        fleet.sample(ref, 0, ran_ns=SECOND_NS, neighbor_wait_ns=2 * SECOND_NS)
    system = fleet.container(host_id, "kubelet.service", kind="system")
    fleet.sample(system, 0, ran_ns=SECOND_NS, neighbor_wait_ns=9 * SECOND_NS)

    answer = reader.get(
        "/series",
        scope=f"host:{host_id}",
        metric=["neighbor_wait_cores", "self_wait_cores", "ran_cores"],
        **MINUTE,
    )

    gaps = [None] * 5
    assert values(answer, "neighbor_wait_cores") == [0.4, *gaps]
    assert values(answer, "self_wait_cores") == [0.0, *gaps]
    assert values(answer, "ran_cores") == [0.2, *gaps]


def test_every_metric_of_a_container_fits_one_question(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    fleet.sample(ref, 0)
    for scope, metrics in (
        (f"container:{ref}", CONTAINER_METRICS),
        (f"host:{ref.host_id}", HOST_METRICS),
    ):
        answer = reader.get("/series", scope=scope, metric=list(metrics), **MINUTE)
        assert [series["metric"] for series in answer["series"]] == list(metrics)


def test_a_gap_is_null_and_a_measured_nothing_is_zero(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    fleet.sample(ref, 0, preempted_other=10)
    fleet.sample(ref, 1)
    fleet.sample(ref, 3, preempted_other=None, ran_ns=None)

    answer = reader.get(
        "/series",
        scope=f"container:{ref}",
        metric=["preempted_other_per_second", "runq_p99_seconds", "throttled_ratio"],
        **MINUTE,
    )

    assert values(answer, "preempted_other_per_second") == [1.0, 0.0, None, None, None, None]
    assert values(answer, "runq_p99_seconds") == [None] * 6
    assert values(answer, "throttled_ratio") == [None] * 6


def test_coarser_buckets_merge_histograms_and_not_percentiles(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    fleet.sample(ref, 0, runq={10: 990}, preempted_other=60)
    fleet.sample(ref, 1, runq={80: 10}, preempted_other=0)
    fleet.sample(ref, 6, runq={20: 1}, preempted_other=30)

    answer = reader.get(
        "/series",
        scope=f"container:{ref}",
        metric=["runq_p99_seconds", "preempted_other_per_second"],
        max_points=10,
    )

    assert answer["step_seconds"] == 60
    assert len(answer["t"]) == 10
    # 990 of 1,000 waits are short: the mean of the two windows' percentiles would say seconds.
    p99 = values(answer, "runq_p99_seconds")
    assert p99 == [UPPER_BOUNDS_NS[10] / 1e9, UPPER_BOUNDS_NS[20] / 1e9] + [None] * 8
    assert values(answer, "preempted_other_per_second") == [3.0, 3.0] + [None] * 8


def test_a_range_off_the_grid_counts_only_what_lies_in_it(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "c")
    for index in range(12):
        fleet.sample(ref, index, preempted_other=10 * index)
    start, end = BASE.replace(second=10), BASE.replace(minute=1, second=50)

    answer = reader.get(
        "/series",
        scope=f"container:{ref}",
        metric=["preempted_other_per_second"],
        max_points=2,
        **{"from": start.isoformat(), "to": end.isoformat()},
    )

    assert answer["step_seconds"] == 60
    assert answer["t"][0] == int(BASE.timestamp())
    assert values(answer, "preempted_other_per_second") == [3.0, 8.0]  # windows 1-5 and 6-10
    assert answer["range"]["from"] == start.isoformat().replace("+00:00", "Z")


def test_host_metrics(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    fleet.host_windows(host_id, range(2))
    shop, batch = fleet.container(host_id, "shop"), fleet.container(host_id, "batch")
    system = fleet.container(host_id, "kubelet.service", kind="system")
    fleet.sample(shop, 0, runq={10: 99}, preempted_other=30)
    fleet.sample(batch, 0, runq={30: 1}, preempted_other=20)
    fleet.sample(system, 0, runq={90: 500}, preempted_other=1000)

    answer = reader.get(
        "/series",
        scope=f"host:{host_id}",
        metric=[
            "cpu_used_ratio",
            "steal_ratio",
            "runq_p99_seconds",
            "preempted_other_per_second",
        ],
        **MINUTE,
    )

    gaps = [None] * 4
    assert values(answer, "cpu_used_ratio") == [0.2, 0.2, *gaps]
    assert values(answer, "steal_ratio") == [0.05, 0.05, *gaps]
    assert values(answer, "runq_p99_seconds") == [UPPER_BOUNDS_NS[10] / 1e9, None, *gaps]
    assert values(answer, "preempted_other_per_second") == [5.0, None, *gaps]


def test_same_id_on_another_host_is_another_container(fleet: Fleet, reader: Reader) -> None:
    first, second = fleet.host("h1"), fleet.host("h2")
    ref = fleet.container(first, "c")
    fleet.sample(ref, 0, preempted_other=10)
    fleet.sample(type(ref)(second, ref.container_id), 0, preempted_other=500)

    answer = reader.get(
        "/series", scope=f"container:{ref}", metric=["preempted_other_per_second"], **MINUTE
    )
    assert values(answer, "preempted_other_per_second") == [1.0, None, None, None, None, None]


@pytest.mark.parametrize(
    ("params", "field", "says"),
    [
        ({"scope": "pod:1", "metric": "quota_cores"}, "scope", "container:<id> nor host:<id>"),
        ({"scope": "host:x", "metric": "steal_ratio"}, "scope", "host ids are numbers"),
        ({"scope": "container:7", "metric": "quota_cores"}, "scope", "7-00c0ffee00c0ffee"),
        ({"scope": "host:1", "metric": "quota_cores"}, "metric", "a host has cpu_used_ratio"),
        ({"scope": "host:1", "metric": "load"}, "metric.0", "runq_p50_seconds"),
        ({"scope": "host:1"}, "metric", "required"),
        ({"metric": "steal_ratio"}, "scope", "required"),
        ({"scope": "host:1", "metric": "steal_ratio", "max_points": 1001}, "max_points", "1000"),
        ({"scope": "host:1", "metric": "steal_ratio", "max_points": 1}, "max_points", "2"),
    ],
)
def test_a_wrong_question_names_the_field_and_what_is_allowed(
    reader: Reader, params: dict[str, str | int | list[str]], field: str, says: str
) -> None:
    problem = reader.refused("/series", 422, **params)
    assert problem["errors"][0]["field"] == field
    assert says in problem["errors"][0]["message"]


@pytest.mark.parametrize("scope", ["host:9", "container:9-00c0ffee00c0ffee"])
def test_unknown_scope_is_not_found(reader: Reader, scope: str) -> None:
    metric = "runq_p99_seconds"
    assert "9" in reader.refused("/series", 404, scope=scope, metric=metric)["detail"]


def test_a_known_container_without_windows_has_only_gaps(fleet: Fleet, reader: Reader) -> None:
    ref = fleet.container(fleet.host(), "idle")
    answer = reader.get("/series", scope=f"container:{ref}", metric="wait_seconds_per_second")
    assert set(answer["series"][0]["values"]) == {None}
