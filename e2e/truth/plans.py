"""What the referee runs: cgroups, quotas, loads and pins, drawn from a seed, as plans (plan.h).

    plans.py NAME SEED --loader PATH [--agent PATH] > plan

A plan needs no Python where it runs.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# Heavy beside whatever else runs on the host, so that they meet each other.
_ALL_SHARES = 131_072


@dataclass(frozen=True, slots=True)
class Load:
    run_us: int
    sleep_us: int = 0
    threads: int = 1
    jitter_percent: int = 0
    cpu: int | None = None  # the only one it may run on

    def arguments(self, seed: int) -> str:
        text = f"--run-us={self.run_us} --sleep-us={self.sleep_us} --threads={self.threads}"
        text += f" --jitter={self.jitter_percent} --seed={seed}"
        return text if self.cpu is None else f"{text} --cpus={self.cpu}"


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    loads: Sequence[Load] = ()
    parent: str = ""
    shares: int = 1024
    quota_us: int = 0
    is_container: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    groups: Sequence[Group]
    # (who, of whom): they never run where the other waits.
    innocent: Sequence[tuple[str, str]] = ()
    is_overload: bool = False  # waits of seconds
    warm_seconds: int = 2
    cpus: int = field(default=2)

    def single_throttled(self) -> list[str]:
        """Groups with a quota of their own and one thread: cpu.stat means the same there."""
        return [
            group.name
            for group in self.groups
            if group.quota_us and len(group.loads) == 1 and group.loads[0].threads == 1
        ]


def _around(rng: random.Random, value: int) -> int:
    return round(value * rng.uniform(0.7, 1.4))


def _beside(rng: random.Random, victim: Load) -> list[Group]:
    """6 ms bursts and 40 us tickers on the victim's CPU, a hog on the other one."""
    burst = Load(_around(rng, 6000), _around(rng, 9000), jitter_percent=40, cpu=0)
    tick = Load(40, _around(rng, 250), threads=rng.choice([1, 2, 3]), jitter_percent=30, cpu=0)
    return [
        Group("victim", [victim]),
        Group("burst", [burst]),
        Group("tick", [tick]),
        Group("hog", [Load(5000, cpu=1)]),
    ]


_INNOCENT = [("hog", "victim"), ("hog", "burst"), ("hog", "tick"), ("victim", "hog")]


def pinned_latency(rng: random.Random) -> Scenario:
    victim = Load(_around(rng, 1000), _around(rng, 1500), jitter_percent=50, cpu=0)
    return Scenario("pinned_latency", _beside(rng, victim), _INNOCENT)


def pinned_cpu_bound(rng: random.Random) -> Scenario:
    return Scenario("pinned_cpu_bound", _beside(rng, Load(5000, cpu=0)), _INNOCENT)


def pinned_threads(rng: random.Random) -> Scenario:
    victim = Load(_around(rng, 300), _around(rng, 900), rng.choice([4, 8, 16]), 50, cpu=0)
    return Scenario("pinned_threads", _beside(rng, victim), _INNOCENT)


def unpinned_light(rng: random.Random) -> Scenario:
    groups = [
        Group("victim", [Load(50, _around(rng, 700), threads=4, jitter_percent=40)]),
        Group("hog_a", [Load(5000)], shares=rng.choice([512, 1024, 2048])),
        Group("hog_b", [Load(5000)]),
    ]
    return Scenario("unpinned_light", groups)


def unpinned_bursty(rng: random.Random) -> Scenario:
    def bursts(run_us: int, sleep_us: int) -> list[Load]:
        threads = rng.choice([1, 2, 3])
        return [Load(_around(rng, run_us), _around(rng, sleep_us), threads, 60)]

    groups = [
        Group("victim", bursts(2000, 3000)),
        Group("short", bursts(400, 1500)),
        Group("long", bursts(8000, 9000)),
        Group("tick", bursts(40, 300)),
    ]
    return Scenario("unpinned_bursty", groups)


def own_quota(rng: random.Random) -> Scenario:
    groups = [
        Group("victim", [Load(2000, cpu=0)], quota_us=rng.choice([15_000, 20_000, 30_000])),
        Group("hog", [Load(5000, cpu=0)]),
        Group("burst", [Load(_around(rng, 3000), _around(rng, 6000), 1, 40, cpu=0)]),
        Group("far", [Load(5000, cpu=1)]),
    ]
    return Scenario("own_quota", groups, [("far", "victim"), ("far", "hog")])


