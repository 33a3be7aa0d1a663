"""Who ran while a container waited, and who waited while it ran."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Subquery, and_, func, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import total, within
from neighborwatch.db.tables import Blame1m, Container, Sample10s
from neighborwatch.inventory.schemas import BlameShare
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import Span

TOP: Final = 20
OTHERS: Final = {
    "container": ("other container", "other containers"),
    "system": ("other system service", "other system services"),
}


def aggressors_of(session: Session, victim: CgroupRef, span: Span) -> list[BlameShare]:
    """The most stolen first; what is beyond the top is summed by kind into rows without an id."""
    b = Blame1m
    rows = _pairs(session, victim, span, b.aggressor_id, b.victim_id == victim.container_id)
    waits = _waited_ns(session, victim.host_id, [victim.container_id], span)
    waited_ns = waits.get(victim.container_id)
    return _shares(rows, victim.host_id, lambda _: waited_ns, rest_waited_ns=waited_ns)


def victims_of(session: Session, aggressor: CgroupRef, span: Span) -> list[BlameShare]:
    """Containers only: a system service that waits is nobody's victim."""
    b = Blame1m
    pairs = _pairs(session, aggressor, span, b.victim_id, b.aggressor_id == aggressor.container_id)
    rows = [row for row in pairs if row.kind == "container"]
    shown = [row.other_id for row in rows[:TOP]]
    waited_ns = _waited_ns(session, aggressor.host_id, shown, span)
    # The rest are many victims: there is no one wait to have a share of.
    return _shares(rows, aggressor.host_id, waited_ns.get, rest_waited_ns=None)


def _pairs(
    session: Session,
    ref: CgroupRef,
    span: Span,
    other: InstrumentedAttribute[int],
    on_this_side: ColumnElement[bool],
) -> Sequence[Row[Any]]:
    """One row per cgroup on the other side, who stole or lost most first."""
    b = Blame1m
    pairs = (
        select(
            other.label("other_id"),
            total(b.wait_ns).label("wait_ns"),
            total(b.preemptions).label("preemptions"),
        )
        .where(
            b.host_id == ref.host_id,
            on_this_side,
            other != ref.container_id,
            *within(b.t, span),
        )
        .group_by(other)
        .subquery("pairs")
    )
    return session.execute(
        select(
            pairs.c.other_id,
            pairs.c.wait_ns,
            pairs.c.preemptions,
            identity.kind().label("kind"),
            identity.name(pairs.c.other_id).label("name"),
        )
        .outerjoin(
            Container,
            and_(Container.host_id == ref.host_id, Container.container_id == pairs.c.other_id),
        )
        .order_by(pairs.c.wait_ns.desc().nulls_last(), pairs.c.preemptions.desc(), pairs.c.other_id)
    ).all()


def _waited_ns(
    session: Session, host_id: int, container_ids: Sequence[int], span: Span
) -> dict[int, int | None]:
    """What they waited in the time that the blame of this range covers: blame is merged over a
    minute, so range and blame do not end together, and a share of both must be of one time."""
    s = Sample10s
    blamed = _blamed_time(host_id, span)
    rows = session.execute(
        select(s.container_id, total(s.wait_ns).label("wait_ns"))
        .join(blamed, and_(s.t >= blamed.c.start, s.t < blamed.c.end))
        .where(s.host_id == host_id, s.container_id.in_(container_ids))
        .group_by(s.container_id)
    )
    return {row.container_id: row.wait_ns for row in rows}


def _blamed_time(host_id: int, span: Span) -> Subquery:
    b = Blame1m
    return (
        select(
            func.min(b.t).label("start"),
            func.max(b.t + b.duration_ms * text("interval '1 ms'")).label("end"),
        )
        .where(b.host_id == host_id, *within(b.t, span))
        .subquery("blamed")
    )


def _shares(
    rows: Sequence[Row[Any]],
    host_id: int,
    waited_ns: Callable[[int], int | None],
    *,
    rest_waited_ns: int | None,
) -> list[BlameShare]:
    everything_ns = sum(row.wait_ns or 0 for row in rows)

    def item(
        row_id: int | None, name: str, kind: str, rows: Sequence[Row[Any]], waited: int | None
    ) -> BlameShare:
        measured = [row.wait_ns for row in rows if row.wait_ns is not None]
        stolen_ns = sum(measured)
        return BlameShare.model_validate(
            {
                "id": None if row_id is None else str(CgroupRef(host_id, row_id)),
                "name": name,
                "kind": kind,
                "stolen_cpu_seconds": stolen_ns / 1e9 if measured else None,
                "share_ratio": stolen_ns / everything_ns if measured and everything_ns else None,
                "wait_ratio": stolen_ns / waited if measured and waited else None,
                "preemptions": sum(row.preemptions for row in rows),
            }
        )

    items = [
        item(row.other_id, row.name, row.kind, [row], waited_ns(row.other_id)) for row in rows[:TOP]
    ]
    for kind, (one, many) in OTHERS.items():
        rest = [row for row in rows[TOP:] if row.kind == kind]
        if rest:
            name = f"{len(rest)} {one if len(rest) == 1 else many}"
            items.append(item(None, name, kind, rest, rest_waited_ns))
    return items
