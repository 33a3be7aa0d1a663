"""Which batches are new, and when something is missing."""

from uuid import UUID

import pytest

from neighborwatch.ingest.sequence import Advance, Gap, Position, advance

STREAM, OTHER = UUID(int=1), UUID(int=2)


def after(sequence: int, lost: int = 0) -> Position:
    return Position(STREAM, sequence, lost)


@pytest.mark.parametrize(
    ("position", "lost", "sequences", "expected"),
    [
        (None, 0, [1, 2], Advance(0, 0)),
        (after(4), 0, [5], Advance(0, 0)),
        (after(4), 0, [3, 4, 5, 6], Advance(2, 0)),
        (after(4), 0, [2, 3], Advance(2, 0)),
        # Declared losses close the hole, before the request and inside of it.
        (after(4), 2, [7], Advance(0, 2)),
        (after(4, lost=2), 5, [8], Advance(0, 3)),
        (after(4), 1, [5, 7], Advance(0, 1)),
        (None, 9, [10], Advance(0, 9)),
        # More declared than missing is no reason to refuse.
        (after(4), 7, [5], Advance(0, 7)),
        # A forgotten count without a hole is none either.
        (after(4, lost=5), 1, [5], Advance(0, 0)),
    ],
)
def test_what_follows_is_taken(
    position: Position | None, lost: int, sequences: list[int], expected: Advance
) -> None:
    assert advance(position, stream_id=STREAM, lost_batches=lost, sequences=sequences) == expected


@pytest.mark.parametrize(
    ("position", "lost", "sequences"),
    [
        (None, 0, [3]),
        (after(4), 0, [6]),
        (after(4), 1, [8, 9]),
        (after(4, lost=5), 5, [9]),
        (after(4, lost=5), 1, [9]),  # the agent forgot its count
        (after(4), 0, [5, 7]),
        (after(4), 1, [6, 9, 12]),
        (after(4), 0, [3, 4, 6]),
    ],
)
def test_a_gap_closes_when_the_agent_adds_the_difference(
    position: Position | None, lost: int, sequences: list[int]
) -> None:
    gap = advance(position, stream_id=STREAM, lost_batches=lost, sequences=sequences)
    assert isinstance(gap, Gap)
    raised = lost + sequences[0] - gap.expected_sequence
    assert raised > lost
    assert isinstance(
        advance(position, stream_id=STREAM, lost_batches=raised, sequences=sequences), Advance
    )


def test_the_expected_sequence_is_the_one_after_the_newest_stored() -> None:
    gap = advance(after(4), stream_id=STREAM, lost_batches=0, sequences=[9, 10])
    assert gap == Gap(expected_sequence=5)


def test_another_stream_starts_from_nothing() -> None:
    assert advance(after(40), stream_id=OTHER, lost_batches=0, sequences=[1]) == Advance(0, 0)
    assert advance(after(40), stream_id=OTHER, lost_batches=0, sequences=[41]) == Gap(1)