def own_quota_threads(rng: random.Random) -> Scenario:
    quota = rng.choice([30_000, 40_000, 60_000])
    groups = [
        Group("victim", [Load(_around(rng, 3000), threads=4)], quota_us=quota),
        Group("hog", [Load(5000, threads=2)]),
    ]
    return Scenario("own_quota_threads", groups)


def parent_quota(rng: random.Random) -> Scenario:
    quota = rng.choice([20_000, 30_000, 50_000])
    groups = [
        Group("pod", quota_us=quota, is_container=False),
        Group("victim", [Load(_around(rng, 2000), 500, threads=2, cpu=0)], parent="pod"),
        Group("sidecar", [Load(_around(rng, 300), 2000, jitter_percent=40)], parent="pod"),
        Group("hog", [Load(5000, cpu=0)]),
    ]
    return Scenario("parent_quota", groups)


def threads_64(rng: random.Random) -> Scenario:
    victim = Load(_around(rng, 300), _around(rng, 4000), threads=64, jitter_percent=50)
    groups = [
        Group("victim", [victim]),
        Group("hog", [Load(5000)]),
        Group("burst", [Load(_around(rng, 6000), _around(rng, 9000), 1, 40)]),
        Group("tick", [Load(40, _around(rng, 250), 2, 30)]),
    ]
    return Scenario("threads_64", groups, warm_seconds=3)


def overload_16(rng: random.Random) -> Scenario:
    def load() -> Load:
        # Some work for ever, some a little at a time: both wait for seconds.
        sleep_us = rng.choice([0, 0, 1000, 20_000])
        return Load(_around(rng, 3000), sleep_us, threads=40, jitter_percent=50)

    groups = [
        Group(f"group_{i:02}", [load()], shares=rng.choice([512, 1024, 2048])) for i in range(16)
    ]
    return Scenario("overload_16", groups, is_overload=True, warm_seconds=8)


MAKERS: dict[str, Callable[[random.Random], Scenario]] = {
    maker.__name__: maker
    for maker in (
        pinned_latency,
        pinned_cpu_bound,
        pinned_threads,
        unpinned_light,
        unpinned_bursty,
        own_quota,
        own_quota_threads,
        parent_quota,
        threads_64,
        overload_16,
    )
}
# What must hold on every kernel, even emulated.
CORE = ("pinned_latency", "pinned_cpu_bound", "own_quota", "parent_quota", "unpinned_bursty")


def make(name: str, seed: int) -> Scenario:
    return MAKERS[name](random.Random(f"{name}/{seed}"))


def _path(scenario: Scenario, group: Group, base: str) -> str:
    step = group.name
    if group.is_container:
        step = hashlib.sha256(f"{base}/{group.name}".encode()).hexdigest()
    parents = {other.name: other for other in scenario.groups}
    above = _path(scenario, parents[group.parent], base) if group.parent else base
    return f"{above}/{step}"


def render(
    scenario: Scenario, seed: int, *, base: str, loader: str, agent: Sequence[str], seconds: int
) -> str:
    """The plan as text; `base` is the cgroup above all of them."""
    lines = [
        f"# {scenario.name}, seed {seed}",
        f"warm_ms {scenario.warm_seconds * 1000}",
        # Whole windows must fit in, wherever they begin.
        f"judge_ms {seconds * 1000 + 1300}",
        f"loader {loader}",
        f"group (all) {base} shares={_ALL_SHARES}",
    ]
    if agent:
        lines.append(f"agent {' '.join(agent)}")
    for group in scenario.groups:
        limits = f" shares={group.shares}"
        if group.quota_us:
            limits += f" quota_us={group.quota_us}"
        lines.append(f"group {group.name} {_path(scenario, group, base)}{limits}")
    for i, group in enumerate(scenario.groups):
        lines += [f"load {group.name} {load.arguments(seed + i)}" for load in group.loads]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes one plan to standard output.")
    parser.add_argument("name", choices=sorted(MAKERS))
    parser.add_argument("seed", type=int)
    parser.add_argument("--loader", required=True)
    parser.add_argument("--agent", default="", help="command; without it nothing is judged")
    parser.add_argument("--base", default="nwtruth")
    parser.add_argument("--seconds", type=int, default=4)
    chosen = parser.parse_args(arguments)
    scenario = make(chosen.name, chosen.seed)
    sys.stdout.write(
        render(
            scenario,
            chosen.seed,
            base=chosen.base,
            loader=chosen.loader,
            agent=chosen.agent.split(),
            seconds=chosen.seconds,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
