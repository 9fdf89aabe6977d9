"""A kind of fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyslang.syntax import SyntaxNode

from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource


@dataclass(frozen=True, slots=True)
class MutationKind:
    """A kind of fault, by a name that reports and programs may depend on."""

    name: str
    effect: str
    """Effect of the kind, for people: `+ for -`."""
    fault_edits: Callable[[ReferenceSource, SyntaxNode], Iterator[ByteEdit]]
    """The faults of this kind in one node of the tree itself, not in what is below it."""
    is_scored: bool = True
    """False if it can differ by the order of simulation events alone, which no harness has to notice."""
