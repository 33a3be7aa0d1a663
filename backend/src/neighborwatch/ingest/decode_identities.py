"""Who a container id stands for, and what a host is. PURE."""

from neighborwatch.ingest.batch import Identity
from neighborwatch.ingest.checks import (
    INT32_MAX,
    INT64_MAX,
    MalformedError,
    at_most,
    checked_text,
    within,
)
from neighborwatch.ingest.wire import ingest_pb2 as wire

# Twice the most cgroups of a window: those of the moment, and those that went within it.
MAX_IDENTITIES = 8192

_KINDS = {wire.CGROUP_KIND_CONTAINER: "container", wire.CGROUP_KIND_SYSTEM: "system"}


def identities_of(field: str, batch: wire.Batch) -> list[Identity]:
    at_most(f"{field}.identities", batch.identities, MAX_IDENTITIES)
    return [
        _identity(f"{field}.identities[{index}]", identity)
        for index, identity in enumerate(batch.identities)
    ]


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


_CACHE_ARCHITECTURES = frozenset({"unified", "chiplet", "unknown"})
_CGROUP_MODES = frozenset({"v1", "v2", "hybrid"})


def facts_of(field: str, facts: wire.HostFacts) -> dict[str, str | int | None]:
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
