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
    warm_rss_bytes: int
    rss_bytes: int
    seconds: float


def run_churn(cgroups: Cgroups, output: Path) -> Run:
    background = cgroups.create("background", image="test/background:1")
    pattern = Pattern(run_us=3000, sleep_us=3000, threads=2)
    process = load.start(background, pattern, seconds=BOUND_SECONDS)
    ended: list[Ended] = []
    warm_rss_bytes = 0
    with agent(cgroups, output) as pid:
        started = time.monotonic()
        with churn(cgroups, count=COUNT, at_once=AT_ONCE) as ending:
            for container in ending:
                ended.append(container)
                if len(ended) == WARM_COUNT:
                    warm_rss_bytes = rss_bytes(pid)
        seconds = time.monotonic() - started
        time.sleep(2 * WINDOW_SECONDS)  # the last ones are in a window, too
        end_rss_bytes = rss_bytes(pid)
    load.stop(process)
    windows = [json.loads(line) for line in output.read_text().splitlines()]
    return Run(ended, windows, warm_rss_bytes, end_rss_bytes, seconds)


def ran_by_name(windows: list[dict[str, Any]]) -> dict[str, int]:
    """Rows that nobody has named are under their container_id."""
    ran_ns: dict[str, int] = defaultdict(int)
    for window in windows:
        for row in window["cgroups"]:
            ran_ns[row["name"]] += row.get("sched", {}).get("ran_ns", 0)
    return ran_ns


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
    ran_ns = ran_by_name(run.windows)
    expected_ns = sum(container.ran_ns for container in run.ended)
    counted_ns = sum(ran for name, ran in ran_ns.items() if name.startswith("churn-"))
    unnamed = [container for container in run.ended if container.name not in ran_ns]
    long_ones = [container for container in run.ended if container.ran_ns > LONG_RUN_NS]
    lived = sorted(container.lived_ns for container in run.ended)
    cost_ns = sum(w["cost"]["user_ns"] + w["cost"]["system_ns"] for w in run.windows)
    print(
        f"\n{len(run.ended)} cgroups in {run.seconds:.0f} s, "
        f"lived {lived[0] / 1e6:.1f} to {lived[-1] / 1e6:.0f} ms "
        f"(median {lived[len(lived) // 2] / 1e6:.0f}): "
        f"{len(unnamed)} without a name, "
        f"{sum(c.ran_ns > LONG_RUN_NS for c in unnamed)} of {len(long_ones)} that ran > 50 ms\n"
        f"ran {counted_ns / 1e9:.3f} s in their rows, {expected_ns / 1e9:.3f} s by the kernel "
        f"({counted_ns / expected_ns - 1:+.3%})\n"
        f"RSS {run.warm_rss_bytes / 2**20:.2f} MiB after {WARM_COUNT}, "
        f"{run.rss_bytes / 2**20:.2f} MiB after {COUNT}; "
        f"agent {cost_ns / 1e9 / run.seconds:.2%} of a core\n"
        f"sched {states_of(run.windows, 'sched')}, lifecycle {states_of(run.windows, 'lifecycle')}"
    )

    assert len(run.ended) == COUNT
    assert [c.name for c in unnamed if c.ran_ns > LONG_RUN_NS] == []
    assert len(unnamed) == 0, "the table has room for the dead of some windows"
    assert counted_ns == pytest.approx(expected_ns, rel=RAN_ERROR_RATIO)
    for container in long_ones:
        assert ran_ns[container.name] == pytest.approx(container.ran_ns, rel=0.05)
    assert run.rss_bytes - run.warm_rss_bytes < RSS_GROWTH_BYTES
    assert states_of(run.windows, "lifecycle") == {"ok"}
    assert not any("more than" in state for state in states_of(run.windows, "sched"))
