"""What no route answers: the dashboard's files, and its index for every address inside of it."""

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from neighborwatch.http.errors import Problem, not_found, problem_response

_NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>Neighborwatch</title>
<p>The dashboard is not built. Run <code>make build</code>, then load this page again.
The API answers under <code>/api/v1</code>.</p>
"""
# File names hold a hash of the content, so they never change.
_IMMUTABLE = "public, max-age=31536000, immutable"


class Dashboard:
    """Set as the router's default, so that a wrong method on a known route stays a 405."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = StaticFiles(directory=folder, check_dir=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"nothing here speaks {scope['type']}")
        await (await self._answer(scope))(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        path: str = scope["path"].lstrip("/")
        if path == "api" or path.startswith("api/"):
            return problem_response(not_found(f"There is no {scope['path']} in this API"), scope)
        if scope["method"] not in {"GET", "HEAD"}:
            allow = {"Allow": "GET, HEAD"}
            return problem_response(Problem(405, "Only GET and HEAD", headers=allow), scope)
        if not (self._folder / "index.html").is_file():
            return HTMLResponse(_NOT_BUILT, 503, {"Cache-Control": "no-store"})
        try:
            answer = await self._files.get_response(path or "index.html", scope)
        except HTTPException:
            if path.startswith("assets/"):
                # An old page asks for a file of an older build; the index would not be a script.
                return problem_response(not_found(f"There is no {scope['path']}"), scope)
            path = "index.html"
            answer = await self._files.get_response(path, scope)
        answer.headers["Cache-Control"] = _IMMUTABLE if path.startswith("assets/") else "no-cache"
        return answer
