"""Who came in when a container's tasks were preempted."""

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import total, within
from neighborwatch.db.tables import Blame1m, Container, Sample10s
from neighborwatch.inventory.schemas import PreemptedBy
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import Span

TOP = 20
OTHERS = {
    "container": ("other container", "other containers"),
    "system": ("other system service", "other system services"),
}


def preempted_by(session: Session, victim: CgroupRef, span: Span) -> list[PreemptedBy]:
    """The most frequent first; what is beyond the top is summed by kind into rows without an id."""
    pairs = (
        select(Blame1m.aggressor_id, total(Blame1m.preemptions).label("preemptions"))
        .where(
            Blame1m.host_id == victim.host_id,
            Blame1m.victim_id == victim.container_id,
            *within(Blame1m.t, span),
        )
        .group_by(Blame1m.aggressor_id)
        .subquery()
    )
    rows = session.execute(
        select(
            pairs.c.aggressor_id,
            pairs.c.preemptions,
            identity.kind().label("kind"),
            identity.name(pairs.c.aggressor_id).label("name"),
        )
        .outerjoin(
            Container,
            and_(
                Container.host_id == victim.host_id,
                Container.container_id == pairs.c.aggressor_id,
            ),
        )
        # Its own threads are always told by name: folding them would charge others with them.
        .order_by(
            (pairs.c.aggressor_id == victim.container_id).desc(),
            pairs.c.preemptions.desc(),
            pairs.c.aggressor_id,
        )
    ).all()
    everything = sum(row.preemptions for row in rows)
    observed_seconds = _observed_seconds(session, victim, span)

    def item(id_: str | None, name: str, kind: str, preemptions: int) -> PreemptedBy:
        return PreemptedBy.model_validate(
            {
                "id": id_,
                "name": name,
                "kind": kind,
                "preemptions": preemptions,
                "per_second": preemptions / observed_seconds,
                "share_ratio": preemptions / everything if everything else 0.0,
            }
        )

    items = [
        item(
            str(CgroupRef(victim.host_id, row.aggressor_id)),
            row.name,
            "self" if row.aggressor_id == victim.container_id else row.kind,
            row.preemptions,
        )
        for row in rows[:TOP]
    ]
    for kind, (one, many) in OTHERS.items():
        rest = [row.preemptions for row in rows[TOP:] if row.kind == kind]
        if rest:
            name = f"{len(rest)} {one if len(rest) == 1 else many}"
            items.append(item(None, name, kind, sum(rest)))
    return sorted(items, key=lambda one: (one.id is None, -one.preemptions))


def _observed_seconds(session: Session, victim: CgroupRef, span: Span) -> float:
    """Its own measured time, as in its rates; the span where only blame is kept that long."""
    measured_ms = session.scalar(
        select(func.sum(Sample10s.duration_ms)).where(
            Sample10s.host_id == victim.host_id,
            Sample10s.container_id == victim.container_id,
            Sample10s.ran_ns.is_not(None),
            *within(Sample10s.t, span),
        )
    )
    return measured_ms / 1000 if measured_ms else span.seconds
