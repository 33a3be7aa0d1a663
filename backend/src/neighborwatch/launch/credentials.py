"""What `run` hands out: the admin's API token, a sign-in link, the agent's way in."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.orm import Session

from neighborwatch.access import queries
from neighborwatch.access.principal import Role
from neighborwatch.settings import Settings

AGENT_ENROLMENT_TTL = timedelta(hours=1)


def sign_in_url(session: Session, settings: Settings, base_url: str) -> str:
    """One-time; in the fragment, which browsers do not send and servers do not log."""
    now = datetime.now(UTC)
    user = queries.ensure_admin(session, now=now)
    token = queries.create_sign_in_link(session, user, now=now, settings=settings.access)
    return f"{base_url}/sign-in#token={token}"


def keep_admin_token(session: Session, file: Path) -> None:
    """The token in the file stays as long as this database knows it."""
    now = datetime.now(UTC)
    if file.exists():
        known = queries.principal_of_api_token(session, file.read_text().strip(), now=now)
        if known is not None and known.role is Role.ADMIN:
            file.chmod(0o600)
            return
    token = queries.create_api_token(session, name=file.name, role=Role.ADMIN, now=now)
    write_secret(file, token)


def agent_is_enrolled(session: Session, credentials: Path) -> bool:
    """False also for credentials of another database, which then are put out of the way."""
    if not credentials.exists():
        return False
    try:
        token = json.loads(credentials.read_text())["token"]
    except (ValueError, KeyError, TypeError):
        token = None
    if isinstance(token, str) and queries.host_of_token(session, token) is not None:
        return True
    credentials.unlink()
    return False


def enrolment_token(session: Session) -> str:
    return queries.create_enrolment_token(session, now=datetime.now(UTC), ttl=AGENT_ENROLMENT_TTL)


def write_secret(file: Path, secret: str) -> None:
    """Never readable by others, not even for a moment; whole or not at all."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(secret + "\n")
    fresh.rename(file)
