"""What one context switch costs: ours and in parts, an empty program, and two other designs.

Rounds are interleaved and shuffled, because the machine is never quiet: all tools see the same
minutes of the same load. Cost is the kernel's own run time of every BPF program that the tool
holds, divided by the context switches of the same seconds (/proc/stat).
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import time
from collections.abc import Sequence

import bench
from bench import BenchError, Row

LOADS = ("switch", "crowd")
# The limits of the comparisons.
PEERS = {"runqlat": 0.40, "event_stream": 0.35}
# What each level of the collector leaves out beyond the one before it (its optional_parts).
LEVEL_PARTS = ("events", "exact_blame", "migration", "blame")
ROUNDS = 7
SETTLE_SECONDS = 0.3  # first touch of maps and code
MEASURE_SECONDS = 1.0
MIN_SWITCHES = 1000

Costs = dict[str, list[float]]


def _command_of(tool: str) -> list[str]:
    if tool == "runqlat":
        path = shutil.which("runqlat", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if path is None:
            raise BenchError("runqlat is missing: apt-get install libbpf-tools")
        return [path, "600", "1"]
    return [str(bench.OUT / "attach"), *tool.split("-")]  # sched-2: at level 2


def _programs_run_ns(pid: int) -> int:
    by_id = {
        fields["prog_id"]: int(fields["run_time_ns"])
        for fields in bench.fdinfo(pid)
        if "run_time_ns" in fields
    }
    return sum(by_id.values())


def _wait_for_programs(pid: int, deadline: float) -> None:
    while _programs_run_ns(pid) == 0:
        if time.monotonic() > deadline:
            raise BenchError(f"process {pid} attached nothing within 10 s")
        time.sleep(0.02)


def _ns_per_switch(tool: str) -> float:
    with bench.running(_command_of(tool), says_ready=tool != "runqlat") as process:
        _wait_for_programs(process.pid, time.monotonic() + 10)
        time.sleep(SETTLE_SECONDS)
        run_ns, switches = _programs_run_ns(process.pid), bench.context_switches()
        time.sleep(MEASURE_SECONDS)
        run_ns = _programs_run_ns(process.pid) - run_ns
        switches = bench.context_switches() - switches
    if switches < MIN_SWITCHES:
        raise BenchError(f"only {switches} context switches")
    return run_ns / switches


def _rounds(load: str, tools: Sequence[str]) -> Costs:
    costs: Costs = {tool: [] for tool in tools}
    with bench.load(load):
        for i in range(ROUNDS):
            for tool in random.sample(tools, len(tools)):
                bench.progress(f"{load}: round {i + 1} of {ROUNDS}, {tool:<14}")
                costs[tool].append(_ns_per_switch(tool))
    bench.progress("")
    return costs


def _print_table(load: str, costs: Costs) -> None:
    print(f"\nBPF ns per context switch, load {load}, {ROUNDS} rounds")
    print(f"  {'program':<14} {'median':>8} {'quartiles':>17} {'min-max':>17} {'x runqlat':>10}")
    runqlat = statistics.median(costs["runqlat"])
    for tool, values in costs.items():
        quartiles = statistics.quantiles(values, n=4)
        median = statistics.median(values)
        print(
            f"  {tool:<14} {median:8.1f} {quartiles[0]:8.1f}-{quartiles[2]:<8.1f} "
            f"{min(values):8.1f}-{max(values):<8.1f} {median / runqlat:10.3f}"
        )


def _against(load: str, peer: str, costs: Costs) -> Row:
    ours, theirs = costs["sched"], costs[peer]
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    value = statistics.median(ours) / statistics.median(theirs)
    identity = f"cost.vs_{peer}.{load}"
    return Row(identity, round(value, 4), "ratio", PEERS[peer], round(bench.spread_of(ratios), 4),
               len(ours))  # fmt: skip


def _ns_row(identity: str, values: Sequence[float]) -> Row:
    spread = bench.spread_of(values)
    return Row(identity, round(statistics.median(values), 1), "ns", None, round(spread, 1),
               len(values))  # fmt: skip


def _part_rows(load: str, costs: Costs, levels: Sequence[str]) -> list[Row]:
    """A part costs what the level without it saves; the floor is the empty program."""
    rows = [_ns_row(f"cost.ns.{load}.{tool}", costs[tool]) for tool in ("empty", "sched")]
    for part, with_it, without in zip(LEVEL_PARTS, levels, levels[1:], strict=False):
        saved = [a - b for a, b in zip(costs[with_it], costs[without], strict=True)]
        rows.append(_ns_row(f"cost.part.{load}.{part}", saved))
    rest = [a - b for a, b in zip(costs[levels[-1]], costs["empty"], strict=True)]
    rows.append(_ns_row(f"cost.part.{load}.wait_histogram_throttle", rest))
    return rows


def _levels() -> list[str]:
    """sched, sched-1, ... as many as the collector has."""
    found = ["sched"]
    for level in range(1, len(LEVEL_PARTS) + 1):
        try:
            with bench.running(_command_of(f"sched-{level}")):
                found.append(f"sched-{level}")
        except BenchError:
            break
    return found


def ids() -> list[str]:
    return [
        *(f"cost.vs_{peer}.{load}" for peer in PEERS for load in LOADS),
        *(f"cost.part.{load}" for load in LOADS),
    ]


def run(prefix: str) -> list[Row]:
    rows: list[Row] = []
    loads = [name for name in LOADS if any(f"cost.vs_{p}.{name}".startswith(prefix) for p in PEERS)]
    with bench.running([str(bench.OUT / "attach"), "stats"]):
        levels = _levels()
        for name in loads:
            costs = _rounds(name, ["empty", *levels, *PEERS])
            _print_table(name, costs)
            rows += [_against(name, peer, costs) for peer in PEERS]
            rows += _part_rows(name, costs, levels)
    return rows
