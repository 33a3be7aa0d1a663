"""Is anything wrong now, and for whom: one answer for the first page."""

from typing import Annotated

from pydantic import Field

from neighborwatch.http.schemas import Answer, Meta
from neighborwatch.inventory.schemas import ContainerItem, WaitParts
from neighborwatch.measures.host_state import HostState
from neighborwatch.neighbors.schemas import NeighborItem


class HostTile(Answer):
    host_id: str
    name: str
    instance_family: str | None
    state: HostState
    value: Annotated[
        float | None, Field(description="Preemptions of its containers by others, per second.")
    ]
    neighbor_wait_cores: Annotated[
        float | None,
        Field(description="CPU time its containers lost to each other, seconds per second."),
    ]


class OverviewTrend(Answer):
    t: Annotated[list[int], Field(description="Bucket starts, epoch seconds; at most 60.")]
    preempted_by_neighbors_per_second: list[float | None]
    throttled_containers: list[int | None]
    waiting_containers: list[int | None]
    # Fleet-wide waiting by cause, CPU-seconds per second.
    self_wait_cores: list[float | None]
    neighbor_wait_cores: list[float | None]
    system_wait_cores: list[float | None]
    throttled_own_wait_cores: list[float | None]
    throttled_ancestor_wait_cores: list[float | None]
    idle_gap_wait_cores: list[float | None]
    unattributed_wait_cores: list[float | None]


class _OverviewHead(Meta):
    hosts_known: int
    hosts_live: int
    hosts_stale: int
    containers_running: Annotated[
        int, Field(description="With a window in the last two minutes of the range.")
    ]
    preempted_by_neighbors_per_second: float | None
    containers_waiting: Annotated[
        int | None, Field(description="runq P99 at or above waiting_threshold_seconds.")
    ]
    containers_throttled: Annotated[
        int | None, Field(description="Throttled in more than throttled_threshold_ratio.")
    ]
    waiting_threshold_seconds: float
    throttled_threshold_ratio: float
    wait_seconds: Annotated[
        float | None, Field(description="All containers, runnable and not running; CPU-seconds.")
    ]
    ran_seconds: float | None
    wait_ratio: Annotated[float | None, Field(description="wait / (ran + wait)")]
    stolen_cpu_seconds_per_hour: Annotated[
        float | None,
        Field(description="neighbor_wait_seconds over the time in which a host was observed."),
    ]
    top_neighbors: Annotated[
        list[NeighborItem], Field(description="By CPU time stolen from other containers.")
    ]
    worst_containers: list[ContainerItem]
    host_tiles: list[HostTile]
    trend: OverviewTrend


class OverviewAnswer(WaitParts, _OverviewHead):
    """The parts of the wait are those of all containers."""
