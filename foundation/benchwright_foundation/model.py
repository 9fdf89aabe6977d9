"""The base of values that are checked where they enter."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value that does not change and refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Message(Model):
    """A request or a response over HTTP."""

    # FastAPI reads a model's schema when an endpoint is declared.
    model_config = ConfigDict(defer_build=False)
