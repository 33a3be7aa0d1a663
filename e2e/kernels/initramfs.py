"""A root file system in memory: busybox, programs with the libraries they need, a script."""

import re
from pathlib import Path

from kernels.cross import Sysroot
from kernels.package import run

BUSYBOX = "/bin/busybox"  # Debian's busybox-static: it needs no libraries
_APPLETS = (
    *("sh", "mount", "mkdir", "cat", "cut", "echo", "gzip", "poweroff", "sleep", "stty", "sync"),
    *("tar", "timeout", "uname"),
)


class Initramfs:
    """cpio, "newc": the one format that kernels unpack. Programs keep their libraries' paths."""

    def __init__(self, sysroot: Sysroot | None) -> None:
        self._sysroot = sysroot
        self._entries: dict[str, tuple[int, bytes]] = {}
        busybox = sysroot.folder / BUSYBOX[1:] if sysroot else Path(BUSYBOX)
        self.add("/bin/busybox", busybox.read_bytes(), mode=0o755)
        for applet in _APPLETS:
            self._entries[f"/bin/{applet}"] = (0o120777, b"busybox")
        for folder in ("/proc", "/sys", "/dev", "/tmp", "/etc"):
            self._entries[folder] = (0o040755, b"")

    def add(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        self._entries[path] = (0o100000 | mode, content)

    def add_program(self, path: str, program: Path) -> None:
        self.add(path, program.read_bytes(), mode=0o755)
        if self._sysroot:
            libraries = self._sysroot.libraries(program)
        else:
            found = re.findall(r"(/\S+) \(0x", run("ldd", str(program)))
            libraries = {library: Path(library) for library in found}
        for library, file in libraries.items():
            if library not in self._entries:
                self.add(library, file.read_bytes(), mode=0o755)

    def write(self, file: Path) -> None:
        entries = dict(self._entries)
        for path in self._entries:
            for parent in Path(path).parents:
                entries.setdefault(str(parent), (0o040755, b""))
        entries.pop("/")
        with file.open("wb") as out:
            # By depth: a folder before what is in it.
            for path in sorted(entries, key=lambda path: (path.count("/"), path)):
                out.write(_entry(path[1:], *entries[path]))
            out.write(_entry("TRAILER!!!", 0, b""))


def _entry(name: str, mode: int, content: bytes) -> bytes:
    # ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return _padded(head) + _padded(content)


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 4)
