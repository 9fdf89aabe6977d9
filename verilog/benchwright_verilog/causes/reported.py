"""Diagnostics that slang reports by itself and that are likely to make a test fail."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.causes.cause import Cause, CauseKind
from benchwright_verilog.semantics.compilation.diagnostics import diagnostics_by_file
from benchwright_verilog.semantics.compilation.instances import FileSpan

if TYPE_CHECKING:
    from benchwright_verilog.causes.evidence import FailureEvidence
    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_TRUNCATED = ("width-trunc", "port-width-trunc", "constant-conversion", "vector-overflow", "shift-count-overflow")
_OUTSIDE = ("index-oob", "range-oob", "range-width-oob")
_UNDRIVEN = ("undriven-net", "unassigned-variable", "undriven-port", "unconnected-input-port")
_DRIVEN_TWICE = ("multiple-always-assigns", "multiple-cont-assigns", "mixed-var-assigns")
_LATCH = "inferred-latch"
_RULES = (*_TRUNCATED, *_OUTSIDE, *_UNDRIVEN, *_DRIVEN_TWICE, _LATCH)


def reported_causes(
    design: InstanceTree, suspect_files: Collection[Path], evidence: FailureEvidence
) -> Iterator[Cause]:
    """The causes among slang's findings in some files; `InstanceTree.lock` has to be held."""
    compiled = design.compiled
    first_tree = compiled.trees[0]
    diagnostics = diagnostics_by_file(
        compiled.elaborate(),
        first_tree.sources,
        first_tree.locations,
        suspect_files,
        is_alone=False,
        warning_options=[*_RULES, "unused"],
    )
    for path, file_diagnostics in diagnostics.items():
        for diagnostic in file_diagnostics:
            if diagnostic.rule in _RULES:
                yield _cause_of_diagnostic(
                    diagnostic.rule,
                    diagnostic.message,
                    FileSpan(path, diagnostic.start, max(diagnostic.start, diagnostic.end)),
                    evidence,
                )


def _cause_of_diagnostic(rule: str, message: str, span: FileSpan, evidence: FailureEvidence) -> Cause:
    message_text = f"slang says: {message}."
    if rule in _TRUNCATED:
        fits = (
            " What was seen is what was expected without its upper bits." if evidence.is_actual_value_truncated else ""
        )
        advice = "Widen the target, or select the bits that you mean."
        weight = 3 + 6 * evidence.is_actual_value_truncated
        return Cause(CauseKind.TRUNCATION, "Upper bits are lost", span, message_text + fits, advice, weight)
    if rule in _OUTSIDE:
        advice = "Correct the index or the size; look for an end that is one too far."
        weight = 5 + 3 * evidence.has_unknown_value + 3 * evidence.is_off_by_one
        return Cause(CauseKind.OUT_OF_RANGE, "An index is outside of its vector", span, message_text, advice, weight)
    if rule in _UNDRIVEN:
        advice = "Assign it, or connect it to what should drive it."
        weight = 4 + 5 * evidence.has_unknown_value
        title = "Nothing drives an output port" if rule == "undriven-port" else "Nothing drives a signal that is read"
        return Cause(CauseKind.UNDRIVEN, title, span, message_text, advice, weight)
    if rule in _DRIVEN_TWICE:
        advice = "Assign it in one place."
        return Cause(CauseKind.SEVERAL_DRIVERS, "A signal has several drivers", span, message_text, advice, 6)
    advice = "Assign a default at the top of the block, or complete every `if` and `case`."
    return Cause(CauseKind.LATCH, "A signal keeps its old value on some path: a latch", span, message_text, advice, 5)
