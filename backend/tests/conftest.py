"""A real Postgres for all tests: one server per session, the schema by the migrations, and for
each test a database of its own, copied from the migrated one (so threads, COPY and commits are
real, and no test sees another's rows)."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import psycopg
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from fleet import NOW, Fleet, Reader
from neighborwatch.access import queries
from neighborwatch.access.principal import Role
from neighborwatch.db import migrate
from neighborwatch.db.engine import create_database_engine
from neighborwatch.db.partitions import maintain_partitions, partitioned_tables
from neighborwatch.db.session import session_factory, transaction
from neighborwatch.http.deps import current_time
from neighborwatch.launch.postgres import EmbeddedPostgres
from neighborwatch.main import create_app
from neighborwatch.settings import (
    AccessSettings,
    DatabaseSettings,
    IngestSettings,
    PathSettings,
    RetentionSettings,
    ServerSettings,
    Settings,
)

# Durability is tested where it matters (db gone and back) by stopping the server, not by fsync.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_database_number = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    # Not pytest's tmp_path: its parents are closed to the server's user when run as root.
    folder = Path(tempfile.mkdtemp(prefix="nw-test-"))
    server = EmbeddedPostgres(
        data_dir=folder / "postgres", log_file=folder / "postgres.log", options=FAST
    )
    try:
        server.prepare()
        start_and_wait(server)
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def start_and_wait(server: EmbeddedPostgres) -> None:
    process = server.start()
    deadline = time.monotonic() + 60
    while not server.is_ready():
        assert process.poll() is None, server.log_file.read_text()
        assert time.monotonic() < deadline, "Postgres did not start within 60 s"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def migrated_database(postgres: EmbeddedPostgres) -> str:
    """Name of the database that others are copied from; has partitions around now."""
    engine = create_database_engine(postgres.url(), DatabaseSettings())
    with engine.begin() as connection:
        migrate.upgrade(connection, PathSettings().migrations_dir)
    with engine.begin() as connection:
        # A day of retention here: fewer partitions make a faster copy.
        tables = partitioned_tables(
            RetentionSettings(retention_blame_days=1, retention_events_days=1)
        )
        maintain_partitions(connection, tables, now=datetime.now(UTC) + timedelta(hours=1))
    engine.dispose()
    return "neighborwatch"


@pytest.fixture
def database_url(postgres: EmbeddedPostgres, migrated_database: str) -> Iterator[str]:
    """An empty migrated database for this test alone."""
    name = f"test_{next(_database_number)}"
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{migrated_database}" STRATEGY file_copy')
    yield postgres.url(name)
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(
        paths=PathSettings(data_dir=tmp_path / "data", frontend_dir=tmp_path / "dist"),
        database=DatabaseSettings(database_url=database_url),
        server=ServerSettings(),
        ingest=IngestSettings(ingest_flush_seconds=0),
        retention=RetentionSettings(),
        access=AccessSettings(),
    )


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    assert settings.database.database_url is not None
    engine = create_database_engine(settings.database.database_url, settings.database)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> sessionmaker[Session]:
    return session_factory(engine)


@pytest.fixture
def session(sessions: sessionmaker[Session]) -> Iterator[Session]:
    """An open transaction, rolled back at the end unless the test commits."""
    with sessions() as session:
        yield session


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    return create_app(settings)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """Nobody: no cookie, no token."""
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def admin_token(sessions: sessionmaker[Session]) -> str:
    with transaction(sessions) as session:
        return queries.create_api_token(
            session, name="test", role=Role.ADMIN, now=datetime.now(UTC)
        )


@pytest.fixture
def viewer_token(sessions: sessionmaker[Session]) -> str:
    with transaction(sessions) as session:
        return queries.create_api_token(
            session, name="test", role=Role.VIEWER, now=datetime.now(UTC)
        )


@pytest.fixture
def viewer(client: TestClient, viewer_token: str) -> TestClient:
    """A program that may read."""
    client.headers["Authorization"] = f"Bearer {viewer_token}"
    return client


@pytest.fixture
def fleet(sessions: sessionmaker[Session]) -> Fleet:
    return Fleet(sessions)


@pytest.fixture
def reader(app: FastAPI, viewer: TestClient) -> Reader:
    """Reads the fleet; the clock stands at NOW."""
    app.dependency_overrides[current_time] = lambda: NOW
    return Reader(viewer)
