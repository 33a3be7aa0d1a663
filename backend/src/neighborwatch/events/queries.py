"""The newest events first, and who everybody in them is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import CTE, RowMapping, and_, select, tuple_
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import seconds, within
from neighborwatch.db.tables import Container, Event, Host
from neighborwatch.events.schemas import EventItem, EventKind, EventShare
from neighborwatch.events.sentence import sentence_of
from neighborwatch.http.paging import ListRequest, PageOfRows, contains, fetch_page, stream_rows
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import EPOCH

SORTS: Final = ("ended_at", "duration_seconds")
TIE: Final = ("host_id", "number")


@dataclass(frozen=True, slots=True)
class EventFilters:
    kind: EventKind | None
    host_id: int | None
    victim: CgroupRef | None
    aggressor: CgroupRef | None

    @property
    def of_host(self) -> int | None:
        """The one host that answers can come from; None: any."""
        named = (self.victim, self.aggressor)
        return self.host_id or next((ref.host_id for ref in named if ref is not None), None)


@dataclass(frozen=True, slots=True)
class _Identity:
    name: str
    kind: str


def list_events(
    session: Session, request: ListRequest, filters: EventFilters
) -> tuple[PageOfRows, list[EventItem]]:
    page = fetch_page(session, _rows(request, filters), request, tie=TIE)
    return page, _items(session, page.rows)


def stream_events(
    session: Session, request: ListRequest, filters: EventFilters
) -> Iterator[Sequence[EventItem]]:
    for chunk in stream_rows(session, _rows(request, filters), request, tie=TIE):
        yield _items(session, chunk)


def _rows(request: ListRequest, filters: EventFilters) -> CTE:
    e = Event
    statement = (
        select(
            e.host_id,
            e.number,
            e.kind,
            e.t.label("ended_at"),
            seconds(e.duration_ns).label("duration_seconds"),
            e.container_id,
            identity.name(e.container_id).label("container_name"),
            identity.kind().label("container_kind"),
            e.cpu,
            e.pid,
            e.comm,
            e.quota_level,
            e.skipped,
            e.shares,
        )
        .outerjoin(
            Container,
            and_(Container.host_id == e.host_id, Container.container_id == e.container_id),
        )
        .where(
            *within(e.t, request.span),
            *contains(identity.name(e.container_id), request.name_contains),
        )
    )
    if filters.kind is not None:
        statement = statement.where(e.kind == filters.kind)
    if filters.host_id is not None:
        statement = statement.where(e.host_id == filters.host_id)
    if filters.victim is not None:
        statement = statement.where(
            e.host_id == filters.victim.host_id, e.container_id == filters.victim.container_id
        )
    if filters.aggressor is not None:
        ran = [{"id": filters.aggressor.container_id}]
        statement = statement.where(e.host_id == filters.aggressor.host_id, e.shares.contains(ran))
    # Not kept as a whole: a page reads its few rows off the index, and the count needs no names.
    return statement.cte("event_rows").prefix_with("NOT MATERIALIZED")


def _items(session: Session, rows: Sequence[RowMapping]) -> list[EventItem]:
    mentioned = {
        CgroupRef(row["host_id"], share["id"])
        for row in rows
        for share in row["shares"]
        if "id" in share
    }
    known = _identities(session, mentioned)
    hosts = _host_names(session, {row["host_id"] for row in rows})
    return [_item(row, hosts[row["host_id"]], known) for row in rows]


def _identities(session: Session, refs: Iterable[CgroupRef]) -> dict[CgroupRef, _Identity]:
    keys = [(ref.host_id, ref.container_id) for ref in refs]
    if not keys:
        return {}
    c = Container
    rows = session.execute(
        select(c.host_id, c.container_id, c.name, c.kind).where(
            tuple_(c.host_id, c.container_id).in_(keys)
        )
    )
    return {CgroupRef(r.host_id, r.container_id): _Identity(r.name, r.kind) for r in rows}


def _host_names(session: Session, host_ids: set[int]) -> dict[int, str]:
    rows = session.execute(select(Host.host_id, Host.name).where(Host.host_id.in_(host_ids)))
    return {row.host_id: row.name for row in rows}


def _item(row: RowMapping, host_name: str, known: dict[CgroupRef, _Identity]) -> EventItem:
    victim = CgroupRef(row["host_id"], row["container_id"])
    duration = row["duration_seconds"]
    shares = [_share(share, victim, known, duration) for share in row["shares"]]
    ended_us = (row["ended_at"] - EPOCH) // (EPOCH.resolution)
    return EventItem.model_validate(
        {
            **row,
            "id": f"{row['host_id']}-{ended_us}-{row['number']}",
            "host_id": str(row["host_id"]),
            "host_name": host_name,
            "container_id": str(victim),
            "shares": shares,
            "sentence": sentence_of(
                row["kind"], row["container_name"], duration, row["cpu"], shares, row["quota_level"]
            ),
        }
    )


def _share(
    share: dict[str, Any], victim: CgroupRef, known: dict[CgroupRef, _Identity], duration: float
) -> EventShare:
    ran = share["ns"] / 1e9
    figures = {"seconds": ran, "ratio": ran / duration if duration else None}
    if "id" not in share:
        who = "idle" if share.get("idle") else "unattributed"
        return EventShare.model_validate({"who": who, "id": None, "name": who, **figures})
    ref = CgroupRef(victim.host_id, share["id"])
    # As in db.identity: who lost its identity on the way is still shown, as a container.
    found = known.get(ref) or _Identity(f"unidentified {ref.container_id:016x}", "container")
    who = "self" if ref == victim else found.kind
    return EventShare.model_validate({"who": who, "id": str(ref), "name": found.name, **figures})
