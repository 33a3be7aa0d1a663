"""How much of a range was measured: windows stored against windows expected, per host."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from neighborwatch.db.tables import Host, HostSample10s, IngestCursor
from neighborwatch.measures.time_range import WINDOW, Span, ceil_to

# A window that has just ended is still on its way; it is not missing yet.
DELIVERY_GRACE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class CoverageRow:
    hosts_reporting: int
    hosts_known: int
    windows_stored: int
    windows_expected: int
    as_of: datetime | None

    @property
    def ratio(self) -> float:
        if self.windows_expected == 0:
            return 1.0 if self.hosts_reporting else 0.0
        return min(1.0, self.windows_stored / self.windows_expected)


def expected_windows(span: Span, *, since: datetime, now: datetime) -> int:
    """Whole windows of the span that a host known since then must have delivered by now."""
    start = ceil_to(max(span.start, since), WINDOW)
    end = min(ceil_to(span.end, WINDOW), now - DELIVERY_GRACE)
    return max(0, (end - start) // WINDOW)


def coverage(
    session: Session, span: Span, *, now: datetime, host_id: int | None = None
) -> CoverageRow:
    stored = select(
        HostSample10s.host_id,
        func.count().label("windows"),
        func.max(HostSample10s.t).label("newest_at"),
    ).where(HostSample10s.t >= span.start, HostSample10s.t < span.end)
    hosts = select(Host.host_id, Host.created_at, IngestCursor.window_at)
    if host_id is not None:
        stored = stored.where(HostSample10s.host_id == host_id)
        hosts = hosts.where(Host.host_id == host_id)
    per_host = stored.group_by(HostSample10s.host_id).subquery()
    rows = session.execute(
        hosts.outerjoin(IngestCursor, IngestCursor.host_id == Host.host_id)
        .outerjoin(per_host, per_host.c.host_id == Host.host_id)
        .add_columns(per_host.c.windows, per_host.c.newest_at)
    ).all()
    in_range = [row for row in rows if row.windows]
    # Where the range has nothing, what came last before its end says since when.
    earlier = [row.window_at for row in rows if row.window_at and row.window_at < span.end]
    newest = max((row.newest_at for row in in_range), default=max(earlier, default=None))
    expected = {r.host_id: expected_windows(span, since=r.created_at, now=now) for r in rows}
    return CoverageRow(
        hosts_reporting=len(in_range),
        hosts_known=len(rows),
        windows_stored=sum(min(row.windows, expected[row.host_id]) for row in in_range),
        windows_expected=sum(expected.values()),
        as_of=newest + WINDOW if newest else None,
    )
