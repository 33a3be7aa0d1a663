"""POST /api/v1/ingest, as a bare ASGI callable in front of FastAPI: at one request per host and
window, a framework's cost per request would be the largest part of the bill."""

import asyncio
import logging
import queue
import time
from datetime import UTC, datetime

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from neighborwatch.access.secrets import SecretKind, bearer
from neighborwatch.http.errors import (
    RETRY_AFTER_SECONDS,
    FieldError,
    Problem,
    problem_response,
    unavailable,
)
from neighborwatch.http.request_id import request_id_of
from neighborwatch.ingest import metrics
from neighborwatch.ingest.checks import MalformedError
from neighborwatch.ingest.expand import DamagedError, TooLargeError
from neighborwatch.ingest.flush import DatabaseAwayError, Flusher, ForeignHostError, Submission
from neighborwatch.ingest.host_auth import HostAuthenticator
from neighborwatch.ingest.sequence import Gap
from neighborwatch.settings import IngestSettings

log = logging.getLogger(__name__)

PATH = "/api/v1/ingest"
LIVE_PATH = "/api/v1/ingest/live"
CONTENT_TYPE = "application/x-protobuf"
ENCODINGS = frozenset({"identity", "zstd"})
# A body that takes longer is a client that holds the connection for its own sake.
_BODY_TIMEOUT_SECONDS = 30.0


class Rejection(Exception):
    """A refusal together with the name under which it is counted."""

    def __init__(self, result: str, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.result = result
        self.problem = problem


class ClientGoneError(Exception):
    """Nobody is left to answer."""


class IngestEndpoint:
    """Answers `PATH`; everything else goes on to `app`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: IngestSettings,
    ) -> None:
        self._app = app
        self._settings = settings
        # One request at a time per host: batches have an order, and a transaction cannot hold
        # the same cursor twice.
        self._in_flight: set[int] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        try:
            stored = await self._ingest(scope, receive)
        except ClientGoneError:
            metrics.REQUESTS.labels("client_gone").inc()
            return
        except Rejection as rejection:
            metrics.REQUESTS.labels(rejection.result).inc()
            log.info(
                "ingest refused: %s (%s)",
                rejection.problem.detail,
                rejection.result,
                extra={"request_id": request_id_of(scope)},
            )
            await problem_response(rejection.problem, scope)(scope, receive, send)
        else:
            metrics.REQUESTS.labels("stored" if stored else "duplicate").inc()
            await Response(status_code=204)(scope, receive, send)
        finally:
            metrics.REQUEST_SECONDS.observe(time.monotonic() - started)

    async def _ingest(self, scope: Scope, receive: Receive) -> bool:
        """True: something new was stored."""
        headers = Headers(scope=scope)
        host_id = await self._authenticate(scope, headers)
        encoding = _encoding(headers)
        if host_id in self._in_flight:
            raise _busy("another request of this host is still being stored")
        self._in_flight.add(host_id)
        try:
            body = await _read(headers, receive, self._settings.ingest_max_body_bytes)
            metrics.BYTES.labels("received").inc(len(body))
            submission = Submission(host_id, body, encoding, datetime.now(UTC))
            return await self._store(scope, submission)
        finally:
            self._in_flight.discard(host_id)

    async def _authenticate(self, scope: Scope, headers: Headers) -> int:
        authenticator: HostAuthenticator = scope["app"].state.host_authenticator
        token = bearer(headers.get("authorization"), SecretKind.HOST_TOKEN)
        try:
            host_id = None if token is None else await authenticator.host_id(token)
        except (DBAPIError, SQLAlchemyError) as error:
            raise _away(error) from error
        if host_id is None:
            raise Rejection(
                "unauthenticated",
                Problem(
                    401,
                    "The host token (Authorization: Bearer nwh_...) is missing, unknown or "
                    "revoked. Enrol this host again.",
                    headers={"WWW-Authenticate": "Bearer"},
                ),
            )
        return host_id

    async def _store(self, scope: Scope, submission: Submission) -> bool:
        flusher: Flusher = scope["app"].state.flusher
        try:
            outcome = await asyncio.wrap_future(flusher.submit(submission))
        except queue.Full:
            raise _busy("the queue of requests to store is full") from None
        except TooLargeError:
            limit = self._settings.ingest_max_expanded_bytes
            raise _too_large(f"the body expands to more than {limit} bytes") from None
        except DamagedError as error:
            raise _malformed("body", str(error)) from error
        except MalformedError as error:
            raise _malformed(error.field, error.message) from error
        except ForeignHostError as error:
            raise Rejection(
                "foreign_host",
                Problem(403, f"host_id: {error}", errors=[FieldError("host_id", str(error))]),
            ) from error
        except DatabaseAwayError as error:
            raise _away(error) from error
        except Exception as error:
            log.exception("ingest failed", extra={"request_id": request_id_of(scope)})
            problem = Problem(
                500,
                f"The backend failed; its log has the reason under request {request_id_of(scope)}.",
            )
            raise Rejection("failed", problem) from error
        if isinstance(outcome, Gap):
            raise Rejection(
                "gap",
                Problem(
                    409,
                    "Batches are missing before this one. Send them, or add what is missing to "
                    "lost_batches.",
                    extras={"expected_sequence": outcome.expected_sequence},
                ),
            )
        return outcome.new + outcome.late + outcome.future > 0


def _encoding(headers: Headers) -> str:
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != CONTENT_TYPE:
        raise _unsupported("Content-Type", f"must be {CONTENT_TYPE}")
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ENCODINGS:
        raise _unsupported("Content-Encoding", "must be zstd or absent")
    return encoding


async def _read(headers: Headers, receive: Receive, max_bytes: int) -> bytes:
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared) > max_bytes:
        raise _too_large(f"the body is larger than {max_bytes} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_TIMEOUT_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                body += message.get("body", b"")
                if len(body) > max_bytes:
                    raise _too_large(f"the body is larger than {max_bytes} bytes")
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Rejection(
            "slow", Problem(408, f"The body took longer than {_BODY_TIMEOUT_SECONDS:.0f} s.")
        ) from None


def _malformed(field: str, message: str) -> Rejection:
    problem = Problem(400, f"{field}: {message}", errors=[FieldError(field, message)])
    return Rejection("malformed", problem)


def _unsupported(header: str, message: str) -> Rejection:
    problem = Problem(415, f"{header}: {message}", errors=[FieldError(header, message)])
    return Rejection("unsupported", problem)


def _too_large(message: str) -> Rejection:
    problem = Problem(413, message.capitalize(), errors=[FieldError("body", message)])
    return Rejection("too_large", problem)


def _busy(message: str) -> Rejection:
    problem = Problem(429, message.capitalize(), headers={"Retry-After": "1"})
    return Rejection("busy", problem)


def _away(error: Exception) -> Rejection:
    log.warning("ingest: the database does not answer: %s", str(error).partition("\n")[0])
    problem = unavailable(
        "The database does not answer; nothing was stored. "
        f"Send the same batches again in {RETRY_AFTER_SECONDS} s."
    )
    return Rejection("unavailable", problem)
