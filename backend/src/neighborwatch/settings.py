"""Every `NW_*` variable of the backend, one class per concern, with its default and its meaning.

`neighborwatch settings` prints this file as a table, so a description here is the documentation.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

# The checkout (or /opt/neighborwatch in the image): holds migrations/ and frontend/dist.
PROJECT_DIR = Path(__file__).resolve().parents[3]

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


def local_url(host: str, port: int) -> str:
    """How a program on this machine reaches a server that listens on `host`."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


class _Section(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="NW_", frozen=True, extra="ignore")


class PathSettings(_Section):
    data_dir: Path = Field(
        default=PROJECT_DIR / ".data",
        description="State of `run`: embedded Postgres, admin token, agent's spool",
    )
    migrations_dir: Path = Field(
        default=PROJECT_DIR / "migrations", description="Alembic's folder of revisions"
    )
    frontend_dir: Path = Field(
        default=PROJECT_DIR / "frontend" / "dist", description="The built dashboard"
    )
    # Not NW_AGENT_...: those are the agent's own settings, and it refuses unknown ones.
    nwagent: Path = Field(
        default=PROJECT_DIR / "agent" / "build" / "nwagent",
        description="The agent's program, which `run` starts on this host",
    )


class DatabaseSettings(_Section):
    database_url: str | None = Field(
        default=None,
        description="postgresql://user:password@host/name; empty: `run` starts its own Postgres 18",
    )
    database_pool_size: Count = Field(default=8, description="Connections kept open per process")
    database_pool_overflow: Annotated[int, Field(ge=0)] = Field(
        default=8, description="Connections beyond the pool under load, per process"
    )
    database_connect_timeout_seconds: Count = Field(
        default=5, description="Give up connecting after this"
    )
    database_statement_timeout_seconds: Seconds = Field(
        default=30,
        description="A query running longer is cancelled; the answer (400) asks for less",
    )


class ServerSettings(_Section):
    host: str = Field(default="127.0.0.1", description="Address to listen on")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=8080, description="TCP port")
    public_url: str | None = Field(
        default=None,
        description="Where browsers and agents reach this server; default http://HOST:PORT. "
        "With https:// the session cookie is marked Secure",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe message that is logged"
    )

    @property
    def base_url(self) -> str:
        if self.public_url:
            return self.public_url.rstrip("/")
        return local_url(self.host, self.port)


class IngestSettings(_Section):
    ingest_max_body_bytes: Count = Field(
        default=1 << 20, description="Largest request body as sent (compressed)"
    )
    ingest_max_expanded_bytes: Count = Field(
        default=4 << 20, description="Largest request body after expansion"
    )
    ingest_writers: Count = Field(
        default=2, description="Threads that write samples, one transaction each"
    )
    ingest_queue_requests: Count = Field(
        default=5000, description="Requests waiting for a writer; one more is answered with 429"
    )
    ingest_flush_requests: Count = Field(
        default=400, description="Most requests (hosts) written in one transaction"
    )
    ingest_flush_seconds: Annotated[float, Field(ge=0)] = Field(
        default=0.05, description="How long a request may wait for others to share a transaction"
    )


class RetentionSettings(_Section):
    retention_samples_hours: Count = Field(
        default=48, description="10 s samples are kept this long; older windows are not taken"
    )
    retention_blame_days: Count = Field(default=14, description="Blame pairs are kept this long")
    retention_events_days: Count = Field(default=14, description="Events are kept this long")

    @property
    def samples(self) -> timedelta:
        return timedelta(hours=self.retention_samples_hours)

    @property
    def blame(self) -> timedelta:
        return timedelta(days=self.retention_blame_days)

    @property
    def events(self) -> timedelta:
        return timedelta(days=self.retention_events_days)


class AccessSettings(_Section):
    session_hours: Count = Field(
        default=12, description="A session ends after this long without a request"
    )
    session_days: Count = Field(default=7, description="A session ends at this age in any case")
    sign_in_link_minutes: Count = Field(default=15, description="A sign-in link works this long")
    failed_attempts_per_minute: Count = Field(
        default=20, description="Wrong sign-in or enrolment tokens a minute and address, then 429"
    )

    @property
    def session_idle(self) -> timedelta:
        return timedelta(hours=self.session_hours)

    @property
    def session_age(self) -> timedelta:
        return timedelta(days=self.session_days)

    @property
    def sign_in_link_age(self) -> timedelta:
        return timedelta(minutes=self.sign_in_link_minutes)


SECTIONS: tuple[type[_Section], ...] = (
    PathSettings,
    DatabaseSettings,
    ServerSettings,
    IngestSettings,
    RetentionSettings,
    AccessSettings,
)


@dataclass(frozen=True, slots=True)
class Settings:
    paths: PathSettings
    database: DatabaseSettings
    server: ServerSettings
    ingest: IngestSettings
    retention: RetentionSettings
    access: AccessSettings


@cache
def get_settings() -> Settings:
    """Reads the environment once per process."""
    return Settings(
        paths=PathSettings(),
        database=DatabaseSettings(),
        server=ServerSettings(),
        ingest=IngestSettings(),
        retention=RetentionSettings(),
        access=AccessSettings(),
    )


@dataclass(frozen=True, slots=True)
class SettingRow:
    variable: str
    default: str
    meaning: str


def setting_rows() -> list[SettingRow]:
    rows = []
    for section in SECTIONS:
        for name, field in section.model_fields.items():
            default = "" if field.default is None else str(field.default)
            rows.append(SettingRow(f"NW_{name.upper()}", default, field.description or ""))
    return rows
