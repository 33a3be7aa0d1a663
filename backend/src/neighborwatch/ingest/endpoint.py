"""POST /api/v1/ingest and /api/v1/ingest/live, as a bare ASGI callable in front of FastAPI: at one
request per host and window, a framework's cost per request would be the largest part of the bill.
"""

import asyncio
import logging
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
from neighborwatch.ingest.live_keeper import LiveKeeper
from neighborwatch.ingest.sequence import Gap
from neighborwatch.ingest.wire import ingest_pb2 as wire
from neighborwatch.ingest.writer import Stored
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
    """Answers `PATH` and `LIVE_PATH`; everything else goes on to `app`."""

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
        answering = {PATH: self._ingest, LIVE_PATH: self._live}.get(scope.get("path", ""))
        if scope["type"] != "http" or scope["method"] != "POST" or answering is None:
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        try:
            response = await answering(scope, receive)
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
            await response(scope, receive, send)
        finally:
            metrics.REQUEST_SECONDS.observe(time.monotonic() - started)

    async def _ingest(self, scope: Scope, receive: Receive) -> Response:
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
            stored = await self._store(scope, submission)
        finally:
            self._in_flight.discard(host_id)
        new = stored.new + stored.late + stored.future > 0
        metrics.REQUESTS.labels("stored" if new else "duplicate").inc()
        if stored.live_seconds == 0:
            return Response(status_code=204)
        answer = wire.IngestAnswer(live_seconds=stored.live_seconds)
        return Response(answer.SerializeToString(), media_type=CONTENT_TYPE)

    async def _live(self, scope: Scope, receive: Receive) -> Response:
        """Beside the queue: nothing waits for it, and nobody else shares its transaction."""
        headers = Headers(scope=scope)
        host_id = await self._authenticate(scope, headers)
        encoding = _encoding(headers)
        body = await _read(headers, receive, self._settings.ingest_max_body_bytes)
        metrics.BYTES.labels("received").inc(len(body))
        keeper: LiveKeeper = scope["app"].state.live_keeper
        with self._as_rejections(scope):
            kept, dropped = await asyncio.to_thread(keeper.keep, host_id, body, encoding)
        metrics.LIVE_WINDOWS.labels("stored").inc(kept)
        metrics.LIVE_WINDOWS.labels("unasked").inc(dropped)
        metrics.REQUESTS.labels("live").inc()
        return Response(status_code=204)

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

    async def _store(self, scope: Scope, submission: Submission) -> Stored:
        flusher: Flusher = scope["app"].state.flusher
        with self._as_rejections(scope):
            outcome = await asyncio.wrap_future(flusher.submit(submission))
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
        return outcome

    @contextmanager
    def _as_rejections(self, scope: Scope) -> Iterator[None]:
        """Whatever storing may raise becomes the answer that its sender can act on."""
        try:
            yield
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
