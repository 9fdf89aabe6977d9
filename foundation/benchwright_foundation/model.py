"""The base of values that are checked where they enter."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

MOST_COUNTED = 2**31 - 1
"""The largest number of a column of integers in PostgreSQL."""


class Model(BaseModel):
    """A value that does not change and refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Message(Model):
    """A request or a response over HTTP."""

    # FastAPI reads a model's schema when an endpoint is declared.
    model_config = ConfigDict(defer_build=False)


def _in_utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is outside the years that there are in UTC") from None


UtcTime = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A time that somebody else's clock says, in UTC."""
Number = Annotated[int, Field(ge=0, le=MOST_COUNTED)]
"""A number that counts something and is stored."""
