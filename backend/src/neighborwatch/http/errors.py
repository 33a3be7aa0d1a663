"""Every refusal is a problem document (RFC 9457) with request id and, where known, the field."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg.errors import QueryCanceled
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.types import Scope

from neighborwatch.http.request_id import request_id_of

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5


@dataclass(frozen=True, slots=True)
class FieldError:
    field: str
    message: str


class Problem(Exception):
    """A refusal that the caller can act on: status, one sentence, the fields it is about."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        extras: Mapping[str, int | str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.errors = tuple(errors)
        self.extras = dict(extras or {})
        self.headers = dict(headers or {})


def bad_field(field: str, message: str, *, status: int = 422) -> Problem:
    """One field of the request is wrong; the message says what is allowed."""
    return Problem(status, f"{field}: {message}", errors=[FieldError(field, message)])


def not_found(detail: str) -> Problem:
    return Problem(404, detail)


def unavailable(detail: str) -> Problem:
    return Problem(503, detail, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


class FieldErrorBody(BaseModel):
    field: str
    message: str


class ProblemBody(BaseModel):
    """What an error looks like on the wire (`application/problem+json`)."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[FieldErrorBody]


# What any route may answer; its own refusals (404, 409) stand on the route.
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemBody, "description": description}
    for status, description in (
        (401, "Nobody is signed in."),
        (403, "The role does not allow it."),
        (422, "A parameter or the body is wrong; `errors` names the field."),
        (503, "The database does not answer."),
    )
}


def problem_response(problem: Problem, scope: Scope) -> JSONResponse:
    """Also for what answers beside FastAPI's routes: any ASGI callable may send it."""
    body: dict[str, object] = {
        # The status says it all: there is no page per problem to link to (RFC 9457, 4.2.1).
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "request_id": request_id_of(scope),
        "errors": [{"field": e.field, "message": e.message} for e in problem.errors],
        **problem.extras,
    }
    return JSONResponse(
        body, status_code=problem.status, headers=problem.headers, media_type=MEDIA_TYPE
    )


def _of_validation(error: RequestValidationError) -> Problem:
    fields = [
        # The first part says where (query, path, body); the rest is the name people know.
        FieldError(".".join(str(part) for part in e["loc"][1:]) or str(e["loc"][0]), str(e["msg"]))
        for e in error.errors()
    ]
    return Problem(422, "; ".join(f"{f.field}: {f.message}" for f in fields), errors=fields)


def _of_database(error: DBAPIError) -> Problem | None:
    if isinstance(error.orig, QueryCanceled):
        message = "this question takes too long: narrow the range, or ask for one host (host_id)"
        return bad_field("from", message, status=400)
    if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
        return unavailable("The database does not answer; nothing was changed. Try again soon.")
    return None


def install_error_handlers(app: FastAPI) -> None:
    async def on_problem(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Problem)
        return problem_response(error, request.scope)

    async def on_validation(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return problem_response(_of_validation(error), request.scope)

    async def on_http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        problem = Problem(error.status_code, str(error.detail), headers=error.headers)
        return problem_response(problem, request.scope)

    async def on_database(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, DBAPIError)
        problem = _of_database(error)
        if problem is None:
            return await on_crash(request, error)
        log.warning("request %s: %s", request_id_of(request.scope), error.orig)
        return problem_response(problem, request.scope)

    async def on_pool_exhausted(request: Request, error: Exception) -> JSONResponse:
        log.warning("request %s: %s", request_id_of(request.scope), error)
        problem = unavailable("All database connections are busy. Try again soon.")
        return problem_response(problem, request.scope)

    async def on_crash(request: Request, error: Exception) -> JSONResponse:
        request_id = request_id_of(request.scope)
        log.error("request %s failed", request_id, exc_info=error)
        detail = f"The backend failed; its log has the reason under request {request_id}."
        return problem_response(Problem(500, detail), request.scope)

    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(DBAPIError, on_database)
    app.add_exception_handler(PoolTimeoutError, on_pool_exhausted)
    app.add_exception_handler(Exception, on_crash)
