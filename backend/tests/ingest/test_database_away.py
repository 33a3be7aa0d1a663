"""Postgres dies and comes back: nothing acknowledged is lost, nothing is stored twice."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

import wire_factory as make
from conftest import start_and_wait
from neighborwatch.access import queries
from neighborwatch.db import migrate
from neighborwatch.db.engine import create_database_engine
from neighborwatch.db.session import session_factory, transaction
from neighborwatch.launch.postgres import EmbeddedPostgres
from neighborwatch.main import create_app
from neighborwatch.settings import DatabaseSettings, PathSettings, Settings


@pytest.fixture
def durable_postgres() -> Iterator[EmbeddedPostgres]:
    """A server of its own, with all safety on: this one is killed."""
    folder = Path(tempfile.mkdtemp(prefix="nw-test-"))
    server = EmbeddedPostgres(data_dir=folder / "postgres", log_file=folder / "postgres.log")
    try:
        server.prepare()
        start_and_wait(server)
        engine = create_database_engine(server.url(), DatabaseSettings())
        with engine.begin() as connection:
            migrate.upgrade(connection, PathSettings().migrations_dir)
        engine.dispose()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def enrol(server: EmbeddedPostgres) -> tuple[int, str]:
    engine = create_database_engine(server.url(), DatabaseSettings())
    now = datetime.now(UTC)
    with transaction(session_factory(engine)) as session:
        token = queries.create_enrolment_token(session, now=now, ttl=timedelta(hours=1))
        enrolled = queries.enrol_host(
            session, token, machine_id="0" * 32, hostname="h", agent_version="1", now=now
        )
    engine.dispose()
    assert enrolled is not None
    return enrolled


def test_a_killed_postgres_costs_no_window_and_doubles_none(
    durable_postgres: EmbeddedPostgres, settings: Settings
) -> None:
    server = durable_postgres
    host_id, token = enrol(server)
    windows_at = [make.recent_window(back) for back in range(10, 0, -1)]
    database = DatabaseSettings(database_url=server.url(), database_connect_timeout_seconds=2)

    def send(client: TestClient, sequence: int) -> Response:
        window = make.batch(sequence, windows_at[sequence])
        return client.post(
            "/api/v1/ingest",
            content=make.request(host_id, [window]).SerializeToString(),
            headers={
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/x-protobuf",
            },
        )

    with TestClient(create_app(replace(settings, database=database))) as client:
        assert send(client, 1).status_code == 204
        assert send(client, 2).status_code == 204
        assert server.process is not None
        server.process.kill()
        server.process.wait()
        away = send(client, 3)
        assert away.status_code == 503
        assert int(away.headers["retry-after"]) > 0
        assert away.json()["request_id"]
        assert client.get("/readyz").json()["database"] == "failed"
        assert client.get("/healthz").status_code == 200
        start_and_wait(server)
        deadline = time.monotonic() + 30
        while send(client, 3).status_code != 204:
            assert time.monotonic() < deadline
        assert send(client, 2).status_code == 204
        assert send(client, 4).status_code == 204
        assert client.get("/readyz").json()["status"] == "ok"
    with psycopg.connect(server.url()) as db:
        windows = db.execute("SELECT t, count(*) FROM host_samples_10s GROUP BY t").fetchall()
    assert sorted(windows) == [(at, 1) for at in windows_at[1:5]]
