"""The ranking of who takes the CPU from whom."""

from typing import Annotated, Literal

from pydantic import Field

from neighborwatch.http.schemas import Answer, Page


class WorstVictim(Answer):
    id: str
    name: str
    runq_p99_seconds: float | None


class TopVictim(Answer):
    id: str
    name: str
    share_ratio: Annotated[float, Field(description="Share of what this neighbor inflicted.")]


class NeighborItem(Answer):
    rank: int
    id: str
    kind: Literal["container", "system"]
    name: str
    host_id: str
    host_name: str
    image: str | None
    namespace: str | None
    preemptions: Annotated[int, Field(description="Inflicted on other containers, never itself.")]
    preemptions_per_second: float
    share_ratio: Annotated[
        float,
        Field(
            description="Share of all preemptions in scope between containers; for"
            " system services, of theirs."
        ),
    ]
    victims: int
    hosts: int
    worst_victim: Annotated[
        WorstVictim | None, Field(description="The victim with the highest runq P99 in range.")
    ]
    top_victims: list[TopVictim]
    cpu_used_cores: float | None


class NeighborList(Page):
    items: list[NeighborItem]
    system_items: Annotated[
        list[NeighborItem], Field(description="System services apart; not paged, at most 100.")
    ]
    ranked_by: Literal["preemptions"]
    total_preemptions: Annotated[int, Field(description="By all containers in scope, on others.")]
