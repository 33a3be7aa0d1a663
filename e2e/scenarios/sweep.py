"""Removes what a run has left behind.

`python sweep.py OWNER DIR` waits for the end of its owner (and of its standard input) first.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bundle import bundle_owner, remove_bundle
from hierarchy import CgroupError, Hierarchy, detect
from owner import is_alive

BASE = "neighborwatch-demo"
_RUNTIME_ID = re.compile(r"[0-9a-f]{64}")
_REMOVE_SECONDS = 5.0


def sweep(hierarchy: Hierarchy, oci_state_dir: Path) -> None:
    """Removes cgroups (and what runs in them) and bundles of runs that are no more."""
    for root in hierarchy.roots:
        for pod in _children(root / BASE):
            if not is_alive(pod.name.rpartition(".")[2]):
                remove_tree(pod)
        remove_if_empty(root / BASE)
    for bundle in _children(oci_state_dir):
        if _RUNTIME_ID.fullmatch(bundle.name):
            owner = bundle_owner(bundle)
            if owner is not None and not is_alive(owner):
                remove_bundle(bundle)


def remove_tree(group: Path) -> None:
    """Children first. A process that was killed leaves its cgroup a moment later."""
    for child in _children(group):
        remove_tree(child)
    deadline = time.monotonic() + _REMOVE_SECONDS
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise CgroupError(f"cannot remove the cgroup {group}: {error.strerror}") from error
            _kill_inside(group)
            time.sleep(0.02)
        else:
            return


def remove_if_empty(group: Path) -> None:
    try:
        group.rmdir()
    except OSError:
        return  # not there, or in use by another run


def _children(folder: Path) -> Iterator[Path]:
    try:
        yield from [entry for entry in folder.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return


def _kill_inside(group: Path) -> None:
    try:
        pids = (group / "cgroup.procs").read_text().split()
    except OSError:
        return  # removed meanwhile; if not, the caller's rmdir says so
    for pid in pids:
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            continue


def main() -> None:
    owner, oci_state_dir = sys.argv[1], Path(sys.argv[2])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()  # ends when the owner closes its side, or is gone
    # The pipe closes a moment before a killed process is gone.
    deadline = time.monotonic() + 1
    while is_alive(owner) and time.monotonic() < deadline:
        time.sleep(0.02)
    sweep(detect(), oci_state_dir)


if __name__ == "__main__":
    main()
