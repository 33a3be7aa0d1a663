"""Protobuf to rows, refusing whatever a table or a later reader could not bear. PURE.

Each refusal names the field as the schema does (`batches[0].cgroups[2].sched.wait_count`).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from google.protobuf.message import DecodeError

from neighborwatch.ingest.batch import RUNQ_BUCKETS, Batch, Request, Row
from neighborwatch.ingest.checks import (
    INT32_MAX,
    INT64_MAX,
    MalformedError,
    all_within,
    at_most,
    duration_ms_of,
    instant,
    uuid_of,
    within,
)
from neighborwatch.ingest.decode_events import event_loss_of, events_of
from neighborwatch.ingest.decode_identities import facts_of, identities_of
from neighborwatch.ingest.decode_status import status_of
from neighborwatch.ingest.wire import ingest_pb2 as wire

MAX_BATCHES = 64
MAX_CGROUPS = 4096
MAX_BLAME_PAIRS = 16_384
MAX_QUOTAS = 64

WINDOW_NS = 10_000_000_000
# A window may be observed longer than its nominal length: the agent was stopped for a while.
MAX_DURATION_NS = 60_000_000_000
MAX_BLAME_NS = 600_000_000_000
MAX_DURATION = timedelta(microseconds=MAX_DURATION_NS // 1000)
MAX_BLAME_SPAN = timedelta(microseconds=MAX_BLAME_NS // 1000)

_NO_SCHED: Row = (None,) * 8
_SKEW_NS = 1_000_000_000
_PART_FIELDS = (
    "self_wait_ns",
    "neighbor_wait_ns",
    "system_wait_ns",
    "throttled_own_wait_ns",
    "throttled_ancestor_wait_ns",
    "idle_gap_wait_ns",
    "unattributed_wait_ns",
    "max_wait_ns",
)
_NO_PARTS: Row = (None,) * len(_PART_FIELDS)
_NO_BUCKETS: Row = (None,) * RUNQ_BUCKETS


def decode(body: bytes) -> Request:
    message = wire.IngestRequest()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise MalformedError("body", "is not a neighborwatch.v1.IngestRequest") from error
    within("host_id", message.host_id, INT64_MAX)
    within("lost_batches", message.lost_batches, INT64_MAX)
    if not message.batches:
        raise MalformedError("batches", "at least one is needed")
    at_most("batches", message.batches, MAX_BATCHES)
    batches = []
    previous = 0
    for index, batch in enumerate(message.batches):
        field = f"batches[{index}]"
        if batch.sequence <= previous:
            raise MalformedError(f"{field}.sequence", "must ascend from 1")
        previous = within(f"{field}.sequence", batch.sequence, INT64_MAX)
        batches.append(_batch(field, message.host_id, batch))
    return Request(
        host_id=message.host_id,
        stream_id=uuid_of("stream_id", message.stream_id),
        lost_batches=message.lost_batches,
        batches=batches,
    )


def _batch(field: str, host_id: int, batch: wire.Batch) -> Batch:
    started_at = instant(f"{field}.started_at_unix_ns", batch.started_at_unix_ns)
    if batch.duration_ns == 0 and batch.events:
        return _events_alone(field, (started_at, host_id), batch)
    if batch.started_at_unix_ns % WINDOW_NS:
        raise MalformedError(f"{field}.started_at_unix_ns", "must be a multiple of 10 s")
    return window_of(field, (started_at, host_id), batch)


def _events_alone(field: str, head: tuple[datetime, int], batch: wire.Batch) -> Batch:
    """Events do not wait for their window's end; this batch is about no window."""
    for name in ("host", "blame", "cost", "facts"):
        if batch.HasField(name):
            raise MalformedError(f"{field}.{name}", "must be absent where duration_ns is 0")
    for name in ("cgroups", "collectors"):
        at_most(f"{field}.{name}", getattr(batch, name), 0)
    return Batch(
        sequence=batch.sequence,
        boot_id=uuid_of(f"{field}.boot_id", batch.boot_id),
        started_at=head[0],
        ended_at=head[0],
        host_sample=None,
        samples=[],
        blame=[],
        events=events_of(f"{field}.events", head, batch.events),
        identities=identities_of(field, batch),
        status=None,
        event_loss=event_loss_of(f"{field}.event_loss", batch.event_loss),
        facts=None,
    )


