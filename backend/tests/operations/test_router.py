"""Alive, ready, measured, described."""

from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.access import queries
from neighborwatch.access.principal import Role
from neighborwatch.db.session import transaction
from neighborwatch.settings import Settings


def test_ready_says_which_part_is_ready(client: TestClient) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "database": "ok", "schema": "ok", "disk": "ok"}


def test_an_older_schema_is_not_ready(client: TestClient, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("UPDATE alembic_version SET version_num = '0000'")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["schema"] == "failed"
    assert answer.json()["database"] == "ok"


def test_alive_does_not_depend_on_the_database(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok\n"


@pytest.mark.parametrize(("role", "status"), [("metrics", 200), ("admin", 200), ("viewer", 403)])
def test_metrics_need_the_right_role(
    client: TestClient, sessions: sessionmaker[Session], role: str, status: int
) -> None:
    with transaction(sessions) as session:
        token = queries.create_api_token(
            session, name="prometheus", role=Role(role), now=datetime.now(UTC)
        )
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status
    if status == 200:
        assert "nw_ingest_requests_total" in answer.text
        assert "nw_http_request_seconds" in answer.text


def test_metrics_are_not_open_to_loopback(client: TestClient) -> None:
    assert client.get("/metrics").status_code == 401


def test_the_description_holds_ingest_and_hand_given_ids(viewer: TestClient) -> None:
    description = viewer.get("/api/v1/openapi.json").json()
    ids = [
        operation["operationId"]
        for path in description["paths"].values()
        for operation in path.values()
    ]
    assert "ingest" in ids
    assert len(ids) == len(set(ids))
    assert all("__" not in id_ and "api_v1" not in id_ for id_ in ids)


def test_every_answer_carries_an_id_and_the_security_headers(client: TestClient) -> None:
    for path in ("/healthz", "/api/v1/session", "/api/v1/nothing", "/", "/metrics"):
        headers = client.get(path).headers
        assert headers["x-request-id"]
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy


def test_the_callers_request_id_comes_back_when_it_is_sane(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-Id": "trace-0001"}).headers[
        "x-request-id"
    ] == ("trace-0001")
    insane = client.get("/healthz", headers={"X-Request-Id": "a b\tc"}).headers["x-request-id"]
    assert insane != "a b\tc"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api", 404),
        ("PUT", "/api/v1/session", 405),
        ("GET", "/api/v1/ingest", 404),
        ("POST", "/anything", 405),
        ("POST", "/api/v1/session", 422),
    ],
)
def test_every_refusal_is_a_problem_document(
    client: TestClient, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    if status == 405:
        assert answer.headers["allow"]


def test_a_crash_is_a_problem_without_its_inner_words(
    client: TestClient, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("ALTER TABLE sessions RENAME TO secret_name_of_a_table")
    client.cookies.set("nw_session", "nws_x")
    answer = client.get("/api/v1/session")
    assert answer.status_code == 500
    assert "secret_name" not in answer.text
    assert answer.json()["request_id"] in answer.json()["detail"]
    assert answer.headers["content-security-policy"]
    assert "does not exist" in caplog.text


@pytest.fixture
def built(settings: Settings) -> Path:
    folder = settings.paths.frontend_dir
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Dashboard</title>")
    (folder / "assets" / "index-abc123.js").write_text("export {};" + " " * 2000)
    (folder / "favicon.svg").write_text("<svg/>")
    return folder


def test_the_dashboard_is_served_at_every_address_of_its_own(
    client: TestClient, built: Path
) -> None:
    for path in ("/", "/containers", "/containers/1-000000000000abcd", "/sign-in", "/a.b/c"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "Dashboard" in answer.text
        assert answer.headers["cache-control"] == "no-cache"


def test_assets_may_be_kept_for_ever_and_are_compressed(client: TestClient, built: Path) -> None:
    answer = client.get("/assets/index-abc123.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert "javascript" in answer.headers["content-type"]


def test_an_asset_of_an_older_build_is_missing_and_not_the_index(
    client: TestClient, built: Path
) -> None:
    answer = client.get("/assets/index-old.js")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/../secret", "/%2e%2e/secret", "/assets/%2e%2e/%2e%2e/secret", "//etc/passwd"]
)
def test_nothing_outside_of_the_dashboard_is_served(
    client: TestClient, built: Path, path: str
) -> None:
    (built.parent / "secret").write_text("inner words")
    assert "inner words" not in client.get(path).text
    assert "root:" not in client.get(path).text


def test_a_dashboard_that_is_not_built_says_what_to_do(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 503
    assert "make build" in answer.text
