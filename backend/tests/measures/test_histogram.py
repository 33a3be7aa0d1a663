"""The same buckets as in the kernel, and percentiles that keep their promise."""

import json
import random
from pathlib import Path

import pytest

from neighborwatch.measures.histogram import (
    BUCKETS,
    OPEN_BUCKET_NS,
    UPPER_BOUNDS_NS,
    bucket_of,
    buckets_below,
    percentile_ns,
)

VECTOR = Path(__file__).parents[3] / "e2e" / "contract" / "histogram_vector.json"


def histogram(counts: dict[int, int]) -> list[int]:
    return [counts.get(bucket, 0) for bucket in range(BUCKETS)]


def test_the_agents_vector_gets_the_same_answers() -> None:
    vector = json.loads(VECTOR.read_text())
    assert vector["unit"] == "ns"
    assert tuple(vector["upper_bounds"]) == UPPER_BOUNDS_NS
    for case in vector["cases"]:
        assert bucket_of(case["ns"]) == case["bucket"], case


def test_every_wait_is_shorter_than_its_buckets_upper_bound() -> None:
    rng = random.Random(1)
    for _ in range(10_000):
        ns = int(2 ** rng.uniform(0, 33.99))
        upper_ns = UPPER_BOUNDS_NS[bucket_of(ns)]
        assert ns < upper_ns <= max(1280, 1.25 * ns)


def test_percentile_is_the_bucket_that_reaches_it() -> None:
    counts = histogram({10: 98, 20: 1, 30: 1})
    assert percentile_ns(counts, 50) == UPPER_BOUNDS_NS[10]
    assert percentile_ns(counts, 98) == UPPER_BOUNDS_NS[10]
    assert percentile_ns(counts, 99) == UPPER_BOUNDS_NS[20]
    assert percentile_ns(counts, 100) == UPPER_BOUNDS_NS[30]


def test_no_waits_have_no_percentile() -> None:
    assert percentile_ns(histogram({}), 99) is None


def test_open_bucket_is_told_apart_from_every_bound() -> None:
    assert percentile_ns(histogram({95: 1}), 50) == OPEN_BUCKET_NS == 17_179_869_184


def test_a_histogram_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="96 buckets, not 95"):
        percentile_ns([0] * 95, 50)


def test_buckets_below_a_threshold_end_before_it() -> None:
    below = buckets_below(0.01)
    assert UPPER_BOUNDS_NS[below[-1]] < 10_000_000 <= UPPER_BOUNDS_NS[below[-1] + 1]
