"""Who ran while whom waited, merged by the agent over about a minute."""

from datetime import datetime

from sqlalchemy import Integer
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class Blame1m(Base):
    __tablename__ = "blame_1m"
    __table_args__ = ({"postgresql_partition_by": "RANGE (t)"},)

    host_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    t: Mapped[datetime] = mapped_column(primary_key=True)  # start of the merged span
    victim_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    aggressor_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    duration_ms: Mapped[int] = mapped_column(Integer)
    # Tasks of the victim waited on a CPU while the aggressor ran there; null: only preemptions were
    # counted, by an agent from before this was measured.
    wait_ns: Mapped[int | None]
    preemptions: Mapped[int]
