"""Which batches of a request are new, and whether something before them is missing. PURE."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Position:
    """How far a stream has been stored."""

    stream_id: UUID
    sequence: int
    lost_batches: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Batches are missing that the agent has not declared lost."""

    expected_sequence: int


@dataclass(frozen=True, slots=True)
class Advance:
    """Store the batches from `first_new` on (an index; len(sequences) = nothing is new)."""

    first_new: int
    newly_lost: int


def advance(
    position: Position | None, *, stream_id: UUID, lost_batches: int, sequences: Sequence[int]
) -> Advance | Gap:
    """`sequences` ascends strictly. A stream that is new to us starts at 0 with nothing lost."""
    if position is None or position.stream_id != stream_id:
        position = Position(stream_id, sequence=0, lost_batches=0)
    first_new = sum(1 for sequence in sequences if sequence <= position.sequence)
    new = sequences[first_new:]
    if not new:
        return Advance(first_new, newly_lost=0)
    missing = new[-1] - position.sequence - len(new)
    declared = lost_batches - position.lost_batches
    if missing > 0 and missing > declared:
        # The agent adds (its first - expected) to its count of lost batches, which then is
        # exactly enough, also where the hole lies between two batches of the request.
        return Gap(expected_sequence=sequences[0] - (missing - declared))
    return Advance(first_new, newly_lost=max(0, declared))
