"""One list of findings per file: waived ones out, each thing said once, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from benchwright_verilog.findings.finding import Finding, Level, Source
from benchwright_verilog.findings.rules import same_as
from benchwright_verilog.findings.waivers import Waivers
from benchwright_verilog.settings import Lint
from benchwright_verilog.syntax.lines import Lines

_LEVELS = {level.name.lower(): level for level in Level}
_RANK = {Source.SLANG: 0, Source.VERILATOR: 1, Source.VERIBLE: 2}


def merged(findings: Iterable[Finding], lines: Lines, lint: Lint) -> list[Finding]:
    """What to show of everything that was found.

    Args:
        findings: Of all tools, about the same version of the text.
        lines: The text.
        lint: What the user wants to be told.
    """
    findings = list(findings)
    waivers = Waivers(lines)
    if waivers.are_none and not lint.off and not lint.severity and len({finding.source for finding in findings}) < 2:
        return sorted(dict.fromkeys(findings), key=_order)
    shown: dict[Finding, None] = {}
    said: dict[tuple[int, str], Source] = {}
    for finding in sorted(findings, key=lambda finding: (_RANK[finding.source], finding.start, finding.end)):
        kept = _as_wanted(finding, lint)
        line = lines.line_of(finding.start)
        if kept is None or (finding.level is not Level.ERROR and waivers.cover(line, finding.rule)):
            continue
        keys = [(line, subject) for subject in _subjects(finding)]
        # Two tools often say the same of one line: once is enough. One tool may mean two places in it.
        if all(said.setdefault(key, finding.source) is finding.source for key in keys):
            shown[kept] = None
    return sorted(shown, key=_order)


def _order(finding: Finding) -> tuple[int, int, int, int]:
    return finding.start, finding.end, finding.level.value, _RANK[finding.source]


def _as_wanted(finding: Finding, lint: Lint) -> Finding | None:
    if not finding.rule or (not lint.off and not lint.severity):
        return finding
    if finding.rule in lint.off or lint.severity.get(finding.rule) == "off":
        return None
    name = lint.severity.get(finding.rule)
    return replace(finding, level=_LEVELS[name]) if name else finding


def _subjects(finding: Finding) -> frozenset[str]:
    # A line that one tool can't make sense of, others can't either, and each has its own words for it.
    return frozenset({"error"}) if finding.level is Level.ERROR else same_as(finding.rule)
