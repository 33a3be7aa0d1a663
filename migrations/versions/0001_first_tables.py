"""hosts, containers, cursors, samples, blame, access

Revision: 0001
After: -
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
RUNQ_BUCKETS = 96


def upgrade() -> None:
    hosts()
    containers()
    samples()
    access()


def hosts() -> None:
    op.create_table(
        "hosts",
        sa.Column("host_id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("machine_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("kernel_release", sa.Text),
        sa.Column("os_name", sa.Text),
        sa.Column("hypervisor", sa.Text),
        sa.Column("cpu_vendor", sa.Text),
        sa.Column("cpu_model", sa.Text),
        sa.Column("cpus", sa.Integer),
        sa.Column("cores", sa.Integer),
        sa.Column("sockets", sa.Integer),
        sa.Column("numa_nodes", sa.Integer),
        sa.Column("l3_domains", sa.Integer),
        sa.Column("threads_per_core", sa.Integer),
        sa.Column("cache_architecture", sa.Text),
        sa.Column("memory_bytes", sa.BigInteger),
        sa.Column("instance_type", sa.Text),
        sa.Column("instance_family", sa.Text),
        sa.Column("region", sa.Text),
        sa.Column("cgroup_mode", sa.Text),
        sa.Column("agent_version", sa.Text),
        sa.Column("facts_at", INSTANT),
        sa.CheckConstraint(
            "cache_architecture in ('unified', 'chiplet', 'unknown')",
            name=op.f("ck_hosts_cache_architecture"),
        ),
        sa.CheckConstraint(
            "cgroup_mode in ('v1', 'v2', 'hybrid')", name=op.f("ck_hosts_cgroup_mode")
        ),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_hosts")),
        sa.UniqueConstraint("machine_id", name=op.f("uq_hosts_machine_id")),
    )


def containers() -> None:
    op.create_table(
        "containers",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("container_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("runtime", sa.Text),
        sa.Column("runtime_id", sa.Text),
        sa.Column("image", sa.Text),
        sa.Column("pod", sa.Text),
        sa.Column("namespace", sa.Text),
        sa.Column("pod_uid", sa.Text),
        sa.Column("labels", JSONB, nullable=False),
        sa.Column("cgroup_path", sa.Text, nullable=False),
        sa.Column("first_seen_at", INSTANT, nullable=False),
        sa.Column("identified_at", INSTANT, nullable=False),
        sa.CheckConstraint("kind in ('container', 'system')", name=op.f("ck_containers_kind")),
        sa.PrimaryKeyConstraint("host_id", "container_id", name=op.f("pk_containers")),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.host_id"], name=op.f("fk_containers_host_id_hosts")
        ),
    )
    op.create_table(
        "ingest_cursors",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("stream_id", sa.Uuid, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("previous_sequence", sa.BigInteger, nullable=False),
        sa.Column("lost_batches", sa.BigInteger, nullable=False),
        sa.Column("boot_id", sa.Uuid, nullable=False),
        sa.Column("window_at", INSTANT),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("clock_skew_ms", sa.Integer, nullable=False),
        sa.Column("status", JSONB, nullable=False),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_ingest_cursors")),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.host_id"], name=op.f("fk_ingest_cursors_host_id_hosts")
        ),
        postgresql_with={"fillfactor": 50},
    )


def samples() -> None:
    op.create_table(
        "samples_10s",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("container_id", sa.BigInteger, nullable=False),
        sa.Column("t", INSTANT, nullable=False),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("ran_ns", sa.BigInteger),
        sa.Column("wait_ns", sa.BigInteger),
        sa.Column("migrated_wait_ns", sa.BigInteger),
        sa.Column("wait_count", sa.Integer),
        sa.Column("preempted_self", sa.Integer),
        sa.Column("preempted_other", sa.Integer),
        sa.Column("preempted_system", sa.Integer),
        sa.Column("throttled_out", sa.Integer),
        sa.Column("usage_ns", sa.BigInteger),
        sa.Column("user_ns", sa.BigInteger),
        sa.Column("system_ns", sa.BigInteger),
        sa.Column("nr_periods", sa.Integer),
        sa.Column("nr_throttled", sa.Integer),
        sa.Column("throttled_ns", sa.BigInteger),
        sa.Column("ancestor_nr_periods", sa.Integer),
        sa.Column("ancestor_nr_throttled", sa.Integer),
        sa.Column("ancestor_throttled_ns", sa.BigInteger),
        sa.Column("quota_us", sa.BigInteger),
        sa.Column("period_us", sa.BigInteger),
        sa.Column("burst_us", sa.BigInteger),
        sa.Column("cpus_allowed", sa.Integer),
        *(sa.Column(f"runq_b{index:02d}", sa.Integer) for index in range(RUNQ_BUCKETS)),
        sa.PrimaryKeyConstraint("host_id", "container_id", "t", name=op.f("pk_samples_10s")),
        postgresql_partition_by="RANGE (t)",
    )
    op.create_table(
        "host_samples_10s",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("t", INSTANT, nullable=False),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("cpus", sa.Integer, nullable=False),
        sa.Column("user_ns", sa.BigInteger, nullable=False),
        sa.Column("system_ns", sa.BigInteger, nullable=False),
        sa.Column("idle_ns", sa.BigInteger, nullable=False),
        sa.Column("iowait_ns", sa.BigInteger, nullable=False),
        sa.Column("steal_ns", sa.BigInteger, nullable=False),
        sa.Column("context_switches", sa.BigInteger, nullable=False),
        sa.Column("running", sa.Integer),
        sa.PrimaryKeyConstraint("host_id", "t", name=op.f("pk_host_samples_10s")),
        postgresql_partition_by="RANGE (t)",
    )
    op.create_table(
        "blame_1m",
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("t", INSTANT, nullable=False),
        sa.Column("victim_id", sa.BigInteger, nullable=False),
        sa.Column("aggressor_id", sa.BigInteger, nullable=False),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("wait_ns", sa.BigInteger),
        sa.Column("preemptions", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint(
            "host_id", "t", "victim_id", "aggressor_id", name=op.f("pk_blame_1m")
        ),
        postgresql_partition_by="RANGE (t)",
    )


def access() -> None:
    op.create_table(
        "users",
        sa.Column("user_id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint("role in ('admin', 'owner', 'viewer')", name=op.f("ck_users_role")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    op.create_table(
        "sign_in_links",
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sign_in_links")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_sign_in_links_user_id_users")
        ),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("revoked_at", INSTANT),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sessions")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_sessions_user_id_users")
        ),
    )
    op.create_table(
        "api_tokens",
        sa.Column("token_id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("created_by", sa.BigInteger),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT),
        sa.Column("revoked_at", INSTANT),
        sa.CheckConstraint(
            "role in ('admin', 'owner', 'viewer', 'metrics')", name=op.f("ck_api_tokens_role")
        ),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_tokens_hash")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.user_id"], name=op.f("fk_api_tokens_created_by_users")
        ),
    )
    op.create_table(
        "enrolment_tokens",
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT),
        sa.Column("used_by_host_id", sa.BigInteger),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_enrolment_tokens")),
        sa.ForeignKeyConstraint(
            ["used_by_host_id"],
            ["hosts.host_id"],
            name=op.f("fk_enrolment_tokens_used_by_host_id_hosts"),
        ),
    )
    op.create_table(
        "host_tokens",
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("host_id", sa.BigInteger, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("revoked_at", INSTANT),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_host_tokens")),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.host_id"], name=op.f("fk_host_tokens_host_id_hosts")
        ),
    )
    op.create_index(op.f("ix_host_tokens_host_id"), "host_tokens", ["host_id"])


def downgrade() -> None:
    for table in (
        "host_tokens",
        "enrolment_tokens",
        "api_tokens",
        "sessions",
        "sign_in_links",
        "users",
        "blame_1m",
        "host_samples_10s",
        "samples_10s",
        "ingest_cursors",
        "containers",
        "hosts",
    ):
        op.drop_table(table)
