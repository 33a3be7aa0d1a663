"""the parts of a wait, events, live windows

Revision: 0002
After: 0001

Columns are added nullable and without a default, which only changes the catalogue: the partitions
that are there are not rewritten, and what was stored before stays "not measured".
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
SAMPLE_COLUMNS = (
    "self_wait_ns",
    "neighbor_wait_ns",
    "system_wait_ns",
    "throttled_own_wait_ns",
    "throttled_ancestor_wait_ns",
    "idle_gap_wait_ns",
    "unattributed_wait_ns",
    "max_wait_ns",
)


def upgrade() -> None:
    for name in SAMPLE_COLUMNS:
        op.add_column("samples_10s", sa.Column(name, sa.BigInteger))
    op.add_column("samples_10s", sa.Column("runq_unthrottled", ARRAY(sa.Integer)))
    events()
    live()


def events() -> None:
    op.create_table(
        "events",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("t", INSTANT, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("container_id", sa.BigInteger, nullable=False),
        sa.Column("duration_ns", sa.BigInteger, nullable=False),
        sa.Column("cpu", sa.Integer, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("comm", sa.Text, nullable=False),
        sa.Column("quota_level", sa.Text),
        sa.Column("skipped", sa.BigInteger, nullable=False),
        sa.Column("shares", JSONB, nullable=False),
        sa.CheckConstraint("kind in ('noisy_neighbor', 'throttling')", name=op.f("ck_events_kind")),
        sa.CheckConstraint(
            "quota_level in ('own', 'ancestor')", name=op.f("ck_events_quota_level")
        ),
        sa.PrimaryKeyConstraint("host_id", "t", "number", name=op.f("pk_events")),
        postgresql_partition_by="RANGE (t)",
    )
    op.create_index(op.f("ix_events_t"), "events", ["t"])


def live() -> None:
    op.create_table(
        "live_requests",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("asked_at", INSTANT, nullable=False),
        sa.Column("ends_at", INSTANT, nullable=False),
        sa.Column("told_at", INSTANT),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_live_requests")),
        prefixes=["UNLOGGED"],
    )
    op.create_table(
        "live_windows",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("t", INSTANT, nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("body", JSONB, nullable=False),
        sa.PrimaryKeyConstraint("host_id", "t", name=op.f("pk_live_windows")),
        prefixes=["UNLOGGED"],
    )


def downgrade() -> None:
    op.drop_table("live_windows")
    op.drop_table("live_requests")
    op.drop_table("events")
    for name in ("runq_unthrottled", *reversed(SAMPLE_COLUMNS)):
        op.drop_column("samples_10s", name)
