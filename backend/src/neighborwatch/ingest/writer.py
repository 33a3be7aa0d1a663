"""One transaction for many hosts: cursors forward, identities and facts, samples by COPY.

The only room that writes samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from neighborwatch.ingest.batch import (
    BLAME_COLUMNS,
    HOST_SAMPLE_COLUMNS,
    SAMPLE_COLUMNS,
    Batch,
    Request,
    Row,
)
from neighborwatch.ingest.identities import Connection, update_facts, upsert_identities
from neighborwatch.ingest.sequence import Advance, Gap, Position, advance


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything new of this request will be durable once the transaction commits."""

    new: int
    duplicates: int
    late: int
    future: int
    newly_lost: int


@dataclass(frozen=True, slots=True)
class Raced:
    """Another process moved this host's cursor meanwhile: try again."""


Outcome = Stored | Gap | Raced


@dataclass(frozen=True, slots=True)
class Received:
    request: Request
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Horizon:
    """Windows outside of it are acknowledged, dropped and counted: sending them again would not
    help, and refusing them would block all that comes after."""

    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class _Cursor:
    host_id: int
    stream_id: UUID
    sequence: int
    lost_batches: int
    window_at: datetime | None
    received_at: datetime
    clock_skew_ms: int


@dataclass(frozen=True, slots=True)
class _Plan:
    received: Received
    cursor: _Cursor | None
    step: Advance
    kept: list[Batch]
    late: int
    future: int

    @property
    def new(self) -> list[Batch]:
        return self.received.request.batches[self.step.first_new :]


@dataclass(frozen=True, slots=True)
class TableRows:
    table: str
    stored: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class Written:
    """Counted only after the commit."""

    outcomes: dict[int, Outcome]  # by host id
    rows: list[TableRows]


def write(connection: Connection, received: Sequence[Received], horizon: Horizon) -> Written:
    """Holds each host at most once; the caller commits."""
    received = sorted(received, key=lambda one: one.request.host_id)
    cursors = _cursors(connection, [one.request.host_id for one in received])
    outcomes: dict[int, Outcome] = {}
    plans = []
    for one in received:
        plan = _plan(one, cursors.get(one.request.host_id), horizon)
        if isinstance(plan, Gap):
            outcomes[one.request.host_id] = plan
        elif not plan.new:
            outcomes[one.request.host_id] = Stored(0, len(one.request.batches), 0, 0, 0)
        else:
            plans.append(plan)
    moved = _move_cursors(connection, plans)
    won = [plan for plan in plans if plan.received.request.host_id in moved]
    rows = _store(connection, won)
    for plan in plans:
        host_id = plan.received.request.host_id
        outcomes[host_id] = (
            Stored(
                new=len(plan.kept),
                duplicates=plan.step.first_new,
                late=plan.late,
                future=plan.future,
                newly_lost=plan.step.newly_lost,
            )
            if host_id in moved
            else Raced()
        )
    return Written(outcomes, rows)


def _plan(received: Received, cursor: _Cursor | None, horizon: Horizon) -> _Plan | Gap:
    request = received.request
    step = advance(
        Position(cursor.stream_id, cursor.sequence, cursor.lost_batches) if cursor else None,
        stream_id=request.stream_id,
        lost_batches=request.lost_batches,
        sequences=[batch.sequence for batch in request.batches],
    )
    if isinstance(step, Gap):
        return step
    new = request.batches[step.first_new :]
    late = sum(1 for batch in new if batch.started_at < horizon.oldest)
    future = sum(1 for batch in new if batch.started_at > horizon.newest)
    kept = [batch for batch in new if horizon.oldest <= batch.started_at <= horizon.newest]
    return _Plan(received, cursor, step, kept, late, future)


def _cursors(connection: Connection, host_ids: list[int]) -> dict[int, _Cursor]:
    with connection.cursor(row_factory=class_row(_Cursor)) as db:
        db.execute(
            "SELECT host_id, stream_id, sequence, lost_batches, window_at, received_at,"
            " clock_skew_ms FROM ingest_cursors WHERE host_id = ANY(%s)",
            [host_ids],
        )
        return {row.host_id: row for row in db}


