"""What access routes take and give."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from neighborwatch.access.principal import Role


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SignIn(_Request):
    link_token: Annotated[str, Field(min_length=1, max_length=128)]


class SignedInUser(BaseModel):
    name: str
    role: Role


class SessionAnswer(BaseModel):
    user: SignedInUser
    version: Annotated[str, Field(description="Version of the backend.")]
    simulated: Annotated[bool, Field(description="True when numbers come from a simulation.")]


class Enrolment(_Request):
    machine_id: Annotated[
        str, Field(pattern=r"^[0-9a-f]{32}$", description="/etc/machine-id of the host.")
    ]
    hostname: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,253}$")]
    agent_version: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,64}$")]


class EnrolledHost(BaseModel):
    host_id: str
    token: Annotated[str, Field(description="Bearer token for ingest; shown once.")]


class EnrolmentTokenRequest(_Request):
    ttl_seconds: Annotated[int, Field(ge=60, le=30 * 86400)]


class NewEnrolmentToken(BaseModel):
    token: Annotated[str, Field(description="Works once; shown once.")]
    expires_at: datetime
    command: Annotated[str, Field(description="What to run on the host.")]
