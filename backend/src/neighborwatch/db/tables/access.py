"""Who may come in. Secrets are kept as SHA-256 only: they are 256 random bits, so a fast hash is
as good as a slow one, and a stolen dump opens nothing."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Identity, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from neighborwatch.db.tables.base import Base


class User(Base):
    __tablename__ = "users"
    __table_args__ = (CheckConstraint("role in ('admin', 'owner', 'viewer')", name="role"),)

    user_id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    created_at: Mapped[datetime]


class SignInLink(Base):
    __tablename__ = "sign_in_links"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.user_id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class UserSession(Base):
    __tablename__ = "sessions"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.user_id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]  # slides with use
    revoked_at: Mapped[datetime | None]


class ApiToken(Base):
    __tablename__ = "api_tokens"
    __table_args__ = (
        CheckConstraint("role in ('admin', 'owner', 'viewer', 'metrics')", name="role"),
    )

    token_id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    name: Mapped[str]
    role: Mapped[str]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.user_id"))  # null: by CLI
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class EnrolmentToken(Base):
    __tablename__ = "enrolment_tokens"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by_host_id: Mapped[int | None] = mapped_column(ForeignKey("hosts.host_id"))


class HostToken(Base):
    __tablename__ = "host_tokens"
    __table_args__ = (Index(None, "host_id"),)

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.host_id"))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
