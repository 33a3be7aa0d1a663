"""A host that is enrolled, and a way to send as it."""

from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy.orm import Session, sessionmaker

from ingest_client import EnrolHost, EnrolledHost, Send
from neighborwatch.access import queries
from neighborwatch.db.session import transaction
from neighborwatch.ingest.wire import ingest_pb2 as wire


@pytest.fixture
def enrol_host(sessions: sessionmaker[Session]) -> EnrolHost:
    def enrol(machine_id: str) -> EnrolledHost:
        now = datetime.now(UTC)
        with transaction(sessions) as session:
            token = queries.create_enrolment_token(session, now=now, ttl=timedelta(hours=1))
            enrolled = queries.enrol_host(
                session,
                token,
                machine_id=machine_id,
                hostname="web-1",
                agent_version="0.1.0",
                now=now,
            )
        assert enrolled is not None
        return EnrolledHost(*enrolled)

    return enrol


@pytest.fixture
def host(enrol_host: EnrolHost) -> EnrolledHost:
    return enrol_host("0" * 32)


@pytest.fixture
def send(client: TestClient, host: EnrolledHost) -> Send:
    """Sends a request (or bytes) as the host."""

    def send(
        body: wire.IngestRequest | bytes,
        *,
        token: str = host.token,
        content_type: str = "application/x-protobuf",
        encoding: str | None = None,
    ) -> Response:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
        if encoding is not None:
            headers["Content-Encoding"] = encoding
        content = body if isinstance(body, bytes) else body.SerializeToString()
        return client.post("/api/v1/ingest", content=content, headers=headers)

    return send
