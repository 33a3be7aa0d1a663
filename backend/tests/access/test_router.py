"""Coming in: links, cookies, tokens, enrolment; and that no route is open by oversight."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.access import queries
from neighborwatch.access.deps import GUARDS
from neighborwatch.access.principal import Role
from neighborwatch.db.session import transaction
from neighborwatch.db.tables import (
    ApiToken,
    EnrolmentToken,
    Host,
    HostToken,
    SignInLink,
    UserSession,
)
from neighborwatch.main import create_app
from neighborwatch.settings import AccessSettings, Settings

INTENT = {"X-Requested-With": "neighborwatch"}
MACHINE = "0123456789abcdef0123456789abcdef"

# Open on purpose, with the reason.
OPEN_ROUTES = {
    ("POST", "/api/v1/session"): "takes the one-time link token itself",
    ("POST", "/api/v1/enroll"): "takes the one-time enrolment token itself",
    ("GET", "/healthz"): "says only that the process answers",
    ("GET", "/readyz"): "says only which part is not ready",
}


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def link_token(sessions: sessionmaker[Session]) -> str:
    with transaction(sessions) as session:
        user = queries.ensure_admin(session, now=now())
        return queries.create_sign_in_link(session, user, now=now(), settings=AccessSettings())


@pytest.fixture
def enrolment_token(sessions: sessionmaker[Session]) -> str:
    with transaction(sessions) as session:
        return queries.create_enrolment_token(session, now=now(), ttl=timedelta(hours=1))


@pytest.fixture
def signed_in(client: TestClient, link_token: str) -> TestClient:
    assert client.post("/api/v1/session", json={"link_token": link_token}).status_code == 201
    return client


def enrol(client: TestClient, token: str, machine_id: str = MACHINE) -> dict[str, str]:
    answer = client.post(
        "/api/v1/enroll",
        json={"machine_id": machine_id, "hostname": "web-1", "agent_version": "0.1.0"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201, answer.text
    body: dict[str, str] = answer.json()
    return body


def guards_of(dependant: Dependant) -> set[object]:
    calls: set[object] = {dependant.call}
    for child in dependant.dependencies:
        calls |= guards_of(child)
    return calls & GUARDS


def routes_of(app: FastAPI) -> Iterator[tuple[str, APIRoute]]:
    for route in app.routes:
        if isinstance(route, APIRoute):
            for method in route.methods or ():
                yield method, route


def test_every_route_has_a_decision_on_who_may_call_it(app: FastAPI) -> None:
    undecided = [
        (method, route.path)
        for method, route in routes_of(app)
        if not guards_of(route.dependant) and (method, route.path) not in OPEN_ROUTES
    ]
    assert undecided == []


def test_every_guarded_route_refuses_a_stranger(app: FastAPI, client: TestClient) -> None:
    for method, route in routes_of(app):
        if (method, route.path) not in OPEN_ROUTES:
            answer = client.request(method, route.path.replace("{", "").replace("}", ""))
            assert answer.status_code == 401, (method, route.path, answer.status_code)
            assert answer.headers["content-type"] == "application/problem+json"


def test_a_sign_in_link_opens_a_session_once(client: TestClient, link_token: str) -> None:
    answer = client.post("/api/v1/session", json={"link_token": link_token})
    assert answer.status_code == 201
    assert answer.json()["user"] == {"name": "admin", "role": "admin"}
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/api/v1/session").json()["user"]["name"] == "admin"
    assert client.post("/api/v1/session", json={"link_token": link_token}).status_code == 401


def test_an_expired_link_opens_nothing(
    client: TestClient, link_token: str, sessions: sessionmaker[Session]
) -> None:
    with transaction(sessions) as session:
        session.execute(update(SignInLink).values(expires_at=now()))
    assert client.post("/api/v1/session", json={"link_token": link_token}).status_code == 401


def test_the_cookie_is_secure_behind_https(settings: Settings, link_token: str) -> None:
    https = settings.server.model_copy(update={"public_url": "https://nw.example.com"})
    app = create_app(
        Settings(
            paths=settings.paths,
            database=settings.database,
            server=https,
            ingest=settings.ingest,
            retention=settings.retention,
            access=settings.access,
        )
    )
    with TestClient(app) as client:
        answer = client.post("/api/v1/session", json={"link_token": link_token})
    assert "Secure" in answer.headers["set-cookie"]


def test_signing_out_ends_the_session_for_good(signed_in: TestClient) -> None:
    cookie = signed_in.cookies["nw_session"]
    assert signed_in.delete("/api/v1/session", headers=INTENT).status_code == 204
    signed_in.cookies.set("nw_session", cookie)
    assert signed_in.get("/api/v1/session").status_code == 401


def test_a_change_by_cookie_needs_the_intent_header(signed_in: TestClient) -> None:
    refused = signed_in.post("/api/v1/enrolment-tokens", json={"ttl_seconds": 600})
    assert refused.status_code == 403
    made = signed_in.post("/api/v1/enrolment-tokens", json={"ttl_seconds": 600}, headers=INTENT)
    assert made.status_code == 201


def test_a_session_slides_with_use_and_ends_at_its_age(
    sessions: sessionmaker[Session],
) -> None:
    settings = AccessSettings()
    start = now()
    with transaction(sessions) as session:
        user = queries.ensure_admin(session, now=start)
        secret = queries.open_session(session, user, now=start, settings=settings)

    def alive(after: timedelta) -> bool:
        with transaction(sessions) as session:
            found = queries.principal_of_session(
                session, secret, now=start + after, settings=settings
            )
            return found is not None

    for hours in range(11, 24 * 7, 11):
        assert alive(timedelta(hours=hours))
    assert not alive(timedelta(days=7, seconds=1))


def test_a_session_ends_when_it_is_not_used(sessions: sessionmaker[Session]) -> None:
    with transaction(sessions) as session:
        user = queries.ensure_admin(session, now=now())
        secret = queries.open_session(session, user, now=now(), settings=AccessSettings())
        later = now() + timedelta(hours=12, seconds=1)
        assert (
            queries.principal_of_session(session, secret, now=later, settings=AccessSettings())
            is None
        )


def test_only_hashes_are_stored(
    signed_in: TestClient, enrolment_token: str, sessions: sessionmaker[Session]
) -> None:
    host_token = enrol(signed_in, enrolment_token)["token"]
    with sessions() as session:
        stored = [
            hash_
            for table in (SignInLink, UserSession, EnrolmentToken, HostToken)
            for hash_ in session.scalars(select(table.hash))
        ]
    assert len(stored) == 4
    assert all(len(hash_) == 32 for hash_ in stored)
    assert host_token.encode() not in stored


def test_a_viewer_may_read_and_not_make_enrolment_tokens(viewer: TestClient) -> None:
    assert viewer.get("/api/v1/session").json()["user"]["role"] == "viewer"
    refused = viewer.post("/api/v1/enrolment-tokens", json={"ttl_seconds": 600})
    assert refused.status_code == 403
    assert "admin" in refused.json()["detail"]


def test_a_metrics_token_reads_no_answers(
    client: TestClient, sessions: sessionmaker[Session]
) -> None:
    with transaction(sessions) as session:
        token = queries.create_api_token(session, name="prom", role=Role.METRICS, now=now())
    answer = client.get("/api/v1/session", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403


@pytest.mark.parametrize("change", [{"revoked_at": now()}, {"expires_at": now()}])
def test_a_revoked_or_expired_api_token_is_refused(
    viewer: TestClient, sessions: sessionmaker[Session], change: dict[str, datetime]
) -> None:
    with transaction(sessions) as session:
        session.execute(update(ApiToken).values(**change))
    answer = viewer.get("/api/v1/session")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer nwt_wrong", "Bearer", "Basic abc", "nwt_x", ""])
def test_a_wrong_authorization_header_is_refused(client: TestClient, header: str) -> None:
    answer = client.get("/api/v1/session", headers={"Authorization": header})
    assert answer.status_code == 401


def test_an_enrolment_token_enrols_one_host(
    client: TestClient, enrolment_token: str, sessions: sessionmaker[Session]
) -> None:
    enrolled = enrol(client, enrolment_token)
    assert enrolled["token"].startswith("nwh_")
    with sessions() as session:
        assert queries.host_of_token(session, enrolled["token"]) == int(enrolled["host_id"])
        host = session.get_one(Host, int(enrolled["host_id"]))
        assert (host.name, host.machine_id) == ("web-1", MACHINE)
    again = client.post(
        "/api/v1/enroll",
        json={"machine_id": "f" * 32, "hostname": "web-2", "agent_version": "0.1.0"},
        headers={"Authorization": f"Bearer {enrolment_token}"},
    )
    assert again.status_code == 401
    assert "used" in again.json()["detail"]


def test_the_same_machine_keeps_its_id_and_loses_its_old_token(
    client: TestClient, sessions: sessionmaker[Session]
) -> None:
    enrolled = []
    for _ in range(2):
        with transaction(sessions) as session:
            token = queries.create_enrolment_token(session, now=now(), ttl=timedelta(hours=1))
        enrolled.append(enrol(client, token))
    first, second = enrolled
    assert first["host_id"] == second["host_id"]
    with sessions() as session:
        assert queries.host_of_token(session, first["token"]) is None
        assert queries.host_of_token(session, second["token"]) == int(second["host_id"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("machine_id", "short"),
        ("machine_id", MACHINE.upper()),
        ("hostname", ""),
        ("hostname", "a\nb"),
        ("hostname", "a\u0000b"),
        ("agent_version", "x" * 65),
        ("surprise", 1),
    ],
)
def test_enrolment_names_the_wrong_field_and_keeps_the_token_unspent(
    client: TestClient, enrolment_token: str, field: str, value: object
) -> None:
    body = {"machine_id": MACHINE, "hostname": "web-1", "agent_version": "0.1.0", field: value}
    answer = client.post(
        "/api/v1/enroll", json=body, headers={"Authorization": f"Bearer {enrolment_token}"}
    )
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    enrol(client, enrolment_token)


def test_guessing_is_slowed_down(client: TestClient, link_token: str) -> None:
    for _ in range(AccessSettings().failed_attempts_per_minute):
        assert client.post("/api/v1/session", json={"link_token": "nwl_x"}).status_code == 401
    slowed = client.post("/api/v1/session", json={"link_token": link_token})
    assert slowed.status_code == 429
    assert 0 < int(slowed.headers["retry-after"]) <= 61


def test_an_agent_that_cannot_enrol_locks_no_person_out(
    client: TestClient, link_token: str
) -> None:
    body = {"machine_id": MACHINE, "hostname": "web-1", "agent_version": "0.1.0"}
    wrong = {"Authorization": "Bearer nwe_wrong"}
    answers = [
        client.post("/api/v1/enroll", json=body, headers=wrong).status_code
        for _ in range(AccessSettings().failed_attempts_per_minute + 1)
    ]
    assert (answers[0], answers[-1]) == (401, 429)
    assert client.post("/api/v1/session", json={"link_token": link_token}).status_code == 201


def test_an_enrolment_token_comes_with_the_command_to_use_it(
    client: TestClient, admin_token: str
) -> None:
    answer = client.post(
        "/api/v1/enrolment-tokens",
        json={"ttl_seconds": 600},
        headers={"Authorization": f"Bearer {admin_token}"},
    ).json()
    assert answer["token"] in answer["command"]
    assert "http://127.0.0.1:8080" in answer["command"]
    enrol(client, answer["token"])
