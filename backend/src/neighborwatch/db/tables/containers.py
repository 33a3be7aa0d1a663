"""Who a container id stands for: containers, and system services by cgroup path."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class Container(Base):
    __tablename__ = "containers"
    __table_args__ = (CheckConstraint("kind in ('container', 'system')", name="kind"),)

    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.host_id"), primary_key=True)
    # 63-bit hash of the identity, made by the agent: ingest need not look anything up.
    container_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str]
    name: Mapped[str]
    runtime: Mapped[str | None]
    runtime_id: Mapped[str | None]
    image: Mapped[str | None]
    pod: Mapped[str | None]
    namespace: Mapped[str | None]
    pod_uid: Mapped[str | None]
    labels: Mapped[dict[str, str]]
    cgroup_path: Mapped[str]
    first_seen_at: Mapped[datetime]
    identified_at: Mapped[datetime]
