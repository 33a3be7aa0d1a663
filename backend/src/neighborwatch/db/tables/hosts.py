"""Hosts: a small table that facts refer to. Nothing that changes every window lives here."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Identity, Integer
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class Host(Base):
    __tablename__ = "hosts"
    __table_args__ = (
        CheckConstraint(
            "cache_architecture in ('unified', 'chiplet', 'unknown')", name="cache_architecture"
        ),
        CheckConstraint("cgroup_mode in ('v1', 'v2', 'hybrid')", name="cgroup_mode"),
    )

    host_id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    machine_id: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    created_at: Mapped[datetime]

    # Facts, by the agent: null until its first batch is stored.
    kernel_release: Mapped[str | None]
    os_name: Mapped[str | None]
    hypervisor: Mapped[str | None]  # null on bare metal
    cpu_vendor: Mapped[str | None]
    cpu_model: Mapped[str | None]
    cpus: Mapped[int | None] = mapped_column(Integer)  # logical, online
    cores: Mapped[int | None] = mapped_column(Integer)
    sockets: Mapped[int | None] = mapped_column(Integer)
    numa_nodes: Mapped[int | None] = mapped_column(Integer)
    l3_domains: Mapped[int | None] = mapped_column(Integer)
    threads_per_core: Mapped[int | None] = mapped_column(Integer)
    cache_architecture: Mapped[str | None]
    memory_bytes: Mapped[int | None]
    instance_type: Mapped[str | None]
    instance_family: Mapped[str | None]
    region: Mapped[str | None]
    cgroup_mode: Mapped[str | None]
    agent_version: Mapped[str | None]
    facts_at: Mapped[datetime | None]
