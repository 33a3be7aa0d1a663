"""One host second by second, while somebody looks."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from neighborwatch.http.schemas import Answer
from neighborwatch.series.schemas import Series

MAX_LIVE_SECONDS = 120

LiveState = Literal["none", "asked", "waiting", "live", "ended"]


class LiveAsk(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seconds: Annotated[
        int, Field(ge=1, le=MAX_LIVE_SECONDS, description="How long to look, from now.")
    ] = MAX_LIVE_SECONDS


class LiveRequestAnswer(Answer):
    host_id: str
    state: LiveState
    asked_at: datetime | None
    ends_at: Annotated[datetime | None, Field(description="Ask again before this to go on.")]


class LiveAggressor(Answer):
    id: str
    name: str
    kind: Literal["container", "system"]
    stolen_cpu_seconds: float
    wait_ratio: Annotated[float | None, Field(description="Share of what this container waited.")]


class LiveContainer(Answer):
    id: str
    name: str
    kind: Literal["container", "system"]
    wait_seconds: Annotated[float, Field(description="In all windows shown; the list's order.")]
    series: list[Series]
    aggressors: Annotated[
        list[LiveAggressor], Field(description="Who ran while it waited, worst 3.")
    ]


class LiveAnswer(Answer):
    host_id: str
    host_name: str
    state: Annotated[
        LiveState,
        Field(
            description="none: nobody asked lately. asked: the agent hears of it with its next"
            " batch, within 10 s. waiting: it was told and nothing came yet (it may refuse)."
            " live: windows arrive. ended: the time asked for is over, its last windows are here."
        ),
    ]
    asked_at: datetime | None
    ends_at: datetime | None
    as_of: Annotated[datetime | None, Field(description="End of the newest window.")]
    step_seconds: Literal[1]
    t: Annotated[list[int], Field(description="Seconds shown, epoch seconds by the host's clock.")]
    host_series: Annotated[list[Series], Field(description="A second without a window is null.")]
    containers_total: int
    containers: Annotated[list[LiveContainer], Field(description="Who waits most, first.")]
