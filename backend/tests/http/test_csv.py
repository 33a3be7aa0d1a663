"""The CSV face: the same rows and fields as in JSON, and nothing a spreadsheet would run."""

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from fleet import BASE, SECOND_NS, Fleet, Reader


def test_csv_is_all_pages_of_the_json(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1")
    for index in range(5):
        ref = fleet.container(host_id, f"c{index}", namespace="shop" if index else 'a,b\n"c"')
        fleet.sample(ref, 0, runq={index: 7}, wait_ns=index * SECOND_NS, preempted_other=index)

    items = reader.get("/containers", limit=500)["items"]
    rows = reader.csv("/containers", limit=2)

    assert len(rows) == 5
    assert list(rows[0]) == list(items[0])
    for row, item in zip(rows, items, strict=True):
        for field, value in item.items():
            if isinstance(value, float):
                assert float(row[field]) == value
            else:
                assert row[field] == ("" if value is None else str(value))


def test_csv_respects_filters_and_sort(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host()
    for name in ("b-web", "a-web", "db"):
        fleet.sample(fleet.container(host_id, name), 0)
    rows = reader.csv("/containers", q="web", sort="name")
    assert [row["name"] for row in rows] == ["a-web", "b-web"]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_name_cannot_become_a_formula(fleet: Fleet, reader: Reader, name: str) -> None:
    fleet.sample(fleet.container(fleet.host(), name), 0)
    assert reader.csv("/containers")[0]["name"] == f"'{name}"


def test_an_empty_list_is_a_header(reader: Reader) -> None:
    response = reader.client.get("/api/v1/hosts", headers={"Accept": "text/csv"})
    assert response.text.startswith("id,name,state,last_seen_at,cpus,")
    assert response.text.count("\n") == 1
    assert response.headers["content-disposition"] == 'attachment; filename="hosts.csv"'


def test_lists_in_a_cell_are_json(fleet: Fleet, reader: Reader) -> None:
    fleet.cursor(
        fleet.host("h1"),
        status={
            "collectors": [{"name": "sched", "status": "ok", "reason": None, "lost": 0}],
            "cost": None,
        },
    )
    row = reader.csv("/agents")[0]
    assert row["collectors"] == (
        '[{"name": "sched", "status": "ok", "reason": null, "lost": 0,'
        ' "map_bytes": null, "maps": []}]'
    )
    assert row["cost_rss_bytes"] == ""


@pytest.mark.parametrize("accept", ["*/*", "text/html,application/json;q=0.9,text/csv", ""])
def test_json_is_the_default_face(reader: Reader, accept: str) -> None:
    response = reader.client.get("/api/v1/hosts", headers={"Accept": accept})
    assert response.headers["content-type"] == "application/json"


def test_a_wrong_question_is_a_problem_in_csv_too(reader: Reader) -> None:
    response = reader.client.get(
        "/api/v1/hosts", params={"sort": "size"}, headers={"Accept": "text/csv"}
    )
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"


def test_a_list_longer_than_a_chunk_is_streamed_whole(
    fleet: Fleet, reader: Reader, session: Session
) -> None:
    """Each chunk of the ranking asks for its evidence while the ranking is still being read."""
    host_id = fleet.host("h0")
    victim = fleet.container(host_id, "victim")
    values = {"host_id": host_id, "victim_id": victim.container_id, "base": BASE}
    session.execute(
        text(
            "INSERT INTO hosts (machine_id, name, created_at)"
            " SELECT n::text, 'h' || n, :base FROM generate_series(1, 1200) AS n"
        ),
        values,
    )
    session.execute(
        text(
            "INSERT INTO blame_1m"
            " (t, host_id, victim_id, aggressor_id, duration_ms, preemptions)"
            " SELECT :base, :host_id, :victim_id, 1000000 + n, 60000, n"
            " FROM generate_series(1, 1200) AS n"
        ),
        values,
    )
    session.commit()

    assert {row["name"] for row in reader.csv("/hosts")} == {f"h{n}" for n in range(1201)}
    ranks = reader.csv("/neighbors")
    assert [int(row["preemptions"]) for row in ranks] == list(range(1200, 0, -1))
    assert {row["worst_victim_name"] for row in ranks} == {"victim"}
