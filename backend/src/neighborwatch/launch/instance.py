"""One `run` per state folder, and a free port, both found out before anything is started."""

import errno
import fcntl
import os
import socket
from pathlib import Path
from typing import TextIO

from neighborwatch.launch.errors import LaunchError


def claim(data_dir: Path) -> TextIO:
    """Holds the folder until the returned file is closed (or the process ends, however)."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        lock = (data_dir / "run.lock").open("a+")
    except OSError as error:
        raise LaunchError(f"cannot use {data_dir}: {error.strerror}. Set NW_DATA_DIR") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise LaunchError(
            f"another `neighborwatch run` (process {holder}) uses {data_dir}. "
            "Stop it, or set NW_DATA_DIR and NW_PORT to run a second one"
        ) from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def free_port(host: str, port: int) -> int:
    """The port itself when nobody listens there; for 0, one that is free."""
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise LaunchError(f"NW_HOST={host} is no address of this machine: {error}") from error
    family, kind, protocol, _, where = address
    with socket.socket(family, kind, protocol) as probe:
        # As the server itself does, so that connections in TIME_WAIT do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise LaunchError(
                    f"port {port} on {host} is taken by another program. "
                    "Set NW_PORT to a free one, such as NW_PORT=8081"
                ) from error
            raise LaunchError(
                f"cannot listen on {host} port {port}: {error.strerror}. Set NW_HOST and NW_PORT"
            ) from error
        chosen: int = probe.getsockname()[1]
        return chosen
