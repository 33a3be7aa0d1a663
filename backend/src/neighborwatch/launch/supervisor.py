"""`neighborwatch run`: Postgres, backend, agent and a companion under one process.

Signals are blocked and waited for, so that nothing here runs inside a handler, and every step
can be left on the first Ctrl-C.
"""

import http.client
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from neighborwatch.db.session import session_factory, transaction
from neighborwatch.launch import agent, credentials, instance
from neighborwatch.launch.child import spawn
from neighborwatch.launch.database import (
    LOGS,
    bring_up_to_date,
    embedded_postgres,
    opened,
)
from neighborwatch.launch.errors import LaunchError
from neighborwatch.launch.postgres import PostgresError
from neighborwatch.launch.supervised import Supervised
from neighborwatch.launch.terminal import complain, say
from neighborwatch.settings import Settings, local_url

_STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# Generous: a machine may be busy, and a child that dies is noticed at once anyway.
_START_SECONDS = 180.0
_LOOK_EVERY_SECONDS = 0.2
_LOG_MAX_BYTES = 10 << 20
# "Wrong settings", by the agent's own contract.
_AGENT_WRONG_SETTINGS = 2


class StopRequestedError(Exception):
    """Ctrl-C, SIGTERM or a closed terminal."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    companion: str | None
    oci_state_dir: str | None


@dataclass(slots=True)
class Run:
    settings: Settings
    options: RunOptions
    children: list[Supervised] = field(default_factory=list)
    could_not: list[str] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        return self.settings.paths.data_dir.resolve()

    @property
    def enrolment_file(self) -> Path:
        return self.data_dir / "agent-enrolment-token"

    def main(self) -> None:
        """Returns after an orderly stop; raises LaunchError where it could not start."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        with instance.claim(self.data_dir):
            try:
                self._start()
                self._watch()
            except StopRequestedError:
                say("\nStopping.")
            finally:
                for child in reversed(self.children):
                    child.stop()
                self.enrolment_file.unlink(missing_ok=True)
            say("Stopped: nothing is left running.")

    def _start(self) -> None:
        server = self.settings.server
        port = instance.free_port(server.host, server.port)
        for name in LOGS:
            _rotate(self.data_dir / name)
        database_url = self.settings.database.database_url or self._start_postgres()
        here = local_url(server.host, port)
        base_url = server.base_url if server.public_url else here
        with opened(database_url, self.settings) as engine:
            bring_up_to_date(engine, self.settings)
            with transaction(session_factory(engine)) as session:
                credentials.keep_admin_token(session, self.data_dir / "admin-token")
                link = credentials.sign_in_url(session, self.settings, base_url)
                why_no_agent = agent.why_not(self.settings.paths.nwagent)
                if why_no_agent is None:
                    self._let_agent_in(session)
        self._start_backend(database_url, port, base_url)
        if why_no_agent is None:
            self._start_agent(here)
        else:
            self.could_not.append(why_no_agent)
        if self.options.companion is not None:
            self._start_companion(self.options.companion)
        self._announce(base_url, link, with_agent=why_no_agent is None)

    def _start_postgres(self) -> str:
        postgres = embedded_postgres(self.data_dir)
        if not (postgres.data_dir / "PG_VERSION").exists():
            say(f"Making a database in {postgres.data_dir} (once).")
        try:
            for note in postgres.prepare():
                say(f"Note: {note}.")
        except (PostgresError, OSError) as error:
            raise LaunchError(str(error)) from error
        child = Supervised("Postgres", postgres.start, stop_signal=signal.SIGINT, stop_seconds=30.0)
        self._launch(child)
        self._wait_for(child, postgres.is_ready)
        return postgres.url()

    def _start_backend(self, database_url: str, port: int, base_url: str) -> None:
        environment = {
            **os.environ,
            "NW_DATABASE_URL": database_url,
            "NW_PORT": str(port),
            "NW_PUBLIC_URL": base_url,
            "NW_DATA_DIR": str(self.data_dir),
        }
        host = self.settings.server.host

        def start() -> "subprocess.Popen[bytes]":
            return spawn(
                [sys.executable, "-m", "neighborwatch.cli", "serve"],
                log_file=self.data_dir / "backend.log",
                environment=environment,
            )

        child = Supervised("backend", start)
        self._launch(child)
        self._wait_for(child, lambda: _answers(host, port))

    def _let_agent_in(self, session: Session) -> None:
        agent_dir = self.data_dir / "agent"
        agent_dir.mkdir(mode=0o700, exist_ok=True)
        if not credentials.agent_is_enrolled(session, agent_dir / "credentials"):
            token = credentials.enrolment_token(session)
            credentials.write_secret(self.enrolment_file, token)

    def _start_agent(self, server_url: str) -> None:
        environment = agent.environment(
            os.environ,
            server_url=server_url,
            state_dir=self.data_dir / "agent",
            enrolment_token_file=self.enrolment_file,
            oci_state_dir=self.options.oci_state_dir,
        )

        def start() -> "subprocess.Popen[bytes]":
            return spawn(
                [str(self.settings.paths.nwagent)],
                log_file=self.data_dir / "agent.log",
                environment=environment,
            )

        self._launch(Supervised("agent", start, final_codes=frozenset({_AGENT_WRONG_SETTINGS})))

    def _start_companion(self, command: str) -> None:
        arguments = shlex.split(command)

        def start() -> "subprocess.Popen[bytes]":
            # No log: what it says is for whoever asked for it, on the same terminal.
            return spawn(arguments)

        self._launch(
            Supervised("companion", start, stop_seconds=20.0, signals_group=True, restarts=False)
        )

    def _launch(self, child: Supervised) -> None:
        # Listed first: a child that is started is stopped, whatever happens in between.
        self.children.append(child)
        try:
            child.launch()
        except OSError as error:
            what = f": {error.filename}" if error.filename else ""
            raise LaunchError(f"cannot start the {child.name}{what}: {error.strerror}") from error

    def _wait_for(self, child: Supervised, is_ready: Callable[[], bool]) -> None:
        """A child that dies before it was ever ready would only die again."""
        deadline = time.monotonic() + _START_SECONDS
        log_file = self.data_dir / f"{child.name.lower()}.log"
        while not is_ready():
            process = child.process
            if process is None or process.poll() is not None:
                raise LaunchError(f"{child.name} did not start: {_last_line(log_file)}")
            if time.monotonic() > deadline:
                raise LaunchError(
                    f"{child.name} is not ready after {_START_SECONDS:.0f} s; see {log_file}"
                )
            _pause(0.1)

    def _watch(self) -> None:
        while True:
            _pause(_LOOK_EVERY_SECONDS)
            for child in self.children:
                news = child.look()
                if news is not None:
                    log_file = self.data_dir / f"{child.name.lower()}.log"
                    complain(f"{news} (see {log_file})" if log_file.name in LOGS else news)

    def _announce(self, base_url: str, link: str, *, with_agent: bool) -> None:
        minutes = self.settings.access.sign_in_link_minutes
        token_file = self.data_dir / "admin-token"
        database = (
            "NW_DATABASE_URL"
            if self.settings.database.database_url
            else f"embedded Postgres 18 in {self.data_dir / 'postgres'}"
        )
        lines = [
            "",
            "Neighborwatch is running.",
            "",
            f"  Sign in    {link}",
            f"             works once, for {minutes} min; `neighborwatch sign-in-link` makes more",
            f'  API        curl -H "Authorization: Bearer $(cat {token_file})" '
            f"{base_url}/api/v1/hosts",
            f"  Database   {database}",
            f"  Agent      {'watches this host' if with_agent else 'not running'}",
            f"  Logs       {self.data_dir}/*.log",
        ]
        if self.could_not:
            lines += ["", "Could not:", *(f"  - {reason}" for reason in self.could_not)]
        lines += ["", "Ctrl-C stops everything."]
        say("\n".join(lines))


def _pause(seconds: float) -> None:
    """Sleeps until a signal asks to stop."""
    if signal.sigtimedwait(_STOP_SIGNALS, seconds) is not None:
        raise StopRequestedError


def _answers(host: str, port: int) -> bool:
    url = urlsplit(local_url(host, port))
    connection = http.client.HTTPConnection(url.hostname or host, port, timeout=1)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _rotate(log_file: Path) -> None:
    if log_file.exists() and log_file.stat().st_size > _LOG_MAX_BYTES:
        log_file.rename(log_file.with_name(f"{log_file.name}.1"))


def _last_line(log_file: Path) -> str:
    text = log_file.read_text(errors="replace") if log_file.exists() else ""
    return next(iter(reversed(text.splitlines())), f"see {log_file}")
