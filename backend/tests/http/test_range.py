"""The range of every measurement route: understood, bounded, echoed as absolute."""

from datetime import timedelta

from fleet import BASE, NOW, Reader

ROUTES = ["/overview", "/hosts", "/containers", "/neighbors", "/agents"]


def test_default_is_the_last_hour_and_echoed_as_absolute(reader: Reader) -> None:
    end = BASE + timedelta(minutes=10, seconds=10)  # NOW, to the window
    for route in ROUTES:
        response = reader.client.get(f"/api/v1{route}")
        assert response.status_code == 200
        assert response.json()["range"] == {
            "from": (end - timedelta(hours=1)).isoformat().replace("+00:00", "Z"),
            "to": end.isoformat().replace("+00:00", "Z"),
        }


def test_epoch_milliseconds_are_a_range_too(reader: Reader) -> None:
    start, end = int(BASE.timestamp() * 1000), int(NOW.timestamp() * 1000)
    answer = reader.get("/hosts", **{"from": start, "to": end})
    assert answer["range"]["from"] == BASE.isoformat().replace("+00:00", "Z")


WRONG = [
    ({"from": "yesterday"}, "from", "write now, now-15m (s, m, h, d), RFC 3339"),
    ({"to": "2026-11-18T10:35:00"}, "to", "RFC 3339 such as 2026-11-18T10:35:00Z"),
    ({"from": "now", "to": "now-1h"}, "from", "must be before `to`"),
    ({"from": "now-32d", "to": "now"}, "from", "at most 31 days before `to`"),
]


def test_a_wrong_range_names_the_field_and_what_is_allowed(reader: Reader) -> None:
    for route in [*ROUTES, "/series?scope=host:1&metric=steal_ratio"]:
        for params, field, says in WRONG:
            path, _, query = route.partition("?")
            asked = {**dict(pair.split("=") for pair in query.split("&") if pair), **params}
            response = reader.client.get(f"/api/v1{path}", params=asked)
            assert response.status_code == 422
            assert response.headers["content-type"] == "application/problem+json"
            error = response.json()["errors"][0]
            assert error["field"] == field, route
            assert says in error["message"], route
