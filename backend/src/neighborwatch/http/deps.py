"""What routes ask for: a transaction, a session for reading, the time range, the clock."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.db.session import transaction
from neighborwatch.http.errors import bad_field
from neighborwatch.measures.time_range import ALLOWED, MAX_RANGE, WINDOW, Span, parse_instant

_SECOND = timedelta(seconds=1)


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


From = Annotated[str, Query(alias="from", description=f"Start: {ALLOWED}.")]
To = Annotated[str, Query(description=f"End, exclusive: {ALLOWED}.")]


def range_of(now: NowDep, from_: From = "now-1h", to: To = "now") -> Span:
    """Of what is measured in windows: `now` is the end of the newest whole one."""
    return _span(from_, to, now, WINDOW)


def range_to_the_second(now: NowDep, from_: From = "now-1h", to: To = "now") -> Span:
    """Of what arrives between windows: `now` is the end of the second that is running."""
    return _span(from_, to, now + _SECOND, _SECOND)


def _instant(field: str, text_: str, now: datetime, rhythm: timedelta) -> datetime:
    try:
        return parse_instant(text_, now=now, rhythm=rhythm)
    except ValueError as error:
        raise bad_field(field, str(error)) from error


def _span(from_: str, to: str, now: datetime, rhythm: timedelta) -> Span:
    start, end = _instant("from", from_, now, rhythm), _instant("to", to, now, rhythm)
    if start >= end:
        raise bad_field("from", "must be before `to`")
    if end - start > MAX_RANGE:
        raise bad_field("from", f"at most {MAX_RANGE.days} days before `to`")
    return Span(start, end)


RangeDep = Annotated[Span, Depends(range_of)]
