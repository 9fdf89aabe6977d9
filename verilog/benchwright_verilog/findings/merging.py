"""One list of findings per file: without waived ones, each problem once, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.rules import rule_and_equivalents
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.findings.waivers import Waivers
from benchwright_verilog.settings import LintRuleSettings
from benchwright_verilog.syntax.lines import Lines

_LEVELS = {level.name.lower(): level for level in Level}


def findings_to_show(findings: Iterable[Finding], lines: Lines, lint_settings: LintRuleSettings) -> list[Finding]:
    """Return what to show of everything that was found.

    Args:
        findings: Findings of all tools, about the same version of the text.
        lines: The text.
        lint_settings: Settings of what the user wants to see.
    """
    findings = list(findings)
    waivers = Waivers(lines)
    if (
        waivers.is_empty
        and not lint_settings.off
        and not lint_settings.severity
        and len({finding.source for finding in findings}) < 2
    ):
        return sorted(dict.fromkeys(findings), key=_sort_key)
    shown_findings: dict[Finding, None] = {}
    reported: dict[tuple[int, str], FindingTool] = {}
    for finding in sorted(findings, key=lambda finding: (finding.source.rank, finding.start, finding.end)):
        adjusted = _with_user_severity_unless_off(finding, lint_settings)
        line = lines.line_index(finding.start)
        if adjusted is None or (finding.level is not Level.ERROR and waivers.is_waived(line, finding.rule)):
            continue
        line_subjects = [(line, subject) for subject in _rules_merged_with(finding)]
        # Two tools often report the same on a line: once is enough. One tool may mean two parts of the line.
        if all(reported.setdefault(key, finding.source) is finding.source for key in line_subjects):
            shown_findings[adjusted] = None
    return sorted(shown_findings, key=_sort_key)


def _sort_key(finding: Finding) -> tuple[int, int, int, int]:
    return finding.start, finding.end, finding.level.value, finding.source.rank


def _with_user_severity_unless_off(finding: Finding, lint_settings: LintRuleSettings) -> Finding | None:
    if not finding.rule or (not lint_settings.off and not lint_settings.severity):
        return finding
    if finding.rule in lint_settings.off or lint_settings.severity.get(finding.rule) == "off":
        return None
    name = lint_settings.severity.get(finding.rule)
    return replace(finding, level=_LEVELS[name]) if name else finding


def _rules_merged_with(finding: Finding) -> frozenset[str]:
    # A line that one tool can't parse, others can't either, and each words it differently.
    return frozenset({"error"}) if finding.level is Level.ERROR else rule_and_equivalents(finding.rule)
