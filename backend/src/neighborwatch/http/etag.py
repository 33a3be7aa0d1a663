"""A reader that polls need not be sent what it has: weak ETag over the body, 304 when unchanged."""

import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute


class ConditionalRoute(APIRoute):
    """Route class of read routers. Streamed answers have no body to hash and pass through."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def conditional(request: Request) -> Response:
            response = await handler(request)
            body = getattr(response, "body", None)
            if request.method != "GET" or response.status_code != 200 or body is None:
                return response
            etag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
            headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept"}
            if _matches(request.headers.get("if-none-match", ""), etag):
                return Response(status_code=304, headers=headers)
            response.headers.update(headers)
            return response

        return conditional


def _matches(if_none_match: str, etag: str) -> bool:
    known = [part.strip() for part in if_none_match.split(",")]
    # Proxies that compress may weaken or unweaken a tag; only its opaque part is compared.
    return "*" in known or etag.removeprefix("W/") in [part.removeprefix("W/") for part in known]
