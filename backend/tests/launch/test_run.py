"""`neighborwatch run` as people use it: a process, signals, what it prints and what it leaves."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

# initdb and three processes on a machine that is busy with other tests.
START_SECONDS = 180.0


@dataclass
class Launched:
    """A `run` in a state folder of its own, found again by a mark in its environment."""

    data_dir: Path
    process: "subprocess.Popen[str]"
    mark: str

    def wait_for(self, what: Callable[[], object]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not what():
            assert time.monotonic() < deadline, self.output()
            time.sleep(0.1)

    def output(self) -> str:
        return (self.data_dir / "terminal").read_text()

    def started(self) -> bool:
        assert self.process.poll() is None, self.output()
        return "Ctrl-C stops everything." in self.output()

    def address(self) -> tuple[str, int]:
        found = re.search(r"http://(127\.0\.0\.1):(\d+)/sign-in#token=nwl_", self.output())
        assert found is not None, self.output()
        return found[1], int(found[2])

    def get(self, path: str, token: str | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(*self.address(), timeout=10)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError:
            return 0, b""
        finally:
            connection.close()

    def processes(self) -> dict[int, str]:
        """Every process with the mark: command by pid."""
        found = {}
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    if command:  # else a zombie
                        found[int(folder.name)] = command
            except OSError:  # ended while we looked, or another user's
                continue
        return found

    def pid_of(self, part: str) -> int:
        (pid,) = (pid for pid, command in self.processes().items() if part in command)
        return pid

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(START_SECONDS)


Launch = Callable[..., Launched]


@pytest.fixture
def launch() -> Iterator[Launch]:
    folder = Path(tempfile.mkdtemp(prefix="nw-test-"))
    launched: list[Launched] = []

    def start(*arguments: str, **settings: str) -> Launched:
        mark = f"NW_E2E_MARK={uuid4()}"
        name, _, value = mark.partition("=")
        environment = {
            **os.environ,
            "NW_DATA_DIR": str(folder),
            "NW_PORT": "0",
            "NW_NWAGENT": str(folder / "no-agent-here"),
            name: value,
            **settings,
        }
        with (folder / "terminal").open("w") as terminal:
            process = subprocess.Popen(
                [sys.executable, "-m", "neighborwatch.cli", "run", *arguments],
                stdout=terminal,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment,
            )
        launched.append(Launched(folder, process, mark))
        return launched[-1]

    yield start
    for one in launched:
        if one.process.poll() is None:
            one.process.terminate()
            one.process.wait(60)
    shutil.rmtree(folder)


def test_it_starts_answers_and_leaves_nothing_and_starts_again(launch: Launch) -> None:
    run = launch()
    run.wait_for(run.started)
    token_file = run.data_dir / "admin-token"
    assert token_file.stat().st_mode & 0o777 == 0o600
    token = token_file.read_text().strip()
    status, body = run.get("/api/v1/session", token)
    assert (status, json.loads(body)["user"]["role"]) == (200, "admin")
    assert run.get("/api/v1/session")[0] == 401
    assert json.loads(run.get("/readyz")[1])["status"] == "ok"
    assert "no-agent-here is not built" in run.output()
    assert not (run.data_dir / "agent-enrolment-token").exists()
    assert run.stop(signal.SIGINT) == 0
    assert run.processes() == {}
    assert "nothing is left running" in run.output()

    again = launch()
    again.wait_for(again.started)
    assert token_file.read_text().strip() == token
    assert again.get("/api/v1/session", token)[0] == 200
    assert again.stop() == 0
    assert again.processes() == {}


def test_dead_children_come_back(launch: Launch) -> None:
    run = launch()
    run.wait_for(run.started)
    backend = run.pid_of("neighborwatch.cli serve")
    os.kill(backend, signal.SIGKILL)
    os.kill(run.pid_of("postgres -D"), signal.SIGKILL)
    run.wait_for(lambda: "backend started again" in run.output())
    run.wait_for(lambda: run.get("/readyz")[0] == 200)
    assert run.pid_of("neighborwatch.cli serve") != backend
    assert "Postgres was killed by SIGKILL; starting it again in 1 s" in run.output()
    assert run.stop() == 0
    assert run.processes() == {}


def test_a_killed_launcher_takes_everything_with_it(launch: Launch) -> None:
    run = launch("--with", "sleep 1000")
    run.wait_for(run.started)
    assert len(run.processes()) > 3
    run.process.kill()
    run.process.wait()
    run.wait_for(lambda: run.processes() == {})
    again = launch()
    again.wait_for(again.started)
    assert again.stop() == 0


def test_a_companion_ends_with_all_its_children(launch: Launch) -> None:
    run = launch("--with", "sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000'")
    run.wait_for(run.started)
    run.wait_for(lambda: sum("sleep 1000" in c for c in run.processes().values()) >= 2)
    assert run.stop() == 0
    assert run.processes() == {}


def test_a_companion_that_ends_and_a_second_run_leave_the_first_alone(launch: Launch) -> None:
    run = launch("--with", "sh -c 'echo it speaks here; exit 3'")
    run.wait_for(run.started)
    run.wait_for(lambda: "companion ended with 3 and stays down" in run.output())
    assert "it speaks here" in run.output()
    second = subprocess.run(
        [sys.executable, "-m", "neighborwatch.cli", "run"],
        capture_output=True,
        text=True,
        env={**os.environ, "NW_DATA_DIR": str(run.data_dir), "NW_PORT": "0"},
        check=False,
    )
    assert second.returncode == 1
    assert f"(process {run.process.pid})" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    assert run.get("/healthz")[0] == 200


def test_a_taken_port_is_told_before_anything_is_made(launch: Launch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = launch(NW_PORT=str(port))
        assert run.process.wait(START_SECONDS) == 1
    assert f"port {port} on 127.0.0.1 is taken" in run.output()
    assert not (run.data_dir / "postgres").exists()


def test_a_program_that_does_not_exist_is_told_and_all_is_stopped(launch: Launch) -> None:
    run = launch("--with", "/no/such/program")
    assert run.process.wait(START_SECONDS) == 1
    assert "cannot start the companion: /no/such/program: No such file" in run.output()
    assert run.processes() == {}


def test_a_stop_during_the_start_leaves_nothing(launch: Launch) -> None:
    run = launch()
    run.wait_for(lambda: "Making a database" in run.output())
    assert run.stop() == 0
    assert run.processes() == {}


def test_another_database_is_used_and_none_is_started(launch: Launch, database_url: str) -> None:
    run = launch(NW_DATABASE_URL=database_url)
    run.wait_for(run.started)
    assert not (run.data_dir / "postgres").exists()
    assert json.loads(run.get("/readyz")[1])["status"] == "ok"
    assert run.stop() == 0
    assert run.processes() == {}


def test_a_database_that_does_not_answer_is_told_in_one_line(launch: Launch) -> None:
    run = launch(NW_DATABASE_URL="postgresql://nobody:secret@127.0.0.1:1/none")
    assert run.process.wait(START_SECONDS) == 1
    (line,) = run.output().splitlines()
    assert line.startswith("neighborwatch: the database does not answer")
    assert "secret" not in line
