"""Live windows as series and rankings. Pure."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from neighborwatch.live.schemas import LiveAggressor, LiveContainer
from neighborwatch.measures.histogram import BUCKETS, percentile_ns
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.series.schemas import Metric, Series
from neighborwatch.series.scope import CONTAINER_METRICS, HOST_METRICS

TOP_AGGRESSORS: Final = 3
Entry = Mapping[str, Any]
Figure = Callable[[Entry, float], float | None]


@dataclass(frozen=True, slots=True)
class Window:
    second: int  # since the epoch
    body: Mapping[str, Any]  # as described in db/tables/live.py


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    kind: Literal["container", "system"]


def seconds_shown(windows: Sequence[Window]) -> list[int]:
    """Every second from the first window to the last: what did not arrive is a gap."""
    return list(range(windows[0].second, windows[-1].second + 1)) if windows else []


def _cores(key: str) -> Figure:
    return lambda entry, seconds: None if entry[key] is None else entry[key] / 1e9 / seconds


def _percentile(percent: int) -> Figure:
    def figure(entry: Entry, _seconds: float) -> float | None:
        if entry["runq"] is None:
            return None
        counts = [0] * BUCKETS
        for bucket, count in entry["runq"].items():
            counts[int(bucket)] = count
        ns = percentile_ns(counts, percent)
        return None if ns is None else ns / 1e9

    return figure


def _of_all(key: str) -> Figure:
    return lambda entry, _seconds: entry[key] / entry["all_ns"] if entry["all_ns"] else None


_PARTS: Final[tuple[Metric, ...]] = (
    "self_wait_cores",
    "neighbor_wait_cores",
    "system_wait_cores",
    "throttled_own_wait_cores",
    "throttled_ancestor_wait_cores",
    "idle_gap_wait_cores",
    "unattributed_wait_cores",
)
_CONTAINER: Final[dict[Metric, Figure]] = {
    "cpu_used_cores": _cores("usage_ns"),
    "ran_cores": _cores("ran_ns"),
    **{metric: _cores(metric.removesuffix("_cores") + "_ns") for metric in _PARTS},
    "runq_p99_seconds": _percentile(99),
    "max_wait_seconds": lambda entry, _: (
        None if entry["max_wait_ns"] is None else entry["max_wait_ns"] / 1e9
    ),
}
_HOST: Final[dict[Metric, Figure]] = {
    "cpu_used_ratio": _of_all("busy_ns"),
    "steal_ratio": _of_all("steal_ns"),
}


def host_series(windows: Sequence[Window]) -> list[Series]:
    grid = seconds_shown(windows)
    measured = {w.second: (w.body["host"], _duration(w)) for w in windows if w.body["host"]}
    return [
        Series(metric=metric, unit=HOST_METRICS[metric], values=_values(grid, measured, figure))
        for metric, figure in _HOST.items()
    ]


def waited_ns(windows: Sequence[Window]) -> dict[int, int]:
    """By container, in all windows; who waits most, first."""
    sums: dict[int, int] = defaultdict(int)
    for window in windows:
        for entry in window.body["containers"]:
            sums[entry["id"]] += entry["wait_ns"] or 0
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def stolen_ns(windows: Sequence[Window]) -> dict[int, dict[int, int]]:
    """By victim, then by aggressor; a container is not its own aggressor."""
    sums: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for window in windows:
        for pair in window.body["pairs"]:
            if pair["victim_id"] != pair["aggressor_id"]:
                sums[pair["victim_id"]][pair["aggressor_id"]] += pair["wait_ns"]
    return sums


def live_containers(
    host_id: int, shown: Sequence[int], windows: Sequence[Window], names: Mapping[int, Name]
) -> list[LiveContainer]:
    grid, stolen = seconds_shown(windows), stolen_ns(windows)
    measured: dict[int, dict[int, tuple[Entry, float]]] = {id_: {} for id_ in shown}
    for window in windows:
        for entry in window.body["containers"]:
            if entry["id"] in measured:
                measured[entry["id"]][window.second] = (entry, _duration(window))
    return [
        _container(CgroupRef(host_id, id_), grid, measured[id_], stolen.get(id_, {}), names)
        for id_ in shown
    ]


def _container(
    ref: CgroupRef,
    grid: Sequence[int],
    measured: Mapping[int, tuple[Entry, float]],
    stolen: Mapping[int, int],
    names: Mapping[int, Name],
) -> LiveContainer:
    waited = sum(entry["wait_ns"] or 0 for entry, _ in measured.values())
    worst = sorted(stolen.items(), key=lambda item: (-item[1], item[0]))[:TOP_AGGRESSORS]
    known = named(ref.container_id, names)
    return LiveContainer(
        id=str(ref),
        name=known.name,
        kind=known.kind,
        wait_seconds=waited / 1e9,
        series=[
            Series(
                metric=metric,
                unit=CONTAINER_METRICS[metric],
                values=_values(grid, measured, figure),
            )
            for metric, figure in _CONTAINER.items()
        ],
        aggressors=[
            LiveAggressor(
                id=str(CgroupRef(ref.host_id, id_)),
                name=named(id_, names).name,
                kind=named(id_, names).kind,
                stolen_cpu_seconds=ns / 1e9,
                wait_ratio=ns / waited if waited else None,
            )
            for id_, ns in worst
            if ns
        ],
    )


def named(container_id: int, names: Mapping[int, Name]) -> Name:
    """As db.identity names who is not known (yet): its identity comes with the next batch."""
    return names.get(container_id) or Name(f"unidentified {container_id:016x}", "container")


def _duration(window: Window) -> float:
    return float(window.body["duration_ms"]) / 1000


def _values(
    grid: Sequence[int], measured: Mapping[int, tuple[Entry, float]], figure: Figure
) -> list[float | None]:
    return [figure(*measured[second]) if second in measured else None for second in grid]
