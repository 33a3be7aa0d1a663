"""The agent's figures next to what the kernel counts for the process: /proc/<pid>/schedstat."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import load
import pytest
from cgroups import Cgroups
from load import Pattern

from host import NWAGENT, require_kernel

WINDOW_SECONDS = 2
WINDOWS = 3
ERROR_RATIO = 0.03
# The workloads end by themselves should the test be killed.
BOUND_SECONDS = 60
CPU_BOUND = Pattern(run_us=5000, cpu=0)


@dataclass(frozen=True, slots=True)
class SchedStat:
    ran_ns: int
    wait_ns: int
    timeslices: int


def schedstat_of(pid: int) -> SchedStat:
    """Of all threads: the process's own file is its main thread's, which waits for the rest."""
    ran_ns = wait_ns = timeslices = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        ran, wait, slices = file.read_text().split()
        ran_ns += int(ran)
        wait_ns += int(wait)
        timeslices += int(slices)
    return SchedStat(ran_ns, wait_ns, timeslices)


@pytest.fixture
def cgroups(tmp_path: Path) -> Iterator[Cgroups]:
    require_kernel()
    load.build()
    with Cgroups(tmp_path / "bundles") as made:
        yield made


@contextmanager
def printing_agent(cgroups: Cgroups) -> Iterator[Callable[[], dict[str, Any]]]:
    """The agent without a backend; gives what returns the next window, at the window's end."""
    command = [str(NWAGENT), "--stdout", "--window", f"{WINDOW_SECONDS}s", "--log-level", "error"]
    command += ["--oci-state-dir", str(cgroups.oci_state_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        printed = map(json.loads, iter(agent.stdout.readline, ""))
        windows = (line for line in printed if "cgroups" in line)  # others are events
        try:
            yield lambda: next(windows)
        finally:
            agent.terminate()


def rows_of(name: str, windows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = [row for window in windows for row in window["cgroups"] if row["name"] == name]
    assert len(rows) == len(windows)
    assert {row["kind"] for row in rows} == {"container"}
    assert {row["image"] for row in rows} == {f"test/{name}:1"}
    return rows


def test_total_wait_of_a_pinned_victim_beside_a_hog_agrees_with_schedstat(cgroups: Cgroups) -> None:
    victim = cgroups.create("victim", image="test/victim:1")
    hog = cgroups.create("hog", image="test/hog:1")
    victim_process = load.start(victim, CPU_BOUND, seconds=BOUND_SECONDS)
    hog_process = load.start(hog, CPU_BOUND, seconds=BOUND_SECONDS)
    with printing_agent(cgroups) as next_window:
        next_window()  # from its end on
        before = schedstat_of(victim_process.pid)
        windows = [next_window() for _ in range(WINDOWS)]
        after = schedstat_of(victim_process.pid)
    load.stop(victim_process)
    load.stop(hog_process)

    rows = rows_of("victim", windows)
    expected_ns = after.wait_ns - before.wait_ns
    assert expected_ns > 0.2 * WINDOWS * WINDOW_SECONDS * 1e9, "the hog makes it wait"
    waited_ns = sum(row["sched"]["wait_ns"] for row in rows)
    assert waited_ns == pytest.approx(expected_ns, rel=ERROR_RATIO)
    ran_ns = sum(row["sched"]["ran_ns"] for row in rows)
    assert ran_ns == pytest.approx(after.ran_ns - before.ran_ns, rel=ERROR_RATIO)
    print(f"wait {waited_ns / expected_ns - 1:+.3%} of {expected_ns / 1e9:.2f} s by schedstat")


def test_every_wakeup_is_a_wait_in_the_histogram(cgroups: Cgroups) -> None:
    sleeper = cgroups.create("sleeper", image="test/sleeper:1")
    pattern = Pattern(run_us=200, sleep_us=1800, cpu=0)
    process = load.start(sleeper, pattern, seconds=BOUND_SECONDS)
    with printing_agent(cgroups) as next_window:
        next_window()
        before = schedstat_of(process.pid)
        windows = [next_window() for _ in range(WINDOWS)]
        after = schedstat_of(process.pid)
    load.stop(process)

    rows = rows_of("sleeper", windows)
    for row in rows:
        assert sum(row["sched"]["runq_count"]) == row["sched"]["wait_count"]
    waits = sum(row["sched"]["wait_count"] for row in rows)
    assert waits == pytest.approx(after.timeslices - before.timeslices, rel=ERROR_RATIO)
