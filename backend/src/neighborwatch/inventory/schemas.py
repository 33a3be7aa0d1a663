"""Hosts and containers as the API shows them. Null is unknown or not measured, never zero."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Meta, Page
from neighborwatch.measures.host_state import HostState

RUNQ = "Upper bound of its histogram bucket; 17.179869184 means at least 15.03 s."
WaitCause = Literal[
    "self",
    "neighbor",
    "system",
    "throttled_own",
    "throttled_ancestor",
    "idle_gap",
    "unattributed",
]


class WaitParts(Answer):
    """Where the waiting went, in CPU-seconds; the parts add up to wait_seconds. Null: not split."""

    self_wait_seconds: Annotated[
        float | None, Field(description="While a task of the same container ran on that CPU.")
    ]
    neighbor_wait_seconds: Annotated[
        float | None, Field(description="While another container ran there: stolen CPU time.")
    ]
    system_wait_seconds: Annotated[
        float | None, Field(description="While a system service or the kernel ran there.")
    ]
    throttled_own_wait_seconds: Annotated[
        float | None, Field(description="Its own CFS quota was used up. Nobody is blamed for it.")
    ]
    throttled_ancestor_wait_seconds: Annotated[
        float | None, Field(description="A quota of a level above was used up.")
    ]
    idle_gap_wait_seconds: Annotated[
        float | None, Field(description="Nobody ran there: from wakeup to run on an idle CPU.")
    ]
    unattributed_wait_seconds: Annotated[
        float | None, Field(description="Waited, but the record does not reach. Never scaled up.")
    ]


class _HostHead(Answer):
    id: str
    name: str
    state: HostState
    last_seen_at: Annotated[datetime | None, Field(description="When its newest window arrived.")]
    cpus: Annotated[int | None, Field(description="Logical CPUs online.")]
    cores: int | None
    sockets: int | None
    numa_nodes: int | None
    l3_domains: int | None
    threads_per_core: int | None
    cache_architecture: str | None
    cpu_model: str | None
    memory_bytes: int | None
    kernel_release: str | None
    instance_type: str | None
    instance_family: str | None
    region: str | None
    cgroup_mode: str | None
    agent_version: str | None
    hypervisor: str | None
    containers: Annotated[int, Field(description="Containers with a window in the range.")]
    cpu_used_ratio: Annotated[float | None, Field(description="Busy share of all its CPUs.")]
    steal_ratio: Annotated[float | None, Field(description="Taken by the hypervisor.")]
    runq_p99_seconds: Annotated[float | None, Field(description=f"All its containers. {RUNQ}")]
    preempted_by_neighbors_per_second: Annotated[
        float | None, Field(description="Its containers' tasks, by another container's.")
    ]
    wait_seconds: Annotated[
        float | None, Field(description="Runnable and not running, all its containers.")
    ]
    ran_seconds: Annotated[float | None, Field(description="All its containers.")]
    wait_ratio: Annotated[float | None, Field(description="wait / (ran + wait)")]
    steal_seconds: Annotated[
        float | None, Field(description="CPU-seconds that the hypervisor gave to other machines.")
    ]


class HostItem(WaitParts, _HostHead):
    """A host; the parts of the wait are those of all its containers."""


class HostList(Page):
    items: list[HostItem]


class HostAnswer(Meta):
    host: HostItem


class _ContainerHead(Answer):
    id: str
    host_id: str
    host_name: str
    host_state: HostState
    kind: Literal["container", "system"]
    name: str
    runtime: str | None
    image: str | None
    pod: str | None
    namespace: str | None
    quota_cores: Annotated[float | None, Field(description="CFS quota / period; null: no quota.")]
    cpu_used_cores: float | None
    runq_p50_seconds: Annotated[float | None, Field(description=RUNQ)]
    runq_p99_seconds: Annotated[float | None, Field(description=RUNQ)]
    wait_seconds: Annotated[float | None, Field(description="Runnable and not running.")]
    ran_seconds: float | None
    wait_ratio: Annotated[float | None, Field(description="wait / (ran + wait)")]
    preempted_self_per_second: float | None
    preempted_other_per_second: Annotated[
        float | None, Field(description="By another container's tasks.")
    ]
    preempted_system_per_second: float | None
    throttled_ratio: Annotated[
        float | None, Field(description="nr_throttled / nr_periods of its own quota.")
    ]
    throttled_seconds: Annotated[
        float | None, Field(description="Own quota, summed over CPUs by the kernel.")
    ]
    last_seen_at: Annotated[
        datetime | None, Field(description="End of its newest window before the range's end.")
    ]


class ContainerItem(WaitParts, _ContainerHead):
    """A container or system service."""


class ContainerList(Page):
    items: list[ContainerItem]


class ContainerDetail(ContainerItem):
    labels: dict[str, str]
    cgroup_path: str | None
    runtime_id: str | None
    first_seen_at: datetime | None
    cpus_allowed: int | None
    nr_periods: int | None
    nr_throttled: int | None
    ancestor_throttled_ratio: Annotated[
        float | None, Field(description="The same share for quotas above its own cgroup.")
    ]
    ancestor_throttled_seconds: float | None
    runq_unthrottled_p99_seconds: Annotated[
        float | None, Field(description=f"The same waits without their throttled part. {RUNQ}")
    ]
    max_wait_seconds: Annotated[
        float | None, Field(description="Longest single wait, throttling included; exact.")
    ]


class LedgerPart(Answer):
    cause: WaitCause
    seconds: Annotated[float, Field(description="CPU-seconds.")]
    wait_ratio: Annotated[float | None, Field(description="Share of all it waited; null: no wait.")]
    demand_ratio: Annotated[float | None, Field(description="Share of its demand.")]


class Ledger(Answer):
    """Where its time went over the range: demand = ran + wait, and wait = the sum of its parts."""

    demand_seconds: Annotated[float, Field(description="CPU-seconds it ran or wanted to run.")]
    ran_seconds: float
    ran_ratio: Annotated[float | None, Field(description="ran / demand; null: no demand.")]
    wait_seconds: float
    wait_ratio: Annotated[float | None, Field(description="wait / demand; null: no demand.")]
    parts: Annotated[
        list[LedgerPart],
        Field(description="All seven, always in this order; empty where its agent does not split."),
    ]


class BlameShare(Answer):
    """One side of victim x aggressor. Blame is merged over about a minute, so the newest minute of
    a range that ends now is still on its way."""

    id: Annotated[
        str | None, Field(description="Null: the sum of all of its kind that are not listed.")
    ]
    name: str
    kind: Literal["container", "system"]
    stolen_cpu_seconds: Annotated[
        float | None,
        Field(description="The victim waited on a CPU while the aggressor ran. Null: not measured"),
    ]
    share_ratio: Annotated[
        float | None, Field(description="Share of what this list adds up to; null: nothing.")
    ]
    wait_ratio: Annotated[
        float | None,
        Field(description="Share of all that the victim waited, throttling included."),
    ]
    preemptions: Annotated[int, Field(description="How often the victim made room.")]


class PreemptedBy(Answer):
    id: Annotated[
        str | None, Field(description="Null: the sum of all of its kind that are not listed.")
    ]
    name: str
    kind: Literal["self", "container", "system"]
    preemptions: int
    per_second: float
    share_ratio: Annotated[float, Field(description="Share of all preemptions of this container.")]


class ContainerAnswer(Meta):
    container: ContainerDetail
    ledger: Annotated[Ledger | None, Field(description="Null: not measured in the range.")]
    aggressors: Annotated[
        list[BlameShare],
        Field(description="Who ran while it waited, itself not counted; worst 20."),
    ]
    victims: Annotated[
        list[BlameShare], Field(description="Containers that waited while it ran; worst 20.")
    ]
    preempted_by: list[PreemptedBy]
