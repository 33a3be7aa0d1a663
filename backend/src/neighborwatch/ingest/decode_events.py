"""Events to rows. PURE."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from neighborwatch.ingest.batch import EventLoss, Row
from neighborwatch.ingest.checks import (
    INT32_MAX,
    INT64_MAX,
    MalformedError,
    all_within,
    at_most,
    checked_text,
    instant,
    within,
)
from neighborwatch.ingest.wire import ingest_pb2 as wire

MAX_EVENTS = 256
MAX_SHARES = 8
# The kernel's is 16 bytes.
MAX_COMM = 64
# One wait of a day is no wait that anybody measured.
MAX_EVENT_NS = 86_400_000_000_000
# Events wait a second at most in the agent; the rest is room for clocks that were set meanwhile.
# Another time would also ask for a partition of its own.
MAX_DISTANCE = timedelta(hours=1)

_KINDS = {
    wire.EVENT_KIND_NOISY_NEIGHBOR: "noisy_neighbor",
    wire.EVENT_KIND_THROTTLING: "throttling",
}
_LEVELS = {
    wire.QUOTA_LEVEL_UNSPECIFIED: None,
    wire.QUOTA_LEVEL_OWN: "own",
    wire.QUOTA_LEVEL_ANCESTOR: "ancestor",
}


def events_of(field: str, head: tuple[datetime, int], events: Sequence[wire.Event]) -> list[Row]:
    at_most(field, events, MAX_EVENTS)
    rows = [_event(f"{field}[{index}]", head, event) for index, event in enumerate(events)]
    if len({(row[0], row[2]) for row in rows}) < len(rows):
        raise MalformedError(field, "the same number and end occur twice")
    return rows


def _event(field: str, head: tuple[datetime, int], event: wire.Event) -> Row:
    batch_at, host_id = head
    kind = _KINDS.get(event.kind)
    if kind is None:
        raise MalformedError(f"{field}.kind", "is none that this backend knows")
    if event.quota_level not in _LEVELS:
        raise MalformedError(f"{field}.quota_level", "is none that this backend knows")
    if event.number == 0:
        raise MalformedError(f"{field}.number", "counts from 1")
    ended_at = instant(f"{field}.ended_at_unix_ns", event.ended_at_unix_ns)
    if abs(ended_at - batch_at) > MAX_DISTANCE:
        raise MalformedError(f"{field}.ended_at_unix_ns", "is too far from this batch's time")
    ids = (event.number, event.container_id, event.skipped)
    all_within(field, ("number", "container_id", "skipped"), ids, INT64_MAX)
    all_within(field, ("cpu", "pid"), (event.cpu, event.pid), INT32_MAX)
    if len(event.comm) > MAX_COMM:
        raise MalformedError(f"{field}.comm", f"is longer than {MAX_COMM} characters")
    at_most(f"{field}.shares", event.shares, MAX_SHARES)
    return (
        ended_at,
        host_id,
        event.number,
        kind,
        event.container_id,
        within(f"{field}.duration_ns", event.duration_ns, MAX_EVENT_NS),
        event.cpu,
        event.pid,
        checked_text(f"{field}.comm", event.comm),
        _LEVELS[event.quota_level],
        event.skipped,
        [_share(f"{field}.shares[{index}]", one) for index, one in enumerate(event.shares)],
    )


def _share(field: str, share: wire.EventShare) -> dict[str, Any]:
    ns = within(f"{field}.ns", share.ns, MAX_EVENT_NS)
    who = share.WhichOneof("who")
    if who is None:
        raise MalformedError(field, "must say who ran: container_id, idle or unattributed")
    if who == "container_id":
        return {"id": within(f"{field}.container_id", share.container_id, INT64_MAX), "ns": ns}
    return {who: True, "ns": ns}


def event_loss_of(field: str, loss: wire.EventLoss) -> EventLoss:
    """Absent is nothing lost. Bounded well below a bigint, since losses are added up."""
    names = ("ring_full", "queue_full", "rate_limited")
    values = (loss.ring_full, loss.queue_full, loss.rate_limited)
    all_within(field, names, values, 2**48)
    return EventLoss(*values)
