#!/usr/bin/env python3
"""What the agent keeps in memory while it sends over TLS to a backend.

    sudo bench/memory.py [SECONDS]      45 by default: four windows

VmRSS of /proc/<pid>/status is the figure: everything resident counts, pages of shared libraries
and mapped BPF maps included. A stand-in for the backend answers on this machine, and its
certificate is the one that is trusted; of the system's the agent reads only the one that it
needs, too. The load is that of cost.rss_mib: 256 busy cgroups.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import bench
from footprint import RSS_LIMIT_MIB

ENROLLED = b'{"host_id": "1", "token": "nwh_memory"}'


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    n_requests = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        is_enrolment = self.path.endswith("/enroll")
        if not is_enrolment:
            Backend.n_requests += 1
        self.send_response(201 if is_enrolment else 204)
        if is_enrolment:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(ENROLLED)))
        self.end_headers()
        if is_enrolment:
            self.wfile.write(ENROLLED)

    def log_message(self, format: str, *args: object) -> None:
        pass


def certificate(folder: Path) -> Path:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command.split(), *names], check=True, capture_output=True, cwd=folder)
    return folder / "cert.pem"


@contextlib.contextmanager
def backend(folder: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()


def kib(pid: int, key: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise SystemExit(f"memory: /proc/{pid}/status has no {key}")


def print_holders(pid: int) -> None:
    """By file, largest first: resident and of that written to, in KiB."""
    held: dict[str, list[int]] = {}
    name = ""
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            name = words[5] if len(words) > 5 else "anonymous"
        elif words[0] in ("Rss:", "Private_Dirty:"):
            held.setdefault(name, [0, 0])[words[0] != "Rss:"] += int(words[1])
    for name, (rss, dirty) in sorted(held.items(), key=lambda item: -item[1][0])[:16]:
        print(f"  {rss:6} KiB, {dirty:5} written to  {name}")


def cpu_seconds(pid: int) -> tuple[float, float]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


def measure(folder: Path, seconds: int) -> float:
    trusted = certificate(folder)
    (folder / "token").write_text("nwe_memory")
    with backend(folder) as port, bench.load("cgroups"):
        command: list[str | Path] = [
            bench.NWAGENT,
            "--server",
            f"https://localhost:{port}",
            "--ca-file",
            trusted,
        ]
        command += [
            "--state-dir",
            folder / "state",
            "--enroll-token-file",
            folder / "token",
        ]
        agent = subprocess.Popen(command)
        try:
            time.sleep(seconds)
            rss_mib = kib(agent.pid, "VmRSS") / 1024
            print(
                f"nwagent, {os.cpu_count()} CPUs, {Backend.n_requests} requests over TLS: "
                f"{rss_mib:.1f} MiB resident (limit {RSS_LIMIT_MIB}), "
                f"{kib(agent.pid, 'VmHWM') / 1024:.1f} while it started; "
                f"anonymous {kib(agent.pid, 'RssAnon') / 1024:.1f}, "
                f"files and BPF maps {kib(agent.pid, 'RssFile') / 1024:.1f}"
            )
            print_holders(agent.pid)
        finally:
            agent.terminate()
            agent.wait()
    if Backend.n_requests == 0:
        raise SystemExit("memory: nothing arrived: this is no figure of an agent that sends")
    return rss_mib


def main() -> int:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 45
    folder = Path(tempfile.mkdtemp(prefix="nw-memory-"))
    try:
        return 0 if measure(folder, seconds) <= RSS_LIMIT_MIB else 1
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
