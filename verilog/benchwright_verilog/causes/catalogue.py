"""Every rule that finds a likely cause, and their order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from benchwright_verilog.causes import assignments, bounds, resets
from benchwright_verilog.causes.cause import Cause, ExaminedInstance, Rule
from benchwright_verilog.causes.evidence import FailureEvidence
from benchwright_verilog.causes.reported import reported_causes
from benchwright_verilog.semantics.compilation.instances import DesignInstance, InstanceTree

RULES: tuple[Rule, ...] = (
    resets.wrong_reset_polarity,
    resets.unread_reset_inputs,
    resets.unreset_registers,
    assignments.blocking_in_clocked_blocks,
    assignments.non_blocking_in_combinational_blocks,
    assignments.latches_outside_always_comb,
    bounds.counters_wrapping_late,
    bounds.off_by_one_loops,
)
_MOST_MODULES = 300
_MOST_OF_A_RULE = 50
"""Causes of one rule in one module: a design with more has another problem."""
MOST_CAUSES = 12


def likely_causes(design: InstanceTree, suspect_files: Collection[Path], evidence: FailureEvidence) -> list[Cause]:
    """The likely causes in some files, the likeliest first, at most twelve.

    Args:
        design: All of it; each module is examined in its first instance.
        suspect_files: The files that may be at fault: the solver's own, without tests.
        evidence: Observations of the failure.
    """
    with design.lock:
        causes = [
            *_causes_in_modules_of_files(design, suspect_files, evidence),
            *reported_causes(design, suspect_files, evidence),
        ]
    unique: dict[tuple[object, ...], Cause] = {}
    for cause in sorted(causes, key=_sort_key):
        unique.setdefault((cause.kind, cause.span.path, cause.span.start), cause)
    return list(unique.values())[:MOST_CAUSES]


def _causes_in_modules_of_files(
    design: InstanceTree, paths: Collection[Path], evidence: FailureEvidence
) -> Iterator[Cause]:
    for instance in islice(_first_instance_per_module_in_files(design, paths), _MOST_MODULES):
        symbol = design.instance_symbol_around(instance.path)
        if symbol is None or symbol.hierarchicalPath != instance.path:
            continue
        examined = ExaminedInstance(design, instance, symbol, evidence)
        for rule in RULES:
            for cause in islice(rule(examined), _MOST_OF_A_RULE):
                if cause.span.path in paths:
                    yield cause


def _first_instance_per_module_in_files(
    design: InstanceTree, suspect_files: Collection[Path]
) -> Iterator[DesignInstance]:
    """The first instance of each module that one of the files declares."""
    seen_modules: set[str] = set()
    for top_instance in design.tops():
        for instance in (top_instance, *design.instances_below(top_instance.path)):
            is_wanted = instance.declaration is not None and instance.declaration.path in suspect_files
            if is_wanted and instance.kind == "module" and instance.module not in seen_modules:
                seen_modules.add(instance.module)
                yield instance


def _sort_key(cause: Cause) -> tuple[int, str, int]:
    return -cause.weight, str(cause.span.path), cause.span.start
