"""Outputs of a reference that the statement leaves open: an author declares them, and a proof does not compare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, model_validator

from benchwright_foundation.model import Model

Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]


class DontCares(Model):
    """`[dont_care]` of `problem.toml`."""

    always: tuple[Name, ...] = ()
    """Outputs that are never compared."""
    unless: Mapping[Name, Name] = Field(default_factory=dict)
    """Output → input or output of one bit; the first is compared only while the reference has 1 at the second."""

    @model_validator(mode="after")
    def _fit_together(self) -> DontCares:
        for name, condition in self.unless.items():
            if name in self.always or condition in self.always:
                raise ValueError(f"{name} unless {condition} names an output that is never compared")
        return self

    def __bool__(self) -> bool:
        """Whether anything is left open."""
        return bool(self.always or self.unless)


NO_DONT_CARES = DontCares()
"""Every output counts in every cycle."""
