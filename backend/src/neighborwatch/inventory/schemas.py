"""Hosts and containers as the API shows them. Null is unknown or not measured, never zero."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Meta, Page
from neighborwatch.measures.host_state import HostState

RUNQ = "Upper bound of its histogram bucket; 17.179869184 means at least 15.03 s."


class HostItem(Answer):
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


class HostList(Page):
    items: list[HostItem]


class HostAnswer(Meta):
    host: HostItem


class ContainerItem(Answer):
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
    preempted_by: list[PreemptedBy]
