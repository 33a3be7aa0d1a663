"""The ranking of who takes the CPU from whom."""

from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Page

STOLEN = "CPU-seconds that other containers waited on a CPU while this one ran there"


class WorstVictim(Answer):
    id: str
    name: str
    runq_p99_seconds: float | None
    runq_unthrottled_p99_seconds: Annotated[
        float | None, Field(description="What its own quota did to it is left out of this one.")
    ]


class TopVictim(Answer):
    id: str
    name: str
    stolen_cpu_seconds: Annotated[
        float | None, Field(description="Of this victim by this neighbor. Null: not measured.")
    ]
    share_ratio: Annotated[
        float,
        Field(description="Share of what this neighbor stole; of its preemptions where unknown."),
    ]
    preemptions: int


class NeighborItem(Answer):
    rank: int
    id: str
    kind: Literal["container", "system"]
    name: str
    host_id: str
    host_name: str
    image: str | None
    namespace: str | None
    stolen_cpu_seconds: Annotated[
        float | None,
        Field(description=f"{STOLEN}; throttled time is nobody's. Null: not measured."),
    ]
    stolen_cpu_seconds_per_hour: Annotated[
        float | None, Field(description="Over the time in which its host was observed.")
    ]
    share_ratio: Annotated[
        float,
        Field(
            description="Share of all that is stolen between containers in scope; for system"
            " services, of theirs. Of preemptions where stolen time was not measured at all."
        ),
    ]
    victims: int
    hosts: int
    worst_victim: Annotated[
        WorstVictim | None,
        Field(description="The victim with the highest runq P99 in range, throttling left out."),
    ]
    top_victims: Annotated[list[TopVictim], Field(description="The three it stole most from.")]
    preemptions: Annotated[int, Field(description="Inflicted on other containers, never itself.")]
    preemptions_per_second: float
    cpu_used_cores: float | None


class NeighborList(Page):
    items: list[NeighborItem]
    system_items: Annotated[
        list[NeighborItem],
        Field(description="System services apart; not paged, at most 100. Empty with kind=system."),
    ]
    ranked_by: Literal["stolen_cpu_seconds"]
    total_stolen_cpu_seconds: Annotated[
        float | None, Field(description="By all of this kind in scope, from containers.")
    ]
    total_preemptions: Annotated[int, Field(description="By all of this kind in scope, on others.")]
