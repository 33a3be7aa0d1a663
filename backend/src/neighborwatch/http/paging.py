"""Cursor paging over any set of rows: a stable order with a tie-breaker, nulls last."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy import CTE, ColumnElement, RowMapping, Select, and_, func, or_, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from neighborwatch.http.deps import range_of
from neighborwatch.http.errors import Problem, bad_field
from neighborwatch.measures.time_range import MAX_RANGE, Span

DEFAULT_LIMIT = 50
MAX_LIMIT = 500
# More rows than any fleet has containers: a larger answer is a question for a report.
MAX_STREAMED_ROWS = 500_000
# Postgres has no NUL in texts.
TEXT_PATTERN = r"^[^\x00]*$"
_STREAM_CHUNK_ROWS = 500
_FOREIGN_CURSOR = "not one of ours: send next_cursor unchanged, or leave it out"

Scalar = str | int | float | None


@dataclass(frozen=True, slots=True)
class Sort:
    field: str
    descending: bool

    def __str__(self) -> str:
        return f"-{self.field}" if self.descending else self.field


@dataclass(frozen=True, slots=True)
class After:
    """The last row of the page before: its sort value and its tie-breaker."""

    value: Scalar
    tie: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ListRequest:
    span: Span
    limit: int
    sort: Sort
    after: After | None
    name_contains: str | None


@dataclass(frozen=True, slots=True)
class PageOfRows:
    rows: Sequence[RowMapping]
    next_cursor: str | None
    total: int


def parse_sort(text: str, allowed: Sequence[str]) -> Sort:
    sort = Sort(text.removeprefix("-"), text.startswith("-"))
    if sort.field not in allowed:
        raise bad_field("sort", f"one of {', '.join(allowed)}; with - in front: largest first")
    return sort


def encode_cursor(request: ListRequest, last: After) -> str:
    """Holds the absolute range too: the pages of one list are about the same time."""
    start, end = request.span.start.isoformat(), request.span.end.isoformat()
    parts = [str(request.sort), start, end, last.value, list(last.tie)]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def decode_cursor(text: str, allowed: Sequence[str]) -> tuple[Sort, Span, After]:
    try:
        padded = text + "=" * (-len(text) % 4)
        sort, start, end, value, tie = json.loads(base64.b64decode(padded, altchars=b"-_"))
        span = Span(datetime.fromisoformat(start), datetime.fromisoformat(end))
        after = After(value, tuple(int(part) for part in tie))
        # A list could be nested, a bool is an int to Python, an id must fit a bigint.
        if not isinstance(value, str | int | float | None) or isinstance(value, bool):
            raise TypeError("value")
        if span.end - span.start > MAX_RANGE or not all(0 <= part < 1 << 63 for part in after.tie):
            raise ValueError("out of bounds")
        if isinstance(value, str) and "\0" in value.encode().decode():  # nor half a surrogate
            raise ValueError("no text of ours")
        return parse_sort(sort, allowed), span, after
    except (ValueError, TypeError, AttributeError, RecursionError, Problem) as error:
        raise bad_field("cursor", _FOREIGN_CURSOR) from error


def list_request(
    sorts: Sequence[str], *, default: str, ranged: Callable[..., Span] = range_of
) -> Callable[[Span, int, str | None, str | None, str | None], ListRequest]:
    """The dependency of one list: which columns it sorts by, and by which at first."""
    sort_help = f"One of {', '.join(sorts)}; with `-` in front: largest first. Default {default}."

    def dependency(
        span: Annotated[Span, Depends(ranged)],
        limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = DEFAULT_LIMIT,
        cursor: Annotated[
            str | None,
            Query(max_length=2000, description="`next_cursor` of the page before; same filters."),
        ] = None,
        sort: Annotated[str | None, Query(description=sort_help)] = None,
        q: Annotated[
            str | None, Query(max_length=200, pattern=TEXT_PATTERN, description="Name contains.")
        ] = None,
    ) -> ListRequest:
        wanted = parse_sort(default if sort is None else sort, sorts)
        if cursor is None:
            return ListRequest(span, limit, wanted, None, q)
        cursor_sort, cursor_span, after = decode_cursor(cursor, sorts)
        if sort is not None and cursor_sort != wanted:
            raise bad_field("sort", f"the cursor belongs to {cursor_sort}; leave one of them out")
        return ListRequest(cursor_span, limit, cursor_sort, after, q)

    return dependency


def contains(
    column: ColumnElement[str] | InstrumentedAttribute[str], text: str | None
) -> list[ColumnElement[bool]]:
    """Case does not matter, and % or _ are only letters."""
    return [] if text is None or text == "" else [column.icontains(text, autoescape=True)]


def fetch_page(
    session: Session, rows: CTE, request: ListRequest, *, tie: Sequence[str]
) -> PageOfRows:
    """One page and the number of rows on all pages. `rows` has a column per sort field."""
    total = select(func.count()).select_from(rows).scalar_subquery().label("total")
    statement = (
        _ordered(select(rows, total), rows, request, tie)
        .where(*_after(rows, request, tie))
        .limit(request.limit + 1)
    )
    found = session.execute(statement).mappings().all()
    page = found[: request.limit]
    cursor = None
    if len(found) > request.limit:
        last = page[-1]
        value = last[request.sort.field]
        instant = value.isoformat() if isinstance(value, datetime) else value
        after = After(instant, tuple(last[name] for name in tie))
        cursor = encode_cursor(request, after)
    if found:
        return PageOfRows(page, cursor, found[0]["total"])
    # Past the last page: only a cursor brings one here, and the total is still asked for.
    count = session.scalar(select(func.count()).select_from(rows)) if request.after else 0
    return PageOfRows([], None, count or 0)


def stream_rows(
    session: Session, rows: CTE, request: ListRequest, *, tie: Sequence[str]
) -> Iterator[Sequence[RowMapping]]:
    """All pages, in chunks; the database keeps what is not fetched yet."""
    statement = _ordered(select(rows), rows, request, tie).limit(MAX_STREAMED_ROWS)
    result = session.execute(statement, execution_options={"yield_per": _STREAM_CHUNK_ROWS})
    yield from result.mappings().partitions()


def _ordered(
    statement: Select[*tuple[object, ...]], rows: CTE, request: ListRequest, tie: Sequence[str]
) -> Select[*tuple[object, ...]]:
    column = rows.c[request.sort.field]
    order = column.desc() if request.sort.descending else column.asc()
    return statement.order_by(order.nulls_last(), *(rows.c[name] for name in tie))


def _after(rows: CTE, request: ListRequest, tie: Sequence[str]) -> list[ColumnElement[bool]]:
    if request.after is None:
        return []
    column = rows.c[request.sort.field]
    value = _sort_value(column, request.after.value)
    if len(request.after.tie) != len(tie):
        raise bad_field("cursor", _FOREIGN_CURSOR)
    later_tie = tuple_(*(rows.c[name] for name in tie)) > tuple_(*request.after.tie)
    if value is None:
        return [and_(column.is_(None), later_tie)]
    beyond = column < value if request.sort.descending else column > value
    return [or_(beyond, and_(column == value, later_tie), column.is_(None))]


def _sort_value(column: ColumnElement[object], value: Scalar) -> Scalar | datetime:
    """A cursor can be edited by hand; what it holds must fit the column before SQL sees it."""
    expected = column.type.python_type
    if value is None:
        return None
    try:
        if expected is datetime and isinstance(value, str):
            return datetime.fromisoformat(value)
    except ValueError as error:
        raise bad_field("cursor", _FOREIGN_CURSOR) from error
    if expected in (int, float) and isinstance(value, int | float):
        return value
    if expected is str and isinstance(value, str):
        return value
    raise bad_field("cursor", _FOREIGN_CURSOR)
