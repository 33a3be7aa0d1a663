"""One boot under qemu, in software: it proves what is right, not what is fast."""

import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from kernels.package import KernelError


@dataclass(frozen=True, slots=True)
class Boot:
    console: str  # what the kernel said
    report: str  # what the guest's script printed
    archive: Path  # what it sent
    seconds: float


def boot(image: Path, initramfs: Path, folder: Path, *, seconds: float) -> Boot:
    """Ends with the guest's poweroff; KernelError after `seconds`, with its last lines."""
    qemu = shutil.which("qemu-system-x86_64")
    if qemu is None:
        raise KernelError("qemu is missing: apt-get install qemu-system-x86")
    console, report, archive = (folder / name for name in ("console", "report", "archive"))
    command = [qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    # One thread for both CPUs: with one each, guests of qemu 7.2 came to a stop.
    command += ["-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2", "-m", "1024"]
    command += ["-kernel", str(image), "-initrd", str(initramfs)]
    # A kernel that complains of soft lockups tells of the host's load, not of ours.
    command += ["-append", "console=ttyS0 panic=-1 quiet nowatchdog"]
    for line in (console, report, archive):
        command += ["-serial", f"file:{line}"]
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
