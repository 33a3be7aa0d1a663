"""The agent as it is built, on each kernel: boots them side by side and collects what they say."""

import shutil
import tarfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kernels import report
from kernels.cross import Sysroot, make
from kernels.initramfs import BUSYBOX, Initramfs
from kernels.machine import QEMUS, boot
from kernels.package import KERNELS, NATIVE, Kernel, KernelError

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "agent"
TRUTH = ROOT / "e2e" / "truth"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Outcome:
    kernel: Kernel
    report: report.Report
    console: str
    plans: Path  # a folder for each plan, as nwtruth left it
    seconds: float


def require_tools(architecture: str = NATIVE) -> None:
    tools = {
        QEMUS[architecture]: "qemu-system-arm" if architecture == "arm64" else "qemu-system-x86",
        BUSYBOX: "busybox-static",
    }
    for tool, package in tools.items():
        if shutil.which(tool) is None:
            raise KernelError(f"{tool} is missing: apt-get install {package}")


@dataclass(frozen=True, slots=True)
class Programs:
    """Built for one architecture."""

    sysroot: Sysroot | None
    agent: Path
    tests: list[Path]
    nwtruth: Path
    load: Path


def build(architecture: str = NATIVE) -> Programs:
    sources = sorted((AGENT / "tests" / "root").glob("*_test.c"))
    make(TRUTH)  # the replay runs here, whatever runs there
    if architecture == NATIVE:
        make(AGENT, "test-root-build")
        output, sysroot = AGENT / ".output", None
        agent, truth = AGENT / "build", TRUTH / ".output"
        load = ROOT / "e2e" / "scenarios" / ".output" / "load"
    else:
        sysroot = Sysroot(architecture)
        cross = (*sysroot.make_arguments(), f"OUT=.output/{architecture}")
        environment = sysroot.environment()
        place = f"BUILD=build/{architecture}"
        make(AGENT, *cross, place, "test-root-build", environment=environment)
        make(TRUTH, *cross, f"LOAD=.output/{architecture}/load", environment=environment)
        output, agent = AGENT / ".output" / architecture, AGENT / "build" / architecture
        truth = TRUTH / ".output" / architecture
        load = truth / "load"
    tests = [output / "tests" / "root" / source.stem for source in sources]
    return Programs(sysroot, agent / "nwagent", tests, truth / "nwtruth", load)


def _initramfs(
    file: Path, programs: Programs, plans: Mapping[str, str], *, with_tests: bool
) -> None:
    files = Initramfs(programs.sysroot)
    files.add("/init", (Path(__file__).parent / "guest.sh").read_bytes(), mode=0o755)
    files.add("/etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    files.add("/etc/machine-id", b"6b65726e656c2d6d61747269782d6775\n")
    # Where kernel tests start it, seen from their working directory.
    files.add_program("/build/nwagent", programs.agent)
    for test in programs.tests if with_tests else ():
        files.add_program(f"/nw/tests/{test.name}", test)
    files.add_program("/nw/nwtruth", programs.nwtruth)
    files.add_program("/nw/load", programs.load)
    for name, text in plans.items():
        files.add(f"/nw/plans/{name}", text.encode())
    files.write(file)


def run(
    kernel: Kernel,
    programs: Programs,
    folder: Path,
    plans: Mapping[str, str],
    *,
    seconds: float,
    with_tests: bool,
) -> Outcome:
    """One boot; `folder` is made and holds all that came out of it."""
    (folder / "plans").mkdir(parents=True)
    initramfs = folder / "initramfs"
    _initramfs(initramfs, programs, plans, with_tests=with_tests)
    booted = boot(
        kernel.image(), initramfs, folder, architecture=kernel.architecture, seconds=seconds
    )
    initramfs.unlink()
    said = report.parse(booted.report)
    if not said.is_whole:
        raise KernelError(
            f"the guest stopped early:\n{booted.report[-1000:]}{booted.console[-3000:]}"
        )
    with tarfile.open(booted.archive) as archive:
        archive.extractall(folder / "plans", filter="data")
    return Outcome(kernel, said, booted.console, folder / "plans", booted.seconds)


def run_all(
    run_one: Callable[[Kernel], Result], kernels: Sequence[Kernel] = KERNELS
) -> dict[str, Result | KernelError]:
    """Side by side. One that could not be booted does not hide what the others say."""

    def guarded(kernel: Kernel) -> Result | KernelError:
        try:
            return run_one(kernel)
        except KernelError as error:
            return error

    with ThreadPoolExecutor(len(kernels)) as pool:
        return dict(zip((k.name for k in kernels), pool.map(guarded, kernels), strict=True))
