from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_KIND_UNSPECIFIED: _ClassVar[EventKind]
    EVENT_KIND_NOISY_NEIGHBOR: _ClassVar[EventKind]
    EVENT_KIND_THROTTLING: _ClassVar[EventKind]

class QuotaLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUOTA_LEVEL_UNSPECIFIED: _ClassVar[QuotaLevel]
    QUOTA_LEVEL_OWN: _ClassVar[QuotaLevel]
    QUOTA_LEVEL_ANCESTOR: _ClassVar[QuotaLevel]

class CgroupKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CGROUP_KIND_UNSPECIFIED: _ClassVar[CgroupKind]
    CGROUP_KIND_CONTAINER: _ClassVar[CgroupKind]
    CGROUP_KIND_SYSTEM: _ClassVar[CgroupKind]

class CollectorState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLLECTOR_STATE_UNSPECIFIED: _ClassVar[CollectorState]
    COLLECTOR_STATE_OK: _ClassVar[CollectorState]
    COLLECTOR_STATE_DEGRADED: _ClassVar[CollectorState]
    COLLECTOR_STATE_UNSUPPORTED: _ClassVar[CollectorState]
    COLLECTOR_STATE_FAILED: _ClassVar[CollectorState]

class CostMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COST_METHOD_UNSPECIFIED: _ClassVar[CostMethod]
    COST_METHOD_MEASURED: _ClassVar[CostMethod]
    COST_METHOD_ESTIMATED: _ClassVar[CostMethod]
EVENT_KIND_UNSPECIFIED: EventKind
EVENT_KIND_NOISY_NEIGHBOR: EventKind
EVENT_KIND_THROTTLING: EventKind
QUOTA_LEVEL_UNSPECIFIED: QuotaLevel
QUOTA_LEVEL_OWN: QuotaLevel
QUOTA_LEVEL_ANCESTOR: QuotaLevel
CGROUP_KIND_UNSPECIFIED: CgroupKind
CGROUP_KIND_CONTAINER: CgroupKind
CGROUP_KIND_SYSTEM: CgroupKind
COLLECTOR_STATE_UNSPECIFIED: CollectorState
COLLECTOR_STATE_OK: CollectorState
COLLECTOR_STATE_DEGRADED: CollectorState
COLLECTOR_STATE_UNSUPPORTED: CollectorState
COLLECTOR_STATE_FAILED: CollectorState
COST_METHOD_UNSPECIFIED: CostMethod
COST_METHOD_MEASURED: CostMethod
COST_METHOD_ESTIMATED: CostMethod

