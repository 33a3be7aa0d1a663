"""Ingest requests for tests: valid unless a test changes something."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from neighborwatch.ingest.wire import ingest_pb2 as wire

STREAM = UUID(int=0x5171)
BOOT = UUID(int=0xB007)
VICTIM, HOG, SYSTEM = 0x1111, 0x2222, 0x3333


def aligned(at: datetime) -> datetime:
    """The start of the 10 s window that holds `at`."""
    seconds = int(at.timestamp())
    return datetime.fromtimestamp(seconds - seconds % 10, UTC)


def recent_window(back: int = 0) -> datetime:
    """Start of the newest whole window, or of an earlier one."""
    return aligned(datetime.now(UTC)) - timedelta(seconds=10 * (back + 1))


def unix_ns(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000_000


def cgroup_window(container_id: int = VICTIM) -> wire.CgroupWindow:
    return wire.CgroupWindow(
        container_id=container_id,
        sched=wire.SchedWindow(
            ran_ns=4_000_000_000,
            wait_ns=3_000_000_000,
            wait_count=12,
            migrated_wait_ns=1_000,
            preempted_self=1,
            preempted_other=7,
            preempted_system=2,
            throttled_out=0,
            runq_bucket=[0, 31, 95],
            runq_count=[5, 6, 1],
            self_wait_ns=100_000_000,
            neighbor_wait_ns=2_000_000_000,
            system_wait_ns=200_000_000,
            throttled_own_wait_ns=600_000_000,
            throttled_ancestor_wait_ns=50_000_000,
            idle_gap_wait_ns=49_000_000,
            unattributed_wait_ns=1_000_000,
            max_wait_ns=16_000_000_000,
            runq_unthrottled_bucket=[0, 31, 60],
            runq_unthrottled_count=[5, 6, 1],
        ),
        cpu_stat=wire.CpuStatWindow(usage_ns=4_000, user_ns=3_000, system_ns=1_000),
        quotas=[
            wire.QuotaWindow(
                cgroup_path="/a/b",
                own=True,
                quota_us=20_000,
                period_us=100_000,
                burst_us=0,
                nr_periods=100,
                nr_throttled=23,
                throttled_ns=5_000,
            ),
            wire.QuotaWindow(
                cgroup_path="/a", quota_us=90_000, period_us=100_000, nr_periods=100, nr_throttled=3
            ),
        ],
        cpus_allowed=2,
    )


def identity(container_id: int = VICTIM, name: str = "victim") -> wire.CgroupIdentity:
    return wire.CgroupIdentity(
        container_id=container_id,
        kind=wire.CGROUP_KIND_CONTAINER,
        name=name,
        cgroup_path=f"/docker/{name}",
        runtime="docker",
        runtime_id="ab" * 32,
        image="shop:1",
        labels={"app": "shop"},
    )


def batch(sequence: int, started_at: datetime | None = None) -> wire.Batch:
    started_at = started_at or recent_window()
    return wire.Batch(
        sequence=sequence,
        boot_id=BOOT.bytes,
        started_at_unix_ns=unix_ns(started_at),
        duration_ns=10_000_000_000,
        host=wire.HostWindow(
            cpus_online=2,
            user_ns=9_000_000_000,
            system_ns=1_000_000_000,
            idle_ns=10_000_000_000,
            iowait_ns=0,
            steal_ns=0,
            context_switches=20_000,
        ),
        cgroups=[cgroup_window(VICTIM), cgroup_window(HOG)],
        identities=[identity(VICTIM, "victim"), identity(HOG, "hog")],
        blame=wire.BlameWindow(
            started_at_unix_ns=unix_ns(started_at),
            duration_ns=10_000_000_000,
            pairs=[
                wire.BlamePair(
                    victim_id=VICTIM, aggressor_id=HOG, preemptions=7, wait_ns=2_000_000_000
                )
            ],
        ),
        collectors=[wire.CollectorStatus(name="sched", state=wire.COLLECTOR_STATE_OK)],
        cost=wire.AgentCost(
            user_ns=1_000_000,
            rss_bytes=8 << 20,
            spool_batches=1,
            method=wire.COST_METHOD_ESTIMATED,
            budget_ppm=5000,
            spent_ppm=900,
        ),
        facts=wire.HostFacts(
            hostname="web-1",
            agent_version="0.1.0",
            kernel_release="6.1.0",
            cpus_online=2,
            cores=1,
            sockets=1,
            cache_architecture="unified",
            cgroup_mode="v2",
            memory_bytes=16 << 30,
        ),
    )


def event(number: int = 1, ended_at: datetime | None = None) -> wire.Event:
    """The victim waited 25 ms; the hog ran for most of it."""
    ended_at = ended_at or datetime.now(UTC)
    return wire.Event(
        number=number,
        kind=wire.EVENT_KIND_NOISY_NEIGHBOR,
        ended_at_unix_ns=unix_ns(ended_at) + ended_at.microsecond * 1000,
        duration_ns=25_000_000,
        container_id=VICTIM,
        cpu=3,
        pid=4711,
        comm="worker",
        shares=[
            wire.EventShare(container_id=HOG, ns=20_000_000),
            wire.EventShare(idle=True, ns=4_000_000),
            wire.EventShare(unattributed=True, ns=1_000_000),
        ],
        skipped=2,
    )


def events_batch(
    sequence: int, events: Sequence[wire.Event], sent_at: datetime | None = None
) -> wire.Batch:
    """A batch of events alone, which is about no window."""
    return wire.Batch(
        sequence=sequence,
        boot_id=BOOT.bytes,
        started_at_unix_ns=unix_ns(sent_at or datetime.now(UTC)),
        identities=[identity(VICTIM, "victim"), identity(HOG, "hog")],
        events=events,
    )


def live_window(started_at: datetime | None = None) -> wire.Batch:
    """One second of the victim and the hog."""
    started_at = started_at or datetime.now(UTC) - timedelta(seconds=1)
    window = batch(0, started_at)
    window.duration_ns = 1_000_000_000
    window.blame.duration_ns = 1_000_000_000
    window.ClearField("facts")
    window.ClearField("collectors")
    return window


def live_request(host_id: int, windows: Sequence[wire.Batch]) -> wire.LiveRequest:
    return wire.LiveRequest(host_id=host_id, windows=windows)


def request(
    host_id: int,
    batches: Sequence[wire.Batch],
    *,
    stream_id: UUID = STREAM,
    lost_batches: int = 0,
) -> wire.IngestRequest:
    return wire.IngestRequest(
        host_id=host_id, stream_id=stream_id.bytes, lost_batches=lost_batches, batches=batches
    )


def request_of_windows(
    host_id: int, first_sequence: int, count: int = 1, *, lost_batches: int = 0
) -> wire.IngestRequest:
    """`count` windows in a row that end now."""
    batches = [
        batch(first_sequence + index, recent_window(count - 1 - index)) for index in range(count)
    ]
    return request(host_id, batches, lost_batches=lost_batches)