# Moves a cursor only from where we read it: two processes with the same host cannot both win.
_MOVE = """
INSERT INTO ingest_cursors (host_id, stream_id, sequence, previous_sequence, lost_batches, boot_id,
                            window_at, received_at, clock_skew_ms, status)
SELECT * FROM unnest(%s::bigint[], %s::uuid[], %s::bigint[], %s::bigint[], %s::bigint[], %s::uuid[],
                     %s::timestamptz[], %s::timestamptz[], %s::int[], %s::jsonb[]) AS new
ORDER BY 1
ON CONFLICT (host_id) DO UPDATE SET
    stream_id = excluded.stream_id,
    sequence = excluded.sequence,
    previous_sequence = excluded.previous_sequence,
    lost_batches = excluded.lost_batches,
    boot_id = excluded.boot_id,
    window_at = excluded.window_at,
    received_at = excluded.received_at,
    clock_skew_ms = excluded.clock_skew_ms,
    status = excluded.status
WHERE ingest_cursors.sequence = excluded.previous_sequence
RETURNING host_id
"""


def _move_cursors(connection: Connection, plans: Sequence[_Plan]) -> set[int]:
    if not plans:
        return set()
    rows = [_cursor_row(plan) for plan in plans]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return {host_id for (host_id,) in connection.execute(_MOVE, columns)}


def _cursor_row(plan: _Plan) -> Row:
    request, before = plan.received.request, plan.cursor
    newest = request.batches[-1]
    same_stream = before is not None and before.stream_id == request.stream_id
    windows = [batch.started_at for batch in plan.kept]
    if before is not None and before.window_at is not None:
        windows.append(before.window_at)
    lost = request.lost_batches
    if before is not None and same_stream:
        # An agent that forgot its count must not make declared losses undeclared.
        lost = max(lost, before.lost_batches)
    return (
        request.host_id,
        request.stream_id,
        newest.sequence,
        before.sequence if before is not None else 0,
        lost,
        newest.boot_id,
        max(windows, default=None),
        plan.received.received_at,
        _clock_skew_ms(plan),
        Jsonb(newest.status),
    )


def _clock_skew_ms(plan: _Plan) -> int:
    """Host's clock minus ours. A window that ended after we received it proves a clock ahead; one
    that ended before is delay or a clock behind, told apart by a steady rhythm of single windows
    (a backlog comes in bursts)."""
    received_at, before = plan.received.received_at, plan.cursor
    skew = plan.received.request.batches[-1].ended_at - received_at
    steady = (
        before is not None
        and len(plan.received.request.batches) == 1
        and timedelta(seconds=5) <= received_at - before.received_at <= timedelta(seconds=20)
    )
    if steady or skew > timedelta():
        int32 = 2**31 - 1
        return max(-int32, min(int32, round(skew.total_seconds() * 1000)))
    return before.clock_skew_ms if before is not None else 0


def _store(connection: Connection, plans: Sequence[_Plan]) -> list[TableRows]:
    kept = [(plan, batch) for plan in plans for batch in plan.kept]
    # Who and what the host is stays true even where the window came too late to be kept.
    new = [(plan.received.request.host_id, batch) for plan in plans for batch in plan.new]
    upsert_identities(connection, new)
    update_facts(connection, new)
    samples = [row for _, batch in kept for row in batch.samples]
    hosts = [batch.host_sample for _, batch in kept if batch.host_sample is not None]
    blame = [row for _, batch in kept for row in batch.blame]
    return [
        _store_rows(connection, table, columns, rows)
        for table, columns, rows in (
            ("samples_10s", SAMPLE_COLUMNS, samples),
            ("host_samples_10s", HOST_SAMPLE_COLUMNS, hosts),
            ("blame_1m", BLAME_COLUMNS, blame),
        )
        if rows
    ]


def _store_rows(
    connection: Connection, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Row]
) -> TableRows:
    stored = len(rows)
    try:
        with connection.transaction():  # a savepoint
            _copy(connection, table, columns, rows)
    except psycopg.errors.UniqueViolation:
        # The cursor keeps replays out, so this is rare: two windows with one start, as when an
        # agent was restarted within a window. The first one stays.
        stored = _copy_if_absent(connection, table, columns, rows)
    return TableRows(table, stored=stored, duplicates=len(rows) - stored)


def _copy(
    connection: Connection, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Row]
) -> None:
    command = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        sql.Identifier(table), sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
    )
    with connection.cursor() as db, db.copy(command) as copy:
        copy.set_types([type_ for _, type_ in columns])
        for row in rows:
            copy.write_row(row)


def _copy_if_absent(
    connection: Connection, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Row]
) -> int:
    staging = f"staging_{table}"
    names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
    connection.execute(
        sql.SQL("CREATE TEMP TABLE {} (LIKE {}) ON COMMIT DROP").format(
            sql.Identifier(staging), sql.Identifier(table)
        )
    )
    _copy(connection, staging, columns, rows)
    inserted = connection.execute(
        sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} ON CONFLICT DO NOTHING").format(
            sql.Identifier(table), names, names, sql.Identifier(staging)
        )
    )
    return inserted.rowcount
