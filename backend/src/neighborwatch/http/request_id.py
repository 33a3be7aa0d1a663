"""The id that ties an answer to its log line: taken from the caller when it is sane, else made."""

import re
import secrets
from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-Id"
# Printable and short: it is echoed into headers and logs.
_SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")


# For log lines: whatever is logged while a request is handled carries its id.
current_request_id: ContextVar[str | None] = ContextVar("current_request_id", default=None)


def request_id_of(scope: Scope) -> str:
    """The id the middleware gave this request."""
    request_id: str = scope["state"]["request_id"]
    return request_id


class RequestIdMiddleware:
    """Outermost: whatever answers, even a crash, carries the id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = Headers(scope=scope).get(HEADER, "")
        request_id = sent if _SANE.fullmatch(sent) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        current_request_id.set(request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        await self._app(scope, receive, send_with_id)
