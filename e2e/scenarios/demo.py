#!/usr/bin/env python3
"""Bounded real workloads in real cgroups, as company for `neighborwatch run` (see make demo).

Leaves no process and no cgroup behind, whichever way it ends.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import load
from cgroups import Cgroups
from hierarchy import CgroupError
from load import LoadError
from owner import die_with_parent
from workloads import HOG, Workload, workloads

DEFAULT_SECONDS = 1800
DEFAULT_HOG_AFTER_SECONDS = 20
# The workloads' own bound, should nobody be left to stop them.
GRACE_SECONDS = 10
STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def say(text: str) -> None:
    try:
        print(f"demo: {text}", flush=True)
    except BrokenPipeError:
        return  # nobody reads any more; what there is to clean up is cleaned up all the same


def positive(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"{value} is not between 1 and 86400")
    return value


def not_negative(text: str) -> int:
    return 0 if text == "0" else positive(text)


def parse() -> argparse.Namespace:
    names = [workload.name for workload in workloads()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=positive, default=DEFAULT_SECONDS, help="stop after this (%(default)s)"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"start this one only; may be repeated: {', '.join(names)}",
    )
    parser.add_argument(
        "--hog-after",
        type=not_negative,
        default=DEFAULT_HOG_AFTER_SECONDS,
        metavar="SECONDS",
        help=f"start {HOG} this late, so that its victim is seen without it (%(default)s)",
    )
    parser.add_argument(
        "--oci-state-dir",
        type=Path,
        required=True,
        metavar="DIR",
        help="where the containers' bundles are written; give the agent the same",
    )
    return parser.parse_args()


class Demo:
    def __init__(self, cgroups: Cgroups, ends_at: float) -> None:
        self.cgroups = cgroups
        self.ends_at = ends_at  # time.monotonic()
        self.running: dict[str, subprocess.Popen[str]] = {}

    def start(self, workload: Workload) -> None:
        container = self.cgroups.create(
            workload.name,
            image=workload.image,
            quota_us=workload.quota_us,
            shares=workload.shares,
        )
        seconds = max(1, round(self.ends_at - time.monotonic())) + GRACE_SECONDS
        self.running[workload.name] = load.start(container, workload.pattern, seconds=seconds)
        say(f"{workload.name}: {workload.what}. Expect: {workload.expect}.")

    def wait(self, until: float) -> bool:
        """True: the time has come; False: somebody wants us to stop."""
        while (left := until - time.monotonic()) > 0:
            got = signal.sigtimedwait(STOP_SIGNALS | {signal.SIGCHLD}, left)
            if got is not None and got.si_signo in STOP_SIGNALS:
                return False
            for name, process in self.running.items():
                if process.poll() is not None:
                    raise LoadError(f"{name} ended too early with {process.returncode}")
        return True

    def stop(self) -> None:
        for name, process in self.running.items():
            did = load.stop(process)
            say(
                f"{name}: ran {did.ran_ns / 1e9:.1f} s, waited {did.wait_ns / 1e9:.1f} s "
                f"in {did.elapsed_ns / 1e9:.0f} s (the kernel's own count)"
            )


def run(arguments: argparse.Namespace) -> None:
    chosen = [w for w in workloads() if not arguments.only or w.name in arguments.only]
    now = time.monotonic()
    ends_at = now + arguments.seconds
    load.build()
    with Cgroups(arguments.oci_state_dir.resolve()) as cgroups:
        demo = Demo(cgroups, ends_at)
        for workload in chosen:
            if workload.name != HOG:
                demo.start(workload)
        asked_to_stop = False
        for workload in chosen:
            if workload.name == HOG:
                if arguments.hog_after:
                    say(f"{HOG}: starts in {arguments.hog_after} s")
                asked_to_stop = not demo.wait(min(now + arguments.hog_after, ends_at))
                if not asked_to_stop and time.monotonic() < ends_at:
                    demo.start(workload)
        if not asked_to_stop:
            say(f"stops by itself in {round(ends_at - time.monotonic())} s")
            asked_to_stop = not demo.wait(ends_at)
        demo.stop()
    why = "asked to" if asked_to_stop else f"{arguments.seconds} s are over"
    say(f"stopped ({why}); no process and no cgroup is left")


def main() -> int:
    arguments = parse()
    # Waited for, not handled: no line of the clean-up can be interrupted by a second Ctrl-C.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS | {signal.SIGCHLD})
    die_with_parent(signal.SIGTERM, os.getppid())
    try:
        run(arguments)
    except (CgroupError, LoadError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(f"demo: permission denied: {error.filename}. Cgroups need root", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
