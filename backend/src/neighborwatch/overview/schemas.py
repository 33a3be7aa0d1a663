"""Is anything wrong now, and for whom: one answer for the first page."""

from typing import Annotated

from pydantic import Field

from neighborwatch.http.schemas import Answer, Meta
from neighborwatch.inventory.schemas import ContainerItem
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


class OverviewTrend(Answer):
    t: Annotated[list[int], Field(description="Bucket starts, epoch seconds; at most 60.")]
    preempted_by_neighbors_per_second: list[float | None]
    throttled_containers: list[int | None]
    waiting_containers: list[int | None]


class OverviewAnswer(Meta):
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
    wait_seconds: float | None
    ran_seconds: float | None
    top_neighbors: list[NeighborItem]
    worst_containers: list[ContainerItem]
    host_tiles: list[HostTile]
    trend: OverviewTrend
