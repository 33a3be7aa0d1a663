"""Does each agent see what it should, and what does it cost?"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Page
from neighborwatch.measures.host_state import HostState


class CollectorStatus(Answer):
    name: str
    status: Literal["ok", "unsupported", "degraded", "failed"]
    reason: str | None
    lost: Annotated[int, Field(description="Records lost in its newest window.")]


class AgentCost(Answer):
    bpf_ns_per_switch: float | None
    context_switches_per_second: float | None
    cpu_ratio: Annotated[float | None, Field(description="Agent process, of one core.")]
    rss_bytes: int | None
    spool_batches: int | None
    spool_bytes: int | None
    spool_dropped: int | None


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


class AgentList(Page):
    items: list[AgentItem]
