"""The workloads themselves: known patterns in real cgroups, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import hierarchy
import load
import pytest
from bundle import bundle_owner
from cgroups import Cgroups, Container
from hierarchy import CgroupError, CpuStat, Hierarchy
from load import Pattern
from owner import is_alive, owner_of
from sweep import BASE

from host import ROOT

DEMO = ROOT / "e2e" / "scenarios" / "demo.py"

HYBRID = """\
30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
31 30 0:27 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw,nsdelegate
33 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct
34 30 0:30 / /sys/fs/cgroup/cpuset rw shared:12 - cgroup cgroup rw,cpuset
35 30 0:29 /docker /mnt/again rw - cgroup cgroup rw,cpu,cpuacct
"""


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        if os.environ.get("NW_REQUIRE_BPF") == "1":
            pytest.fail("NW_REQUIRE_BPF=1, but cgroups need root", pytrace=False)
        pytest.skip("cgroups need root")


@pytest.fixture
def cgroups(as_root: None, tmp_path: Path) -> Iterator[Cgroups]:
    load.build()
    with Cgroups(tmp_path / "bundles") as made:
        yield made


def wait_until(is_so: Callable[[], bool], *, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not become so in time"
        time.sleep(0.05)


def test_hierarchies_are_those_of_the_first_mounts() -> None:
    found = hierarchy.detect(HYBRID)
    both = Path("/sys/fs/cgroup/cpu,cpuacct")
    assert found == Hierarchy("hybrid", both, both, Path("/sys/fs/cgroup/cpuset"))


def test_a_host_with_v2_alone_needs_its_cpu_controller(tmp_path: Path) -> None:
    mountinfo = f"30 24 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory\n")
    assert hierarchy.detect(mountinfo) == Hierarchy("v2", tmp_path, None, None)
    (tmp_path / "cgroup.controllers").write_text("io memory\n")
    with pytest.raises(CgroupError, match="no cpu controller"):
        hierarchy.detect(mountinfo)


def test_v2_gets_its_own_units(tmp_path: Path) -> None:
    v2 = Hierarchy("v2", tmp_path, None, None)
    (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    v2.let_children_use_cpu(tmp_path, with_cpuset=False)
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu"
    for file in ("cpu.max", "cpu.weight"):
        (tmp_path / file).touch()
    v2.write_quota(tmp_path, quota_us=20_000, period_us=100_000)
    assert (tmp_path / "cpu.max").read_text() == "20000 100000"
    v2.write_shares(tmp_path, 1024)
    assert (tmp_path / "cpu.weight").read_text() == "39"  # as runc has it
    (tmp_path / "cpu.stat").write_text(
        "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 5\n"
    )
    assert v2.read_cpu_stat(tmp_path) == CpuStat(7, 3, 5000)


def test_an_owner_is_known_apart_from_a_later_process_with_its_pid() -> None:
    mine = owner_of(os.getpid())
    assert mine is not None
    assert is_alive(mine)
    assert not is_alive(f"{os.getpid()}-1")
    assert not is_alive("not an owner")


def test_processes_are_inside_from_their_first_instruction(cgroups: Cgroups) -> None:
    container = cgroups.create("inside", image="test/inside:1")
    process = container.start(["cat", "/proc/self/cgroup"])
    text, _ = process.communicate(timeout=10)
    lines = [line for line in text.splitlines() if line.split(":")[1] in ("cpu", "cpu,cpuacct", "")]
    assert any(line.endswith(f":{container.path}") for line in lines), text


def test_a_small_quota_throttles_in_most_periods(cgroups: Cgroups) -> None:
    container = cgroups.create("limited", image="test/limited:1", quota_us=20_000, shares=64 * 1024)
    process = load.start(container, Pattern(run_us=5000), seconds=30)
    before = container.cpu_stat()
    time.sleep(2)
    after = container.cpu_stat()
    load.stop(process)
    periods = after.nr_periods - before.nr_periods
    assert 18 <= periods <= 22
    assert (after.nr_throttled - before.nr_throttled) / periods > 0.5
    assert after.throttled_ns > before.throttled_ns


def test_a_pattern_is_kept_and_counted(cgroups: Cgroups) -> None:
    container = cgroups.create("pattern", image="test/pattern:1", shares=64 * 1024)
    pattern = Pattern(run_us=500, sleep_us=9500, threads=2)
    process = load.start(container, pattern, seconds=2)
    process.wait(10)
    figures = load.stop(process)
    assert 2.0e9 <= figures.elapsed_ns < 2.5e9
    # 2 threads, 100 a second at most; a busy machine makes it fewer.
    assert 200 <= figures.wakeups <= 400
    assert figures.ran_ns == pytest.approx(figures.wakeups * 0.5e6, rel=0.25)
    assert figures.timeslices >= figures.wakeups


def test_a_cpuset_keeps_a_container_where_it_belongs(cgroups: Cgroups) -> None:
    container = cgroups.create("pinned", image="test/pinned:1", cpuset="0")
    process = container.start(["grep", "Cpus_allowed_list", "/proc/self/status"])
    text, _ = process.communicate(timeout=10)
    assert text.split()[-1] == "0"


def leftovers(bundles: Path, made: list[Path]) -> list[Path]:
    return [path for path in [*made, *bundles.iterdir()] if path.exists()]


def start_demo(bundles: Path) -> tuple["subprocess.Popen[str]", list[Path], list[int]]:
    """With the cgroups and processes that it has made."""
    options = ["--seconds", "60", "--hog-after", "0", "--oci-state-dir", str(bundles)]
    process = subprocess.Popen(
        [sys.executable, str(DEMO), *options], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while "stops by itself" not in process.stdout.readline():
        assert process.poll() is None
    owner = owner_of(process.pid)
    roots = hierarchy.detect().roots
    groups = [pod for root in roots for pod in (root / BASE).glob(f"*.{owner}")]
    pids = [
        int(pid)
        for group in groups
        for file in group.glob("*/cgroup.procs")
        for pid in file.read_text().split()
    ]
    assert len(set(pids)) == 4
    assert len(list(bundles.iterdir())) == 4
    return process, groups, pids


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_demo_leaves_nothing_behind_when_it_is_ended_by(
    number: signal.Signals, tmp_path: Path
) -> None:
    process, groups, pids = start_demo(tmp_path)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == (-number if number is signal.SIGKILL else 0)
    wait_until(lambda: not leftovers(tmp_path, groups))
    assert not [pid for pid in pids if owner_of(pid) is not None]


@pytest.mark.usefixtures("as_root")
def test_the_demo_leaves_nothing_behind_when_its_parent_dies(tmp_path: Path) -> None:
    script = f"{sys.executable} {DEMO} --seconds 60 --hog-after 0 --oci-state-dir {tmp_path} & wait"
    with subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        while "stops by itself" not in parent.stdout.readline():
            assert parent.poll() is None
        assert len(list(tmp_path.iterdir())) == 4
        parent.kill()
        wait_until(lambda: not list(tmp_path.iterdir()))
        assert "no process and no cgroup is left" in parent.stdout.read()


def test_what_a_killed_run_left_is_swept_at_the_next_start(cgroups: Cgroups) -> None:
    def made_by_the_dead(container: Container) -> list[Path]:
        dead = f"{os.getpid()}-1"
        bundle = container.bundle / "config.json"
        bundle.write_text(bundle.read_text().replace(cgroups.owner, dead))
        assert bundle_owner(container.bundle) == dead
        paths = []
        for root in cgroups.hierarchy.roots:
            pod = container.dir(root).parent
            paths.append(pod.with_name(f"left-behind.{dead}"))
            paths[-1].mkdir()
        return [container.bundle, *paths]

    left = made_by_the_dead(cgroups.create("gone", image="test/gone:1"))
    alive = cgroups.create("alive", image="test/alive:1")
    with Cgroups(cgroups.oci_state_dir):
        assert not [path for path in left if path.exists()]
        assert alive.bundle.exists()
        assert alive.dir(cgroups.hierarchy.cpu).exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "--seconds is missing"),
        (["--seconds=0"], "--seconds: '0' is not a number from 1 to 86400"),
        (["--seconds=1", "--cpus=0-"], "--cpus: '0-' is not a list"),
        (["--seconds=1", "--name=a b"], "--name: "),
        (["--seconds=1", "more"], "unexpected argument 'more'"),
        (["--seconds=1", "--parent=1"], "--parent: 1 is not our parent"),
    ],
)
def test_a_wrong_flag_of_a_workload_ends_with_one_line_and_code_2(
    arguments: list[str], complaint: str
) -> None:
    ended = subprocess.run([load.build(), *arguments], capture_output=True, text=True)
    assert ended.returncode == 2
    assert complaint in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
