"""Protobuf to rows, refusing whatever a table or a later reader could not bear. PURE.

Each refusal names the field as the schema does (`batches[0].cgroups[2].sched.wait_count`).
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from google.protobuf.message import DecodeError

from neighborwatch.ingest.batch import RUNQ_BUCKETS, Batch, Identity, Request, Row
from neighborwatch.ingest.checks import (
    INT32_MAX,
    INT64_MAX,
    MalformedError,
    all_within,
    at_most,
    checked_text,
    duration_ms_of,
    instant,
    uuid_of,
    within,
)
from neighborwatch.ingest.wire import ingest_pb2 as wire

MAX_BATCHES = 64
MAX_CGROUPS = 4096
MAX_IDENTITIES = 2 * MAX_CGROUPS
MAX_BLAME_PAIRS = 16_384
MAX_COLLECTORS = 64
MAX_PROGRAMS = 256
MAX_QUOTAS = 64

WINDOW_NS = 10_000_000_000
# A window may be observed longer than its nominal length: the agent was stopped for a while.
MAX_DURATION_NS = 60_000_000_000
MAX_BLAME_NS = 600_000_000_000
MAX_DURATION = timedelta(microseconds=MAX_DURATION_NS // 1000)
MAX_BLAME_SPAN = timedelta(microseconds=MAX_BLAME_NS // 1000)

_KINDS = {wire.CGROUP_KIND_CONTAINER: "container", wire.CGROUP_KIND_SYSTEM: "system"}
_STATES = {
    wire.COLLECTOR_STATE_OK: "ok",
    wire.COLLECTOR_STATE_DEGRADED: "degraded",
    wire.COLLECTOR_STATE_UNSUPPORTED: "unsupported",
    wire.COLLECTOR_STATE_FAILED: "failed",
}
_NO_SCHED: Row = (None,) * 8
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
    if batch.started_at_unix_ns % WINDOW_NS:
        raise MalformedError(f"{field}.started_at_unix_ns", "must be a multiple of 10 s")
    duration_ms = duration_ms_of(f"{field}.duration_ns", batch.duration_ns, MAX_DURATION_NS)
    at_most(f"{field}.cgroups", batch.cgroups, MAX_CGROUPS)
    at_most(f"{field}.identities", batch.identities, MAX_IDENTITIES)
    at_most(f"{field}.collectors", batch.collectors, MAX_COLLECTORS)
    head = (started_at, host_id)
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
        identities=[
            _identity(f"{field}.identities[{index}]", identity)
            for index, identity in enumerate(batch.identities)
        ],
        status=_status(field, batch),
        facts=_facts(f"{field}.facts", batch.facts) if batch.HasField("facts") else None,
    )


def _sample(
    field: str, head: tuple[datetime, int], duration_ms: int, cgroup: wire.CgroupWindow
) -> Row:
    container_id = within(f"{field}.container_id", cgroup.container_id, INT64_MAX)
    scheduled, buckets = _NO_SCHED, _NO_BUCKETS
    if cgroup.HasField("sched"):
        scheduled = _sched(f"{field}.sched", cgroup.sched)
        buckets = _runq_buckets(f"{field}.sched", cgroup.sched)
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
        *used,
        *_quotas(f"{field}.quotas", cgroup.quotas),
        within(f"{field}.cpus_allowed", cgroup.cpus_allowed, INT32_MAX) or None,
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


def _runq_buckets(field: str, sched: wire.SchedWindow) -> Row:
    if len(sched.runq_bucket) != len(sched.runq_count):
        raise MalformedError(f"{field}.runq_count", "must be as long as runq_bucket")
    buckets: list[int | None] = [None] * RUNQ_BUCKETS
    for bucket, count in zip(sched.runq_bucket, sched.runq_count, strict=True):
        if bucket >= RUNQ_BUCKETS or buckets[bucket] is not None:
            raise MalformedError(
                f"{field}.runq_bucket", f"holds {bucket}; 0 to {RUNQ_BUCKETS - 1}, each once"
            )
        buckets[bucket] = within(f"{field}.runq_count", count, INT32_MAX)
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
    rows = []
    for index, pair in enumerate(blame.pairs):
        where = f"{field}.pairs[{index}]"
        ids = (pair.victim_id, pair.aggressor_id)
        all_within(where, ("victim_id", "aggressor_id"), ids, INT64_MAX)
        if ids in seen:
            raise MalformedError(where, "the same victim and aggressor occur twice")
        seen.add(ids)
        preemptions = within(f"{where}.preemptions", pair.preemptions, INT64_MAX)
        rows.append((started_at, host_id, *ids, duration_ms, preemptions))
    return rows


def _identity(field: str, identity: wire.CgroupIdentity) -> Identity:
    kind = _KINDS.get(identity.kind)
    if kind is None:
        raise MalformedError(f"{field}.kind", "must be container or system")
    if not identity.name:
        raise MalformedError(f"{field}.name", "must not be empty")
    for key, value in identity.labels.items():
        checked_text(f"{field}.labels", key)
        if "\x00" in value:
            raise MalformedError(f"{field}.labels", "must not hold a NUL character")
    return Identity(
        container_id=within(f"{field}.container_id", identity.container_id, INT64_MAX),
        kind=kind,
        name=checked_text(f"{field}.name", identity.name),
        runtime=checked_text(f"{field}.runtime", identity.runtime) or None,
        runtime_id=checked_text(f"{field}.runtime_id", identity.runtime_id) or None,
        image=checked_text(f"{field}.image", identity.image) or None,
        pod=checked_text(f"{field}.pod", identity.pod) or None,
        namespace=checked_text(f"{field}.namespace", identity.namespace) or None,
        pod_uid=checked_text(f"{field}.pod_uid", identity.pod_uid) or None,
        labels=dict(identity.labels),
        cgroup_path=checked_text(f"{field}.cgroup_path", identity.cgroup_path),
    )


def _status(field: str, batch: wire.Batch) -> dict[str, Any]:
    collectors = []
    for index, collector in enumerate(batch.collectors):
        where = f"{field}.collectors[{index}]"
        state = _STATES.get(collector.state)
        if state is None:
            raise MalformedError(f"{where}.state", "is none that this backend knows")
        collectors.append(
            {
                "name": checked_text(f"{where}.name", collector.name),
                "status": state,
                "reason": checked_text(f"{where}.reason", collector.reason) or None,
                "lost": collector.lost,
            }
        )
    return {
        "duration_ns": batch.duration_ns,
        "context_switches": batch.host.context_switches if batch.HasField("host") else None,
        "collectors": collectors,
        "cost": _cost(f"{field}.cost", batch.cost) if batch.HasField("cost") else None,
    }


def _cost(field: str, cost: wire.AgentCost) -> dict[str, Any]:
    at_most(f"{field}.programs", cost.programs, MAX_PROGRAMS)
    return {
        "user_ns": cost.user_ns,
        "system_ns": cost.system_ns,
        "rss_bytes": cost.rss_bytes,
        "spool_batches": cost.spool_batches,
        "spool_bytes": cost.spool_bytes,
        "spool_dropped": cost.spool_dropped,
        "rejected_batches": cost.rejected_batches,
        "programs": [
            {
                "name": checked_text(f"{field}.programs[{index}].name", program.name),
                "run_count": program.run_count,
                "run_ns": program.run_ns,
            }
            for index, program in enumerate(cost.programs)
        ],
    }


_CACHE_ARCHITECTURES = frozenset({"unified", "chiplet", "unknown"})
_CGROUP_MODES = frozenset({"v1", "v2", "hybrid"})


def _facts(field: str, facts: wire.HostFacts) -> dict[str, str | int | None]:
    """Columns of `hosts`; what the agent does not know stays null."""
    values: dict[str, str | int | None] = {
        name: checked_text(f"{field}.{name}", getattr(facts, name)) or None
        for name in (
            *("kernel_release", "os_name", "hypervisor", "cpu_vendor", "cpu_model"),
            *("cache_architecture", "instance_type", "instance_family", "region"),
            *("cgroup_mode", "agent_version"),
        )
    }
    for name in ("cores", "sockets", "numa_nodes", "l3_domains", "threads_per_core"):
        values[name] = within(f"{field}.{name}", getattr(facts, name), INT32_MAX) or None
    values["cpus"] = within(f"{field}.cpus_online", facts.cpus_online, INT32_MAX) or None
    values["memory_bytes"] = within(f"{field}.memory_bytes", facts.memory_bytes, INT64_MAX) or None
    values["name"] = checked_text(f"{field}.hostname", facts.hostname) or None
    for name, allowed in (
        ("cache_architecture", _CACHE_ARCHITECTURES),
        ("cgroup_mode", _CGROUP_MODES),
    ):
        if values[name] is not None and values[name] not in allowed:
            raise MalformedError(f"{field}.{name}", f"must be one of {', '.join(sorted(allowed))}")
    return values
