"""Does each agent see what it should, and what does it cost?"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Page
from neighborwatch.measures.host_state import HostState


class MapOccupancy(Answer):
    name: str
    used: int
    capacity: int
    used_ratio: Annotated[float | None, Field(description="used / capacity")]
    failed_inserts: Annotated[int, Field(description="Entries that did not fit, newest window.")]


class CollectorStatus(Answer):
    name: str
    status: Literal["ok", "unsupported", "degraded", "failed"]
    reason: str | None
    lost: Annotated[int, Field(description="Records lost in its newest window.")]
    map_bytes: Annotated[int | None, Field(description="Kernel memory of its BPF maps.")]
    maps: list[MapOccupancy]


class ProgramCost(Answer):
    name: str
    runs_per_second: float | None
    ns_per_run: Annotated[float | None, Field(description="Null: never ran, or not known.")]
    cpu_ratio: Annotated[float | None, Field(description="Of the host's CPU time.")]


class EventLoss(Answer):
    """Events that never left the host, since the agent's stream began."""

    ring_full: Annotated[int, Field(description="The kernel's ring buffer had no room.")]
    queue_full: Annotated[int, Field(description="The agent's queue had no room.")]
    rate_limited: Annotated[int, Field(description="Swallowed by the limit per cgroup.")]


class AgentCost(Answer):
    method: Annotated[
        Literal["measured", "estimated"] | None,
        Field(
            description="Where ns come from: the kernel's own statistics in short slices, or counts"
            " of runs times what a run cost at start. Null: not said."
        ),
    ]
    bpf_ns_per_switch: float | None
    bpf_ns_per_run: Annotated[float | None, Field(description="All programs, newest window.")]
    bpf_runs_per_second: float | None
    bpf_cpu_ratio: Annotated[float | None, Field(description="Programs, of the host's CPU time.")]
    programs: list[ProgramCost]
    spent_ratio: Annotated[
        float | None, Field(description="Programs and agent process, of the host's CPU time.")
    ]
    budget_ratio: Annotated[
        float | None, Field(description="Of the host's CPU time; null: no limit, or not said.")
    ]
    governor_level: Annotated[
        int | None, Field(description="0: everything on; above: steps taken to hold the budget.")
    ]
    governor_reason: Annotated[str | None, Field(description="What is off and why.")]
    context_switches_per_second: float | None
    cpu_ratio: Annotated[float | None, Field(description="Agent process, of one core.")]
    rss_bytes: int | None
    spool_batches: int | None
    spool_bytes: int | None
    spool_dropped: int | None
    rejected_batches: Annotated[int | None, Field(description="Set aside after a 400.")]


class AgentItem(Answer):
    host_id: str
    host_name: str
    state: HostState
    version: str | None
    last_seen_at: Annotated[datetime | None, Field(description="When its newest batch arrived.")]
    window_at: Annotated[datetime | None, Field(description="Start of its newest window.")]
    clock_skew_seconds: float | None
    lost_batches: int | None
    sequence: int | None
    collectors: list[CollectorStatus]
    cost: AgentCost | None
    event_loss: EventLoss | None


class AgentList(Page):
    items: list[AgentItem]
