"""Where a container's time went: parts of its demand, from what was summed over a range. Pure."""

from collections.abc import Mapping
from typing import Final, get_args

from neighborwatch.inventory.schemas import ContainerDetail, Ledger, LedgerPart, WaitCause

CAUSES: Final[tuple[WaitCause, ...]] = get_args(WaitCause)


def ledger_of(container: ContainerDetail) -> Ledger | None:
    """None where the scheduler was not measured."""
    ran, wait = container.ran_seconds, container.wait_seconds
    if ran is None or wait is None:
        return None
    demand = ran + wait
    return Ledger(
        demand_seconds=demand,
        ran_seconds=ran,
        ran_ratio=_share(ran, demand),
        wait_seconds=wait,
        wait_ratio=_share(wait, demand),
        parts=_parts(
            {cause: getattr(container, f"{cause}_wait_seconds") for cause in CAUSES}, wait, demand
        ),
    )


def _parts(
    measured: Mapping[WaitCause, float | None], wait: float, demand: float
) -> list[LedgerPart]:
    if all(seconds is None for seconds in measured.values()):
        return []
    known = {cause: seconds or 0.0 for cause, seconds in measured.items()}
    # A range that reaches back to before the agent could split a wait: that time was waited all
    # the same, and nobody knows for whom.
    known["unattributed"] += max(0.0, wait - sum(known.values()))
    return [
        LedgerPart(
            cause=cause,
            seconds=seconds,
            wait_ratio=_share(seconds, wait),
            demand_ratio=_share(seconds, demand),
        )
        for cause, seconds in known.items()
    ]


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
