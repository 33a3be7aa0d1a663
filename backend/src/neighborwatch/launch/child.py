"""Starting a child that cannot outlive us."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Looked up before any fork: dlopen in a child of a threaded process may deadlock.
_libc = ctypes.CDLL(None, use_errno=True)


class _IdentityArguments(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class ChildIdentity:
    """As whom a child runs; None = as we do."""

    uid: int | None
    gid: int | None

    @classmethod
    def same(cls) -> "ChildIdentity":
        return cls(uid=None, gid=None)

    def subprocess_arguments(self) -> _IdentityArguments:
        if self.uid is None or self.gid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def spawn(
    command: Sequence[str],
    *,
    log_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    identity: ChildIdentity | None = None,
    dies_with_parent: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """A child in a session of its own, so that Ctrl-C reaches us only and we choose the order.

    Must be called from the main thread: the kernel sends `dies_with_parent` when the thread that
    forked ends.
    """
    parent = os.getpid()

    def before_exec() -> None:
        # We block signals to wait for them; a child must not inherit that.
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        _libc.prctl(_PR_SET_PDEATHSIG, int(dies_with_parent))
        if os.getppid() != parent:  # we died between fork and prctl
            os._exit(1)

    output: IO[bytes] | None = None
    if log_file is not None:
        output = log_file.open("ab")
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=None if environment is None else dict(environment),
            cwd="/" if identity is not None and identity.uid is not None else None,
            start_new_session=True,
            preexec_fn=before_exec,
            **(identity or ChildIdentity.same()).subprocess_arguments(),
        )
    finally:
        if output is not None:
            output.close()
