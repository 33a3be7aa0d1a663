"""Hosts, and what their containers went through in a span."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import CTE, RowMapping, Select, Subquery, and_, func, select
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import (
    ratio,
    runq_percentile_seconds,
    runq_sums,
    seconds,
    total,
    wait_part_seconds,
    wait_part_sums,
    within,
)
from neighborwatch.db.tables import (
    WAIT_PARTS,
    Container,
    Host,
    HostSample10s,
    IngestCursor,
    Sample10s,
)
from neighborwatch.http.errors import not_found
from neighborwatch.http.paging import ListRequest, PageOfRows, contains, fetch_page, stream_rows
from neighborwatch.inventory.schemas import HostItem
from neighborwatch.measures.host_state import host_state
from neighborwatch.measures.time_range import Span

HOST_SORTS: Final = (
    "name",
    "last_seen_at",
    "cpus",
    "memory_bytes",
    "instance_family",
    "kernel_release",
    "containers",
    "cpu_used_ratio",
    "steal_ratio",
    "runq_p99_seconds",
    "preempted_by_neighbors_per_second",
    "wait_seconds",
    "wait_ratio",
    *(f"{part}_seconds" for part in WAIT_PARTS),
)
TIE: Final = ("host_id",)


def list_hosts(
    session: Session, request: ListRequest, *, now: datetime
) -> tuple[PageOfRows, list[HostItem]]:
    rows = host_rows(request.span, name_contains=request.name_contains)
    page = fetch_page(session, rows, request, tie=TIE)
    return page, [_item(row, now=now) for row in page.rows]


def stream_hosts(
    session: Session, request: ListRequest, *, now: datetime
) -> Iterator[Sequence[HostItem]]:
    rows = host_rows(request.span, name_contains=request.name_contains)
    for chunk in stream_rows(session, rows, request, tie=TIE):
        yield [_item(row, now=now) for row in chunk]


def get_host(session: Session, host_id: int, span: Span, *, now: datetime) -> HostItem:
    rows = host_rows(span, host_id=host_id)
    row = session.execute(select(rows)).mappings().one_or_none()
    if row is None:
        raise not_found(f"There is no host {host_id}.")
    return _item(row, now=now)


def host_rows(span: Span, *, host_id: int | None = None, name_contains: str | None = None) -> CTE:
    """All enrolled hosts; what was not measured in the span is null."""
    cpu, waits = _cpu_sums(span, host_id), _container_sums(span, host_id)
    busy_ns = cpu.c.user_ns + cpu.c.system_ns
    all_ns = busy_ns + cpu.c.idle_ns + cpu.c.iowait_ns + cpu.c.steal_ns
    foreign_per_second = ratio(waits.c.preempted_other, cpu.c.duration_ms) * 1000.0
    facts = [
        column for column in Host.__table__.c if column.name not in ("machine_id", "created_at")
    ]
    statement: Select[*tuple[Any, ...]] = (
        select(
            *facts,
            identity.host_seen_at().label("last_seen_at"),
            func.coalesce(waits.c.containers, 0).label("containers"),
            ratio(busy_ns, all_ns).label("cpu_used_ratio"),
            ratio(cpu.c.steal_ns, all_ns).label("steal_ratio"),
            runq_percentile_seconds(99).label("runq_p99_seconds"),
            foreign_per_second.label("preempted_by_neighbors_per_second"),
            seconds(waits.c.wait_ns).label("wait_seconds"),
            seconds(waits.c.ran_ns).label("ran_seconds"),
            ratio(waits.c.wait_ns, waits.c.ran_ns + waits.c.wait_ns).label("wait_ratio"),
            seconds(cpu.c.steal_ns).label("steal_seconds"),
            *wait_part_seconds(waits),
        )
        .outerjoin(IngestCursor, IngestCursor.host_id == Host.host_id)
        .outerjoin(cpu, cpu.c.host_id == Host.host_id)
        .outerjoin(waits, waits.c.host_id == Host.host_id)
        .where(*contains(Host.name, name_contains))
    )
    if host_id is not None:
        statement = statement.where(Host.host_id == host_id)
    return statement.cte("host_rows")


def _cpu_sums(span: Span, host_id: int | None) -> Subquery:
    h = HostSample10s
    statement = select(
        h.host_id,
        total(h.duration_ms).label("duration_ms"),
        total(h.user_ns).label("user_ns"),
        total(h.system_ns).label("system_ns"),
        total(h.idle_ns).label("idle_ns"),
        total(h.iowait_ns).label("iowait_ns"),
        total(h.steal_ns).label("steal_ns"),
    ).where(*within(h.t, span))
    if host_id is not None:
        statement = statement.where(h.host_id == host_id)
    return statement.group_by(h.host_id).subquery("cpu")


def _container_sums(span: Span, host_id: int | None) -> Subquery:
    """Containers only: what system services wait for is not what a tenant feels."""
    s = Sample10s
    statement = (
        select(
            s.host_id,
            func.count(s.container_id.distinct()).label("containers"),
            total(s.preempted_other).label("preempted_other"),
            total(s.ran_ns).label("ran_ns"),
            total(s.wait_ns).label("wait_ns"),
            *wait_part_sums(),
            *runq_sums(),
        )
        .outerjoin(
            Container,
            and_(Container.host_id == s.host_id, Container.container_id == s.container_id),
        )
        .where(*within(s.t, span), identity.kind() == "container")
    )
    if host_id is not None:
        statement = statement.where(s.host_id == host_id)
    return statement.group_by(s.host_id).subquery("waits")


def _item(row: RowMapping, *, now: datetime) -> HostItem:
    return HostItem.model_validate(
        {
            **row,
            "id": str(row["host_id"]),
            "state": host_state(row["last_seen_at"], now),
        }
    )
