"""Who made a thing: a process that can be told from a later one with the same pid."""

import ctypes
import os
import re
import signal
from pathlib import Path

_OWNER = re.compile(r"(\d+)-(\d+)")
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Looked up before any fork: dlopen in a child of a threaded process may deadlock.
_libc = ctypes.CDLL(None, use_errno=True)


def owner_of(pid: int) -> str | None:
    """Pid and start time in one word; None: no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name in parentheses may hold blanks; field 22 is the start in clock ticks since boot.
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else f"{pid}-{fields[19]}"


def pid_of(owner: str) -> int | None:
    match = _OWNER.fullmatch(owner)
    return int(match[1]) if match else None


def is_alive(owner: str) -> bool:
    pid = pid_of(owner)
    return pid is not None and owner_of(pid) == owner


def die_with_parent(signal_number: signal.Signals, parent_pid: int) -> None:
    """Asks the kernel for `signal_number` when the thread that started us ends."""
    if _libc.prctl(_PR_SET_PDEATHSIG, int(signal_number)) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent_pid:  # it died before the prctl
        os.kill(os.getpid(), signal_number)
