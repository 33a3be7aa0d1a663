"""What every measurement answer carries besides its rows."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """Base of all response schemas: no defaults, so that every field is required for the reader."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=False)


class Range(Answer):
    """The absolute, half-open range that was asked for, in UTC."""

    from_: Annotated[datetime, Field(alias="from")]
    to: datetime


class Coverage(Answer):
    """How much of what should have been measured was measured."""

    hosts_reporting: Annotated[int, Field(description="Hosts in scope with windows in the range.")]
    hosts_known: Annotated[int, Field(description="Hosts in scope that are enrolled.")]
    ratio: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Windows stored / windows expected, since each host was enrolled.",
        ),
    ]


class Meta(Answer):
    """Head of every measurement answer."""

    range: Range
    as_of: Annotated[
        datetime | None,
        Field(description="End of the newest stored window in scope and range; null where none."),
    ]
    coverage: Coverage


class Page(Meta):
    """Head of every list."""

    next_cursor: Annotated[
        str | None, Field(description="Ask again with `cursor` for the rows after these.")
    ]
    total: Annotated[int, Field(description="Rows on all pages.")]
