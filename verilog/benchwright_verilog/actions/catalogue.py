"""All code actions for a selection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright_verilog.actions import instances, names, procedures, waiving
from benchwright_verilog.actions.action import Action, ActionContext, ActionKind, Change, newline
from benchwright_verilog.actions.instances import ReadDocument
from benchwright_verilog.actions.line_fix import Fix
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import Source
from benchwright_verilog.semantics.compilation.analysis import Analysis
from benchwright_verilog.syntax.documents import Document

SAFE = frozenset({"forbid-consecutive-null-statements", "no-trailing-spaces", "posix-eof"})
"""Rules whose fixes lose nothing that a tool or a person could want."""

_END_OF_FILE = frozenset({"posix-eof", "newline-eof", "EOFNEWLINE"})


def rewrites(context: ActionContext, analysis: Analysis) -> Iterator[Action]:
    """Yield the rewrites that are possible."""
    yield from procedures.rewrites(context)
    yield from instances.rewrites(context, analysis)


def fixes(
    context: ActionContext, findings: Iterable[Finding], analysis: Analysis, read: ReadDocument
) -> Iterator[Action]:
    """Yield fixes of the findings at the selection, without the tools' own fixes; waivers come last."""
    findings = list(findings)
    for finding in findings:
        yield from names.fixes(context, finding)
        yield from procedures.fixes(context, finding)
        yield from instances.fixes(context, finding, analysis, read)
        if finding.rule in _END_OF_FILE:
            end = len(context.text)
            changes = (Change(end, end, newline(context.document)),)
            yield Action("End the file with a line end", changes, finding=finding, is_preferred=True)
    for finding in findings:
        yield from waiving.waivers(context, finding)


def tool_fixes(
    document: Document, source: Source, findings: Iterable[Finding], offered: Iterable[Fix]
) -> Iterator[Action]:
    """A tool's own fixes of its findings.

    Args:
        document: The document.
        source: The tool.
        findings: Findings of all tools.
        offered: The tool's fixes of everything that it finds in the document.
    """
    tool_findings = {
        (finding.rule, document.lines.line_of(finding.start) + 1): finding
        for finding in findings
        if finding.source is source
    }
    for fix in offered:
        finding = tool_findings.get((fix.rule, fix.line))
        # Verible's fixes of these rules would duplicate better ones of ours.
        if finding is not None and fix.rule not in procedures.TO_BLOCKING | {"always-comb"}:
            yield Action(fix.title, (change_of(document, fix),), finding=finding, is_preferred=True)


def fix_all(document: Document, offered: Iterable[Fix]) -> Action | None:
    """All safe fixes of a file at once; None if there is nothing to fix."""
    changes: dict[int, Change] = {}
    for fix in sorted(offered, key=lambda fix: fix.first):
        if fix.rule not in SAFE or len(fix.removed) != len(fix.added):
            continue
        change = change_of(document, fix)
        # Two fixes of one line were both made from the line as it is: the second has to wait for the next time.
        changes.setdefault(fix.first, change)
    text = document.text
    if text and not text.endswith(("\n", "\r")):
        changes[len(document.lines) + 1] = Change(len(text), len(text), newline(document))
    kept_changes = tuple(changes[line] for line in sorted(changes))
    return Action("Fix everything that is safe to fix", kept_changes, ActionKind.FIX_ALL) if kept_changes else None


def change_of(document: Document, fix: Fix) -> Change:
    """The change that a fix makes, without what stays the same at either end."""
    lines = document.lines
    if not fix.removed:
        start = lines.line(fix.first)[0]
        return Change(start, start, "".join(line + newline(document) for line in fix.added))
    start, end = lines.line(fix.first)[0], lines.line(fix.first + len(fix.removed) - 1)[1]
    old, new = document.text[start:end], newline(document).join(fix.added)
    if old.startswith("\ufeff"):
        start, old = start + 1, old[1:]
    common = 0
    while common < min(len(old), len(new)) and old[common] == new[common]:
        common += 1
    tail = 0
    while tail < min(len(old), len(new)) - common and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Change(start + common, end - tail, new[common : len(new) - tail])
