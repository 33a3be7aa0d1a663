"""Where this host keeps the CPU controller: cgroup v1, v2, or v1 beside v2 (hybrid)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


class CgroupError(RuntimeError):
    """A cgroup cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CpuStat:
    """The kernel's own figures of one cgroup, in nanoseconds on v1 and v2 alike."""

    nr_periods: int
    nr_throttled: int
    throttled_ns: int


@dataclass(frozen=True, slots=True)
class Hierarchy:
    mode: Literal["v1", "v2", "hybrid"]
    # Mount points that a process has to be moved in; on v2 it is one for all.
    cpu: Path
    cpuacct: Path | None
    cpuset: Path | None

    @property
    def roots(self) -> list[Path]:
        """Each hierarchy once: cpu and cpuacct are often one mount under two names."""
        found: dict[int, Path] = {}
        for root in (self.cpu, self.cpuacct, self.cpuset):
            if root is not None:
                found.setdefault(root.stat().st_dev, root)
        return list(found.values())

    @property
    def is_v2(self) -> bool:
        return self.mode == "v2"

    def write_quota(self, group: Path, *, quota_us: int, period_us: int) -> None:
        if self.is_v2:
            write(group / "cpu.max", f"{quota_us} {period_us}")
            return
        # The period first: a quota must not exceed the parent's share of the period.
        write(group / "cpu.cfs_period_us", str(period_us))
        write(group / "cpu.cfs_quota_us", str(quota_us))

    def write_shares(self, group: Path, shares: int) -> None:
        if self.is_v2:
            # As runc converts: [2, 262144] shares to [1, 10000] weight.
            write(group / "cpu.weight", str(1 + (shares - 2) * 9999 // 262142))
        else:
            write(group / "cpu.shares", str(shares))

    def read_cpu_stat(self, group: Path) -> CpuStat:
        fields = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
        throttled_ns = (
            int(fields["throttled_usec"]) * 1000 if self.is_v2 else int(fields["throttled_time"])
        )
        return CpuStat(int(fields["nr_periods"]), int(fields["nr_throttled"]), throttled_ns)

    def prepare(self, group: Path) -> None:
        """What a new cgroup needs before a process may enter it."""
        if self.is_v2 or not (group / "cpuset.cpus").exists():
            return
        # A cpuset of v1 starts with no CPU and no memory node, which refuses every process.
        for name in ("cpuset.cpus", "cpuset.mems"):
            if not (group / name).read_text().strip():
                write(group / name, (group.parent / name).read_text().strip())

    def let_children_use_cpu(self, group: Path, *, with_cpuset: bool) -> None:
        """v2 only: a controller exists in a cgroup when its parent hands it down."""
        if not self.is_v2:
            return
        wanted = ["cpu", *(["cpuset"] if with_cpuset else [])]
        has = (group / "cgroup.subtree_control").read_text().split()
        for controller in wanted:
            if controller in has:
                continue
            try:
                write(group / "cgroup.subtree_control", f"+{controller}")
            except OSError as error:
                raise CgroupError(
                    f"cannot hand the {controller} controller down from {group}: {error.strerror}. "
                    "Processes in that cgroup itself forbid it (move them to a child), "
                    f"or its parent does not hand down {controller}"
                ) from error


def write(file: Path, text: str) -> None:
    # One write(2): the kernel takes each as a command of its own.
    with file.open("wb", buffering=0) as stream:
        stream.write(text.encode())


def detect(mountinfo: str | None = None) -> Hierarchy:
    """The first mount of each hierarchy counts: later ones are bind mounts of its parts."""
    if mountinfo is None:
        mountinfo = Path("/proc/self/mountinfo").read_text()
    v1: dict[str, Path] = {}
    v2: Path | None = None
    for line in mountinfo.splitlines():
        fields, _, tail = line.partition(" - ")
        kind, _, options = tail.split(" ", 2)
        point = Path(fields.split(" ")[4].encode().decode("unicode_escape"))
        if kind == "cgroup2" and v2 is None:
            v2 = point
        elif kind == "cgroup":
            for option in options.split(","):
                v1.setdefault(option, point)
    if "cpu" in v1:
        mode: Literal["v1", "hybrid"] = "hybrid" if v2 else "v1"
        return Hierarchy(mode, v1["cpu"], v1.get("cpuacct"), v1.get("cpuset"))
    if v2 is None:
        raise CgroupError("no cgroup file system is mounted: mount -t cgroup2 none /sys/fs/cgroup")
    if "cpu" not in (v2 / "cgroup.controllers").read_text().split():
        raise CgroupError(f"{v2} has no cpu controller: a v1 hierarchy or the kernel keeps it")
    return Hierarchy("v2", v2, None, None)
