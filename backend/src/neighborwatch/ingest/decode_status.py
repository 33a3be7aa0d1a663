"""What an agent says of itself, as kept in ingest_cursors.status (db/tables/cursors.py). PURE."""

from typing import Any

from neighborwatch.ingest.checks import (
    INT32_MAX,
    MalformedError,
    at_most,
    checked_text,
    within,
)
from neighborwatch.ingest.wire import ingest_pb2 as wire

MAX_COLLECTORS = 64
MAX_MAPS = 64
MAX_PROGRAMS = 256

_STATES = {
    wire.COLLECTOR_STATE_OK: "ok",
    wire.COLLECTOR_STATE_DEGRADED: "degraded",
    wire.COLLECTOR_STATE_UNSUPPORTED: "unsupported",
    wire.COLLECTOR_STATE_FAILED: "failed",
}
_METHODS = {
    wire.COST_METHOD_UNSPECIFIED: None,
    wire.COST_METHOD_MEASURED: "measured",
    wire.COST_METHOD_ESTIMATED: "estimated",
}


def status_of(field: str, batch: wire.Batch) -> dict[str, Any]:
    at_most(f"{field}.collectors", batch.collectors, MAX_COLLECTORS)
    collectors = []
    for index, collector in enumerate(batch.collectors):
        where = f"{field}.collectors[{index}]"
        state = _STATES.get(collector.state)
        if state is None:
            raise MalformedError(f"{where}.state", "is none that this backend knows")
        collectors.append(
            {
                "name": checked_text(f"{where}.name", collector.name),
                "status": state,
                "reason": checked_text(f"{where}.reason", collector.reason) or None,
                "lost": collector.lost,
                "map_bytes": collector.map_bytes,
                "maps": _maps(f"{where}.maps", collector),
            }
        )
    return {
        "duration_ns": batch.duration_ns,
        "context_switches": batch.host.context_switches if batch.HasField("host") else None,
        "cpus_online": batch.host.cpus_online if batch.HasField("host") else None,
        "collectors": collectors,
        "cost": _cost(f"{field}.cost", batch.cost) if batch.HasField("cost") else None,
    }


def _maps(field: str, collector: wire.CollectorStatus) -> list[dict[str, Any]]:
    at_most(field, collector.maps, MAX_MAPS)
    return [
        {
            "name": checked_text(f"{field}[{index}].name", one.name),
            "used": one.used,
            "capacity": one.capacity,
            "failed_inserts": one.failed_inserts,
        }
        for index, one in enumerate(collector.maps)
    ]


def _cost(field: str, cost: wire.AgentCost) -> dict[str, Any]:
    at_most(f"{field}.programs", cost.programs, MAX_PROGRAMS)
    if cost.method not in _METHODS:
        raise MalformedError(f"{field}.method", "is none that this backend knows")
    told = cost.method != wire.COST_METHOD_UNSPECIFIED
    return {
        "user_ns": cost.user_ns,
        "system_ns": cost.system_ns,
        "rss_bytes": cost.rss_bytes,
        "spool_batches": cost.spool_batches,
        "spool_bytes": cost.spool_bytes,
        "spool_dropped": cost.spool_dropped,
        "rejected_batches": cost.rejected_batches,
        "programs": [
            {
                "name": checked_text(f"{field}.programs[{index}].name", program.name),
                "run_count": program.run_count,
                "run_ns": program.run_ns,
            }
            for index, program in enumerate(cost.programs)
        ],
        "method": _METHODS[cost.method],
        # An agent that names no method has no governor either.
        "budget_ppm": cost.budget_ppm if told else None,
        "spent_ppm": cost.spent_ppm if told else None,
        "governor_level": within(f"{field}.governor_level", cost.governor_level, INT32_MAX)
        if told
        else None,
        "governor_reason": checked_text(f"{field}.governor_reason", cost.governor_reason) or None,
    }
