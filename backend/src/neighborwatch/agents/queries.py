"""Every enrolled host's agent, from the cursor row that its newest batch left."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import CTE, Double, RowMapping, cast, select
from sqlalchemy.orm import Session

from neighborwatch.agents.schemas import AgentItem
from neighborwatch.agents.status import collectors_of, cost_of, event_loss_of
from neighborwatch.db import identity
from neighborwatch.db.tables import Host, IngestCursor
from neighborwatch.http.paging import ListRequest, PageOfRows, contains, fetch_page, stream_rows
from neighborwatch.measures.host_state import host_state

SORTS: Final = (
    "host_name",
    "version",
    "last_seen_at",
    "window_at",
    "clock_skew_seconds",
    "lost_batches",
)
TIE: Final = ("host_id",)


def list_agents(
    session: Session, request: ListRequest, *, now: datetime
) -> tuple[PageOfRows, list[AgentItem]]:
    page = fetch_page(session, _rows(request.name_contains), request, tie=TIE)
    return page, [_item(row, now=now) for row in page.rows]


def stream_agents(
    session: Session, request: ListRequest, *, now: datetime
) -> Iterator[Sequence[AgentItem]]:
    for chunk in stream_rows(session, _rows(request.name_contains), request, tie=TIE):
        yield [_item(row, now=now) for row in chunk]


def _rows(name_contains: str | None) -> CTE:
    skew_ms = cast(IngestCursor.clock_skew_ms, Double)
    return (
        select(
            Host.host_id,
            Host.name.label("host_name"),
            Host.agent_version.label("version"),
            identity.host_seen_at().label("last_seen_at"),
            IngestCursor.window_at,
            (skew_ms / 1000.0).label("clock_skew_seconds"),
            IngestCursor.lost_batches,
            IngestCursor.sequence,
            IngestCursor.status,
        )
        .outerjoin(IngestCursor, IngestCursor.host_id == Host.host_id)
        .where(*contains(Host.name, name_contains))
        .cte("agent_rows")
    )


def _item(row: RowMapping, *, now: datetime) -> AgentItem:
    status = row["status"] or {}
    return AgentItem.model_validate(
        {
            **row,
            "host_id": str(row["host_id"]),
            "state": host_state(row["last_seen_at"], now),
            "collectors": collectors_of(status),
            "cost": cost_of(status),
            "event_loss": event_loss_of(status),
        }
    )
