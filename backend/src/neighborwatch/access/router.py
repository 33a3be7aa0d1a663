"""Coming in: people by a link, hosts by an enrolment token."""

from datetime import timedelta
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request, Response

from neighborwatch.access import queries
from neighborwatch.access.deps import (
    SESSION_COOKIE,
    SettingsDep,
    Viewer,
    record_failure,
    refuse_after_failures,
    require_admin,
)
from neighborwatch.access.principal import Role
from neighborwatch.access.schemas import (
    EnrolledHost,
    Enrolment,
    EnrolmentTokenRequest,
    NewEnrolmentToken,
    SessionAnswer,
    SignedInUser,
    SignIn,
)
from neighborwatch.access.secrets import SecretKind, bearer
from neighborwatch.http.deps import NowDep, SessionDep
from neighborwatch.http.errors import Problem
from neighborwatch.settings import Settings

router = APIRouter(tags=["access"])


@router.get("/session", operation_id="get_session")
def get_session(principal: Viewer) -> SessionAnswer:
    """Who is signed in, and the backend's version."""
    return _answer(principal.name, principal.role)


@router.post(
    "/session",
    operation_id="sign_in",
    status_code=201,
    dependencies=[Depends(refuse_after_failures)],
)
def sign_in(
    body: SignIn,
    request: Request,
    response: Response,
    session: SessionDep,
    settings: SettingsDep,
    now: NowDep,
) -> SessionAnswer:
    """Exchanges the one-time token of a sign-in link for a session cookie."""
    user = queries.use_sign_in_link(session, body.link_token, now=now)
    if user is None:
        record_failure(request)
        raise Problem(
            401,
            "This sign-in link is unknown, used or too old. "
            "Make a new one with: neighborwatch sign-in-link",
        )
    secret = queries.open_session(session, user, now=now, settings=settings.access)
    _set_cookie(response, secret, settings)
    return _answer(user.name, Role(user.role))


@router.delete("/session", operation_id="sign_out", status_code=204)
def sign_out(
    request: Request,
    response: Response,
    principal: Viewer,
    session: SessionDep,
    settings: SettingsDep,
    now: NowDep,
) -> None:
    """Ends the session of the cookie. API tokens are not sessions and stay."""
    cookie = request.cookies.get(SESSION_COOKIE)
    if principal.by_cookie and cookie is not None:
        queries.close_session(session, cookie, now=now)
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="strict")


@router.post(
    "/enroll",
    operation_id="enroll_host",
    status_code=201,
    dependencies=[Depends(refuse_after_failures)],
)
def enroll_host(
    body: Enrolment,
    request: Request,
    session: SessionDep,
    now: NowDep,
    authorization: Annotated[str | None, Header()] = None,
) -> EnrolledHost:
    """For agents: spends a one-time enrolment token (Bearer nwe_...) for the host's own token."""
    secret = bearer(authorization, SecretKind.ENROLMENT_TOKEN)
    enrolled = secret and queries.enrol_host(
        session,
        secret,
        machine_id=body.machine_id,
        hostname=body.hostname,
        agent_version=body.agent_version,
        now=now,
    )
    if not enrolled:
        record_failure(request)
        raise Problem(
            401,
            "This enrolment token (nwe_...) is missing, unknown, used or too old. "
            "Make a new one on the Agents page or with: neighborwatch enrolment-token",
            headers={"WWW-Authenticate": "Bearer"},
        )
    host_id, token = enrolled
    return EnrolledHost(host_id=str(host_id), token=token)


@router.post(
    "/enrolment-tokens",
    operation_id="create_enrolment_token",
    status_code=201,
    dependencies=[Depends(require_admin)],
)
def create_enrolment_token(
    body: EnrolmentTokenRequest, session: SessionDep, settings: SettingsDep, now: NowDep
) -> NewEnrolmentToken:
    """A one-time token with which one host can join."""
    ttl = timedelta(seconds=body.ttl_seconds)
    token = queries.create_enrolment_token(session, now=now, ttl=ttl)
    return NewEnrolmentToken(
        token=token,
        expires_at=now + ttl,
        command=enrol_command(settings.server.base_url, token),
    )


def enrol_command(base_url: str, token: str) -> str:
    return f"NW_AGENT_ENROLL_TOKEN={token} nwagent --server {base_url}"


def _answer(name: str, role: Role) -> SessionAnswer:
    return SessionAnswer(
        user=SignedInUser(name=name, role=role),
        version=version("neighborwatch"),
        simulated=False,
    )


def _set_cookie(response: Response, secret: str, settings: Settings) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        path="/",
        httponly=True,
        samesite="strict",
        secure=settings.server.base_url.startswith("https://"),
        max_age=int(settings.access.session_age.total_seconds()),
    )
