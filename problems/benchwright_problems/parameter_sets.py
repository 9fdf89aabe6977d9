"""Parameters with which proofs compare designs besides their defaults: an author declares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from benchwright_foundation.model import Model
from benchwright_problems.dont_cares import Name

MOST_SETS = 8
"""Each takes a proof of its own."""
Value = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
Parameters = Mapping[Name, Value]
"""Parameter of the top module → value; those that are not named have their defaults."""
ParameterSets = Annotated[tuple[Annotated[Parameters, Field(min_length=1)], ...], Field(max_length=MOST_SETS)]


class ProofTable(Model):
    """`[proof]` of `problem.toml`."""

    parameters: ParameterSets = ()
    """Compared one after the other, after the defaults."""

    def __bool__(self) -> bool:
        """Whether anything is declared."""
        return bool(self.parameters)


def named(parameters: Parameters) -> str:
    """Parameters for people, such as `WIDTH = 16, DEPTH = 8`."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
