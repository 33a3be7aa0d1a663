"""Real cgroups with real processes in them, which leave nothing behind.

A container of ours is a cgroup /neighborwatch-demo/<pod>.<owner>/<64 hex digits> and an OCI bundle
that names it. <owner> is the process that made it: what belongs to a dead one is swept at the next
start, so that even a killed run is cleaned up, and two runs at a time do not disturb each other.
"""

import os
import secrets
import signal
import subprocess
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bundle import ContainerNames, remove_bundle, write_bundle
from hierarchy import CgroupError, CpuStat, Hierarchy, detect, write
from owner import die_with_parent, owner_of
from sweep import BASE, remove_if_empty, remove_tree, sweep

DEFAULT_PERIOD_US = 100_000
DEFAULT_SHARES = 1024


@dataclass(frozen=True, slots=True)
class Container:
    names: ContainerNames
    runtime_id: str
    path: str  # below the mount point of a hierarchy, with a leading slash
    hierarchy: Hierarchy
    bundle: Path

    def dir(self, root: Path) -> Path:
        return root / self.path[1:]

    def cpu_stat(self) -> CpuStat:
        return self.hierarchy.read_cpu_stat(self.dir(self.hierarchy.cpu))

    def start(self, command: Sequence[str], *, cpu: int | None = None) -> subprocess.Popen[str]:
        """Runs `command` inside: it is moved in before exec, so none of its work is elsewhere.

        It is on `cpu` before it is inside, so nothing of this container ever runs on another one.

        Call it from the main thread: the kernel kills the child when the thread that forked ends.
        """
        files = [str(self.dir(root) / "cgroup.procs") for root in self.hierarchy.roots]
        parent_pid = os.getpid()

        def enter() -> None:
            # Whoever waits for signals blocks them; that must not be inherited.
            signal.pthread_sigmask(signal.SIG_SETMASK, set())
            die_with_parent(signal.SIGKILL, parent_pid)
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})
            for file in files:
                descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
                os.write(descriptor, b"0")  # 0 = the writer
                os.close(descriptor)

        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C is for whoever started us; the order of the end is ours to choose.
            start_new_session=True,
            preexec_fn=enter,
        )


class Cgroups:
    """The containers of one run. `close` removes them; a watcher does so if we are killed."""

    def __init__(self, oci_state_dir: Path) -> None:
        self.oci_state_dir = oci_state_dir
        self.hierarchy = detect()
        self.containers: list[Container] = []
        owner = owner_of(os.getpid())
        assert owner is not None  # we are alive
        self.owner = owner
        # Heavy among whatever else runs here, so that they meet each other; but what runs on the
        # only CPU of a host must go on beside them.
        self.all_shares = 128 * DEFAULT_SHARES if (os.cpu_count() or 1) > 1 else DEFAULT_SHARES
        oci_state_dir.mkdir(parents=True, exist_ok=True)
        sweep(self.hierarchy, oci_state_dir)
        watcher = [sys.executable, str(Path(__file__).with_name("sweep.py"))]
        self._watcher = subprocess.Popen(
            [*watcher, owner, str(oci_state_dir)],
            stdin=subprocess.PIPE,
            # Whoever waits for the end of our output must not wait for the watcher.
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def create(
        self,
        name: str,
        *,
        image: str,
        namespace: str = "demo",
        quota_us: int | None = None,
        period_us: int = DEFAULT_PERIOD_US,
        shares: int = DEFAULT_SHARES,
        cpuset: str | None = None,
    ) -> Container:
        pod = f"{name}-{secrets.token_hex(3)}"
        names = ContainerNames(name, image, pod, namespace, str(uuid.uuid4()))
        runtime_id = secrets.token_hex(32)
        path = f"/{BASE}/{pod}.{self.owner}/{runtime_id}"
        bundle = write_bundle(self.oci_state_dir, runtime_id, names, owner=self.owner)
        container = Container(names, runtime_id, path, self.hierarchy, bundle)
        self.containers.append(container)
        cpu_dir = container.dir(self.hierarchy.cpu)
        try:
            for root in self.hierarchy.roots:
                self._make(root, path, with_cpuset=cpuset is not None)
            self.hierarchy.write_shares(cpu_dir.parent.parent, self.all_shares)
            # On both levels: siblings are compared, and the pod is what has siblings.
            self.hierarchy.write_shares(cpu_dir.parent, shares)
            self.hierarchy.write_shares(cpu_dir, shares)
            if quota_us is not None:
                self.hierarchy.write_quota(cpu_dir, quota_us=quota_us, period_us=period_us)
            if cpuset is not None:
                root = self.hierarchy.cpuset or self.hierarchy.cpu
                write(container.dir(root) / "cpuset.cpus", cpuset)
        except OSError as error:
            raise CgroupError(
                f"cannot make the cgroup {error.filename or path}: {error.strerror}. "
                "It needs root and a writable cgroup file system"
            ) from error
        return container

    def _make(self, root: Path, path: str, *, with_cpuset: bool) -> None:
        at = root
        for step in Path(path[1:]).parts:
            self.hierarchy.let_children_use_cpu(at, with_cpuset=with_cpuset)
            at = at / step
            at.mkdir(exist_ok=True)
            self.hierarchy.prepare(at)

    def close(self) -> None:
        """Ends what runs inside and removes cgroups and bundles."""
        while self.containers:
            container = self.containers[-1]
            for root in self.hierarchy.roots:
                remove_tree(container.dir(root).parent)
            remove_bundle(container.bundle)
            self.containers.pop()
        for root in self.hierarchy.roots:
            remove_if_empty(root / BASE)
        if self._watcher.stdin is not None and not self._watcher.stdin.closed:
            # We are alive, so it finds nothing to sweep.
            self._watcher.kill()
            self._watcher.stdin.close()
            self._watcher.wait()

    def __enter__(self) -> "Cgroups":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
