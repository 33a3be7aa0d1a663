"""Who preempted whom, merged by the agent over about a minute."""

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
    wait_ns: Mapped[int | None]  # null: the overlap is not measured, only preemptions are
    preemptions: Mapped[int]
