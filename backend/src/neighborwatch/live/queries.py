"""Who wants to look, and what came: through Postgres, since any backend process may be asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, func, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from neighborwatch.db.live import KEPT
from neighborwatch.db.tables import Container, Host, LiveRequest, LiveWindow
from neighborwatch.http.errors import not_found
from neighborwatch.live.figures import Name, Window
from neighborwatch.live.schemas import LiveRequestAnswer, LiveState


@dataclass(frozen=True, slots=True)
class Asked:
    asked_at: datetime
    ends_at: datetime
    told_at: datetime | None


def ask(session: Session, host_id: int, *, seconds: int, now: datetime) -> LiveRequestAnswer:
    """Asking again goes on; a shorter request does not cut a longer one of somebody else."""
    host_name(session, host_id)
    new = insert(LiveRequest).values(
        host_id=host_id, asked_at=now, ends_at=now + timedelta(seconds=seconds), told_at=None
    )
    session.execute(
        new.on_conflict_do_update(
            index_elements=[LiveRequest.host_id],
            set_={
                "asked_at": new.excluded.asked_at,
                "ends_at": func.greatest(LiveRequest.ends_at, new.excluded.ends_at),
                "told_at": case((LiveRequest.ends_at >= now, LiveRequest.told_at)),
            },
        )
    )
    asked = asked_of(session, host_id)
    windows = session.scalar(
        select(func.count()).where(
            LiveWindow.host_id == host_id, LiveWindow.received_at > now - KEPT
        )
    )
    return LiveRequestAnswer(
        host_id=str(host_id),
        state=state_of(asked, bool(windows), now=now),
        asked_at=asked.asked_at if asked else None,
        ends_at=asked.ends_at if asked else None,
    )


def asked_of(session: Session, host_id: int) -> Asked | None:
    r = LiveRequest
    row = session.execute(
        select(r.asked_at, r.ends_at, r.told_at).where(r.host_id == host_id)
    ).one_or_none()
    return None if row is None else Asked(row.asked_at, row.ends_at, row.told_at)


def state_of(asked: Asked | None, has_windows: bool, *, now: datetime) -> LiveState:
    if asked is None or (asked.ends_at <= now and not has_windows):
        return "none"
    if asked.ends_at <= now:
        return "ended"
    if has_windows:
        return "live"
    return "asked" if asked.told_at is None else "waiting"


def host_name(session: Session, host_id: int) -> str:
    name = session.scalar(select(Host.name).where(Host.host_id == host_id))
    if name is None:
        raise not_found(f"There is no host {host_id}.")
    return name


def newest_windows(
    session: Session, host_id: int, *, seconds: int, now: datetime
) -> Sequence[Window]:
    """Oldest first. Shown by when they arrived: a host's clock may be off."""
    w = LiveWindow
    rows = session.execute(
        select(w.t.label("at"), w.body)
        .where(w.host_id == host_id, w.received_at > now - KEPT)
        .order_by(w.t.desc())
        .limit(seconds)
    ).all()
    return [Window(int(row.at.timestamp()), row.body) for row in reversed(rows)]


def names_of(session: Session, host_id: int, container_ids: Iterable[int]) -> dict[int, Name]:
    c = Container
    rows = session.execute(
        select(c.container_id, c.name, c.kind).where(
            tuple_(c.host_id, c.container_id).in_([(host_id, id_) for id_ in container_ids])
        )
    )
    return {row.container_id: Name(row.name, row.kind) for row in rows}