def window_of(field: str, head: tuple[datetime, int], batch: wire.Batch) -> Batch:
    """A batch that is about a span of time, of whatever length."""
    started_at, _ = head
    duration_ms = duration_ms_of(f"{field}.duration_ns", batch.duration_ns, MAX_DURATION_NS)
    at_most(f"{field}.cgroups", batch.cgroups, MAX_CGROUPS)
    seen: set[int] = set()
    samples = []
    for index, cgroup in enumerate(batch.cgroups):
        where = f"{field}.cgroups[{index}]"
        if cgroup.container_id in seen:
            raise MalformedError(f"{where}.container_id", "occurs twice in this batch")
        seen.add(cgroup.container_id)
        samples.append(_sample(where, head, duration_ms, cgroup))
    host = batch.host if batch.HasField("host") else None
    return Batch(
        sequence=batch.sequence,
        boot_id=uuid_of(f"{field}.boot_id", batch.boot_id),
        started_at=started_at,
        ended_at=started_at + timedelta(milliseconds=duration_ms),
        host_sample=_host_sample(f"{field}.host", head, duration_ms, host) if host else None,
        samples=samples,
        blame=_blame(f"{field}.blame", head, batch.blame) if batch.HasField("blame") else [],
        events=events_of(f"{field}.events", head, batch.events),
        identities=identities_of(field, batch),
        status=status_of(field, batch),
        event_loss=event_loss_of(f"{field}.event_loss", batch.event_loss),
        facts=facts_of(f"{field}.facts", batch.facts) if batch.HasField("facts") else None,
    )


def _sample(
    field: str, head: tuple[datetime, int], duration_ms: int, cgroup: wire.CgroupWindow
) -> Row:
    container_id = within(f"{field}.container_id", cgroup.container_id, INT64_MAX)
    scheduled, parts, unthrottled, buckets = _NO_SCHED, _NO_PARTS, None, _NO_BUCKETS
    if cgroup.HasField("sched"):
        sched, where = cgroup.sched, f"{field}.sched"
        scheduled = _sched(where, sched)
        parts = _wait_parts(where, sched)
        buckets = _histogram(f"{where}.runq", sched.runq_bucket, sched.runq_count)
        unthrottled = _unthrottled(where, sched)
    used: Row = (None, None, None)
    if cgroup.HasField("cpu_stat"):
        stat = cgroup.cpu_stat
        used = (stat.usage_ns, stat.user_ns, stat.system_ns)
        all_within(f"{field}.cpu_stat", ("usage_ns", "user_ns", "system_ns"), used, INT64_MAX)
    return (
        *head,
        container_id,
        duration_ms,
        *scheduled,
        *parts,
        *used,
        *_quotas(f"{field}.quotas", cgroup.quotas),
        within(f"{field}.cpus_allowed", cgroup.cpus_allowed, INT32_MAX) or None,
        unthrottled,
        *buckets,
    )


def _sched(field: str, sched: wire.SchedWindow) -> Row:
    durations = (sched.ran_ns, sched.wait_ns, sched.migrated_wait_ns)
    all_within(field, ("ran_ns", "wait_ns", "migrated_wait_ns"), durations, INT64_MAX)
    names = (
        *("wait_count", "preempted_self", "preempted_other", "preempted_system"),
        "throttled_out",
    )
    counts = (
        sched.wait_count,
        sched.preempted_self,
        sched.preempted_other,
        sched.preempted_system,
        sched.throttled_out,
    )
    all_within(field, names, counts, INT32_MAX)
    ran_ns, wait_ns, migrated_wait_ns = durations
    return (ran_ns, wait_ns, counts[0], migrated_wait_ns, *counts[1:])


def _wait_parts(field: str, sched: wire.SchedWindow) -> Row:
    values = (
        sched.self_wait_ns,
        sched.neighbor_wait_ns,
        sched.system_wait_ns,
        sched.throttled_own_wait_ns,
        sched.throttled_ancestor_wait_ns,
        sched.idle_gap_wait_ns,
        sched.unattributed_wait_ns,
        sched.max_wait_ns,
    )
    if sched.wait_ns and not any(values):
        # An agent from before the split: not known, which is not the same as nothing.
        return _NO_PARTS
    all_within(field, _PART_FIELDS, values, INT64_MAX)
    # That they add up is the agent's promise and is tested there. A sum beyond the whole by more
    # than reading two counters in turn can explain is no measurement.
    if sum(values[:-1]) > 2 * sched.wait_ns + _SKEW_NS:
        raise MalformedError(f"{field}.wait_ns", "is far less than the sum of its parts")
    return values


def _unthrottled(field: str, sched: wire.SchedWindow) -> list[int] | None:
    """All 96 counts, or None where they are those of the whole waits."""
    if not sched.runq_unthrottled_bucket and not sched.runq_unthrottled_count:
        return None
    buckets = _histogram(
        f"{field}.runq_unthrottled", sched.runq_unthrottled_bucket, sched.runq_unthrottled_count
    )
    return [count or 0 for count in buckets]


