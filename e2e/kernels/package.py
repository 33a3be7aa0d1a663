"""Debian's kernels, fetched by apt-get and unpacked, never installed."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "kernels"


class KernelError(RuntimeError):
    """What could not be fetched, built or booted; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Kernel:
    name: str  # as people say it: "6.1"
    package: str  # Debian's own pointer to its newest build

    def image(self) -> Path:
        """The kernel's file. The newest build that apt knows; else one fetched before."""
        try:
            build = self._newest_build()
            folder = CACHE / build
            if not folder.is_dir():
                _fetch(build, folder)
        except KernelError as error:
            kept = sorted(CACHE.glob(f"linux-image-{self.name}.*-cloud-*"))
            if not kept:
                raise KernelError(f"kernel {self.name}: {error}") from error
            folder = kept[-1]
        return next((folder / "boot").glob("vmlinuz-*"))

    def _newest_build(self) -> str:
        depends = _run("apt-cache", "depends", self.package)
        found = re.search(r"Depends: (linux-image-\S+)", depends)
        if found is None:
            raise KernelError(f"apt knows no {self.package}; is this Debian 12? apt-get update?")
        return found[1]


KERNELS = (
    Kernel("6.1", "linux-image-cloud-amd64"),
    Kernel("6.12", "linux-image-6.12-cloud-amd64"),
)


def _run(*command: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise KernelError(f"{command[0]} is missing; kernels come from Debian") from error
    except subprocess.CalledProcessError as error:
        raise KernelError(f"{' '.join(command)}: {error.stderr.strip()}") from error
    return done.stdout


def _fetch(build: str, folder: Path) -> None:
    fresh = CACHE / f".{build}.{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        # Its note that root downloads into a private folder is no error.
        try:
            _run("apt-get", "download", "-q", build, folder=fresh)
        except KernelError:
            if os.geteuid() != 0:
                raise
            _run("apt-get", "update", "-qq")  # its list of files was too old
            _run("apt-get", "download", "-q", build, folder=fresh)
        package = next(fresh.glob("*.deb"))
        _run("dpkg-deb", "--extract", str(package), str(fresh))
        package.unlink()
        shutil.rmtree(fresh / "lib", ignore_errors=True)  # modules: all that we need is built in
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
