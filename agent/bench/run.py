#!/usr/bin/env python3
"""What one context switch costs: ours, an empty program and runqlat, side by side.

    bench/run.py [PREFIX]      runs the benchmarks whose id begins with PREFIX

Rounds are interleaved and shuffled, because the machine is never quiet: all tools see the
same minutes of the same load. Cost is the kernel's own run time of every BPF program that
the tool holds, divided by the context switches of the same seconds (/proc/stat).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

AGENT = Path(__file__).resolve().parent.parent
RESULTS = AGENT.parent / ".data" / "bench" / "latest.json"
OUT = AGENT / ".output" / "bench"

LOADS = ("switch", "crowd")
TOOLS = ("empty", "sched", "runqlat")
ROUNDS = 9
SETTLE_SECONDS = 0.3  # first touch of maps and code
MEASURE_SECONDS = 1.2
LOAD_LIMIT_SECONDS = 300
RATIO_LIMIT = 0.45


class BenchError(Exception):
    """Ends the run with one line."""


@dataclass(frozen=True, slots=True)
class Reading:
    run_ns: int
    switches: int


def context_switches() -> int:
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith("ctxt "):
            return int(line.split()[1])
    raise BenchError("/proc/stat has no ctxt line")


def programs_run_ns(pid: int) -> dict[int, int]:
    """Run time by program id, from the descriptors of the process that holds them."""
    run_ns: dict[int, int] = {}
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            fields = dict(
                line.split(":\t", 1) for line in info.read_text().splitlines() if ":\t" in line
            )
            if "run_time_ns" in fields:
                run_ns[int(fields["prog_id"])] = int(fields["run_time_ns"])
    return run_ns


@contextlib.contextmanager
def running(command: list[str], *, says_ready: bool = True) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=AGENT
    )
    try:
        if says_ready:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise BenchError(f"{' '.join(command)} did not start")
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.send_signal(signal.SIGINT if not says_ready else signal.SIGTERM)
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def command_of(tool: str) -> list[str]:
    if tool == "runqlat":
        path = shutil.which("runqlat", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if path is None:
            raise BenchError("runqlat is missing: apt-get install libbpf-tools")
        return [path, "600", "1"]
    return [str(OUT / "attach"), tool]


def wait_for_programs(pid: int, deadline: float) -> None:
    while len(programs_run_ns(pid)) == 0 or sum(programs_run_ns(pid).values()) == 0:
        if time.monotonic() > deadline:
            raise BenchError(f"process {pid} attached nothing within 10 s")
        time.sleep(0.02)


def measure(tool: str) -> Reading:
    with running(command_of(tool), says_ready=tool != "runqlat") as process:
        wait_for_programs(process.pid, time.monotonic() + 10)
        time.sleep(SETTLE_SECONDS)
        run_ns = sum(programs_run_ns(process.pid).values())
        switches = context_switches()
        time.sleep(MEASURE_SECONDS)
        run_ns = sum(programs_run_ns(process.pid).values()) - run_ns
        return Reading(run_ns, context_switches() - switches)


def rounds_of(load: str) -> dict[str, list[float]]:
    cost_ns: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    with running([str(OUT / "load"), load, str(LOAD_LIMIT_SECONDS)]):
        for _ in range(ROUNDS):
            for tool in random.sample(TOOLS, len(TOOLS)):
                reading = measure(tool)
                if reading.switches < 1000:
                    raise BenchError(f"load {load}: only {reading.switches} context switches")
                cost_ns[tool].append(reading.run_ns / reading.switches)
    return cost_ns


def spread_of(values: list[float]) -> float:
    quartiles = statistics.quantiles(values, n=4)
    return quartiles[2] - quartiles[0]


def print_table(load: str, cost_ns: dict[str, list[float]]) -> None:
    runqlat = statistics.median(cost_ns["runqlat"])
    print(f"\nBPF ns per context switch, load {load}, {ROUNDS} rounds")
    print(f"  {'program':<10} {'median':>8} {'quartiles':>15} {'min-max':>15} {'x runqlat':>10}")
    for tool in TOOLS:
        values = cost_ns[tool]
        quartiles = statistics.quantiles(values, n=4)
        median = statistics.median(values)
        print(
            f"  {tool:<10} {median:8.1f} {quartiles[0]:7.1f}-{quartiles[2]:<7.1f} "
            f"{min(values):7.1f}-{max(values):<7.1f} {median / runqlat:10.3f}"
        )


def row_of(load: str, cost_ns: dict[str, list[float]]) -> dict[str, object]:
    ratios = [
        ours / theirs for ours, theirs in zip(cost_ns["sched"], cost_ns["runqlat"], strict=True)
    ]
    value = statistics.median(cost_ns["sched"]) / statistics.median(cost_ns["runqlat"])
    return {
        "id": f"cost.vs_runqlat.{load}",
        "value": round(value, 4),
        "unit": "ratio",
        "limit": RATIO_LIMIT,
        "direction": "at_most",
        "spread": round(spread_of(ratios), 4),
        "runs": ROUNDS,
        "pass": value <= RATIO_LIMIT,
    }


def save(rows: list[dict[str, object]]) -> None:
    kept: list[dict[str, object]] = []
    if RESULTS.exists():
        ids = {row["id"] for row in rows}
        kept = [row for row in json.loads(RESULTS.read_text()) if row["id"] not in ids]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    fresh = RESULTS.with_suffix(".new")
    fresh.write_text(
        json.dumps(sorted(kept + rows, key=lambda row: str(row["id"])), indent=2) + "\n"
    )
    fresh.replace(RESULTS)


def main(prefix: str) -> int:
    wanted = [load for load in LOADS if f"cost.vs_runqlat.{load}".startswith(prefix)]
    if not wanted:
        print(f"bench: no benchmark of the agent begins with {prefix!r}")
        return 0
    if os.geteuid() != 0:
        raise BenchError("needs root: it loads BPF programs and makes cgroups")
    rows = []
    with running([str(OUT / "attach"), "stats"]):
        for load in wanted:
            cost_ns = rounds_of(load)
            print_table(load, cost_ns)
            rows.append(row_of(load, cost_ns))
    save(rows)
    print()
    for row in rows:
        verdict = "pass" if row["pass"] else "FAIL"
        print(
            f"{row['id']:<26} {row['value']:.3f} (limit {row['limit']}, "
            f"spread {row['spread']:.3f}, {row['runs']} rounds) {verdict}"
        )
    return 0 if all(row["pass"] for row in rows) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
    except BenchError as error:
        sys.exit(f"bench: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