def _histogram(field: str, indexes: Sequence[int], counts: Sequence[int]) -> Row:
    if len(indexes) != len(counts):
        raise MalformedError(f"{field}_count", f"must be as long as {field}_bucket")
    buckets: list[int | None] = [None] * RUNQ_BUCKETS
    for bucket, count in zip(indexes, counts, strict=True):
        if bucket >= RUNQ_BUCKETS or buckets[bucket] is not None:
            raise MalformedError(
                f"{field}_bucket", f"holds {bucket}; 0 to {RUNQ_BUCKETS - 1}, each once"
            )
        buckets[bucket] = within(f"{field}_count", count, INT32_MAX)
    return tuple(buckets)


def _quotas(field: str, quotas: Iterable[wire.QuotaWindow]) -> Row:
    """Own counters, those of the ancestor that was throttled most, own limits."""
    quotas = list(quotas)
    at_most(field, quotas, MAX_QUOTAS)
    own: wire.QuotaWindow | None = None
    worst: wire.QuotaWindow | None = None
    for index, quota in enumerate(quotas):
        where = f"{field}[{index}]"
        all_within(
            where, ("nr_periods", "nr_throttled"), (quota.nr_periods, quota.nr_throttled), INT32_MAX
        )
        all_within(
            where,
            ("throttled_ns", "quota_us", "period_us", "burst_us"),
            (quota.throttled_ns, quota.quota_us, quota.period_us, quota.burst_us),
            INT64_MAX,
        )
        if quota.own:
            if own is not None:
                raise MalformedError(f"{where}.own", "is set twice in this cgroup")
            own = quota
        elif worst is None or _severity(quota) > _severity(worst):
            worst = quota
    return (
        *((own.nr_periods, own.nr_throttled, own.throttled_ns) if own else (None,) * 3),
        *((worst.nr_periods, worst.nr_throttled, worst.throttled_ns) if worst else (None,) * 3),
        *(
            (own.quota_us, own.period_us or None, own.burst_us)
            if own and own.quota_us
            else (None,) * 3
        ),
    )


def _severity(quota: wire.QuotaWindow) -> tuple[float, int]:
    return (quota.nr_throttled / max(quota.nr_periods, 1), quota.throttled_ns)


def _host_sample(
    field: str, head: tuple[datetime, int], duration_ms: int, host: wire.HostWindow
) -> Row:
    names = ("user_ns", "system_ns", "idle_ns", "iowait_ns", "steal_ns", "context_switches")
    values = (
        host.user_ns,
        host.system_ns,
        host.idle_ns,
        host.iowait_ns,
        host.steal_ns,
        host.context_switches,
    )
    all_within(field, names, values, INT64_MAX)
    cpus = within(f"{field}.cpus_online", host.cpus_online, INT32_MAX)
    return (*head, duration_ms, cpus, *values)


def _blame(field: str, head: tuple[datetime, int], blame: wire.BlameWindow) -> list[Row]:
    window_at, host_id = head
    started_at = instant(f"{field}.started_at_unix_ns", blame.started_at_unix_ns)
    # It ends with this window; another time would also ask for a partition of its own.
    if not window_at - MAX_BLAME_SPAN <= started_at <= window_at + MAX_DURATION:
        raise MalformedError(f"{field}.started_at_unix_ns", "is too far from this batch's window")
    duration_ms = duration_ms_of(f"{field}.duration_ns", blame.duration_ns, MAX_BLAME_NS)
    at_most(f"{field}.pairs", blame.pairs, MAX_BLAME_PAIRS)
    seen: set[tuple[int, int]] = set()
    # An agent from before waits were overlapped sends preemptions only.
    measured = any(pair.wait_ns for pair in blame.pairs)
    rows = []
    for index, pair in enumerate(blame.pairs):
        where = f"{field}.pairs[{index}]"
        ids = (pair.victim_id, pair.aggressor_id)
        all_within(where, ("victim_id", "aggressor_id"), ids, INT64_MAX)
        if ids in seen:
            raise MalformedError(where, "the same victim and aggressor occur twice")
        seen.add(ids)
        wait_ns = within(f"{where}.wait_ns", pair.wait_ns, INT64_MAX) if measured else None
        preemptions = within(f"{where}.preemptions", pair.preemptions, INT64_MAX)
        rows.append((started_at, host_id, *ids, duration_ms, wait_ns, preemptions))
    return rows
