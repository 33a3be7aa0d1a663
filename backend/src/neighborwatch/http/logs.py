"""Logs as JSON lines, each with the request's id; one line per request, without its query."""

import json
import logging
import time
from datetime import UTC, datetime

from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neighborwatch.http.request_id import current_request_id

log = logging.getLogger("neighborwatch.http")

REQUESTS = Counter("nw_http_requests_total", "Requests", ["method", "route", "status"])
SECONDS = Histogram("nw_http_request_seconds", "Time to answer", ["route"])
# Asked every few seconds by machines: logged only when something is wrong.
_QUIET = frozenset({"/api/v1/ingest", "/healthz", "/readyz", "/metrics"})


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = current_request_id.get()
        if request_id is not None:
            line["request_id"] = request_id
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure_logs(level: str) -> None:
    """All of the process to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # Their news at info level are internals of theirs.
    for name in ("alembic", "uvicorn.access", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)


class RequestLogMiddleware:
    """Counts and logs. Inside RequestIdMiddleware, so that the id is there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        status = 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            seconds = time.monotonic() - started
            route = _route(scope)
            REQUESTS.labels(scope["method"], route, str(status)).inc()
            SECONDS.labels(route).observe(seconds)
            quiet = scope["path"] in _QUIET and status < 500
            log.log(
                logging.DEBUG if quiet else logging.INFO,
                "%s %s %d %.0f ms",
                scope["method"],
                scope["path"],
                status,
                seconds * 1000,
            )


def _route(scope: Scope) -> str:
    """The route's pattern, never the path itself: labels must be few."""
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str):
        return path
    return scope["path"] if scope["path"] in _QUIET else "other"
