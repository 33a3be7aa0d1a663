"""The run queue latency histogram, mirrored from agent/src/base/hist.h.

96 log-linear buckets, 4 per power of two: bucket `4 * octave + quarter` ends before
`2^(10 + octave) * (5 + quarter) / 4` ns. Both ends are open: bucket 0 holds everything below
1,280 ns and bucket 95 everything from 15.03 s on. e2e/contract/histogram_vector.json holds
kernel, agent and backend to the same answers.
"""

from collections.abc import Sequence
from typing import Final

BUCKETS: Final = 96
FIRST_OCTAVE: Final = 10  # log2 of 1,024 ns
UPPER_BOUNDS_NS: Final = tuple(
    (5 + bucket % 4) << (FIRST_OCTAVE - 2 + bucket // 4) for bucket in range(BUCKETS)
)
# What a percentile in the open bucket is reported as. It is above every true bound, so it can be
# told apart, and it means "at least 15.03 s".
OPEN_BUCKET_NS: Final = UPPER_BOUNDS_NS[-1]


def bucket_of(ns: int) -> int:
    """The bucket that a wait of this many ns is counted in."""
    if ns < 1 << FIRST_OCTAVE:
        return 0
    octave = ns.bit_length() - 1 - FIRST_OCTAVE
    if octave >= BUCKETS // 4:
        return BUCKETS - 1
    return 4 * octave + ((ns >> (octave + FIRST_OCTAVE - 2)) & 3)


def buckets_below(threshold_seconds: float) -> range:
    """The buckets in which every wait is reported as shorter than the threshold."""
    return range(sum(upper_ns < threshold_seconds * 1e9 for upper_ns in UPPER_BOUNDS_NS))


def percentile_ns(counts: Sequence[int], percent: int) -> int | None:
    """Upper bound of the bucket that holds the percentile; None where nothing was counted.

    The percentile is the smallest bucket at or below which `percent` of all waits lie.
    """
    if len(counts) != BUCKETS:
        raise ValueError(f"a histogram has {BUCKETS} buckets, not {len(counts)}")
    total = sum(counts)
    if total == 0:
        return None
    reached = 0
    for bucket, count in enumerate(counts):
        reached += count
        if reached * 100 >= total * percent:
            return UPPER_BOUNDS_NS[bucket]
    raise AssertionError("the last bucket reaches every percentile up to 100")
