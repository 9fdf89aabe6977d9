"""A likely cause: where it is, why it fits, what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.ast import InstanceSymbol

    from benchwright_verilog.causes.evidence import FailureEvidence
    from benchwright_verilog.semantics.compilation.instances import DesignInstance, FileSpan, InstanceTree


class CauseKind(StrEnum):
    """The kind of fault. Stable identifiers."""

    RESET_POLARITY = "reset_polarity"
    MISSING_RESET = "missing_reset"
    UNRESET_REGISTER = "unreset_register"
    BLOCKING = "blocking_in_clocked"
    NON_BLOCKING = "non_blocking_in_combinational"
    LATCH = "latch"
    TRUNCATION = "truncation"
    OUT_OF_RANGE = "out_of_range"
    OFF_BY_ONE = "off_by_one"
    UNDRIVEN = "undriven"
    SEVERAL_DRIVERS = "several_drivers"


@dataclass(frozen=True)
class Cause:
    """One likely cause."""

    kind: CauseKind
    title: str
    """A few words without a full stop."""
    span: FileSpan
    reason: str
    """The reason why it is suspected; inline Markdown."""
    advice: str
    """Advice on what to try; inline Markdown."""
    weight: int
    """Likelihood of the cause, among others; larger is likelier."""


@dataclass(frozen=True)
class ExaminedInstance:
    """One instance of a module of the design; what was seen of the failure."""

    design: InstanceTree
    instance: DesignInstance
    symbol: InstanceSymbol
    evidence: FailureEvidence


Rule = Callable[[ExaminedInstance], Iterable[Cause]]
"""Finds causes in one instance; `InstanceTree.lock` is held."""
