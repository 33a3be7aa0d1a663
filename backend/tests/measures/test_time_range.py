"""Instants as people write them, and grids that fit a chart."""

from datetime import UTC, datetime, timedelta

import pytest

from neighborwatch.measures.time_range import Span, ceil_to, floor_to, grid_of, parse_instant

NOW = datetime(2026, 11, 18, 10, 35, 27, 500_000, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("now", datetime(2026, 11, 18, 10, 35, 20, tzinfo=UTC)),
        ("now-90s", datetime(2026, 11, 18, 10, 33, 50, tzinfo=UTC)),
        ("now-15m", datetime(2026, 11, 18, 10, 20, 20, tzinfo=UTC)),
        ("now-2h", datetime(2026, 11, 18, 8, 35, 20, tzinfo=UTC)),
        ("now-7d", datetime(2026, 11, 11, 10, 35, 20, tzinfo=UTC)),
        ("2026-11-18T10:35:00Z", datetime(2026, 11, 18, 10, 35, tzinfo=UTC)),
        ("2026-11-18t12:35:00.25+02:00", datetime(2026, 11, 18, 10, 35, 0, 250_000, tzinfo=UTC)),
        ("1795000000000", datetime(2026, 11, 18, 11, 6, 40, tzinfo=UTC)),
    ],
)
def test_every_form_is_understood(text: str, instant: datetime) -> None:
    assert parse_instant(text, now=NOW) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "now-",
        "now-5w",
        "now+5m",
        "now-9999999d",
        "now-999999d",  # before the year 1
        "2026-11-18",
        "2026-11-18T10:35:00",  # in which zone?
        "2026-02-30T10:35:00Z",
        "0001-01-01T00:00:00+23:00",
        "12345",
    ],
)
def test_what_is_no_instant_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no instant.*RFC 3339"):
        parse_instant(text, now=NOW)


def test_spans_are_aware_and_not_empty() -> None:
    with pytest.raises(ValueError, match="before it ends"):
        Span(NOW, NOW)
    with pytest.raises(ValueError, match="aware"):
        Span(NOW.replace(tzinfo=None), NOW)


def test_floor_and_ceil_meet_on_the_grid() -> None:
    assert floor_to(NOW, MINUTE) == NOW.replace(second=0, microsecond=0)
    assert ceil_to(NOW, MINUTE) == floor_to(NOW, MINUTE) + MINUTE
    assert ceil_to(floor_to(NOW, MINUTE), MINUTE) == floor_to(NOW, MINUTE)


def test_an_hour_at_360_points_has_the_window_as_step() -> None:
    end = floor_to(NOW, timedelta(seconds=10))
    grid = grid_of(Span(end - timedelta(hours=1), end), max_points=360)
    assert grid.step_seconds == 10
    assert grid.points == 360
    assert grid.starts_epoch_seconds[0] == int((end - timedelta(hours=1)).timestamp())


@pytest.mark.parametrize("max_points", [2, 7, 60, 360, 1000])
@pytest.mark.parametrize("seconds", [1, 10, 59, 3_600, 3_601, 86_400, 31 * 86_400])
def test_grids_cover_the_span_within_the_limit(seconds: int, max_points: int) -> None:
    span = Span(NOW - timedelta(seconds=seconds), NOW)
    grid = grid_of(span, max_points=max_points)
    starts = grid.starts_epoch_seconds
    assert len(starts) == grid.points <= max_points
    assert grid.step_seconds % 10 == 0
    assert starts[0] % grid.step_seconds == 0
    assert starts[0] <= span.start.timestamp() < starts[0] + grid.step_seconds
    assert starts[-1] < span.end.timestamp() <= starts[-1] + grid.step_seconds