class IngestRequest(_message.Message):
    __slots__ = ("host_id", "stream_id", "lost_batches", "batches")
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    LOST_BATCHES_FIELD_NUMBER: _ClassVar[int]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    host_id: int
    stream_id: bytes
    lost_batches: int
    batches: _containers.RepeatedCompositeFieldContainer[Batch]
    def __init__(self, host_id: _Optional[int] = ..., stream_id: _Optional[bytes] = ..., lost_batches: _Optional[int] = ..., batches: _Optional[_Iterable[_Union[Batch, _Mapping]]] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ("sequence", "boot_id", "started_at_unix_ns", "duration_ns", "host", "cgroups", "identities", "blame", "collectors", "cost", "facts", "events", "event_loss")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    CGROUPS_FIELD_NUMBER: _ClassVar[int]
    IDENTITIES_FIELD_NUMBER: _ClassVar[int]
    BLAME_FIELD_NUMBER: _ClassVar[int]
    COLLECTORS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_LOSS_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    boot_id: bytes
    started_at_unix_ns: int
    duration_ns: int
    host: HostWindow
    cgroups: _containers.RepeatedCompositeFieldContainer[CgroupWindow]
    identities: _containers.RepeatedCompositeFieldContainer[CgroupIdentity]
    blame: BlameWindow
    collectors: _containers.RepeatedCompositeFieldContainer[CollectorStatus]
    cost: AgentCost
    facts: HostFacts
    events: _containers.RepeatedCompositeFieldContainer[Event]
    event_loss: EventLoss
    def __init__(self, sequence: _Optional[int] = ..., boot_id: _Optional[bytes] = ..., started_at_unix_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ..., host: _Optional[_Union[HostWindow, _Mapping]] = ..., cgroups: _Optional[_Iterable[_Union[CgroupWindow, _Mapping]]] = ..., identities: _Optional[_Iterable[_Union[CgroupIdentity, _Mapping]]] = ..., blame: _Optional[_Union[BlameWindow, _Mapping]] = ..., collectors: _Optional[_Iterable[_Union[CollectorStatus, _Mapping]]] = ..., cost: _Optional[_Union[AgentCost, _Mapping]] = ..., facts: _Optional[_Union[HostFacts, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., event_loss: _Optional[_Union[EventLoss, _Mapping]] = ...) -> None: ...

class LiveRequest(_message.Message):
    __slots__ = ("host_id", "windows")
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    host_id: int
    windows: _containers.RepeatedCompositeFieldContainer[Batch]
    def __init__(self, host_id: _Optional[int] = ..., windows: _Optional[_Iterable[_Union[Batch, _Mapping]]] = ...) -> None: ...

class HostWindow(_message.Message):
    __slots__ = ("cpus_online", "user_ns", "system_ns", "idle_ns", "iowait_ns", "steal_ns", "context_switches")
    CPUS_ONLINE_FIELD_NUMBER: _ClassVar[int]
    USER_NS_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_NS_FIELD_NUMBER: _ClassVar[int]
    IDLE_NS_FIELD_NUMBER: _ClassVar[int]
    IOWAIT_NS_FIELD_NUMBER: _ClassVar[int]
    STEAL_NS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_SWITCHES_FIELD_NUMBER: _ClassVar[int]
    cpus_online: int
    user_ns: int
    system_ns: int
    idle_ns: int
    iowait_ns: int
    steal_ns: int
    context_switches: int
    def __init__(self, cpus_online: _Optional[int] = ..., user_ns: _Optional[int] = ..., system_ns: _Optional[int] = ..., idle_ns: _Optional[int] = ..., iowait_ns: _Optional[int] = ..., steal_ns: _Optional[int] = ..., context_switches: _Optional[int] = ...) -> None: ...

class CgroupWindow(_message.Message):
    __slots__ = ("container_id", "sched", "cpu_stat", "quotas", "cpus_allowed")
    CONTAINER_ID_FIELD_NUMBER: _ClassVar[int]
    SCHED_FIELD_NUMBER: _ClassVar[int]
    CPU_STAT_FIELD_NUMBER: _ClassVar[int]
    QUOTAS_FIELD_NUMBER: _ClassVar[int]
    CPUS_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    container_id: int
    sched: SchedWindow
    cpu_stat: CpuStatWindow
    quotas: _containers.RepeatedCompositeFieldContainer[QuotaWindow]
    cpus_allowed: int
    def __init__(self, container_id: _Optional[int] = ..., sched: _Optional[_Union[SchedWindow, _Mapping]] = ..., cpu_stat: _Optional[_Union[CpuStatWindow, _Mapping]] = ..., quotas: _Optional[_Iterable[_Union[QuotaWindow, _Mapping]]] = ..., cpus_allowed: _Optional[int] = ...) -> None: ...

class SchedWindow(_message.Message):
    __slots__ = ("ran_ns", "wait_ns", "wait_count", "migrated_wait_ns", "preempted_self", "preempted_other", "preempted_system", "throttled_out", "runq_bucket", "runq_count", "self_wait_ns", "neighbor_wait_ns", "system_wait_ns", "throttled_own_wait_ns", "throttled_ancestor_wait_ns", "idle_gap_wait_ns", "unattributed_wait_ns", "max_wait_ns", "runq_unthrottled_bucket", "runq_unthrottled_count")
    RAN_NS_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    WAIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MIGRATED_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    PREEMPTED_SELF_FIELD_NUMBER: _ClassVar[int]
    PREEMPTED_OTHER_FIELD_NUMBER: _ClassVar[int]
    PREEMPTED_SYSTEM_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_OUT_FIELD_NUMBER: _ClassVar[int]
    RUNQ_BUCKET_FIELD_NUMBER: _ClassVar[int]
    RUNQ_COUNT_FIELD_NUMBER: _ClassVar[int]
    SELF_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOR_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_OWN_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_ANCESTOR_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    IDLE_GAP_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    UNATTRIBUTED_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    RUNQ_UNTHROTTLED_BUCKET_FIELD_NUMBER: _ClassVar[int]
    RUNQ_UNTHROTTLED_COUNT_FIELD_NUMBER: _ClassVar[int]
    ran_ns: int
    wait_ns: int
    wait_count: int
    migrated_wait_ns: int
    preempted_self: int
    preempted_other: int
    preempted_system: int
    throttled_out: int
    runq_bucket: _containers.RepeatedScalarFieldContainer[int]
    runq_count: _containers.RepeatedScalarFieldContainer[int]
    self_wait_ns: int
    neighbor_wait_ns: int
    system_wait_ns: int
    throttled_own_wait_ns: int
    throttled_ancestor_wait_ns: int
    idle_gap_wait_ns: int
    unattributed_wait_ns: int
    max_wait_ns: int
    runq_unthrottled_bucket: _containers.RepeatedScalarFieldContainer[int]
    runq_unthrottled_count: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, ran_ns: _Optional[int] = ..., wait_ns: _Optional[int] = ..., wait_count: _Optional[int] = ..., migrated_wait_ns: _Optional[int] = ..., preempted_self: _Optional[int] = ..., preempted_other: _Optional[int] = ..., preempted_system: _Optional[int] = ..., throttled_out: _Optional[int] = ..., runq_bucket: _Optional[_Iterable[int]] = ..., runq_count: _Optional[_Iterable[int]] = ..., self_wait_ns: _Optional[int] = ..., neighbor_wait_ns: _Optional[int] = ..., system_wait_ns: _Optional[int] = ..., throttled_own_wait_ns: _Optional[int] = ..., throttled_ancestor_wait_ns: _Optional[int] = ..., idle_gap_wait_ns: _Optional[int] = ..., unattributed_wait_ns: _Optional[int] = ..., max_wait_ns: _Optional[int] = ..., runq_unthrottled_bucket: _Optional[_Iterable[int]] = ..., runq_unthrottled_count: _Optional[_Iterable[int]] = ...) -> None: ...

class CpuStatWindow(_message.Message):
    __slots__ = ("usage_ns", "user_ns", "system_ns")
    USAGE_NS_FIELD_NUMBER: _ClassVar[int]
    USER_NS_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_NS_FIELD_NUMBER: _ClassVar[int]
    usage_ns: int
    user_ns: int
    system_ns: int
    def __init__(self, usage_ns: _Optional[int] = ..., user_ns: _Optional[int] = ..., system_ns: _Optional[int] = ...) -> None: ...

class QuotaWindow(_message.Message):
    __slots__ = ("cgroup_path", "own", "quota_us", "period_us", "burst_us", "nr_periods", "nr_throttled", "throttled_ns")
    CGROUP_PATH_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    QUOTA_US_FIELD_NUMBER: _ClassVar[int]
    PERIOD_US_FIELD_NUMBER: _ClassVar[int]
    BURST_US_FIELD_NUMBER: _ClassVar[int]
    NR_PERIODS_FIELD_NUMBER: _ClassVar[int]
    NR_THROTTLED_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_NS_FIELD_NUMBER: _ClassVar[int]
    cgroup_path: str
    own: bool
    quota_us: int
    period_us: int
    burst_us: int
    nr_periods: int
    nr_throttled: int
    throttled_ns: int
    def __init__(self, cgroup_path: _Optional[str] = ..., own: _Optional[bool] = ..., quota_us: _Optional[int] = ..., period_us: _Optional[int] = ..., burst_us: _Optional[int] = ..., nr_periods: _Optional[int] = ..., nr_throttled: _Optional[int] = ..., throttled_ns: _Optional[int] = ...) -> None: ...

class BlameWindow(_message.Message):
    __slots__ = ("started_at_unix_ns", "duration_ns", "pairs", "dropped_pairs")
    STARTED_AT_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_PAIRS_FIELD_NUMBER: _ClassVar[int]
    started_at_unix_ns: int
    duration_ns: int
    pairs: _containers.RepeatedCompositeFieldContainer[BlamePair]
    dropped_pairs: int
    def __init__(self, started_at_unix_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ..., pairs: _Optional[_Iterable[_Union[BlamePair, _Mapping]]] = ..., dropped_pairs: _Optional[int] = ...) -> None: ...

class BlamePair(_message.Message):
    __slots__ = ("victim_id", "aggressor_id", "preemptions", "wait_ns")
    VICTIM_ID_FIELD_NUMBER: _ClassVar[int]
    AGGRESSOR_ID_FIELD_NUMBER: _ClassVar[int]
    PREEMPTIONS_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    victim_id: int
    aggressor_id: int
    preemptions: int
    wait_ns: int
    def __init__(self, victim_id: _Optional[int] = ..., aggressor_id: _Optional[int] = ..., preemptions: _Optional[int] = ..., wait_ns: _Optional[int] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("number", "kind", "ended_at_unix_ns", "duration_ns", "container_id", "cpu", "pid", "comm", "shares", "quota_level", "skipped")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_ID_FIELD_NUMBER: _ClassVar[int]
    CPU_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    COMM_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    QUOTA_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    number: int
    kind: EventKind
    ended_at_unix_ns: int
    duration_ns: int
    container_id: int
    cpu: int
    pid: int
    comm: str
    shares: _containers.RepeatedCompositeFieldContainer[EventShare]
    quota_level: QuotaLevel
    skipped: int
    def __init__(self, number: _Optional[int] = ..., kind: _Optional[_Union[EventKind, str]] = ..., ended_at_unix_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ..., container_id: _Optional[int] = ..., cpu: _Optional[int] = ..., pid: _Optional[int] = ..., comm: _Optional[str] = ..., shares: _Optional[_Iterable[_Union[EventShare, _Mapping]]] = ..., quota_level: _Optional[_Union[QuotaLevel, str]] = ..., skipped: _Optional[int] = ...) -> None: ...

class EventShare(_message.Message):
    __slots__ = ("container_id", "idle", "unattributed", "ns")
    CONTAINER_ID_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    UNATTRIBUTED_FIELD_NUMBER: _ClassVar[int]
    NS_FIELD_NUMBER: _ClassVar[int]
    container_id: int
    idle: bool
    unattributed: bool
    ns: int
    def __init__(self, container_id: _Optional[int] = ..., idle: _Optional[bool] = ..., unattributed: _Optional[bool] = ..., ns: _Optional[int] = ...) -> None: ...

class EventLoss(_message.Message):
    __slots__ = ("ring_full", "queue_full", "rate_limited")
    RING_FULL_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FULL_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMITED_FIELD_NUMBER: _ClassVar[int]
    ring_full: int
    queue_full: int
    rate_limited: int
    def __init__(self, ring_full: _Optional[int] = ..., queue_full: _Optional[int] = ..., rate_limited: _Optional[int] = ...) -> None: ...

class CgroupIdentity(_message.Message):
    __slots__ = ("container_id", "kind", "name", "cgroup_path", "runtime", "runtime_id", "image", "pod", "namespace", "pod_uid", "labels")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CONTAINER_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CGROUP_PATH_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_UID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    container_id: int
    kind: CgroupKind
    name: str
    cgroup_path: str
    runtime: str
    runtime_id: str
    image: str
    pod: str
    namespace: str
    pod_uid: str
    labels: _containers.ScalarMap[str, str]
    def __init__(self, container_id: _Optional[int] = ..., kind: _Optional[_Union[CgroupKind, str]] = ..., name: _Optional[str] = ..., cgroup_path: _Optional[str] = ..., runtime: _Optional[str] = ..., runtime_id: _Optional[str] = ..., image: _Optional[str] = ..., pod: _Optional[str] = ..., namespace: _Optional[str] = ..., pod_uid: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ...) -> None: ...

class CollectorStatus(_message.Message):
    __slots__ = ("name", "state", "reason", "lost", "map_bytes", "maps")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    MAP_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAPS_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: CollectorState
    reason: str
    lost: int
    map_bytes: int
    maps: _containers.RepeatedCompositeFieldContainer[MapOccupancy]
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[CollectorState, str]] = ..., reason: _Optional[str] = ..., lost: _Optional[int] = ..., map_bytes: _Optional[int] = ..., maps: _Optional[_Iterable[_Union[MapOccupancy, _Mapping]]] = ...) -> None: ...

class MapOccupancy(_message.Message):
    __slots__ = ("name", "used", "capacity", "failed_inserts")
    NAME_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    FAILED_INSERTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    used: int
    capacity: int
    failed_inserts: int
    def __init__(self, name: _Optional[str] = ..., used: _Optional[int] = ..., capacity: _Optional[int] = ..., failed_inserts: _Optional[int] = ...) -> None: ...

class AgentCost(_message.Message):
    __slots__ = ("user_ns", "system_ns", "rss_bytes", "spool_batches", "spool_bytes", "spool_dropped", "rejected_batches", "programs", "method", "budget_ppm", "spent_ppm", "governor_level", "governor_reason")
    USER_NS_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_NS_FIELD_NUMBER: _ClassVar[int]
    RSS_BYTES_FIELD_NUMBER: _ClassVar[int]
    SPOOL_BATCHES_FIELD_NUMBER: _ClassVar[int]
    SPOOL_BYTES_FIELD_NUMBER: _ClassVar[int]
    SPOOL_DROPPED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_BATCHES_FIELD_NUMBER: _ClassVar[int]
    PROGRAMS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    BUDGET_PPM_FIELD_NUMBER: _ClassVar[int]
    SPENT_PPM_FIELD_NUMBER: _ClassVar[int]
    GOVERNOR_LEVEL_FIELD_NUMBER: _ClassVar[int]
    GOVERNOR_REASON_FIELD_NUMBER: _ClassVar[int]
    user_ns: int
    system_ns: int
    rss_bytes: int
    spool_batches: int
    spool_bytes: int
    spool_dropped: int
    rejected_batches: int
    programs: _containers.RepeatedCompositeFieldContainer[BpfProgramCost]
    method: CostMethod
    budget_ppm: int
    spent_ppm: int
    governor_level: int
    governor_reason: str
    def __init__(self, user_ns: _Optional[int] = ..., system_ns: _Optional[int] = ..., rss_bytes: _Optional[int] = ..., spool_batches: _Optional[int] = ..., spool_bytes: _Optional[int] = ..., spool_dropped: _Optional[int] = ..., rejected_batches: _Optional[int] = ..., programs: _Optional[_Iterable[_Union[BpfProgramCost, _Mapping]]] = ..., method: _Optional[_Union[CostMethod, str]] = ..., budget_ppm: _Optional[int] = ..., spent_ppm: _Optional[int] = ..., governor_level: _Optional[int] = ..., governor_reason: _Optional[str] = ...) -> None: ...

class BpfProgramCost(_message.Message):
    __slots__ = ("name", "run_count", "run_ns")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_COUNT_FIELD_NUMBER: _ClassVar[int]
    RUN_NS_FIELD_NUMBER: _ClassVar[int]
    name: str
    run_count: int
    run_ns: int
    def __init__(self, name: _Optional[str] = ..., run_count: _Optional[int] = ..., run_ns: _Optional[int] = ...) -> None: ...

class IngestAnswer(_message.Message):
    __slots__ = ("live_seconds",)
    LIVE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    live_seconds: int
    def __init__(self, live_seconds: _Optional[int] = ...) -> None: ...

class HostFacts(_message.Message):
    __slots__ = ("hostname", "agent_version", "kernel_release", "os_name", "cpu_vendor", "cpu_model", "cpus_online", "cores", "sockets", "numa_nodes", "l3_domains", "threads_per_core", "cache_architecture", "memory_bytes", "hypervisor", "cgroup_mode", "instance_type", "instance_family", "region")
    HOSTNAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    KERNEL_RELEASE_FIELD_NUMBER: _ClassVar[int]
    OS_NAME_FIELD_NUMBER: _ClassVar[int]
    CPU_VENDOR_FIELD_NUMBER: _ClassVar[int]
    CPU_MODEL_FIELD_NUMBER: _ClassVar[int]
    CPUS_ONLINE_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    SOCKETS_FIELD_NUMBER: _ClassVar[int]
    NUMA_NODES_FIELD_NUMBER: _ClassVar[int]
    L3_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    THREADS_PER_CORE_FIELD_NUMBER: _ClassVar[int]
    CACHE_ARCHITECTURE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    HYPERVISOR_FIELD_NUMBER: _ClassVar[int]
    CGROUP_MODE_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FAMILY_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    hostname: str
    agent_version: str
    kernel_release: str
    os_name: str
    cpu_vendor: str
    cpu_model: str
    cpus_online: int
    cores: int
    sockets: int
    numa_nodes: int
    l3_domains: int
    threads_per_core: int
    cache_architecture: str
    memory_bytes: int
    hypervisor: str
    cgroup_mode: str
    instance_type: str
    instance_family: str
    region: str
    def __init__(self, hostname: _Optional[str] = ..., agent_version: _Optional[str] = ..., kernel_release: _Optional[str] = ..., os_name: _Optional[str] = ..., cpu_vendor: _Optional[str] = ..., cpu_model: _Optional[str] = ..., cpus_online: _Optional[int] = ..., cores: _Optional[int] = ..., sockets: _Optional[int] = ..., numa_nodes: _Optional[int] = ..., l3_domains: _Optional[int] = ..., threads_per_core: _Optional[int] = ..., cache_architecture: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., hypervisor: _Optional[str] = ..., cgroup_mode: _Optional[str] = ..., instance_type: _Optional[str] = ..., instance_family: _Optional[str] = ..., region: _Optional[str] = ...) -> None: ...
