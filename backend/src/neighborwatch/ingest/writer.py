"""One transaction for many hosts: cursors forward, identities and facts, samples by COPY.

The only room that writes samples.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from neighborwatch.ingest.batch import (
    BLAME_COLUMNS,
    EVENT_COLUMNS,
    HOST_SAMPLE_COLUMNS,
    NO_EVENTS_LOST,
    SAMPLE_COLUMNS,
    Batch,
    EventLoss,
    Request,
    Row,
)
from neighborwatch.ingest.identities import Connection, update_facts, upsert_identities
from neighborwatch.ingest.live import live_seconds
from neighborwatch.ingest.sequence import Advance, Gap, Position, advance


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything new of this request will be durable once the transaction commits."""

    new: int
    duplicates: int
    late: int
    future: int
    newly_lost: int
    events_lost: EventLoss = NO_EVENTS_LOST
    live_seconds: int = 0  # somebody looks at this host for that long; 0: nobody


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
    # From the status, which is the newest window's: events come between windows.
    window_received_at: datetime | None
    event_loss: dict[str, int] | None


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

    @property
    def events_lost(self) -> EventLoss:
        return sum((batch.event_loss for batch in self.new), NO_EVENTS_LOST)


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
    known: dict[int, int] = {}  # hosts that sent nothing new, and how much of it
    plans = []
    for one in received:
        plan = _plan(one, cursors.get(one.request.host_id), horizon)
        if isinstance(plan, Gap):
            outcomes[one.request.host_id] = plan
        elif not plan.new:
            known[one.request.host_id] = len(one.request.batches)
        else:
            plans.append(plan)
    moved = _move_cursors(connection, plans)
    won = [plan for plan in plans if plan.received.request.host_id in moved]
    rows = _store(connection, won)
    answered = {*moved, *known}
    live = live_seconds(
        connection,
        {
            one.request.host_id: one.received_at
            for one in received
            if one.request.host_id in answered
        },
    )
    for plan in plans:
        host_id = plan.received.request.host_id
        outcomes[host_id] = (
            Stored(
                new=len(plan.kept),
                duplicates=plan.step.first_new,
                late=plan.late,
                future=plan.future,
                newly_lost=plan.step.newly_lost,
                events_lost=plan.events_lost,
                live_seconds=live.get(host_id, 0),
            )
            if host_id in moved
            else Raced()
        )
    for host_id, duplicates in known.items():
        outcomes[host_id] = Stored(0, duplicates, 0, 0, 0, live_seconds=live.get(host_id, 0))
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
            " clock_skew_ms, (status->>'received_at')::timestamptz AS window_received_at,"
            " status->'event_loss' AS event_loss FROM ingest_cursors WHERE host_id = ANY(%s)",
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
    -- A request with nothing but events says only what was lost of them.
    status = CASE WHEN excluded.status ? 'received_at' THEN excluded.status
                  ELSE ingest_cursors.status || excluded.status END
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
    windows = [batch.started_at for batch in plan.kept if batch.is_window]
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
        Jsonb(_status(plan, same_stream=same_stream)),
    )


def _status(plan: _Plan, *, same_stream: bool) -> dict[str, object]:
    lost, before = plan.events_lost, plan.cursor
    if before is not None and before.event_loss and same_stream:
        lost += EventLoss(**before.event_loss)
    said = next((batch.status for batch in reversed(plan.new) if batch.status is not None), None)
    if said is None:
        return {"event_loss": asdict(lost)}
    return {
        **said,
        "event_loss": asdict(lost),
        "received_at": plan.received.received_at.isoformat(),
    }


def _clock_skew_ms(plan: _Plan) -> int:
    """Host's clock minus ours. A batch that ended after we received it proves a clock ahead; one
    that ended before is delay or a clock behind, told apart by a steady rhythm of single windows
    (a backlog comes in bursts)."""
    received_at, before = plan.received.received_at, plan.cursor
    newest = plan.received.request.batches[-1]
    skew = newest.ended_at - received_at
    steady = (
        before is not None
        and newest.is_window
        and len(plan.received.request.batches) == 1
        and before.window_received_at is not None
        and timedelta(seconds=5) <= received_at - before.window_received_at <= timedelta(seconds=20)
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
    events = [row for _, batch in kept for row in batch.events]
    return [
        _store_rows(connection, table, columns, rows)
        for table, columns, rows in (
            ("samples_10s", SAMPLE_COLUMNS, samples),
            ("host_samples_10s", HOST_SAMPLE_COLUMNS, hosts),
            ("blame_1m", BLAME_COLUMNS, blame),
            ("events", EVENT_COLUMNS, events),
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
