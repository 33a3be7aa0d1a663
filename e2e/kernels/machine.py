"""One boot under qemu, in software: it proves what is right, not what is fast."""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from kernels.package import KernelError

QEMUS = {"amd64": "qemu-system-x86_64", "arm64": "qemu-system-aarch64"}


@dataclass(frozen=True, slots=True)
class Boot:
    console: str  # what the kernel said
    report: str  # what the guest's script printed
    archive: Path  # what it sent
    seconds: float


def boot(image: Path, initramfs: Path, folder: Path, *, architecture: str, seconds: float) -> Boot:
    """Ends with the guest's poweroff; KernelError after `seconds`, with its last lines."""
    console, report, archive = (folder / name for name in ("console", "report", "archive"))
    command = [QEMUS[architecture], "-nodefaults", "-no-user-config", "-display", "none"]
    # One thread for both CPUs: with one each, guests of qemu 7.2 came to a stop.
    command += ["-no-reboot", "-accel", "tcg,thread=single", "-smp", "2", "-m", "1024"]
    command += ["-kernel", str(image), "-initrd", str(initramfs), "-serial", f"file:{console}"]
    # The machine's own serial lines: ttyS0 to 2, or one and a card with ttyS0 to 3.
    if architecture == "arm64":
        line = "ttyAMA0"
        # Emulated pointer authentication takes most of the time.
        command += ["-machine", "virt", "-cpu", "max,pauth=off"]
        for name, target in (("report", report), ("archive", archive)):
            command += ["-chardev", f"file,id={name},path={target}"]
        for name in ("unused", "unused_too"):
            command += ["-chardev", f"null,id={name}"]
        lines = ("unused", "report", "archive", "unused_too")
        card = ",".join(f"chardev{n}={name}" for n, name in enumerate(lines, start=1))
        command += ["-device", f"pci-serial-4x,{card}"]
    else:
        line = "ttyS0"
        command += ["-cpu", "max", "-serial", f"file:{report}", "-serial", f"file:{archive}"]
    # A kernel that complains of soft lockups tells of the host's load, not of ours.
    command += ["-append", f"console={line} panic=-1 quiet nowatchdog"]
    started = time.monotonic()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as machine:
        try:
            _, errors = machine.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            machine.kill()
            last = f"{_tail(console)}\n--- report:\n{_tail(report)}"
            raise KernelError(f"the guest did not end within {seconds:.0f} s:\n{last}") from error
        except BaseException:
            machine.kill()
            raise
    if machine.returncode != 0:
        raise KernelError(f"qemu: {errors.strip()}")
    return Boot(_text(console), _text(report), archive, time.monotonic() - started)


def _text(file: Path) -> str:
    return file.read_text(errors="replace").replace("\r\n", "\n") if file.exists() else ""


def _tail(file: Path) -> str:
    return "\n".join(_text(file).splitlines()[-30:])
