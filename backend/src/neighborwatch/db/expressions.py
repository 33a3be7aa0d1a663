"""How counters become figures in SQL, once for all queries: sums, rates, shares, percentiles.

A null counter was not measured. Sums skip nulls and rates divide by the time of the windows that
have the counter, so what was not measured never pulls a figure towards zero.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Double,
    Label,
    Text,
    cast,
    extract,
    func,
    literal,
    literal_column,
    type_coerce,
)
from sqlalchemy.orm import InstrumentedAttribute

from neighborwatch.db.tables import RUNQ_BUCKET_NAMES, runq_bucket_columns
from neighborwatch.measures.histogram import UPPER_BOUNDS_NS
from neighborwatch.measures.time_range import Span

Column = ColumnElement[Any] | InstrumentedAttribute[Any]


def within(column: InstrumentedAttribute[Any], span: Span) -> tuple[ColumnElement[bool], ...]:
    """Windows that start in the span; literal bounds, so that partitions are pruned."""
    return column >= span.start, column < span.end


def seconds(ns: Column) -> ColumnElement[float]:
    return cast(ns, Double) / literal(1e9, Double)


def ratio(part: Column, whole: Column) -> ColumnElement[float]:
    """Null where the whole is zero or unknown."""
    return cast(part, Double) / func.nullif(cast(whole, Double), 0.0)


def total(column: Column) -> ColumnElement[int]:
    return cast(func.sum(column), BigInteger)


def per_second(column: Column, duration_ms: Column) -> ColumnElement[float]:
    """Aggregate: the column's sum over the measured time of its windows."""
    measured_ms = func.sum(duration_ms).filter(column.is_not(None))
    return ratio(func.sum(column), measured_ms) * literal(1000.0, Double)


def newest(at: Column, *columns: Column) -> ColumnElement[list[int]]:
    """Aggregate: the columns of the newest row, after its time; read them by `newest_field`.

    The largest of arrays that begin with the time is a plain aggregate, so it shares the scan
    that sums the rest; DISTINCT ON would need a scan and a sort of its own.
    """
    instant = cast(extract("epoch", at), BigInteger)
    values = [func.coalesce(cast(column, BigInteger), -1) for column in columns]
    return func.max(func.array(instant, *values, type_=ARRAY(BigInteger)))


def newest_field(row: ColumnElement[Any], index: int) -> ColumnElement[int]:
    """The column at `index` (from 0) of what `newest` found; null where it was null."""
    return func.nullif(type_coerce(row, ARRAY(BigInteger))[index + 2], -1)


def runq_sums() -> list[Label[int]]:
    """Aggregates: the merged histogram, a column per bucket and how many waits it holds."""
    sums = [
        func.coalesce(func.sum(column), 0).label(name)
        for name, column in zip(RUNQ_BUCKET_NAMES, runq_bucket_columns(), strict=True)
    ]
    text = " + ".join(f"coalesce(sum({name}), 0)" for name in RUNQ_BUCKET_NAMES)
    return [*sums, literal_column(text, BigInteger).label("runq_count")]
