"""Series on one shared grid; a bucket without a window is null."""

from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Meta

Metric = Literal[
    "runq_p50_seconds",
    "runq_p99_seconds",
    "preempted_self_per_second",
    "preempted_other_per_second",
    "preempted_system_per_second",
    "throttled_ratio",
    "throttled_seconds_per_second",
    "cpu_used_cores",
    "wait_seconds_per_second",
    "ran_cores",
    "self_wait_cores",
    "neighbor_wait_cores",
    "system_wait_cores",
    "throttled_own_wait_cores",
    "throttled_ancestor_wait_cores",
    "idle_gap_wait_cores",
    "unattributed_wait_cores",
    "runq_unthrottled_p99_seconds",
    "max_wait_seconds",
    "quota_cores",
    "cpu_used_ratio",
    "steal_ratio",
]
Unit = Literal["seconds", "per_second", "ratio", "seconds_per_second", "cores"]


class Series(Answer):
    metric: Metric
    unit: Unit
    values: list[float | None]


class SeriesAnswer(Meta):
    step_seconds: int
    t: Annotated[list[int], Field(description="Bucket starts, epoch seconds.")]
    series: list[Series]
