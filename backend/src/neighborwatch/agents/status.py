"""What an agent said of itself in its newest window, as figures. Pure."""

from collections.abc import Mapping
from typing import Any

from neighborwatch.agents.schemas import AgentCost, CollectorStatus


def collectors_of(status: Mapping[str, Any]) -> list[CollectorStatus]:
    return [CollectorStatus.model_validate(entry) for entry in status.get("collectors", [])]


def cost_of(status: Mapping[str, Any]) -> AgentCost | None:
    """None where the agent could not read its own cost."""
    cost = status.get("cost")
    if cost is None:
        return None
    switches, duration_ns = status.get("context_switches"), status.get("duration_ns")
    # Zero runs of an attached program mean that BPF statistics are off, not that it is free.
    counted = [program for program in cost["programs"] if program["run_count"]]
    bpf_ns = sum(program["run_ns"] for program in counted)
    return AgentCost(
        bpf_ns_per_switch=bpf_ns / switches if counted and switches else None,
        context_switches_per_second=(
            switches * 1e9 / duration_ns if duration_ns and switches is not None else None
        ),
        cpu_ratio=(cost["user_ns"] + cost["system_ns"]) / duration_ns if duration_ns else None,
        rss_bytes=cost["rss_bytes"],
        spool_batches=cost["spool_batches"],
        spool_bytes=cost["spool_bytes"],
        spool_dropped=cost["spool_dropped"],
    )
