"""What the benchmarks share: processes held while something is measured, and their results."""

from __future__ import annotations

import contextlib
import json
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

AGENT = Path(__file__).resolve().parent.parent
ROOT = AGENT.parent
NWAGENT = AGENT / "build" / "nwagent"
RESULTS = ROOT / ".data" / "bench" / "latest.json"
OUT = AGENT / ".output" / "bench"

LOAD_LIMIT_SECONDS = 600


class BenchError(Exception):
    """Ends the run with one line."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of latest.json. A figure without a limit is shown and judged by nobody."""

    id: str
    value: float
    unit: str
    limit: float | None
    spread: float
    runs: int
    direction: Literal["at_most", "at_least"] = "at_most"

    @property
    def is_pass(self) -> bool:
        if self.limit is None:
            return True
        return self.value <= self.limit if self.direction == "at_most" else self.value >= self.limit

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "pass": self.is_pass}


def spread_of(values: Sequence[float]) -> float:
    """The distance of the quartiles."""
    if len(values) < 2:
        return 0.0
    quartiles = statistics.quantiles(values, n=4)
    return quartiles[2] - quartiles[0]


@contextlib.contextmanager
def running(command: Sequence[str], *, says_ready: bool = True) -> Iterator[subprocess.Popen[str]]:
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


@contextlib.contextmanager
def load(name: str) -> Iterator[subprocess.Popen[str]]:
    with running([str(OUT / "load"), name, str(LOAD_LIMIT_SECONDS)]) as process:
        yield process


# Nobody listens there: everything but the sending itself is as in daily use.
_NO_BACKEND = "http://127.0.0.1:9"


@contextlib.contextmanager
def agent() -> Iterator[subprocess.Popen[str]]:
    """The whole agent, as installed; its windows go to a spool that is thrown away."""
    command = [str(NWAGENT), "--server", _NO_BACKEND]
    with tempfile.TemporaryDirectory() as state:
        process = subprocess.Popen(
            [*command, "--state-dir", state],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # it says again and again that nobody listens
        )
        try:
            yield process
            if process.poll() is not None:
                raise BenchError("the agent ended: run build/nwagent check")
        finally:
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def fdinfo(pid: int) -> Iterator[dict[str, str]]:
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            yield dict(
                line.split(":\t", 1) for line in info.read_text().splitlines() if ":\t" in line
            )


def progress(text: str) -> None:
    """One line that is written over; nothing where nobody looks."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<60}\r")
        sys.stderr.flush()


def context_switches() -> int:
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith("ctxt "):
            return int(line.split()[1])
    raise BenchError("/proc/stat has no ctxt line")


def save(rows: Sequence[Row]) -> None:
    kept: list[dict[str, object]] = []
    if RESULTS.exists():
        ids = {row.id for row in rows}
        kept = [row for row in json.loads(RESULTS.read_text()) if row["id"] not in ids]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    fresh = RESULTS.with_suffix(".new")
    every = kept + [row.as_json() for row in rows]
    fresh.write_text(json.dumps(sorted(every, key=lambda row: str(row["id"])), indent=2) + "\n")
    fresh.replace(RESULTS)
