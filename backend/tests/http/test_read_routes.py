"""What holds for every read route: who may ask, ETag, a slow question, an answer's shape."""

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from sqlalchemy import event, text
from sqlalchemy.engine import Connection, Engine

from fleet import RANGE, Fleet, Reader
from neighborwatch.main import READ_ROUTERS

PATHS = [
    "/overview",
    "/hosts",
    "/hosts/1",
    "/hosts/1/live",
    "/containers",
    "/containers/1-00c0ffee00c0ffee",
    "/series?scope=host:1&metric=steal_ratio",
    "/neighbors",
    "/events",
    "/agents",
]


def test_every_read_route_is_in_this_list() -> None:
    paths = (path.split("?")[0].split("/") for path in PATHS)
    asked = {"/".join(["", path[1], *["{id}"][: len(path) - 2], *path[3:]]) for path in paths}
    routes = (route for router in READ_ROUTERS for route in router.routes)
    assert asked == {route.path for route in routes if isinstance(route, APIRoute)}


@pytest.mark.parametrize("path", PATHS)
def test_nobody_reads_without_signing_in(client: TestClient, path: str) -> None:
    response = client.get(f"/api/v1{path}")
    assert response.status_code == 401
    assert response.headers["content-type"] == "application/problem+json"


def test_an_unchanged_answer_is_not_sent_again(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    first = reader.ask("/hosts")
    etag = first.headers["etag"]
    assert etag.startswith('W/"')
    assert first.headers["cache-control"] == "private, no-cache"

    again = reader.client.get("/api/v1/hosts", params=RANGE, headers={"If-None-Match": etag})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == etag

    fleet.cursor(host_id)
    changed = reader.client.get("/api/v1/hosts", params=RANGE, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != etag


def test_a_question_that_takes_too_long_asks_for_a_narrower_range(
    app: FastAPI, reader: Reader, engine: Engine
) -> None:
    def impatient(connection: Connection) -> None:
        connection.exec_driver_sql("SET LOCAL statement_timeout = '100ms'")

    event.listen(app.state.engine, "begin", impatient)
    with engine.begin() as other:
        other.execute(text("LOCK TABLE samples_10s IN ACCESS EXCLUSIVE MODE"))
        problem = reader.refused("/containers", 400)
    assert problem["errors"][0]["field"] == "from"
    assert "narrow the range" in problem["detail"]


def test_a_stream_that_cannot_start_is_a_problem_and_not_half_a_file(
    app: FastAPI, reader: Reader, engine: Engine
) -> None:
    def impatient(connection: Connection) -> None:
        connection.exec_driver_sql("SET LOCAL statement_timeout = '100ms'")

    event.listen(app.state.engine, "begin", impatient)
    with engine.begin() as other:
        other.execute(text("LOCK TABLE samples_10s IN ACCESS EXCLUSIVE MODE"))
        response = reader.client.get("/api/v1/containers", headers={"Accept": "text/csv"})
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"


def test_every_field_of_an_answer_is_required(app: FastAPI) -> None:
    schemas = app.openapi()["components"]["schemas"]
    for name, schema in schemas.items():
        if name.endswith(("Answer", "List", "Item", "Detail")):
            assert set(schema["required"]) == set(schema["properties"]), name
