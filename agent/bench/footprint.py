"""What the whole agent costs the host: CPU of the loads, its own CPU, its memory."""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

import bench
from bench import BenchError, Row

SLOWDOWN_LIMIT = 1.10
USER_CPU_LIMIT = 0.003
RSS_LIMIT_MIB = 12
MAPS_LIMIT_MIB = 4

PAIRS = 12
SLOWDOWN_SECONDS = 1.0
ATTACH_SECONDS = 1.5
WINDOW_SECONDS = 10
USER_CPU_SECONDS = 3 * WINDOW_SECONDS
MIB = 1024 * 1024
TICKS_PER_SECOND = 100  # USER_HZ, the same on every Linux


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def _ran_and_slices(pids: list[int]) -> tuple[int, int]:
    ran = slices = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/schedstat").read_text().split()
        ran += int(fields[0])
        slices += int(fields[2])
    return ran, slices


def _cpu_ns_per_operation(pids: list[int]) -> float:
    """An operation is a turn on the CPU: one read and one write of the ball."""
    ran, slices = _ran_and_slices(pids)
    time.sleep(SLOWDOWN_SECONDS)
    ran_after, slices_after = _ran_and_slices(pids)
    if slices_after - slices < 1000:
        raise BenchError("the ping-pong load stands still")
    return (ran_after - ran) / (slices_after - slices)


def _with_agent(pids: list[int]) -> float:
    with bench.agent():
        time.sleep(ATTACH_SECONDS)
        return _cpu_ns_per_operation(pids)


def slowdown() -> Row:
    """CPU time, not wall time: whatever else runs here takes turns, but no CPU time of theirs."""
    ratios = []
    with bench.load("switch") as load:
        pids = _children(load.pid)
        for i in range(PAIRS):
            bench.progress(f"slowdown: pair {i + 1} of {PAIRS}")
            if random.random() < 0.5:
                off = _cpu_ns_per_operation(pids)
                on = _with_agent(pids)
            else:
                on = _with_agent(pids)
                time.sleep(0.2)
                off = _cpu_ns_per_operation(pids)
            ratios.append(on / off)
    bench.progress("")
    print(
        f"\nCPU per operation with the agent / without, ping-pong, {PAIRS} shuffled pairs: median "
        f"{statistics.median(ratios):.3f}, min-max {min(ratios):.3f}-{max(ratios):.3f}"
    )
    value = statistics.median(ratios)
    spread = bench.spread_of(ratios)
    return Row("cost.slowdown.switch", round(value, 4), "ratio", SLOWDOWN_LIMIT, round(spread, 4),
               PAIRS)  # fmt: skip


def _cpu_seconds(pid: int) -> tuple[float, float]:
    """User and system."""
    text = Path(f"/proc/{pid}/stat").read_text()
    fields = text[text.rindex(")") + 2 :].split()
    return int(fields[11]) / TICKS_PER_SECOND, int(fields[12]) / TICKS_PER_SECOND


def user_cpu() -> list[Row]:
    """Windows of 10 s, as by default, into the spool."""
    with bench.load("crowd"), bench.agent() as process:
        time.sleep(ATTACH_SECONDS + WINDOW_SECONDS)  # starting is not what is measured
        before, switches = _cpu_seconds(process.pid), bench.context_switches()
        for second in range(USER_CPU_SECONDS):
            bench.progress(f"user CPU: {second} of {USER_CPU_SECONDS} s")
            time.sleep(1)
        after, switches = _cpu_seconds(process.pid), bench.context_switches() - switches
    bench.progress("")
    user = (after[0] - before[0]) / USER_CPU_SECONDS
    system = (after[1] - before[1]) / USER_CPU_SECONDS
    print(
        f"\nagent, of one core: {user:.3%} user, {system:.3%} system at "
        f"{switches / USER_CPU_SECONDS:,.0f} switches/s in 16 cgroups"
    )
    return [
        Row("cost.user_cpu_ratio", round(user, 5), "ratio", USER_CPU_LIMIT, 0.0, 1),
        Row("cost.system_cpu_ratio", round(system, 5), "ratio", None, 0.0, 1),
    ]


def _rss_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise BenchError("no VmRSS")


def memory() -> list[Row]:
    with bench.load("cgroups"), bench.agent() as process:
        time.sleep(ATTACH_SECONDS + 2 * WINDOW_SECONDS)
        rss = _rss_mib(process.pid)
        maps = {
            fields["map_id"]: int(fields["memlock"])
            for fields in bench.fdinfo(process.pid)
            if "map_id" in fields
        }
    mib = sum(maps.values()) / MIB
    print(f"\nagent, 256 busy cgroups: {rss:.1f} MiB resident, {len(maps)} maps of {mib:.2f} MiB")
    return [
        Row("cost.rss_mib", round(rss, 2), "MiB", RSS_LIMIT_MIB, 0.0, 1),
        Row("cost.maps_mib", round(mib, 3), "MiB", MAPS_LIMIT_MIB, 0.0, 1),
    ]


def ids() -> list[str]:
    return ["cost.slowdown.switch", "cost.user_cpu_ratio", "cost.rss_mib", "cost.maps_mib"]


def run(prefix: str) -> list[Row]:
    wanted = [name for name in ids() if name.startswith(prefix)]
    rows: list[Row] = []
    if "cost.slowdown.switch" in wanted:
        rows.append(slowdown())
    if "cost.user_cpu_ratio" in wanted:
        rows += user_cpu()
    if {"cost.rss_mib", "cost.maps_mib"} & set(wanted):
        rows += memory()
    return rows
