"""What an agent said of itself in its newest window, as figures. Pure.

The keys are those of db/tables/cursors.py; what an older agent did not say stays null.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from neighborwatch.agents.schemas import (
    AgentCost,
    CollectorStatus,
    EventLoss,
    MapOccupancy,
    ProgramCost,
)

Status = Mapping[str, Any]


def collectors_of(status: Status) -> list[CollectorStatus]:
    return [
        CollectorStatus(
            name=entry["name"],
            status=entry["status"],
            reason=entry["reason"],
            lost=entry["lost"],
            map_bytes=entry.get("map_bytes"),
            maps=[_map(one) for one in entry.get("maps", [])],
        )
        for entry in status.get("collectors", [])
    ]


def _map(entry: Status) -> MapOccupancy:
    return MapOccupancy(
        name=entry["name"],
        used=entry["used"],
        capacity=entry["capacity"],
        used_ratio=entry["used"] / entry["capacity"] if entry["capacity"] else None,
        failed_inserts=entry["failed_inserts"],
    )


def event_loss_of(status: Status) -> EventLoss | None:
    loss = status.get("event_loss")
    return None if loss is None else EventLoss.model_validate(loss)


def cost_of(status: Status) -> AgentCost | None:
    """None where the agent could not read its own cost."""
    cost = status.get("cost")
    if cost is None:
        return None
    switches, duration_ns = status.get("context_switches"), status.get("duration_ns")
    # Runs without any ns mean that nobody timed them, not that they were free.
    timed = [program for program in cost["programs"] if program["run_count"] and program["run_ns"]]
    bpf_ns, runs = _sum(timed, "run_ns"), _sum(timed, "run_count")
    host_ns = _host_ns(status)
    return AgentCost(
        method=cost.get("method"),
        bpf_ns_per_switch=bpf_ns / switches if timed and switches else None,
        bpf_ns_per_run=bpf_ns / runs if timed else None,
        bpf_runs_per_second=_per_second(_sum(cost["programs"], "run_count"), duration_ns),
        bpf_cpu_ratio=bpf_ns / host_ns if timed and host_ns else None,
        programs=[_program(one, duration_ns, host_ns) for one in cost["programs"]],
        spent_ratio=_of_million(cost.get("spent_ppm")),
        budget_ratio=_of_million(cost.get("budget_ppm")) or None,
        governor_level=cost.get("governor_level"),
        governor_reason=cost.get("governor_reason"),
        context_switches_per_second=_per_second(switches, duration_ns),
        cpu_ratio=(cost["user_ns"] + cost["system_ns"]) / duration_ns if duration_ns else None,
        rss_bytes=cost["rss_bytes"],
        spool_batches=cost["spool_batches"],
        spool_bytes=cost["spool_bytes"],
        spool_dropped=cost["spool_dropped"],
        rejected_batches=cost.get("rejected_batches"),
    )


def _program(program: Status, duration_ns: int | None, host_ns: int | None) -> ProgramCost:
    runs, ns = program["run_count"], program["run_ns"]
    return ProgramCost(
        name=program["name"],
        runs_per_second=_per_second(runs, duration_ns),
        ns_per_run=ns / runs if runs and ns else None,
        cpu_ratio=ns / host_ns if ns and host_ns else None,
    )


def _host_ns(status: Status) -> int | None:
    """CPU time that the host had in the window, all CPUs."""
    duration_ns, cpus = status.get("duration_ns"), status.get("cpus_online")
    return duration_ns * cpus if duration_ns and cpus else None


def _sum(programs: Sequence[Status], key: str) -> int:
    return sum(program[key] for program in programs)


def _per_second(count: int | None, duration_ns: int | None) -> float | None:
    return count * 1e9 / duration_ns if count is not None and duration_ns else None


def _of_million(ppm: int | None) -> float | None:
    return None if ppm is None else ppm / 1e6
