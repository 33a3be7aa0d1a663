"""Single waits that were long enough to be told at once."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Page

EventKind = Literal["noisy_neighbor", "throttling"]


class EventShare(Answer):
    who: Annotated[
        Literal["self", "container", "system", "idle", "unattributed"],
        Field(description="Who ran on that CPU meanwhile; idle: nobody; unattributed: not known."),
    ]
    id: Annotated[str | None, Field(description="Null for idle and unattributed.")]
    name: str
    seconds: float
    ratio: Annotated[float | None, Field(description="Share of the wait.")]


class EventItem(Answer):
    id: Annotated[str, Field(description="Stable: <host>-<end in epoch us>-<number>.")]
    kind: Annotated[
        EventKind,
        Field(
            description="noisy_neighbor: one wait of at least 10 ms, throttling not counted."
            " throttling: one throttled span of at least 20 ms. A fact, not yet a verdict."
        ),
    ]
    ended_at: Annotated[datetime, Field(description="When the wait ended, by the host's clock.")]
    duration_seconds: Annotated[
        float, Field(description="The wait without its throttled part; or the throttled span.")
    ]
    sentence: Annotated[str, Field(description="The same in words.")]
    host_id: str
    host_name: str
    container_id: Annotated[str, Field(description="Who waited.")]
    container_name: str
    container_kind: Literal["container", "system"]
    quota_level: Annotated[
        Literal["own", "ancestor"] | None, Field(description="Whose quota throttled it.")
    ]
    cpu: int
    pid: Annotated[int, Field(description="Thread id of the task that waited.")]
    comm: Annotated[str, Field(description="Its name.")]
    skipped: Annotated[
        int,
        Field(description="Like events of this container that the rate limit swallowed before it."),
    ]
    shares: Annotated[
        list[EventShare], Field(description="Who ran meanwhile, longest first; at most 8.")
    ]


class EventList(Page):
    items: list[EventItem]
