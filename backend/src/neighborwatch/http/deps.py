"""What routes ask for: a transaction, a session for reading, the time range, the clock."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.db.session import transaction
from neighborwatch.http.errors import bad_field
from neighborwatch.measures.time_range import ALLOWED, MAX_RANGE, Span, parse_instant


def session_factory_of(request: Request) -> sessionmaker[Session]:
    """`create_app` keeps the factory in `app.state.session_factory`."""
    factory: sessionmaker[Session] = request.app.state.session_factory
    return factory


SessionFactoryDep = Annotated[sessionmaker[Session], Depends(session_factory_of)]


def get_session(factory: SessionFactoryDep) -> Iterator[Session]:
    with transaction(factory) as session:
        yield session


def get_read_session(factory: SessionFactoryDep) -> Iterator[Session]:
    """One snapshot for all statements of an answer, so that its numbers agree."""
    with factory() as session:
        session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        yield session


# "function": commits before the answer is sent, so that a failed commit is not answered with 200.
SessionDep = Annotated[Session, Depends(get_session, scope="function")]
# "request": a streamed answer still reads while it is sent, and there is nothing to commit.
ReadSessionDep = Annotated[Session, Depends(get_read_session, scope="request")]


def current_time() -> datetime:
    return datetime.now(UTC)


NowDep = Annotated[datetime, Depends(current_time)]


def _instant(field: str, text_: str, now: datetime) -> datetime:
    try:
        return parse_instant(text_, now=now)
    except ValueError as error:
        raise bad_field(field, str(error)) from error


def range_of(
    now: NowDep,
    from_: Annotated[str, Query(alias="from", description=f"Start: {ALLOWED}.")] = "now-1h",
    to: Annotated[str, Query(description=f"End, exclusive: {ALLOWED}.")] = "now",
) -> Span:
    start, end = _instant("from", from_, now), _instant("to", to, now)
    if start >= end:
        raise bad_field("from", "must be before `to`")
    if end - start > MAX_RANGE:
        raise bad_field("from", f"at most {MAX_RANGE.days} days before `to`")
    return Span(start, end)


RangeDep = Annotated[Span, Depends(range_of)]
