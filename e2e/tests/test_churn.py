"""Cgroups that live for milliseconds, by the thousand: all named, all counted, memory flat."""

import json
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import load
import pytest
from cgroups import Cgroups
from churn import Ended, churn
from load import Pattern

from host import NWAGENT, require_kernel

COUNT = int(os.environ.get("NW_CHURN_CGROUPS", "1500"))
WARM_COUNT = max(COUNT // 5, min(COUNT // 2, 600))
AT_ONCE = 6
WINDOW_SECONDS = 2
LONG_RUN_NS = 50_000_000
RAN_ERROR_RATIO = 0.01
RSS_GROWTH_BYTES = 1024 * 1024
# Memory follows the largest window so far, which other cgroups of a busy host make larger.
ROW_BYTES = 6 * 1024
PAIR_BYTES = 256
# The background ends by itself should the test be killed.
BOUND_SECONDS = 3600


@pytest.fixture
def cgroups(tmp_path: Path) -> Iterator[Cgroups]:
    require_kernel()
    load.build()
    with Cgroups(tmp_path / "bundles") as made:
        yield made


@contextmanager
def agent(cgroups: Cgroups, output: Path) -> Iterator[int]:
    """Prints windows into a file, so that it never waits for us; gives its pid."""
    command = [str(NWAGENT), "--stdout", "--window", f"{WINDOW_SECONDS}s", "--log-level", "warning"]
    command += ["--oci-state-dir", str(cgroups.oci_state_dir)]
    with output.open("w") as stream, subprocess.Popen(command, stdout=stream) as process:
        deadline = time.monotonic() + 5 * WINDOW_SECONDS
        while output.stat().st_size == 0:
            assert time.monotonic() < deadline, "the agent prints windows"
            time.sleep(0.1)
        try:
            yield process.pid
        finally:
            process.terminate()


def rss_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@dataclass(frozen=True, slots=True)
class Run:
    ended: list[Ended]
    windows: list[dict[str, Any]]
    warm_at_ns: int
    warm_rss_bytes: int
    rss_bytes: int
    seconds: float


def run_churn(cgroups: Cgroups, output: Path) -> Run:
    background = cgroups.create("background", image="test/background:1")
    pattern = Pattern(run_us=3000, sleep_us=3000, threads=2)
    process = load.start(background, pattern, seconds=BOUND_SECONDS)
    ended: list[Ended] = []
    warm_at_ns = warm_rss_bytes = 0
    with agent(cgroups, output) as pid:
        started = time.monotonic()
        with churn(cgroups, count=COUNT, at_once=AT_ONCE) as ending:
            for container in ending:
                ended.append(container)
                if len(ended) == WARM_COUNT:
                    warm_at_ns = time.time_ns()
                    warm_rss_bytes = rss_bytes(pid)
        seconds = time.monotonic() - started
        time.sleep(2 * WINDOW_SECONDS)  # the last ones are in a window, too
        end_rss_bytes = rss_bytes(pid)
    load.stop(process)
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    windows = [line for line in lines if "cgroups" in line]
    return Run(ended, windows, warm_at_ns, warm_rss_bytes, end_rss_bytes, seconds)


def largest_bytes(windows: list[dict[str, Any]]) -> int:
    rows = max(len(window["cgroups"]) for window in windows)
    pairs = max(len(window["blame"]) for window in windows)
    return rows * ROW_BYTES + pairs * PAIR_BYTES


def allowed_growth_bytes(run: Run) -> int:
    earlier = [w for w in run.windows if w["started_at_unix_ns"] < run.warm_at_ns]
    return RSS_GROWTH_BYTES + largest_bytes(run.windows) - largest_bytes(earlier)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the rows of one container say, over all windows."""

    names: frozenset[str]
    ran_ns: int


def seen_by_runtime_id(windows: list[dict[str, Any]]) -> dict[str, Seen]:
    names: dict[str, set[str]] = defaultdict(set)
    ran_ns: dict[str, int] = defaultdict(int)
    for window in windows:
        for row in window["cgroups"]:
            if row.get("image") not in ("", "test/churn:1"):
                continue  # a system cgroup, or somebody else's container
            names[row["runtime_id"]].add(row["name"])
            ran_ns[row["runtime_id"]] += row.get("sched", {}).get("ran_ns", 0)
    return {key: Seen(frozenset(names[key]), ran_ns[key]) for key in names}


def states_of(windows: list[dict[str, Any]], name: str) -> set[str]:
    return {
        f"{collector['state']}: {collector['reason']}".strip(": ")
        for window in windows
        for collector in window["collectors"]
        if collector["name"] == name
    }


def test_short_lived_cgroups_are_named_and_counted_in_flat_memory(
    cgroups: Cgroups, tmp_path: Path
) -> None:
    run = run_churn(cgroups, tmp_path / "windows.jsonl")
    seen = seen_by_runtime_id(run.windows)
    expected_ns = sum(container.ran_ns for container in run.ended)
    counted_ns = sum(seen[c.runtime_id].ran_ns for c in run.ended if c.runtime_id in seen)
    unknown = [c for c in run.ended if c.runtime_id not in seen]
    # Its bundle was gone before the agent, which waited for a CPU itself, could read it.
    by_id_only = [
        c for c in run.ended if c not in unknown and c.name not in seen[c.runtime_id].names
    ]
    long_ones = [container for container in run.ended if container.ran_ns > LONG_RUN_NS]
    lived = sorted(container.lived_ns for container in run.ended)
    cost_ns = sum(w["cost"]["user_ns"] + w["cost"]["system_ns"] for w in run.windows)
    print(
        f"\n{len(run.ended)} cgroups in {run.seconds:.0f} s, "
        f"lived {lived[0] / 1e6:.1f} to {lived[-1] / 1e6:.0f} ms "
        f"(median {lived[len(lived) // 2] / 1e6:.0f}): "
        f"{len(unknown)} unknown, {len(by_id_only)} by id only; of {len(long_ones)} that ran "
        f"> 50 ms: {len({*unknown} & {*long_ones})} and {len({*by_id_only} & {*long_ones})}\n"
        f"ran {counted_ns / 1e9:.3f} s in their rows, {expected_ns / 1e9:.3f} s by the kernel "
        f"({counted_ns / expected_ns - 1:+.3%})\n"
        f"RSS {run.warm_rss_bytes / 2**20:.2f} MiB after {WARM_COUNT}, "
        f"{run.rss_bytes / 2**20:.2f} MiB after {COUNT}; "
        f"agent {cost_ns / 1e9 / run.seconds:.2%} of a core\n"
        f"sched {states_of(run.windows, 'sched')}, lifecycle {states_of(run.windows, 'lifecycle')}"
    )

    assert len(run.ended) == COUNT
    assert [c.name for c in unknown if c.ran_ns > LONG_RUN_NS] == []
    assert len(unknown) == 0, "the table has room for the dead of some windows"
    assert len(by_id_only) < 0.25 * COUNT
    assert counted_ns == pytest.approx(expected_ns, rel=RAN_ERROR_RATIO)
    for container in long_ones:
        assert seen[container.runtime_id].ran_ns == pytest.approx(container.ran_ns, rel=0.05)
    assert run.rss_bytes - run.warm_rss_bytes < allowed_growth_bytes(run)
    assert states_of(run.windows, "lifecycle") == {"ok"}
    assert not any("more than" in state for state in states_of(run.windows, "sched"))
