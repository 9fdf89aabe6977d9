"""Facts about the tools' rules: which report the same, and what they mean for the text."""

from __future__ import annotations

_SAME = (
    ("width-trunc", "WIDTHTRUNC"),
    ("width-expand", "WIDTHEXPAND"),
    ("port-width-trunc", "WIDTHTRUNC"),
    ("port-width-expand", "WIDTHEXPAND"),
    ("implicit-net", "IMPLICIT"),
    ("implicit-net-port", "IMPLICIT"),
    ("inferred-latch", "LATCH"),
    ("case-default", "case-missing-default", "CASEINCOMPLETE"),
    ("case-incomplete", "CASEINCOMPLETE"),
    ("case-overlap", "CASEOVERLAP"),
    ("case-dup", "CASEOVERLAP"),
    ("unconnected-input-port", "PINMISSING"),
    ("unconnected-output-port", "PINMISSING"),
    ("unconnected-inout-port", "PINMISSING"),
    ("empty-input-connection", "PINCONNECTEMPTY"),
    ("empty-output-connection", "PINCONNECTEMPTY"),
    ("undriven-net", "UNDRIVEN"),
    ("undriven-port", "UNDRIVEN"),
    ("unassigned-variable", "UNDRIVEN"),
    ("unused-net", "UNUSEDSIGNAL"),
    ("unused-variable", "UNUSEDSIGNAL"),
    ("unused-port", "UNUSEDSIGNAL"),
    ("unused-but-set-net", "UNUSEDSIGNAL"),
    ("unused-but-set-variable", "UNUSEDSIGNAL"),
    ("unused-but-set-port", "UNUSEDSIGNAL"),
    ("unused-parameter", "UNUSEDPARAM"),
    ("unused-genvar", "UNUSEDGENVAR"),
    ("multiple-always-assigns", "MULTIDRIVEN"),
    ("multiple-cont-assigns", "MULTIDRIVEN"),
    ("shadow-value", "VARHIDDEN"),
    ("unnamed-generate", "generate-label", "GENUNNAMED"),
    ("newline-eof", "posix-eof", "EOFNEWLINE"),
    ("misleading-indentation", "MISINDENT"),
    ("empty-stmt", "forbid-consecutive-null-statements"),
    ("always-ff-non-blocking", "BLKSEQ"),
    ("always-comb-blocking", "COMBDLY"),
    ("module-filename", "DECLFILENAME"),
    ("multibit-edge", "WIDTHTRUNC"),
)


def rule_and_equivalents(rule: str) -> frozenset[str]:
    """A rule and those of other tools that report the same."""
    return frozenset({rule}).union(*(group for group in _SAME if rule in group)) if rule else frozenset()


def reports_removable_code(rule: str) -> bool:
    """True if what is found could be deleted without loss."""
    # "Used, but only set" is a mistake more often than a leftover.
    return rule.startswith(("unused-", "UNUSED")) and "but-set" not in rule


def reports_deprecated_code(rule: str, message: str) -> bool:
    """True if what is found should no longer be used."""
    return rule in {"invalid-system-task-function", "DEPRECATED"} or "deprecated" in message.lower()
