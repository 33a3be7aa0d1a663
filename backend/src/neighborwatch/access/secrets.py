"""Making and hashing secrets. 256 random bits each; the prefix says what a found one opens."""

import hashlib
import secrets
from enum import StrEnum

_RANDOM_BYTES = 32


class SecretKind(StrEnum):
    SESSION = "nws_"
    SIGN_IN_LINK = "nwl_"
    API_TOKEN = "nwt_"
    ENROLMENT_TOKEN = "nwe_"
    HOST_TOKEN = "nwh_"


def new_secret(kind: SecretKind) -> str:
    return kind + secrets.token_urlsafe(_RANDOM_BYTES)


def digest(secret: str) -> bytes:
    """What is stored. Looking it up by equality leaks nothing: who can choose a digest's prefix
    has inverted SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


def bearer(authorization: str | None, kind: SecretKind) -> str | None:
    """The token of an `Authorization: Bearer` header, if it is one of that kind."""
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and token.startswith(kind) else None
