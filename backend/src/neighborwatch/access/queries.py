"""All SQL about who may come in. Callers pass the time; secrets come hashed."""

from datetime import datetime, timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from neighborwatch.access.principal import Principal, Role
from neighborwatch.access.secrets import SecretKind, digest, new_secret
from neighborwatch.db.tables import (
    ApiToken,
    EnrolmentToken,
    Host,
    HostToken,
    SignInLink,
    User,
    UserSession,
)
from neighborwatch.settings import AccessSettings

# Sliding a session with every request would be a write per request.
_SLIDE_EVERY = timedelta(minutes=5)


def ensure_admin(session: Session, *, now: datetime, name: str = "admin") -> User:
    """The first admin; exists after this."""
    session.execute(
        insert(User)
        .values(name=name, role=Role.ADMIN, created_at=now)
        .on_conflict_do_nothing(index_elements=[User.name])
    )
    return session.scalars(select(User).where(User.name == name)).one()


def create_sign_in_link(
    session: Session, user: User, *, now: datetime, settings: AccessSettings
) -> str:
    secret = new_secret(SecretKind.SIGN_IN_LINK)
    session.add(
        SignInLink(
            hash=digest(secret),
            user_id=user.user_id,
            created_at=now,
            expires_at=now + settings.sign_in_link_age,
            used_at=None,
        )
    )
    return secret


def use_sign_in_link(session: Session, secret: str, *, now: datetime) -> User | None:
    """The link's user, once: the update that finds it unused wins."""
    user_id = session.scalar(
        update(SignInLink)
        .where(
            SignInLink.hash == digest(secret),
            SignInLink.used_at.is_(None),
            SignInLink.expires_at > now,
        )
        .values(used_at=now)
        .returning(SignInLink.user_id)
    )
    return None if user_id is None else session.get_one(User, user_id)


def open_session(session: Session, user: User, *, now: datetime, settings: AccessSettings) -> str:
    secret = new_secret(SecretKind.SESSION)
    session.add(
        UserSession(
            hash=digest(secret),
            user_id=user.user_id,
            created_at=now,
            expires_at=now + settings.session_idle,
            revoked_at=None,
        )
    )
    return secret


def principal_of_session(
    session: Session, secret: str, *, now: datetime, settings: AccessSettings
) -> Principal | None:
    """Who holds this cookie; moves the session's end on while it is used."""
    row = session.execute(
        select(UserSession, User)
        .join(User, User.user_id == UserSession.user_id)
        .where(
            UserSession.hash == digest(secret),
            UserSession.revoked_at.is_(None),
            UserSession.expires_at > now,
        )
    ).one_or_none()
    if row is None:
        return None
    opened, user = row
    end = min(now + settings.session_idle, opened.created_at + settings.session_age)
    if end - opened.expires_at > _SLIDE_EVERY:
        opened.expires_at = end
    return Principal(user.name, Role(user.role), user_id=user.user_id, by_cookie=True)


def close_session(session: Session, secret: str, *, now: datetime) -> None:
    session.execute(
        update(UserSession).where(UserSession.hash == digest(secret)).values(revoked_at=now)
    )


def create_api_token(
    session: Session,
    *,
    name: str,
    role: Role,
    now: datetime,
    created_by: int | None = None,
    expires_at: datetime | None = None,
) -> str:
    secret = new_secret(SecretKind.API_TOKEN)
    session.add(
        ApiToken(
            hash=digest(secret),
            name=name,
            role=role,
            created_by=created_by,
            created_at=now,
            expires_at=expires_at,
            revoked_at=None,
        )
    )
    return secret


def principal_of_api_token(session: Session, secret: str, *, now: datetime) -> Principal | None:
    token = session.scalar(
        select(ApiToken).where(
            ApiToken.hash == digest(secret),
            ApiToken.revoked_at.is_(None),
            or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now),
        )
    )
    if token is None:
        return None
    return Principal(token.name, Role(token.role), user_id=None, by_cookie=False)


def create_enrolment_token(session: Session, *, now: datetime, ttl: timedelta) -> str:
    secret = new_secret(SecretKind.ENROLMENT_TOKEN)
    session.add(
        EnrolmentToken(
            hash=digest(secret),
            created_at=now,
            expires_at=now + ttl,
            used_at=None,
            used_by_host_id=None,
        )
    )
    return secret


def enrol_host(
    session: Session,
    enrolment_secret: str,
    *,
    machine_id: str,
    hostname: str,
    agent_version: str,
    now: datetime,
) -> tuple[int, str] | None:
    """Spends the enrolment token: (host_id, host token), or None if it does not open anything.

    The same machine keeps its host_id; its older tokens end.
    """
    token_hash = digest(enrolment_secret)
    spent = session.scalar(
        update(EnrolmentToken)
        .where(
            EnrolmentToken.hash == token_hash,
            EnrolmentToken.used_at.is_(None),
            EnrolmentToken.expires_at > now,
        )
        .values(used_at=now)
        .returning(EnrolmentToken.hash)
    )
    if spent is None:
        return None
    new_host = insert(Host).values(
        machine_id=machine_id, name=hostname, agent_version=agent_version, created_at=now
    )
    host_id = session.scalars(
        new_host.on_conflict_do_update(
            index_elements=[Host.machine_id],
            set_={"name": new_host.excluded.name, "agent_version": new_host.excluded.agent_version},
        ).returning(Host.host_id)
    ).one()
    session.execute(
        update(EnrolmentToken)
        .where(EnrolmentToken.hash == token_hash)
        .values(used_by_host_id=host_id)
    )
    session.execute(
        update(HostToken)
        .where(HostToken.host_id == host_id, HostToken.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    secret = new_secret(SecretKind.HOST_TOKEN)
    session.add(HostToken(hash=digest(secret), host_id=host_id, created_at=now, revoked_at=None))
    return host_id, secret


def host_of_token(session: Session, secret: str) -> int | None:
    return session.scalar(
        select(HostToken.host_id).where(
            HostToken.hash == digest(secret),
            HostToken.revoked_at.is_(None),
        )
    )
