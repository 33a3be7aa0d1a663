"""Half-open spans of time, how people write them, and the grid a chart is drawn on."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

WINDOW = timedelta(seconds=10)
MAX_RANGE: Final = timedelta(days=31)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
ALLOWED = "write now, now-15m (s, m, h, d), RFC 3339 such as 2026-11-18T10:35:00Z, or epoch ms"

# Steps people can read off an axis; every one is a multiple of the window.
_STEPS_SECONDS: Final = (
    *(10, 20, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200, 86400),
)
_RELATIVE = re.compile(r"now(?:-([0-9]{1,6})([smhd]))?")
_UNIT = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_EPOCH_MS = re.compile(r"[0-9]{12,14}")
_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


@dataclass(frozen=True, slots=True)
class Span:
    """start <= t < end, both aware and in UTC."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("a span needs aware instants")
        if self.start >= self.end:
            raise ValueError("a span must start before it ends")

    @property
    def seconds(self) -> float:
        return (self.end - self.start).total_seconds()


def floor_to(instant: datetime, step: timedelta) -> datetime:
    """The last multiple of `step` since the epoch that is not after the instant."""
    return instant - (instant - EPOCH) % step


def ceil_to(instant: datetime, step: timedelta) -> datetime:
    """The first multiple of `step` since the epoch that is not before the instant."""
    return instant + (EPOCH - instant) % step


def parse_instant(text: str, *, now: datetime, rhythm: timedelta = WINDOW) -> datetime:
    """Raises ValueError with a sentence that says what is allowed.

    `now` is the end of the newest window that can be complete: nothing stored is later, and
    the same question within one window gets the same answer. What comes between windows (events)
    has a quicker `rhythm`.
    """
    relative = _RELATIVE.fullmatch(text)
    try:
        if relative:
            back = int(relative[1]) * _UNIT[relative[2]] if relative[1] else timedelta()
            return floor_to(now, rhythm) - back
        if _EPOCH_MS.fullmatch(text):
            return EPOCH + timedelta(milliseconds=int(text))
        if _RFC3339.fullmatch(text):
            return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"'{text}' is no instant ({error}); {ALLOWED}") from error
    raise ValueError(f"'{text}' is no instant; {ALLOWED}")


@dataclass(frozen=True, slots=True)
class Grid:
    """Aligned buckets that cover a span: bucket i is [start + i * step, start + (i + 1) * step)."""

    start: datetime
    step_seconds: int
    points: int

    @property
    def starts_epoch_seconds(self) -> list[int]:
        first = int(self.start.timestamp())
        return [first + i * self.step_seconds for i in range(self.points)]


def grid_of(span: Span, *, max_points: int) -> Grid:
    """The finest aligned grid of at most `max_points` buckets; its step is a multiple of 10 s."""
    if max_points < 2:
        raise ValueError("a grid has at least two points: a span may straddle any boundary")
    day = _STEPS_SECONDS[-1]
    days = range(2 * day, int(span.seconds) + 2 * day, day)
    for step_seconds in (*_STEPS_SECONDS, *days):
        step = timedelta(seconds=step_seconds)
        start = floor_to(span.start, step)
        points = (ceil_to(span.end, step) - start) // step
        if points <= max_points:
            return Grid(start, step_seconds, points)
    raise AssertionError("a step longer than the span leaves at most two points")
