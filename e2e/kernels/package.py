"""Debian's kernels, fetched by apt-get and unpacked, never installed."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "kernels"
NATIVE = "amd64"
_LISTS_ARE_OLD_AFTER_SECONDS = 86_400


class KernelError(RuntimeError):
    """What could not be fetched, built or booted; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Kernel:
    name: str  # as people say it: "6.1"
    package: str  # Debian's own pointer to its newest build
    architecture: str = NATIVE

    def image(self) -> Path:
        """The kernel's file. The newest build that apt knows; else one fetched before."""
        try:
            build = self._newest_build()
            folder = CACHE / build
            if not folder.is_dir():
                _fetch_kernel(build, folder, self.architecture)
        except KernelError as error:
            version = self.name.split()[0]
            kept = sorted(CACHE.glob(f"linux-image-{version}.*-cloud-{self.architecture}"))
            if not kept:
                raise KernelError(f"kernel {self.name}: {error}") from error
            folder = kept[-1]
        return next((folder / "boot").glob("vmlinuz-*"))

    def _newest_build(self) -> str:
        depends = run("apt-cache", *apt_options(self.architecture), "depends", self.package)
        found = re.search(r"Depends: (linux-image-\S+)", depends)
        if found is None:
            raise KernelError(f"apt knows no {self.package}; is this Debian 12? apt-get update?")
        return found[1]


KERNELS = (
    Kernel("6.1", "linux-image-cloud-amd64"),
    Kernel("6.12", "linux-image-6.12-cloud-amd64"),
)
ARM64_KERNELS = (Kernel("6.1 arm64", "linux-image-cloud-arm64", "arm64"),)


def run(*command: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise KernelError(f"{command[0]} is missing; kernels come from Debian") from error
    except subprocess.CalledProcessError as error:
        raise KernelError(f"{' '.join(command)}: {error.stderr.strip()}") from error
    return done.stdout


def apt_options(architecture: str) -> list[str]:
    """Lists and packages of another architecture have a place of their own: nothing on this
    machine is told of it, and nothing counts as installed."""
    if architecture == NATIVE:
        return []
    place = CACHE / f"apt-{architecture}"
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::State": place / "state",
        "Dir::State::status": place / "status",
        "Dir::Cache": place / "cache",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "root",
    }
    words = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
    status = place / "status"
    if not status.exists() or time.time() - status.stat().st_mtime > _LISTS_ARE_OLD_AFTER_SECONDS:
        status.touch()
        try:
            run("apt-get", *words, "update", "-qq")
        except KernelError:
            status.unlink()
            raise
    return words


def unpack(package: Path, folder: Path) -> None:
    run("dpkg-deb", "--extract", str(package), str(folder))


def _fetch_kernel(build: str, folder: Path, architecture: str) -> None:
    fresh = CACHE / f".{build}.{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    download = ("apt-get", *apt_options(architecture), "download", "-q", build)
    try:
        # Its note that root downloads into a private folder is no error.
        try:
            run(*download, folder=fresh)
        except KernelError:
            if os.geteuid() != 0:
                raise
            run("apt-get", *apt_options(architecture), "update", "-qq")  # the list was too old
            run(*download, folder=fresh)
        package = next(fresh.glob("*.deb"))
        unpack(package, fresh)
        package.unlink()
        shutil.rmtree(fresh / "lib", ignore_errors=True)  # modules: all that we need is built in
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
