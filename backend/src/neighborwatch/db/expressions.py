"""How counters become figures in SQL, once for all queries: sums, rates, shares, percentiles.

A null counter was not measured. Sums skip nulls and rates divide by the time of the windows that
have the counter, so what was not measured never pulls a figure towards zero.
"""

from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Double,
    FromClause,
    Label,
    cast,
    extract,
    func,
    literal,
    literal_column,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import InstrumentedAttribute

from neighborwatch.db.tables import RUNQ_BUCKET_NAMES, WAIT_PARTS, Sample10s
from neighborwatch.measures.histogram import BUCKETS, UPPER_BOUNDS_NS
from neighborwatch.measures.time_range import Grid, Span

Column = ColumnElement[Any] | InstrumentedAttribute[Any]
# Double comes back as float; its type says Decimal too, for drivers that do otherwise.
Figure = ColumnElement[float | Decimal]
SAMPLES = Sample10s.__tablename__
_UNTHROTTLED = "unthrottled_"


def within(column: InstrumentedAttribute[Any], span: Span) -> tuple[ColumnElement[bool], ...]:
    """Windows that start in the span; literal bounds, so that partitions are pruned."""
    return column >= span.start, column < span.end


def grid_bucket(at: Column, grid: Grid) -> ColumnElement[int]:
    """Index of the grid's bucket that holds the instant."""
    since_start = cast(extract("epoch", at), BigInteger) - int(grid.start.timestamp())
    return cast(since_start // grid.step_seconds, BigInteger)


def seconds(ns: Column) -> Figure:
    return cast(ns, Double) / literal(1e9, Double)


def ratio(part: Column, whole: Column) -> Figure:
    """Null where the whole is zero or unknown."""
    return cast(part, Double) / func.nullif(cast(whole, Double), 0.0, type_=Double)


def total(column: Column) -> ColumnElement[int]:
    return cast(func.sum(column), BigInteger)


def per_second(column: Column, duration_ms: Column) -> Figure:
    """Aggregate: the column's sum over the measured time of its windows."""
    measured_ms = func.sum(duration_ms).filter(column.is_not(None))
    return ratio(func.sum(column), measured_ms) * literal(1000.0, Double)


def wait_part_sums() -> list[Label[int]]:
    """Aggregates: `self_wait_ns` to `unattributed_wait_ns`; read them by `wait_part_seconds`."""
    return [total(getattr(Sample10s, f"{part}_ns")).label(f"{part}_ns") for part in WAIT_PARTS]


def wait_part_seconds(sums: FromClause) -> list[Label[Any]]:
    return [seconds(sums.c[f"{part}_ns"]).label(f"{part}_seconds") for part in WAIT_PARTS]


def ran_and_parts_per_second() -> list[Label[Any]]:
    """Aggregates: `ran_cores` and one figure per part, CPU-seconds per second of a container."""
    s = Sample10s
    return [
        (per_second(getattr(s, f"{name}_ns"), s.duration_ms) / 1e9).label(f"{name}_cores")
        for name in ("ran", *WAIT_PARTS)
    ]


def newest(at: Column, *columns: Column, measured: Column) -> ColumnElement[list[int]]:
    """Aggregate: the columns of the newest row, after its time; read them by `newest_field`.

    Of the rows where `measured` is known: a container's last window often has no cpu.stat, as the
    cgroup was gone before it was read, and its missing quota is not "no quota".

    The largest of arrays that begin with the time is a plain aggregate, so it shares the scan
    that sums the rest; DISTINCT ON would need a scan and a sort of its own.
    """
    instant = cast(extract("epoch", at), BigInteger)
    values: list[Any] = [func.coalesce(cast(column, BigInteger), -1) for column in columns]
    row: ColumnElement[Any] = array([instant, *values])
    return func.max(row).filter(measured.is_not(None))


def newest_field(row: ColumnElement[Any], index: int) -> ColumnElement[int]:
    """The column at `index` (from 0) of what `newest` found; null where it was null."""
    return func.nullif(type_coerce(row, ARRAY(BigInteger))[index + 2], -1, type_=BigInteger)


@cache
def runq_sums() -> tuple[Label[int], ...]:
    """Aggregates: the merged histogram, a column per bucket under the bucket's name.

    As text and made once: 96 column objects per query took longer to compile than to sum.
    """
    return tuple(
        literal_column(f"sum({SAMPLES}.{name})", BigInteger).label(name)
        for name in RUNQ_BUCKET_NAMES
    )


@cache
def runq_unthrottled_sums() -> tuple[Label[int], ...]:
    """Aggregates: the merged histogram of the waits without their throttled part.

    A window without that array had nothing throttled, so its usual buckets say the same.
    """
    return tuple(
        literal_column(
            f"sum(coalesce({SAMPLES}.runq_unthrottled[{index + 1}], {SAMPLES}.{name}))", BigInteger
        ).label(_UNTHROTTLED + name)
        for index, name in enumerate(RUNQ_BUCKET_NAMES)
    )


def runq_unthrottled_percentile_seconds(percent: int) -> Figure:
    """Of the one `runq_unthrottled_sums` in the FROM clause."""
    return literal_column(_percentile_text(percent, _UNTHROTTLED), Double)


def runq_percentile_seconds(percent: int) -> Figure:
    """Of the one `runq_sums` in the FROM clause; the same answer as `histogram.percentile_ns`.

    55 us a histogram (Postgres 18). A CASE that stops at the first bucket to reach the percentile
    took 13 us and 50 kB of SQL; summing an hour of windows takes 400 us, so it was not worth it.
    """
    return literal_column(_percentile_text(percent), Double)


@cache
def runq_waits(buckets: range = range(BUCKETS)) -> ColumnElement[int]:
    """Aggregate: how many waits are in these buckets."""
    names = (RUNQ_BUCKET_NAMES[bucket] for bucket in buckets)
    text = " + ".join(f"coalesce(sum({SAMPLES}.{name}), 0)" for name in names)
    return literal_column(f"({text})", BigInteger)


@cache
def _percentile_text(percent: int, prefix: str = "") -> str:
    sums = ",".join(prefix + name for name in RUNQ_BUCKET_NAMES)
    bounds = ",".join(repr(ns / 1e9) for ns in UPPER_BOUNDS_NS)
    return (
        "(SELECT min(bound) FROM ("
        "SELECT bound, sum(waits) OVER (ORDER BY bound) AS reached, sum(waits) OVER () AS of_all"
        f" FROM unnest(ARRAY[{sums}]::float8[], ARRAY[{bounds}]::float8[])"
        " AS bucket(waits, bound)) AS runq"
        f" WHERE of_all > 0 AND reached * 100 >= of_all * {percent})"
    )
