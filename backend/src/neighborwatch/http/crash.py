"""The last net: an exception that nobody expected becomes a problem document, inside of the
middlewares that add id and headers (Starlette's own net lies outside of them)."""

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neighborwatch.http.errors import Problem, problem_response
from neighborwatch.http.request_id import request_id_of

log = logging.getLogger(__name__)


class CrashMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception:
            if started:
                raise  # half an answer cannot be taken back; the server cuts the connection
            request_id = request_id_of(scope)
            log.exception("%s %s failed", scope["method"], scope["path"])
            detail = f"The backend failed; its log has the reason under request {request_id}."
            await problem_response(Problem(500, detail), scope)(scope, receive, send)
