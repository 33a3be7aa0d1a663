"""What a chart is about, and which metrics exist there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from neighborwatch.http.errors import bad_field
from neighborwatch.measures.ids import parse_container_id, parse_host_id
from neighborwatch.series.schemas import Metric, Unit

# Where the time went, CPU-seconds per second: ran + the seven parts = demand.
_LEDGER: Final[dict[Metric, Unit]] = {
    "ran_cores": "cores",
    "self_wait_cores": "cores",
    "neighbor_wait_cores": "cores",
    "system_wait_cores": "cores",
    "throttled_own_wait_cores": "cores",
    "throttled_ancestor_wait_cores": "cores",
    "idle_gap_wait_cores": "cores",
    "unattributed_wait_cores": "cores",
}
CONTAINER_METRICS: Final[dict[Metric, Unit]] = {
    "runq_p50_seconds": "seconds",
    "runq_p99_seconds": "seconds",
    "preempted_self_per_second": "per_second",
    "preempted_other_per_second": "per_second",
    "preempted_system_per_second": "per_second",
    "throttled_ratio": "ratio",
    "throttled_seconds_per_second": "seconds_per_second",
    "cpu_used_cores": "cores",
    "wait_seconds_per_second": "seconds_per_second",
    **_LEDGER,
    "runq_unthrottled_p99_seconds": "seconds",
    "max_wait_seconds": "seconds",
    "quota_cores": "cores",
}
HOST_METRICS: Final[dict[Metric, Unit]] = {
    "cpu_used_ratio": "ratio",
    "steal_ratio": "ratio",
    "runq_p99_seconds": "seconds",
    "preempted_other_per_second": "per_second",
    **_LEDGER,
}


@dataclass(frozen=True, slots=True)
class Scope:
    host_id: int
    container_id: int | None  # None: the whole host

    @property
    def units(self) -> dict[Metric, Unit]:
        return HOST_METRICS if self.container_id is None else CONTAINER_METRICS


def parse_scope(text: str) -> Scope:
    kind, _, name = text.partition(":")
    try:
        if kind == "container":
            ref = parse_container_id(name)
            return Scope(ref.host_id, ref.container_id)
        if kind == "host":
            return Scope(parse_host_id(name), None)
    except ValueError as error:
        raise bad_field("scope", str(error)) from error
    raise bad_field("scope", f"'{text}' is neither container:<id> nor host:<id>")


def check_metrics(scope: Scope, metrics: Sequence[Metric]) -> list[Metric]:
    """Each once, in the order asked for."""
    unknown = [metric for metric in metrics if metric not in scope.units]
    if unknown:
        what = "host" if scope.container_id is None else "container"
        raise bad_field("metric", f"a {what} has {', '.join(scope.units)}; not {unknown[0]}")
    return list(dict.fromkeys(metrics))
