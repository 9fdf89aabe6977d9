"""All code actions for a selection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright_verilog.actions import instances, names, procedures, waiving
from benchwright_verilog.actions.action import Action, ActionKind, CodeSelection, TextChange, newline
from benchwright_verilog.actions.instances import ReadDocument
from benchwright_verilog.actions.line_fix import Fix
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.syntax.documents import Document

SAFE = frozenset({"forbid-consecutive-null-statements", "no-trailing-spaces", "posix-eof"})
"""Rules whose fixes lose nothing that a tool or a person could want."""

_END_OF_FILE = frozenset({"posix-eof", "newline-eof", "EOFNEWLINE"})


def possible_rewrites(code_selection: CodeSelection, analysis: FileAnalysis) -> Iterator[Action]:
    """Yield the rewrites that are possible."""
    yield from procedures.always_rewrites(code_selection)
    yield from instances.instance_rewrites(code_selection, analysis)


def fixes_and_waivers(
    code_selection: CodeSelection, findings: Iterable[Finding], analysis: FileAnalysis, read_document: ReadDocument
) -> Iterator[Action]:
    """Yield fixes of the findings at the selection, without the tools' own fixes; waivers come last."""
    findings = list(findings)
    for finding in findings:
        yield from names.name_or_missing_token_fixes(code_selection, finding)
        yield from procedures.always_and_case_fixes(code_selection, finding)
        yield from instances.instance_fixes(code_selection, finding, analysis, read_document)
        if finding.rule in _END_OF_FILE:
            end = len(code_selection.document_text)
            newline_changes = (TextChange(end, end, newline(code_selection.document)),)
            yield Action("End the file with a line end", newline_changes, finding=finding, is_preferred=True)
    for finding in findings:
        yield from waiving.waiver_actions(code_selection, finding)


def tool_fixes(
    document: Document, tool: FindingTool, findings: Iterable[Finding], offered_fixes: Iterable[Fix]
) -> Iterator[Action]:
    """A tool's own fixes of its findings.

    Args:
        document: The document.
        tool: The tool.
        findings: Findings of all tools.
        offered_fixes: The tool's fixes of everything that it finds in the document.
    """
    tool_findings = {
        (finding.rule, document.lines.line_index(finding.start) + 1): finding
        for finding in findings
        if finding.source is tool
    }
    for fix in offered_fixes:
        finding = tool_findings.get((fix.rule, fix.finding_line))
        # Verible's fixes of these rules would duplicate better ones of ours.
        if finding is not None and fix.rule not in procedures.TO_BLOCKING | {"always-comb"}:
            yield Action(fix.title, (minimal_change_of_fix(document, fix),), finding=finding, is_preferred=True)


def fix_all_safe_action(document: Document, offered_fixes: Iterable[Fix]) -> Action | None:
    """A file's safe fixes at once, of each line one, and the line end it lacks; None if there is nothing to fix."""
    changes: dict[int, TextChange] = {}
    for fix in sorted(offered_fixes, key=lambda fix: fix.first_line):
        if fix.rule not in SAFE or len(fix.removed_lines) != len(fix.added_lines):
            continue
        change = minimal_change_of_fix(document, fix)
        # Two fixes of one line were both made from the line as it is: the second has to wait for the next time.
        changes.setdefault(fix.first_line, change)
    text = document.text
    if text and not text.endswith(("\n", "\r")):
        changes[len(document.lines) + 1] = TextChange(len(text), len(text), newline(document))
    kept_changes = tuple(changes[line] for line in sorted(changes))
    return Action("Fix everything that is safe to fix", kept_changes, ActionKind.FIX_ALL) if kept_changes else None


def minimal_change_of_fix(document: Document, fix: Fix) -> TextChange:
    """The change that a fix makes, without what stays the same at either end."""
    lines = document.lines
    if not fix.removed_lines:
        start = lines.line_bounds(fix.first_line)[0]
        return TextChange(start, start, "".join(line + newline(document) for line in fix.added_lines))
    start, end = lines.line_bounds(fix.first_line)[0], lines.line_bounds(fix.first_line + len(fix.removed_lines) - 1)[1]
    old_text, new_text = document.text[start:end], newline(document).join(fix.added_lines)
    if old_text.startswith("\ufeff"):
        start, old_text = start + 1, old_text[1:]
    common = 0
    while common < min(len(old_text), len(new_text)) and old_text[common] == new_text[common]:
        common += 1
    tail = 0
    while tail < min(len(old_text), len(new_text)) - common and old_text[-1 - tail] == new_text[-1 - tail]:
        tail += 1
    return TextChange(start + common, end - tail, new_text[common : len(new_text) - tail])
