"""Names of hosts and containers in queries; `Container` and `IngestCursor` are outer joins."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, literal
from sqlalchemy.orm import InstrumentedAttribute

from neighborwatch.db.tables import Container, IngestCursor

ColumnOfId = ColumnElement[int] | InstrumentedAttribute[int]


def kind(table: Any = Container) -> ColumnElement[str]:  # noqa: ANN401 - also takes an alias
    """A container whose identity was lost on the way is still one: better shown than hidden."""
    return func.coalesce(table.kind, "container")


def name(container_id: ColumnOfId, table: Any = Container) -> ColumnElement[str]:  # noqa: ANN401
    unnamed = literal("unidentified ") + func.lpad(func.to_hex(container_id), 16, "0")
    return func.coalesce(table.name, unnamed)


def host_seen_at() -> ColumnElement[datetime]:
    """When the host's newest window arrived; null before the first."""
    return case((IngestCursor.window_at.is_not(None), IngestCursor.received_at))
