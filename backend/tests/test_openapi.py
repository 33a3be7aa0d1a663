"""The checked-in description is what the app says of itself."""

import json
from pathlib import Path

from fastapi import FastAPI

OPENAPI = Path(__file__).parents[2] / "frontend" / "openapi.json"


def test_openapi_json_is_fresh(app: FastAPI) -> None:
    assert json.loads(OPENAPI.read_text()) == app.openapi(), "stale: run make gen"
