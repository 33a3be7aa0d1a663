"""The real thing for the browser tests: `neighborwatch run` on a free port, with workloads.

`python stack.py` prints one JSON line when it is ready, then takes one command a connection on a
unix socket (see `Controls`) until its standard input ends. Nothing is left behind.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "scenarios"))

import load
from cgroups import Cgroups, Container
from owner import die_with_parent
from workloads import HOG, Workload, workloads

from host import DASHBOARD, NEIGHBORWATCH, OUTPUT, why_not

START_SECONDS = 60
# Longer than any test run; the workloads end by themselves should nobody be left to stop them.
BOUND_SECONDS = 1200
WINDOW_SECONDS = 10
# A reading later than this is not one of the window's edge.
EDGE_SECONDS = 0.05


class StackError(RuntimeError):
    """It cannot be started; the message says why."""


class Stack:
    """`neighborwatch run` with a folder of its own, and the demo's containers beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data_dir = folder / "data"
        self.bundles = folder / "bundles"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.cgroups = Cgroups(self.bundles)
        self.containers: dict[str, Container] = {}
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.run: subprocess.Popen[bytes] | None = None
        self.stopped_agent: int | None = None

    @property
    def environment(self) -> dict[str, str]:
        settings = {
            "NW_DATA_DIR": str(self.data_dir),
            "NW_PORT": str(self.port),
            "NW_FRONTEND_DIR": str(self.folder / "dashboard"),
        }
        return {**os.environ, **settings}

    @property
    def log(self) -> Path:
        return self.folder / "run.log"

    def start(self) -> None:
        # A copy: somebody may build it anew while the tests run.
        shutil.copytree(DASHBOARD.parent, self.folder / "dashboard")
        parent_pid = os.getpid()
        with self.log.open("wb") as log:
            self.run = subprocess.Popen(
                [*NEIGHBORWATCH, "run", "--oci-state-dir", str(self.bundles)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGTERM, parent_pid),
            )
        deadline = time.monotonic() + START_SECONDS
        while "Neighborwatch is running" not in self.log.read_text():
            if self.run.poll() is not None or time.monotonic() > deadline:
                raise StackError(f"neighborwatch run did not start:\n{self.log.read_text()}")
            time.sleep(0.1)
        if "watches this host" not in self.log.read_text():
            raise StackError(f"neighborwatch run has no agent:\n{self.log.read_text()}")

    def printed_sign_in_link(self) -> str:
        """The one that a person would click on."""
        return next(word for word in self.log.read_text().split() if "/sign-in#token=" in word)

    def sign_in_link(self) -> str:
        made = subprocess.run(
            [*NEIGHBORWATCH, "sign-in-link"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return made.stdout.strip()

    def start_workload(self, workload: Workload) -> None:
        container = self.cgroups.create(
            workload.name,
            image=workload.image,
            quota_us=workload.quota_us,
            shares=workload.shares,
        )
        self.containers[workload.name] = container
        process = load.start(container, workload.pattern, seconds=BOUND_SECONDS)
        self.running[workload.name] = process

    def stop_agent(self) -> None:
        """Stops its process in mid-air, as a hung one: `run` starts a dead one again."""
        assert self.run is not None
        children = Path(f"/proc/{self.run.pid}/task/{self.run.pid}/children").read_text().split()
        names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in children}
        self.stopped_agent = int(next(pid for pid, name in names.items() if name == "nwagent"))
        os.kill(self.stopped_agent, signal.SIGSTOP)

    def close(self) -> None:
        for process in self.running.values():
            load.stop(process)
        if self.stopped_agent is not None:
            # A stopped process takes no other signal.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.stopped_agent, signal.SIGCONT)
        if self.run is not None and self.run.poll() is None:
            self.run.terminate()
            self.run.wait(60)
        self.cgroups.close()


class Controls:
    """Commands: `start NAME`, `stop NAME`, `sign-in-link`, `stop-agent`, `cpu-stat NAME`.

    cpu-stat gives the kernel's figures as they were read here at each edge of a window.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.edges: dict[str, list[dict[str, int]]] = {}

    def answer(self, line: str) -> dict[str, Any]:
        command, _, name = line.partition(" ")
        if command == "start":
            self.stack.start_workload(next(w for w in workloads() if w.name == name))
            return {}
        if command == "stop":
            load.stop(self.stack.running.pop(name))
            return {}
        if command == "sign-in-link":
            return {"link": self.stack.sign_in_link()}
        if command == "stop-agent":
            self.stack.stop_agent()
            return {}
        if command == "cpu-stat":
            return {"edges": self.edges.get(name, [])}
        raise StackError(f"no such command: {line}")

    def read_edge(self, edge: int) -> None:
        if time.time() - edge > EDGE_SECONDS:
            return  # busy with a command: a reading too late would not belong to the edge
        for name, container in self.stack.containers.items():
            stat = container.cpu_stat()
            self.edges.setdefault(name, []).append(
                {
                    "at_ms": edge * 1000,
                    "nr_periods": stat.nr_periods,
                    "nr_throttled": stat.nr_throttled,
                }
            )

    def serve(self, listener: socket.socket) -> None:
        """Until standard input ends. One thread: children die with the thread that made them."""
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(sys.stdin, selectors.EVENT_READ)
            edge = _next_edge()
            while True:
                ready = selector.select(max(0.0, edge - time.time()))
                if time.time() >= edge:
                    self.read_edge(edge)
                    edge = _next_edge()
                for key, _ in ready:
                    if key.fileobj is sys.stdin:
                        return
                    self._serve_one(listener)

    def _serve_one(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as stream:
            line = stream.readline().strip()
            try:
                answer = self.answer(line)
            except Exception as error:  # the test that asked shall fail with the reason
                answer = {"error": f"{line}: {type(error).__name__}: {error}"}
            stream.write(json.dumps(answer) + "\n")


def _next_edge() -> int:
    return (int(time.time()) // WINDOW_SECONDS + 1) * WINDOW_SECONDS


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _keep_logs(folder: Path) -> None:
    logs = OUTPUT / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for log in [*folder.glob("*.log"), *folder.glob("data/*.log")]:
        shutil.copy(log, logs / log.name)


def main() -> None:
    reason = why_not()
    if reason is not None:
        print(json.dumps({"skip": reason}), flush=True)
        return
    if not DASHBOARD.exists():
        raise StackError(f"{DASHBOARD} is not built: make build")
    # The clean-up is in `finally`; a default SIGTERM would skip it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="neighborwatch-e2e-"))
    stack = Stack(folder)
    try:
        load.build()
        stack.start()
        for workload in workloads():
            if workload.name != HOG:
                stack.start_workload(workload)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "control"))
            listener.listen()
            ready = {
                "url": stack.url,
                "token": (stack.data_dir / "admin-token").read_text().strip(),
                "sign_in_link": stack.printed_sign_in_link(),
                "control": str(folder / "control"),
            }
            print(json.dumps(ready), flush=True)
            Controls(stack).serve(listener)
    finally:
        try:
            stack.close()
        finally:
            _keep_logs(folder)
            shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main()
    except StackError as error:
        print(f"stack: {error}", file=sys.stderr)
        sys.exit(1)
