"""Who may call a route: put one of these on it, or on the router that holds it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, cast

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from neighborwatch.access import queries
from neighborwatch.access.failure_limit import FailureLimit
from neighborwatch.access.principal import ADMINS, METRICS_READERS, READERS, Principal, Role
from neighborwatch.access.secrets import SecretKind, bearer
from neighborwatch.db.session import transaction
from neighborwatch.http.deps import SessionFactoryDep
from neighborwatch.http.errors import Problem
from neighborwatch.settings import AccessSettings, Settings

SESSION_COOKIE = "nw_session"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A cross-site form cannot set a header, and a cross-site script may not without our leave.
INTENT_HEADER, INTENT = "X-Requested-With", "neighborwatch"


def settings_of(request: Request) -> Settings:
    return cast(Settings, request.app.state.settings)


SettingsDep = Annotated[Settings, Depends(settings_of)]


def failure_limit_of(request: Request) -> FailureLimit:
    return cast(FailureLimit, request.app.state.failure_limit)


def _caller(request: Request) -> str:
    """Counted per route too: an agent that cannot enrol must not lock its machine's people out."""
    return f"{request.client.host if request.client else 'unknown'} {request.url.path}"


def record_failure(request: Request) -> None:
    failure_limit_of(request).record(_caller(request))


def refuse_after_failures(request: Request) -> None:
    """For routes that take a secret: 429 while this address has failed too often."""
    wait_seconds = failure_limit_of(request).retry_after_seconds(_caller(request))
    if wait_seconds is not None:
        raise Problem(
            429,
            "Too many wrong tokens from this address. Wait before the next try.",
            headers={"Retry-After": str(wait_seconds)},
        )


def current_principal(
    request: Request, factory: SessionFactoryDep, settings: SettingsDep
) -> Principal:
    """By `Authorization: Bearer nwt_...`, else by the session cookie."""
    now = datetime.now(UTC)
    authorization = request.headers.get("authorization")
    cookie = request.cookies.get(SESSION_COOKIE)
    if authorization is None and cookie is None:
        raise _unauthenticated("Sign in, or send Authorization: Bearer with an API token (nwt_...)")
    with transaction(factory) as session:
        principal = _principal(session, authorization, cookie, now, settings.access)
    if principal is None:
        raise _unauthenticated("This token or session is unknown, expired or revoked")
    if (
        principal.by_cookie
        and request.method not in _SAFE_METHODS
        and request.headers.get(INTENT_HEADER) != INTENT
    ):
        raise Problem(403, f"Changes by cookie need the header {INTENT_HEADER}: {INTENT}")
    return principal


def _principal(
    session: Session,
    authorization: str | None,
    cookie: str | None,
    now: datetime,
    settings: AccessSettings,
) -> Principal | None:
    # A header is sent on purpose, a cookie by itself: the header decides when both are there.
    if authorization is not None:
        token = bearer(authorization, SecretKind.API_TOKEN)
        return None if token is None else queries.principal_of_api_token(session, token, now=now)
    assert cookie is not None
    return queries.principal_of_session(session, cookie, now=now, settings=settings)


def _unauthenticated(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


PrincipalDep = Annotated[Principal, Depends(current_principal)]


def _require(roles: frozenset[Role]) -> Callable[[Principal], Principal]:
    def guard(principal: PrincipalDep) -> Principal:
        if principal.role not in roles:
            allowed = " or ".join(sorted(roles))
            raise Problem(403, f"This needs the role {allowed}; yours is {principal.role}")
        return principal

    return guard


require_viewer = _require(READERS)
require_admin = _require(ADMINS)
require_metrics = _require(METRICS_READERS)
GUARDS = frozenset({require_viewer, require_admin, require_metrics})

Viewer = Annotated[Principal, Depends(require_viewer)]
