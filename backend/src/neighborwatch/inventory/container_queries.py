"""What each container went through in a span: one row per container, figures under API names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import (
    CTE,
    ColumnElement,
    RowMapping,
    Select,
    Subquery,
    and_,
    func,
    literal,
    select,
)
from sqlalchemy.orm import Session

from neighborwatch.db import identity
from neighborwatch.db.expressions import (
    Column,
    newest,
    newest_field,
    per_second,
    ratio,
    runq_percentile_seconds,
    runq_sums,
    runq_unthrottled_percentile_seconds,
    runq_unthrottled_sums,
    seconds,
    total,
    wait_part_seconds,
    wait_part_sums,
    within,
)
from neighborwatch.db.tables import WAIT_PARTS, Container, Host, IngestCursor, Sample10s
from neighborwatch.http.errors import not_found
from neighborwatch.http.paging import ListRequest, PageOfRows, contains, fetch_page, stream_rows
from neighborwatch.inventory.schemas import ContainerDetail, ContainerItem
from neighborwatch.measures.host_state import host_state
from neighborwatch.measures.ids import CgroupRef
from neighborwatch.measures.time_range import WINDOW, Span

CONTAINER_SORTS: Final = (
    "runq_p99_seconds",
    "runq_p50_seconds",
    "wait_seconds",
    "wait_ratio",
    *(f"{part}_seconds" for part in WAIT_PARTS),
    "ran_seconds",
    "cpu_used_cores",
    "quota_cores",
    "preempted_self_per_second",
    "preempted_other_per_second",
    "preempted_system_per_second",
    "throttled_ratio",
    "throttled_seconds",
    "name",
    "host_name",
    "namespace",
    "last_seen_at",
)
TIE: Final = ("host_id", "container_id")


@dataclass(frozen=True, slots=True)
class ContainerFilters:
    host_id: int | None
    kind: Literal["container", "system"] | None  # None: both
    namespace: str | None
    container_id: int | None = None


def list_containers(
    session: Session, request: ListRequest, filters: ContainerFilters, *, now: datetime
) -> tuple[PageOfRows, list[ContainerItem]]:
    rows = container_rows(request.span, filters, name_contains=request.name_contains)
    page = fetch_page(session, rows, request, tie=TIE)
    return page, [container_item(row, now=now) for row in page.rows]


def stream_containers(
    session: Session, request: ListRequest, filters: ContainerFilters, *, now: datetime
) -> Iterator[Sequence[ContainerItem]]:
    rows = container_rows(request.span, filters, name_contains=request.name_contains)
    for chunk in stream_rows(session, rows, request, tie=TIE):
        yield [container_item(row, now=now) for row in chunk]


def get_container(
    session: Session, ref: CgroupRef, span: Span, *, now: datetime
) -> ContainerDetail:
    filters = ContainerFilters(ref.host_id, None, None, ref.container_id)
    rows = container_rows(span, filters)
    row = session.execute(select(rows)).mappings().one_or_none()
    if row is None:
        row = _idle_row(session, ref, span)
    values = {**_api_values(row, now=now), **_unthrottled(session, ref, span)}
    return ContainerDetail.model_validate(values)


def container_rows(
    span: Span, filters: ContainerFilters, *, name_contains: str | None = None
) -> CTE:
    """Containers with a window in the span."""
    sums = _sums(span, filters)
    identified = and_(
        Container.host_id == sums.c.host_id, Container.container_id == sums.c.container_id
    )
    return (
        select(
            sums.c.host_id,
            sums.c.container_id,
            *_identity_columns(sums.c.container_id),
            *_figures(sums),
        )
        .join(Host, Host.host_id == sums.c.host_id)
        .outerjoin(IngestCursor, IngestCursor.host_id == sums.c.host_id)
        .outerjoin(Container, identified)
        .where(*contains(identity.name(sums.c.container_id), name_contains))
        .cte("container_rows")
    )


def container_item(row: RowMapping, *, now: datetime) -> ContainerItem:
    return ContainerItem.model_validate(_api_values(row, now=now))


def _sums(span: Span, filters: ContainerFilters) -> Subquery:
    """The one scan of the samples. Filters come before the sums, which are the cost."""
    s = Sample10s
    statement = select(
        s.host_id,
        s.container_id,
        func.sum(s.duration_ms).filter(s.ran_ns.is_not(None)).label("sched_ms"),
        func.sum(s.duration_ms).filter(s.usage_ns.is_not(None)).label("usage_ms"),
        total(s.usage_ns).label("usage_ns"),
        total(s.ran_ns).label("ran_ns"),
        total(s.wait_ns).label("wait_ns"),
        *wait_part_sums(),
        per_second(s.preempted_self, s.duration_ms).label("preempted_self_per_second"),
        per_second(s.preempted_other, s.duration_ms).label("preempted_other_per_second"),
        per_second(s.preempted_system, s.duration_ms).label("preempted_system_per_second"),
        total(s.nr_periods).label("nr_periods"),
        total(s.nr_throttled).label("nr_throttled"),
        total(s.throttled_ns).label("throttled_ns"),
        total(s.ancestor_nr_periods).label("ancestor_nr_periods"),
        total(s.ancestor_nr_throttled).label("ancestor_nr_throttled"),
        total(s.ancestor_throttled_ns).label("ancestor_throttled_ns"),
        newest(s.t, s.quota_us, s.period_us, s.cpus_allowed, measured=s.usage_ns).label("newest"),
        func.max(s.t).label("newest_at"),
        *runq_sums(),
    ).where(*within(s.t, span))
    if filters.host_id is not None:
        statement = statement.where(s.host_id == filters.host_id)
    if filters.container_id is not None:
        statement = statement.where(s.container_id == filters.container_id)
    if filters.kind is not None or filters.namespace is not None:
        statement = statement.outerjoin(
            Container,
            and_(Container.host_id == s.host_id, Container.container_id == s.container_id),
        )
    if filters.kind is not None:
        statement = statement.where(identity.kind() == filters.kind)
    if filters.namespace is not None:
        statement = statement.where(Container.namespace == filters.namespace)
    return statement.group_by(s.host_id, s.container_id).subquery("sums")


def _identity_columns(container_id: ColumnElement[int]) -> list[Column]:
    return [
        Host.name.label("host_name"),
        identity.host_seen_at().label("host_seen_at"),
        identity.kind().label("kind"),
        identity.name(container_id).label("name"),
        Container.runtime,
        Container.image,
        Container.pod,
        Container.namespace,
        Container.labels,
        Container.cgroup_path,
        Container.runtime_id,
        Container.first_seen_at,
    ]


def _figures(sums: Subquery) -> list[Column]:
    c = sums.c
    return [
        ratio(newest_field(c.newest, 0), newest_field(c.newest, 1)).label("quota_cores"),
        newest_field(c.newest, 2).label("cpus_allowed"),
        (ratio(c.usage_ns, c.usage_ms) / 1e6).label("cpu_used_cores"),
        runq_percentile_seconds(50).label("runq_p50_seconds"),
        runq_percentile_seconds(99).label("runq_p99_seconds"),
        seconds(c.wait_ns).label("wait_seconds"),
        seconds(c.ran_ns).label("ran_seconds"),
        ratio(c.wait_ns, c.ran_ns + c.wait_ns).label("wait_ratio"),
        *wait_part_seconds(sums),
        c.preempted_self_per_second,
        c.preempted_other_per_second,
        c.preempted_system_per_second,
        ratio(c.nr_throttled, c.nr_periods).label("throttled_ratio"),
        seconds(c.throttled_ns).label("throttled_seconds"),
        c.nr_periods,
        c.nr_throttled,
        ratio(c.ancestor_nr_throttled, c.ancestor_nr_periods).label("ancestor_throttled_ratio"),
        seconds(c.ancestor_throttled_ns).label("ancestor_throttled_seconds"),
        (c.newest_at + literal(WINDOW)).label("last_seen_at"),
    ]


def _idle_row(session: Session, ref: CgroupRef, span: Span) -> RowMapping:
    """A known container without a window in the span: who it is, and when it was last seen."""
    last_t = (
        select(func.max(Sample10s.t))
        .where(
            Sample10s.host_id == ref.host_id,
            Sample10s.container_id == ref.container_id,
            Sample10s.t < span.end,
        )
        .scalar_subquery()
    )
    statement: Select[*tuple[Any, ...]] = (
        select(
            Container.host_id,
            Container.container_id,
            *_identity_columns(literal(ref.container_id)),
            (last_t + literal(WINDOW)).label("last_seen_at"),
        )
        .join(Host, Host.host_id == Container.host_id)
        .outerjoin(IngestCursor, IngestCursor.host_id == Container.host_id)
        .where(Container.host_id == ref.host_id, Container.container_id == ref.container_id)
    )
    row = session.execute(statement).mappings().one_or_none()
    if row is None:
        raise not_found(f"There is no container {ref}.")
    return row


def _unthrottled(session: Session, ref: CgroupRef, span: Span) -> RowMapping:
    """Apart from the lists' one scan: they do not show it, and it doubles the sums."""
    s = Sample10s
    sums = (
        select(func.max(s.max_wait_ns).label("max_wait_ns"), *runq_unthrottled_sums())
        .where(s.host_id == ref.host_id, s.container_id == ref.container_id, *within(s.t, span))
        .subquery("sums")
    )
    statement = select(
        runq_unthrottled_percentile_seconds(99).label("runq_unthrottled_p99_seconds"),
        seconds(sums.c.max_wait_ns).label("max_wait_seconds"),
    ).select_from(sums)
    return session.execute(statement).mappings().one()


# What a container without windows has instead of figures: nothing was measured, so all is null.
_NO_FIGURES: Final[dict[str, None]] = {
    name: None
    for name in ContainerDetail.model_fields
    if name.endswith(("_seconds", "_ratio", "_cores", "_per_second"))
    or name in ("cpus_allowed", "nr_periods", "nr_throttled")
}


def _api_values(row: RowMapping, *, now: datetime) -> dict[str, Any]:
    values = {**_NO_FIGURES, **row}
    return values | {
        "id": str(CgroupRef(row["host_id"], row["container_id"])),
        "host_id": str(row["host_id"]),
        "host_state": host_state(row["host_seen_at"], now),
        "labels": row["labels"] or {},
    }
