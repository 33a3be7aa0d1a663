"""Postgres, backend and agent as separate processes, so that a test can kill one of them.

`neighborwatch run` would start it again at once.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "scenarios"))

import psycopg
from owner import die_with_parent

from host import NEIGHBORWATCH, NWAGENT
from neighborwatch.launch.postgres import EmbeddedPostgres

START_SECONDS = 60


def wait_until(is_so: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content_type: str
    body: dict[str, Any]


class Parts:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.postgres = EmbeddedPostgres(folder / "postgres", folder / "postgres.log")
        self.backend: subprocess.Popen[bytes] | None = None
        self.agent: subprocess.Popen[bytes] | None = None
        self.token = ""

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "NW_DATABASE_URL": self.postgres.url(),
            "NW_DATA_DIR": str(self.folder),
            "NW_PORT": str(self.port),
        }

    def start(self, oci_state_dir: Path) -> None:
        self.postgres.prepare()
        self.start_postgres()
        self._neighborwatch("migrate")
        self.token = self._neighborwatch("api-token", "--name", "test")
        self.start_backend()
        self._start_agent(oci_state_dir)

    def start_postgres(self) -> None:
        self.postgres.start()
        wait_until(self.postgres.is_ready, seconds=START_SECONDS, what="Postgres is ready")

    def start_backend(self) -> None:
        self.backend = self._spawn([*NEIGHBORWATCH, "serve"], "backend", self.environment)
        is_ready = lambda: self._status("/readyz") == 200  # noqa: E731
        wait_until(is_ready, seconds=START_SECONDS, what="the backend is ready")

    def _start_agent(self, oci_state_dir: Path) -> None:
        enrolment = self.folder / "enrolment-token"
        enrolment.write_text(self._neighborwatch("enrolment-token") + "\n")
        enrolment.chmod(0o600)
        settings = {
            "NW_AGENT_SERVER": f"http://127.0.0.1:{self.port}",
            "NW_AGENT_STATE_DIR": str(self.folder / "agent"),
            "NW_AGENT_ENROLL_TOKEN_FILE": str(enrolment),
            "NW_AGENT_OCI_STATE_DIR": str(oci_state_dir),
        }
        self.agent = self._spawn([str(NWAGENT)], "agent", {**os.environ, **settings})

    def kill_backend(self) -> None:
        assert self.backend is not None
        self.backend.kill()
        self.backend.wait()

    def kill_postgres(self) -> None:
        """Its children notice and leave by themselves, as after a crash."""
        assert self.postgres.process is not None
        self.postgres.process.kill()
        self.postgres.process.wait()

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.postgres.url(), connect_timeout=5) as db:
            return db.execute(statement.encode()).fetchall()

    def get(self, path: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            response = connection.getresponse()
            content_type = response.headers.get("content-type", "")
            body = response.read()
            is_json = content_type.endswith("json")
            return Answer(response.status, content_type, json.loads(body) if is_json else {})
        finally:
            connection.close()

    def _status(self, path: str) -> int | None:
        try:
            return self.get(path).status
        except OSError:
            return None

    def close(self) -> None:
        for process in (self.agent, self.backend):
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait(30)
        self.postgres.stop()

    def _neighborwatch(self, *arguments: str) -> str:
        ended = subprocess.run(
            [*NEIGHBORWATCH, *arguments], env=self.environment, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def _spawn(
        self, command: list[str], name: str, environment: dict[str, str]
    ) -> "subprocess.Popen[bytes]":
        parent_pid = os.getpid()
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGTERM, parent_pid),
            )
