"""Declarations of an author for proofs that a design is equivalent to the reference.

Outputs that the statement leaves open, which are not compared, and parameters to compare with besides the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, model_validator

from benchwright_foundation.model import Model

Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
PROOF_FILE = "proof.json"
"""The file of a harness that is a proof."""
MOST_PARAMETER_SETS = 8
"""Each takes a proof of its own."""
Value = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
Parameters = Mapping[Name, Value]
"""Parameter of the top module → value; those that are not named have their defaults."""
ParameterSets = Annotated[tuple[Annotated[Parameters, Field(min_length=1)], ...], Field(max_length=MOST_PARAMETER_SETS)]


class DontCares(Model):
    """`[dont_care]` of `problem.toml`."""

    always: tuple[Name, ...] = ()
    """Outputs that are never compared."""
    unless: Mapping[Name, Name] = Field(default_factory=dict)
    """Output → input or output of one bit; the first is compared only while the reference has 1 at the second."""

    @model_validator(mode="after")
    def _require_consistent_outputs(self) -> DontCares:
        for name, condition in self.unless.items():
            if name in self.always or condition in self.always:
                raise ValueError(f"{name} unless {condition} names an output that is never compared")
        return self

    def __bool__(self) -> bool:
        """True if anything is left open."""
        return bool(self.always or self.unless)


NO_DONT_CARES = DontCares()
"""Every output counts in every cycle."""


class ProofTable(Model):
    """`[proof]` of `problem.toml`."""

    parameters: ParameterSets = ()
    """Compared one after the other, after the defaults."""

    def __bool__(self) -> bool:
        """True if anything is declared."""
        return bool(self.parameters)


class ProofDescription(Model):
    """`proof.json` of a harness: a proof that the solution is equivalent to the reference decides."""

    top: Name
    """The module that is compared."""


def parameter_text(parameters: Parameters) -> str:
    """Parameters for people, such as `WIDTH = 16, DEPTH = 8`."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
