"""Every kind of fault. Where two kinds make the same file, the first one counts."""

from __future__ import annotations

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.operators import (
    assignments,
    clocking,
    conditions,
    constants,
    expressions,
    state_machines,
    structure,
    widths,
)

KINDS: tuple[MutationKind, ...] = (
    *clocking.KINDS,
    *state_machines.KINDS,
    *expressions.KINDS,
    *conditions.KINDS,
    *widths.KINDS,
    *constants.KINDS,
    *structure.KINDS,
    *assignments.KINDS,
)
