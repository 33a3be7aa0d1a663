"""Pages: stable over ties, nulls last, one range for all pages of a list."""

import base64
import json

from fleet import BASE, SECOND_NS, Fleet, Reader


def all_pages(reader: Reader, path: str, **params: str | int) -> list[str]:
    page = reader.get(path, **params)
    names = [item["name"] for item in page["items"]]
    while page["next_cursor"]:
        page = reader.get(path, cursor=page["next_cursor"], limit=params["limit"])
        names += [item["name"] for item in page["items"]]
    return names


def seven_containers(fleet: Fleet) -> None:
    """Ties in every figure, and two that have no wait figures at all."""
    host_id = fleet.host()
    for index, wait in enumerate((3, 1, 3, None, 1, 3, None)):
        ref = fleet.container(host_id, f"c{index}")
        fleet.sample(ref, 0, wait_ns=None if wait is None else wait * SECOND_NS)


IN_ORDER = {
    "-wait_seconds": ["c0", "c2", "c5", "c1", "c4", "c3", "c6"],
    "wait_seconds": ["c1", "c4", "c0", "c2", "c5", "c3", "c6"],
    "name": [f"c{n}" for n in range(7)],
    "-name": [f"c{n}" for n in range(6, -1, -1)],
    "-runq_p99_seconds": [f"c{n}" for n in range(7)],  # nobody has one
    "last_seen_at": [f"c{n}" for n in range(7)],
}


def test_pages_together_are_the_whole_list_in_order(fleet: Fleet, reader: Reader) -> None:
    seven_containers(fleet)
    for limit in (1, 2, 3, 7, 50):
        for sort, expected in IN_ORDER.items():
            assert all_pages(reader, "/containers", sort=sort, limit=limit) == expected, sort


def test_total_counts_all_pages_and_the_last_has_no_cursor(fleet: Fleet, reader: Reader) -> None:
    seven_containers(fleet)
    first = reader.get("/containers", sort="name", limit=4)
    second = reader.get("/containers", cursor=first["next_cursor"], limit=4)
    assert (first["total"], len(first["items"])) == (7, 4)
    assert (second["total"], len(second["items"])) == (7, 3)
    assert second["next_cursor"] is None


def test_pages_of_a_relative_range_are_about_the_same_time(fleet: Fleet, reader: Reader) -> None:
    seven_containers(fleet)
    first = reader.get("/containers", sort="name", limit=4, **{"from": "now-5m", "to": "now"})
    assert first["items"] == []
    first = reader.get("/containers", sort="name", limit=4, **{"from": "now-15m", "to": "now"})
    second = reader.get("/containers", cursor=first["next_cursor"], limit=4)
    assert second["range"] == first["range"]
    assert [item["name"] for item in second["items"]] == ["c4", "c5", "c6"]


def test_a_page_past_the_end_still_knows_the_total(fleet: Fleet, reader: Reader) -> None:
    seven_containers(fleet)
    first = reader.get("/containers", sort="name", limit=4)
    late = reader.get("/containers", cursor=first["next_cursor"], q="c0")
    assert late["items"] == []
    assert late["total"] == 1


def forged(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


START, END = BASE.isoformat(), BASE.replace(minute=10).isoformat()


FORGED = [
    "nonsense!",
    "AAAA",
    forged("name", START),
    forged("name", START, END, "c0", ["x", "y"]),
    forged("name", START, END, "c0", [1]),
    forged("name", START, END, 7, [1, 1]),
    forged("name", START, END, ["c0"], [1, 1]),
    forged("name", END, START, "c0", [1, 1]),
    forged("wait_seconds", START, END, "c0", [1, 1]),
    forged("last_seen_at", START, END, "yesterday", [1, 1]),
    forged("machine_id", START, END, "c0", [1, 1]),
    forged("name", START, END, "c0", [1, 10**30]),
    forged("name", "2026-11-21T00:00:00", "2026-11-21T01:00:00", "c0", [1, 1]),
    forged("wait_seconds", START, END, True, [1, 1]),
    forged("name", START, END, "a\0b", [1, 1]),
    forged("name", START, END, "\ud800", [1, 1]),
    base64.urlsafe_b64encode(b"[" * 1400).decode(),
]


def test_a_forged_cursor_is_refused_before_any_query(reader: Reader) -> None:
    for cursor in FORGED:
        problem = reader.refused("/containers", 422, cursor=cursor)
        assert problem["errors"] == [
            {
                "field": "cursor",
                "message": "not one of ours: send next_cursor unchanged, or leave it out",
            }
        ]


def test_a_forged_cursor_cannot_widen_the_range(reader: Reader) -> None:
    wide = forged("name", "1990-01-01T00:00:00+00:00", END, "c0", [1, 1])
    assert reader.refused("/containers", 422, cursor=wide)["errors"][0]["field"] == "cursor"


def test_a_cursor_of_another_sort_is_refused(fleet: Fleet, reader: Reader) -> None:
    seven_containers(fleet)
    cursor = reader.get("/containers", sort="name", limit=4)["next_cursor"]
    problem = reader.refused("/containers", 422, cursor=cursor, sort="-wait_seconds")
    assert problem["errors"][0]["field"] == "sort"


def test_an_unknown_sort_says_which_there_are(reader: Reader) -> None:
    problem = reader.refused("/containers", 422, sort="-cpu")
    assert problem["errors"][0]["field"] == "sort"
    assert "runq_p99_seconds, runq_p50_seconds" in problem["detail"]


def test_a_limit_out_of_bounds_is_refused(reader: Reader) -> None:
    for limit in (0, 501, "many"):
        assert reader.refused("/hosts", 422, limit=limit)["errors"][0]["field"] == "limit"


def test_a_text_that_no_database_can_hold_is_refused(reader: Reader) -> None:
    assert reader.refused("/hosts", 422, q="a\0b")["errors"][0]["field"] == "q"
    problem = reader.refused("/containers", 422, namespace="\0")
    assert problem["errors"][0]["field"] == "namespace"
