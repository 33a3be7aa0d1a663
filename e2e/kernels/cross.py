"""Debian's libraries of another architecture, to build for it and to run there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from kernels.package import CACHE, KernelError, apt_options, run, unpack

TRIPLETS = {"arm64": "aarch64-linux-gnu"}
_PACKAGES = (
    *("libc6-dev", "libbpf-dev", "libelf-dev", "zlib1g-dev", "libcurl4-openssl-dev"),
    *("libzstd-dev", "libhwloc-dev", "libjansson-dev", "libprotobuf-c-dev", "libcap-dev"),
    *("libcmocka-dev", "busybox-static", "libgcc-s1"),
)


class Sysroot:
    def __init__(self, architecture: str) -> None:
        self.triplet = TRIPLETS[architecture]
        self.folder = CACHE / f"sysroot-{architecture}"
        if not self.folder.is_dir():
            _fill(self.folder, architecture)

    def make_arguments(self) -> list[str]:
        compiler = f"{self.triplet}-gcc"
        if shutil.which(compiler) is None:
            raise KernelError(f"{compiler} is missing: apt-get install gcc-{self.triplet}")
        return [f"CC={compiler} --sysroot={self.folder}", f"SYSROOT={self.folder}"]

    def environment(self) -> dict[str, str]:
        places = (f"usr/lib/{self.triplet}/pkgconfig", "usr/share/pkgconfig")
        return {
            **os.environ,
            "PKG_CONFIG_LIBDIR": ":".join(str(self.folder / place) for place in places),
            "PKG_CONFIG_SYSROOT_DIR": str(self.folder),
        }

    def libraries(self, program: Path) -> dict[str, Path]:
        """What the program needs where it runs: path there -> file here."""
        found: dict[str, Path] = {}
        todo = [program]
        headers = run("readelf", "--program-headers", str(program))
        for interpreter in re.findall(r"interpreter: (\S+)\]", headers):
            found[interpreter] = self.folder / interpreter[1:]
        while todo:
            dynamic = run("readelf", "--dynamic", str(todo.pop()))
            for name in re.findall(r"NEEDED.*\[(.+)\]", dynamic):
                file = self._library(name)
                path = f"/lib/{self.triplet}/{name}"
                if path not in found:
                    found[path] = file
                    todo.append(file)
        return found

    def _library(self, name: str) -> Path:
        for place in (f"lib/{self.triplet}", f"usr/lib/{self.triplet}", "lib"):
            if (self.folder / place / name).exists():
                return self.folder / place / name
        raise KernelError(f"{name} is in none of the packages of {self.folder}")


def _fill(folder: Path, architecture: str) -> None:
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    options = apt_options(architecture)
    install = ("install", "--download-only", "--yes", "-qq", "--no-install-recommends")
    run("apt-get", *options, "-o", "Debug::NoLocking=1", *install, *_PACKAGES)
    fresh.mkdir(parents=True)
    for package in sorted((CACHE / f"apt-{architecture}/cache/archives").glob("*.deb")):
        unpack(package, fresh)
    # Links from the root would lead into this machine's own files.
    for link in (path for path in fresh.rglob("*") if path.is_symlink()):
        target = os.readlink(link)
        if target.startswith("/"):
            link.unlink()
            link.symlink_to(os.path.relpath(fresh / target[1:], link.parent))
    fresh.rename(folder)


def make(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> None:
    command = ["make", "-C", str(folder), *arguments]
    made = subprocess.run(command, capture_output=True, text=True, env=environment)
    if made.returncode != 0:
        raise KernelError(f"{' '.join(command)}:\n{made.stdout}{made.stderr}")
