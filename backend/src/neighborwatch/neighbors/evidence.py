"""What stands beside a rank: whom it hit, how badly they wait, and how much CPU it used itself."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import RowMapping, and_, func, or_, select, tuple_
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import (
    per_second,
    runq_percentile_seconds,
    runq_sums,
    runq_unthrottled_percentile_seconds,
    runq_unthrottled_sums,
    total,
    within,
)
from neighborwatch.db.tables import Blame1m, Container, Sample10s
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import Span
from neighborwatch.neighbors.schemas import NeighborItem, TopVictim, WorstVictim

TOP_VICTIMS: Final = 3


@dataclass(frozen=True, slots=True)
class _Victim:
    ref: CgroupRef
    name: str
    wait_ns: int | None
    preemptions: int
    runq_p99_seconds: float | None
    runq_unthrottled_p99_seconds: float | None


def with_evidence(session: Session, rows: Sequence[RowMapping], span: Span) -> list[NeighborItem]:
    refs = [CgroupRef(row["host_id"], row["container_id"]) for row in rows]
    if not refs:
        return []
    victims, cores = _victims(session, refs, span), _cores(session, refs, span)
    return [
        NeighborItem.model_validate(
            {
                **row,
                "id": str(ref),
                "host_id": str(ref.host_id),
                "hosts": 1,
                "worst_victim": _worst(victims[ref]),
                "top_victims": _top(victims[ref]),
                "cpu_used_cores": cores.get(ref),
            }
        )
        for ref, row in zip(refs, rows, strict=True)
    ]


def _victims(
    session: Session, refs: Sequence[CgroupRef], span: Span
) -> dict[CgroupRef, list[_Victim]]:
    """By aggressor; who lost most first."""
    b, s = Blame1m, Sample10s
    pairs = (
        select(
            b.host_id,
            b.aggressor_id,
            b.victim_id,
            total(b.wait_ns).label("wait_ns"),
            total(b.preemptions).label("preemptions"),
        )
        .where(
            *within(b.t, span),
            b.victim_id != b.aggressor_id,
            tuple_(b.host_id, b.aggressor_id).in_([(r.host_id, r.container_id) for r in refs]),
        )
        .group_by(b.host_id, b.aggressor_id, b.victim_id)
        .having(or_(func.sum(b.wait_ns) > 0, func.sum(b.preemptions) > 0))
        .cte("pairs")
    )
    hit = select(pairs.c.host_id, pairs.c.victim_id).distinct().subquery("hit")
    waits = (
        select(
            s.host_id,
            s.container_id,
            func.count(s.runq_unthrottled).label("throttled_windows"),
            *runq_sums(),
        )
        .join(hit, and_(hit.c.host_id == s.host_id, hit.c.victim_id == s.container_id))
        .where(*within(s.t, span))
        .group_by(s.host_id, s.container_id)
        .subquery("waits")
    )
    statement = (
        select(
            pairs.c.host_id,
            pairs.c.aggressor_id,
            pairs.c.victim_id,
            pairs.c.wait_ns,
            pairs.c.preemptions,
            identity.name(pairs.c.victim_id).label("name"),
            runq_percentile_seconds(99).label("runq_p99_seconds"),
            waits.c.throttled_windows,
        )
        .outerjoin(
            Container,
            and_(
                Container.host_id == pairs.c.host_id,
                Container.container_id == pairs.c.victim_id,
            ),
        )
        .outerjoin(
            waits,
            and_(
                waits.c.host_id == pairs.c.host_id,
                waits.c.container_id == pairs.c.victim_id,
            ),
        )
        .where(identity.kind() == "container")
        .order_by(
            pairs.c.wait_ns.desc().nulls_last(), pairs.c.preemptions.desc(), pairs.c.victim_id
        )
    )
    rows = session.execute(statement).all()
    throttled = {CgroupRef(r.host_id, r.victim_id) for r in rows if r.throttled_windows}
    unthrottled_p99 = _unthrottled_p99(session, throttled, span)
    victims: dict[CgroupRef, list[_Victim]] = defaultdict(list)
    for row in rows:
        ref = CgroupRef(row.host_id, row.victim_id)
        victims[CgroupRef(row.host_id, row.aggressor_id)].append(
            _Victim(
                ref,
                row.name,
                row.wait_ns,
                row.preemptions,
                row.runq_p99_seconds,
                unthrottled_p99.get(ref, row.runq_p99_seconds),
            )
        )
    return victims


def _unthrottled_p99(
    session: Session, refs: Collection[CgroupRef], span: Span
) -> dict[CgroupRef, float | None]:
    """Of those that were throttled at all: for the others it is the P99 that is known already, and
    the second histogram costs as much again as the first."""
    if not refs:
        return {}
    s = Sample10s
    sums = (
        select(s.host_id, s.container_id, *runq_unthrottled_sums())
        .where(
            *within(s.t, span),
            tuple_(s.host_id, s.container_id).in_([(r.host_id, r.container_id) for r in refs]),
        )
        .group_by(s.host_id, s.container_id)
        .subquery("sums")
    )
    rows = session.execute(
        select(
            sums.c.host_id,
            sums.c.container_id,
            runq_unthrottled_percentile_seconds(99).label("p99_seconds"),
        ).select_from(sums)
    )
    return {CgroupRef(row.host_id, row.container_id): row.p99_seconds for row in rows}


def _cores(
    session: Session, refs: Sequence[CgroupRef], span: Span
) -> dict[CgroupRef, float | None]:
    s = Sample10s
    rows = session.execute(
        select(
            s.host_id,
            s.container_id,
            (per_second(s.usage_ns, s.duration_ms) / 1e9).label("cpu_used_cores"),
        )
        .where(
            *within(s.t, span),
            tuple_(s.host_id, s.container_id).in_([(r.host_id, r.container_id) for r in refs]),
        )
        .group_by(s.host_id, s.container_id)
    )
    return {CgroupRef(row.host_id, row.container_id): row.cpu_used_cores for row in rows}


def _worst(victims: Sequence[_Victim]) -> WorstVictim | None:
    """The longest run queue latency that its own quota did not make; the one that lost more where
    two are equal."""
    if not victims:
        return None
    worst = max(victims, key=lambda row: row.runq_unthrottled_p99_seconds or 0.0)
    return WorstVictim(
        id=str(worst.ref),
        name=worst.name,
        runq_p99_seconds=worst.runq_p99_seconds,
        runq_unthrottled_p99_seconds=worst.runq_unthrottled_p99_seconds,
    )


def _top(victims: Sequence[_Victim]) -> list[TopVictim]:
    stolen_ns = sum(row.wait_ns or 0 for row in victims)
    preemptions = sum(row.preemptions for row in victims)
    return [
        TopVictim(
            id=str(row.ref),
            name=row.name,
            stolen_cpu_seconds=None if row.wait_ns is None else row.wait_ns / 1e9,
            share_ratio=(row.wait_ns or 0) / stolen_ns
            if stolen_ns
            else row.preemptions / preemptions,
            preemptions=row.preemptions,
        )
        for row in victims[:TOP_VICTIMS]
    ]
