"""One run: a scenario, the agent beside the tracer, and the judgement of both."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import compare
import plans

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NWAGENT = ROOT / "agent" / "build" / "nwagent"
NWTRUTH = HERE / ".output" / "nwtruth"
REPLAY = HERE / ".output" / "replay"
LOADER = HERE.parent / "scenarios" / ".output" / "load"
WINDOW_NS = 1_000_000_000
# What is judged is the exact ledger: reading ten times as often as daily use would be over the
# budget, and the agent would rightly begin to leave out detail.
AGENT_FLAGS = ("--stdout", "--window", "1s", "--budget", "0%", "--log-level", "warning")
# The longest scenario warms up for 8 s; starting and tidying up take a few more.
LONGEST_SECONDS = 240


class TrialError(RuntimeError):
    """A run did not come to a result; the message says why."""


@dataclass(frozen=True, slots=True)
class Trial:
    scenario: str
    seed: int
    discarded: str | None  # why
    result: compare.Result | None
    truth: dict[str, Any]


def build() -> None:
    made = subprocess.run(["make", "-C", str(HERE)], capture_output=True, text=True)
    if made.returncode != 0:
        raise TrialError(f"cannot build the referee:\n{made.stderr.strip()}")


@contextmanager
def alone(lock: Path | None) -> Iterator[None]:
    """Two measurements at a time would be each other's noise."""
    if lock is None:
        yield
        return
    with lock.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def windows_between(path: Path, from_ns: int, to_ns: int, count: int) -> list[dict[str, Any]]:
    """The first `count` whole windows in [from, to], which must be there and touch each other."""
    found = []
    for line in path.read_text().splitlines():
        window = json.loads(line)
        if "cgroups" not in window:
            continue  # an event
        start = window["started_at_unix_ns"]
        if start >= from_ns and start + WINDOW_NS <= to_ns:
            found.append(window)
    found = found[:count]
    starts = [window["started_at_unix_ns"] for window in found]
    if len(found) < count or starts[-1] - starts[0] != (count - 1) * WINDOW_NS:
        raise TrialError(f"{path}: {len(found)} of {count} windows were told in a row")
    return found


def _refuse_a_broken_collector(windows: list[dict[str, Any]]) -> None:
    for window in windows:
        for collector in window["collectors"]:
            if collector["name"] == "sched" and collector["state"] != "ok":
                raise TrialError(f"sched is {collector['state']}: {collector['reason']}")


def _run_plan(plan: Path, directory: Path) -> None:
    try:
        ran = subprocess.run(
            [str(NWTRUTH), str(plan), str(directory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise TrialError(f"nwtruth did not end within {LONGEST_SECONDS} s") from error
    if ran.returncode != 0:
        raise TrialError(ran.stderr.strip() or f"nwtruth ended with {ran.returncode}")


def replayed(directory: Path, *edges: int) -> dict[str, Any]:
    """Between two instants, or all that was judged."""
    command = [str(REPLAY), str(directory), *(str(edge) for edge in edges)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise TrialError(ran.stderr.strip())
    truth: dict[str, Any] = json.loads(ran.stdout)
    return truth


def _throttled_ns(path: Path) -> dict[str, int]:
    found = {}
    for line in path.read_text().splitlines():
        name, key, value = line.split()
        if key == "throttled_time":  # v1, ns
            found[name] = int(value)
        elif key == "throttled_usec":  # v2
            found[name] = int(value) * 1000
    return found


def _why_discarded(scenario: plans.Scenario, truth: dict[str, Any], directory: Path) -> str | None:
    why = compare.why_discarded(truth)
    single = scenario.single_throttled()
    if why is not None or not single:
        return why
    before = _throttled_ns(directory / "cpu_stat_before.txt")
    after = _throttled_ns(directory / "cpu_stat_after.txt")
    counted = {name: ns - before.get(name, 0) for name, ns in after.items()}
    return compare.why_throttling_is_off(replayed(directory), counted, single)


def judge(scenario: plans.Scenario, seed: int, directory: Path, *, seconds: int) -> Trial:
    """From the files of a run, wherever it ran."""
    paths = [line.split() for line in (directory / "groups.txt").read_text().splitlines()]
    edges = [int(word) for word in (directory / "edges.txt").read_text().split()]
    windows = windows_between(directory / "agent.jsonl", edges[2], edges[3], seconds)
    _refuse_a_broken_collector(windows)
    start = windows[0]["started_at_unix_ns"]
    truth = replayed(directory, start, start + seconds * WINDOW_NS)
    why = _why_discarded(scenario, truth, directory)
    if why is not None:
        return Trial(scenario.name, seed, why, None, truth)
    path_of = {name: path for name, _, path in paths}
    result = compare.judge(truth, windows, path_of, scenario.innocent)
    return Trial(scenario.name, seed, None, result, truth)


def run(name: str, seed: int, directory: Path, *, seconds: int, lock: Path | None = None) -> Trial:
    scenario = plans.make(name, seed)
    directory.mkdir(parents=True, exist_ok=True)
    plan = directory / "plan.txt"
    plan.write_text(
        plans.render(
            scenario,
            seed,
            base=f"nwtruth-{os.getpid()}-{seed}",
            loader=str(LOADER),
            agent=[str(NWAGENT), *AGENT_FLAGS],
            seconds=seconds,
        )
    )
    with alone(lock):
        _run_plan(plan, directory)
    return judge(scenario, seed, directory, seconds=seconds)
