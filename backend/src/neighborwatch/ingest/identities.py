"""Who a container id stands for, and what a host is, as their agents say."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from neighborwatch.ingest.batch import Batch, Identity

Connection = psycopg.Connection[Any]

_IDENTIFY = """
INSERT INTO containers (host_id, container_id, kind, name, runtime, runtime_id, image, pod,
                        namespace, pod_uid, labels, cgroup_path, first_seen_at, identified_at)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[],
                     %s::text[], %s::text[], %s::text[], %s::text[], %s::jsonb[], %s::text[],
                     %s::timestamptz[], %s::timestamptz[]) AS new
ORDER BY 1, 2
ON CONFLICT (host_id, container_id) DO UPDATE SET
    kind = excluded.kind,
    name = excluded.name,
    runtime = excluded.runtime,
    runtime_id = excluded.runtime_id,
    image = excluded.image,
    pod = excluded.pod,
    namespace = excluded.namespace,
    pod_uid = excluded.pod_uid,
    labels = excluded.labels,
    cgroup_path = excluded.cgroup_path,
    identified_at = excluded.identified_at
WHERE containers.identified_at <= excluded.identified_at
"""


def upsert_identities(connection: Connection, batches: Sequence[tuple[int, Batch]]) -> None:
    """`batches`: host id and batch, older ones of a host first."""
    # The newest word on each: a statement must not touch a row twice.
    latest: dict[tuple[int, int], tuple[Identity, datetime]] = {}
    first_seen_at: dict[tuple[int, int], datetime] = {}
    for host_id, batch in batches:
        for identity in batch.identities:
            key = (host_id, identity.container_id)
            latest[key] = (identity, batch.started_at)
            first_seen_at.setdefault(key, batch.started_at)
    if not latest:
        return
    rows = [
        (
            host_id,
            container_id,
            identity.kind,
            identity.name,
            identity.runtime,
            identity.runtime_id,
            identity.image,
            identity.pod,
            identity.namespace,
            identity.pod_uid,
            Jsonb(identity.labels),
            identity.cgroup_path,
            first_seen_at[host_id, container_id],
            at,
        )
        for (host_id, container_id), (identity, at) in latest.items()
    ]
    connection.execute(_IDENTIFY, [list(column) for column in zip(*rows, strict=True)])


def update_facts(connection: Connection, batches: Sequence[tuple[int, Batch]]) -> None:
    for host_id, batch in batches:
        if batch.facts is None:
            continue
        # A name is required; every other fact may turn out unknown.
        facts = {k: v for k, v in batch.facts.items() if not (k == "name" and v is None)}
        facts_at = {**facts, "facts_at": batch.started_at}
        assignments = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name))
            for name in facts_at
        )
        connection.execute(
            sql.SQL("UPDATE hosts SET {} WHERE host_id = {}").format(
                assignments, sql.Placeholder("host_id")
            ),
            {**facts_at, "host_id": host_id},
        )
