"""Is a host's agent reporting?"""

from datetime import datetime, timedelta
from enum import StrEnum

# Twelve windows: a restart of the agent or the backend does not make a host stale.
STALE_AFTER = timedelta(seconds=120)


class HostState(StrEnum):
    LIVE = "live"
    STALE = "stale"
    NEVER = "never"  # enrolled, nothing sent


def host_state(received_at: datetime | None, now: datetime) -> HostState:
    """From the arrival of its newest window, by the backend's clock: agents' clocks may be off."""
    if received_at is None:
        return HostState.NEVER
    return HostState.STALE if now - received_at > STALE_AFTER else HostState.LIVE
