"""Containers that come and go, one task each: churn.c in a pod of its own."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import load
from cgroups import Cgroups
from hierarchy import CgroupError
from sweep import BASE, remove_tree


@dataclass(frozen=True, slots=True)
class Ended:
    """One container that is gone: what the kernel counted for its task while it was inside."""

    name: str
    runtime_id: str
    ran_ns: int
    lived_ns: int


@contextmanager
def churn(cgroups: Cgroups, *, count: int, at_once: int) -> Iterator[Iterator[Ended]]:
    """Yields each container as it ends. It goes only as fast as it is read."""
    hierarchy = cgroups.hierarchy
    pod = hierarchy.cpu / BASE / f"churn.{cgroups.owner}"
    for group in (pod.parent, pod):
        hierarchy.let_children_use_cpu(group.parent, with_cpuset=False)
        group.mkdir(exist_ok=True)
    hierarchy.let_children_use_cpu(pod, with_cpuset=False)
    hierarchy.write_shares(pod.parent, cgroups.all_shares)
    arguments = [str(pod), str(cgroups.oci_state_dir), cgroups.owner, str(count), str(at_once)]
    command = [str(load.build("churn")), *arguments]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            yield (Ended(**json.loads(line)) for line in process.stdout)
            process.terminate()
    finally:
        remove_tree(pod)
    if process.returncode != 0:
        raise CgroupError(f"churn ended with {process.returncode}; it has said why")
