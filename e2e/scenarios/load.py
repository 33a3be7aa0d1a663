"""Builds the workload programs, and starts load.c."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cgroups import Container

_SOURCES = Path(__file__).parent
_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion"]


class LoadError(RuntimeError):
    """The workload cannot be built or did not end well; the message says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What each thread does. Without a sleep it is CPU-bound."""

    run_us: int
    sleep_us: int = 0
    threads: int = 1
    jitter_percent: int = 0
    cpu: int | None = None  # the only one it may run on

    def arguments(self) -> list[str]:
        arguments = [f"--run-us={self.run_us}", f"--sleep-us={self.sleep_us}"]
        arguments += [f"--threads={self.threads}", f"--jitter={self.jitter_percent}"]
        return arguments if self.cpu is None else [*arguments, f"--cpus={self.cpu}"]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of all threads together: wakeups as the program counted, the rest as the kernel did."""

    elapsed_ns: int
    wakeups: int
    ran_ns: int
    wait_ns: int
    timeslices: int


def build(name: str = "load") -> Path:
    source = _SOURCES / f"{name}.c"
    program = _SOURCES / ".output" / name
    if program.exists() and program.stat().st_mtime >= source.stat().st_mtime:
        return program
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise LoadError("gcc is missing: apt-get install gcc libc6-dev")
    program.parent.mkdir(exist_ok=True)
    # Renamed into place: another run may be building or starting it just now.
    fresh = program.with_name(f"{name}.{os.getpid()}")
    command = [compiler, *_FLAGS, "-Werror", "-pthread", str(source), "-o", str(fresh)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        raise LoadError(f"cannot build {source.name}:\n{built.stderr.strip()}")
    fresh.rename(program)
    return program


def start(container: Container, pattern: Pattern, *, seconds: int) -> subprocess.Popen[str]:
    bound = [
        f"--seconds={seconds}",
        f"--parent={os.getpid()}",
        f"--name={container.names.container}",
    ]
    return container.start([str(build()), *bound, *pattern.arguments()], cpu=pattern.cpu)


def stop(process: subprocess.Popen[str]) -> Figures:
    """Ends it (if it has not ended by itself) and returns what it did."""
    process.terminate()
    output, _ = process.communicate(timeout=15)
    if process.returncode != 0:
        raise LoadError(f"a workload ended with {process.returncode}")
    figures: dict[str, Any] = json.loads(output)
    return Figures(**{name: figures[name] for name in Figures.__slots__})
