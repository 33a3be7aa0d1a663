"""Builds the head of an answer from what the database knows of its scope."""

from datetime import datetime
from typing import TypedDict

from neighborwatch.db.coverage import CoverageRow
from neighborwatch.http.paging import PageOfRows
from neighborwatch.http.schemas import Coverage, Range
from neighborwatch.measures.time_range import Span


class MetaFields(TypedDict):
    range: Range
    as_of: datetime | None
    coverage: Coverage


class PageFields(TypedDict):
    next_cursor: str | None
    total: int


def meta_fields(span: Span, row: CoverageRow) -> MetaFields:
    return {
        "range": Range(from_=span.start, to=span.end),
        "as_of": row.as_of,
        "coverage": Coverage(
            hosts_reporting=row.hosts_reporting, hosts_known=row.hosts_known, ratio=row.ratio
        ),
    }


def page_fields(page: PageOfRows) -> PageFields:
    return {"next_cursor": page.next_cursor, "total": page.total}
