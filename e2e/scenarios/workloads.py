"""The demo's containers: what each does and what the dashboard should make of it."""

import os
from dataclasses import dataclass

from load import Pattern

HOG = "batch-encode"


@dataclass(frozen=True, slots=True)
class Workload:
    name: str
    image: str
    pattern: Pattern
    what: str
    expect: str
    quota_us: int | None = None
    shares: int = 1024


def workloads() -> list[Workload]:
    """For the CPUs that this process may use: the first is fought over, the second is not.

    Nothing of ours shares the second with the throttled one: a single waker beside it would be a
    neighbor that preempts it, and what it suffers is to be its own quota only.
    """
    cpus = sorted(os.sched_getaffinity(0))
    shared, other = cpus[0], cpus[1 % len(cpus)]
    third = cpus[2] if len(cpus) > 2 else shared
    return [
        Workload(
            name="checkout-api",
            image="demo/checkout-api:4.2",
            pattern=Pattern(run_us=1000, sleep_us=2000, threads=2, jitter_percent=20, cpu=shared),
            what=f"answers requests on CPU {shared}: 2 threads, 1 ms of work, 2 ms of sleep",
            expect="run queue P99 rises to 20 ms and more when batch-encode starts: the victim",
        ),
        Workload(
            name=HOG,
            image="demo/batch-encode:1.9",
            # It never sleeps, so each waker preempts it: a count of preemptions would call it the
            # victim. The time that others waited while it ran says what it is.
            pattern=Pattern(run_us=8000, cpu=shared),
            # A request for 16 CPUs, as somebody writes who wants it done soon.
            shares=16 * 1024,
            what=f"never sleeps on CPU {shared}, with 16 times the weight",
            expect="first of the noisy neighbors, with checkout-api as its victim",
        ),
        Workload(
            name="thumbnailer",
            image="demo/thumbnailer:2.0",
            pattern=Pattern(run_us=5000, cpu=other),
            quota_us=20_000,
            # Enough to reach its quota on a busy host, so that the quota is what limits it.
            shares=4 * 1024,
            what=f"never sleeps on CPU {other}, quota 20 ms of each 100 ms",
            expect="throttled in most periods: its own limit, no neighbor's doing",
        ),
        Workload(
            name="ledger",
            image="demo/ledger:0.7",
            pattern=Pattern(run_us=200, sleep_us=200_000, jitter_percent=20, cpu=third),
            what=f"nearly always asleep, on CPU {third}",
            expect="next to no CPU, and far down in every list",
        ),
    ]
