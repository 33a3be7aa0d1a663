"""The agent as it is built, on each kernel: boots them side by side and collects what they say."""

import subprocess
import tarfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kernels import report
from kernels.initramfs import Initramfs
from kernels.machine import boot
from kernels.package import KERNELS, Kernel, KernelError

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "agent"
TRUTH = ROOT / "e2e" / "truth"
LOADER = ROOT / "e2e" / "scenarios" / ".output" / "load"


@dataclass(frozen=True, slots=True)
class Outcome:
    kernel: Kernel
    report: report.Report
    console: str
    plans: Path  # a folder for each plan, as nwtruth left it
    seconds: float


def build() -> None:
    for folder, target in ((AGENT, "test-root-build"), (TRUTH, "all")):
        made = subprocess.run(["make", "-C", str(folder), target], capture_output=True, text=True)
        if made.returncode != 0:
            raise KernelError(f"make -C {folder} {target}:\n{made.stdout}{made.stderr}")


def initramfs(file: Path, plans: Mapping[str, str]) -> None:
    files = Initramfs()
    files.add("/init", (Path(__file__).parent / "guest.sh").read_bytes(), mode=0o755)
    files.add("/etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    files.add("/etc/machine-id", b"6b65726e656c2d6d61747269782d6775\n")
    files.add_program("/nw/nwagent", AGENT / "build" / "nwagent")
    for source in sorted((AGENT / "tests" / "root").glob("*_test.c")):
        program = AGENT / ".output" / "tests" / "root" / source.stem
        files.add_program(f"/nw/tests/{source.stem}", program)
    files.add_program("/nw/nwtruth", TRUTH / ".output" / "nwtruth")
    files.add_program("/nw/load", LOADER)
    for name, text in plans.items():
        files.add(f"/nw/plans/{name}", text.encode())
    files.write(file)


def run(
    folder: Path, plans: Mapping[str, str], *, seconds: float, kernels: tuple[Kernel, ...] = KERNELS
) -> dict[str, Outcome | KernelError]:
    """By the kernel's name. One that could not be booted does not hide what the others say."""
    images = [kernel.image() for kernel in kernels]
    initramfs(folder / "initramfs", plans)

    def one(kernel: Kernel, image: Path) -> Outcome | KernelError:
        inside = folder / kernel.name
        (inside / "plans").mkdir(parents=True)
        try:
            booted = boot(image, folder / "initramfs", inside, seconds=seconds)
            with tarfile.open(booted.archive) as archive:
                archive.extractall(inside / "plans", filter="data")
        except (KernelError, tarfile.TarError) as error:
            return error if isinstance(error, KernelError) else KernelError(f"archive: {error}")
        said = report.parse(booted.report)
        return Outcome(kernel, said, booted.console, inside / "plans", booted.seconds)

    with ThreadPoolExecutor(len(kernels)) as pool:
        return {k.name: o for k, o in zip(kernels, pool.map(one, kernels, images), strict=True)}
