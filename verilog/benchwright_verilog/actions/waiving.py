"""Comments that waive a finding."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright_verilog.actions.action import Action, CodeSelection, TextChange, line_indentation, newline
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.source import WaiverStyle


def waiver_actions(code_selection: CodeSelection, finding: Finding) -> Iterator[Action]:
    """A comment around the line of a finding, in the syntax of the tool that found it."""
    # What a simulator would stop at can't be waived.
    if not finding.rule or finding.level is Level.ERROR or finding.source.waiver_style is None:
        return
    document, lines = code_selection.document, code_selection.document.lines
    line = lines.line_index(finding.start) + 1
    start, end = lines.line_bounds(line)
    indent, eol = line_indentation(document, start), newline(document)
    if finding.source.waiver_style is WaiverStyle.WAIVE_LINE:
        changes: tuple[TextChange, ...] = (
            TextChange(start, start, f"{indent}// verilog_lint: waive {finding.rule}{eol}"),
        )
    else:
        comment = f"{indent}// {finding.source} lint_"
        changes = (
            TextChange(start, start, f"{comment}off {finding.rule}{eol}"),
            TextChange(end, end, f"{eol}{comment}on {finding.rule}"),
        )
    yield Action(f"Waive {finding.rule} on this line", changes, finding=finding)
