from __future__ import annotations

import pytest

from benchwright_server.linters.verible import VERIBLE
from benchwright_server.linters.verilator import VERILATOR
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.merging import findings_to_show
from benchwright_verilog.findings.rules import reports_deprecated_code, reports_removable_code, rule_and_equivalents
from benchwright_verilog.findings.source import SLANG, FindingTool
from benchwright_verilog.findings.waivers import Waivers
from benchwright_verilog.settings import LintRuleSettings
from benchwright_verilog.syntax.lines import Lines

NO_WISHES = LintRuleSettings()


def finding(
    rule: str, start: int = 0, *, source: FindingTool = SLANG, level: Level = Level.WARNING, message: str = "m"
) -> Finding:
    return Finding(source, start, start + 1, level, rule, message)


def rules_at(text: str, *findings: Finding, lint: LintRuleSettings = NO_WISHES) -> list[str]:
    return [merged_finding.rule for merged_finding in findings_to_show(findings, Lines(text), lint)]


def test_what_two_tools_say_of_one_line_is_told_once_by_the_more_exact_one() -> None:
    slang, verilator = finding("width-trunc", 4), finding("WIDTHTRUNC", 0, source=VERILATOR.source)
    assert rules_at("assign a = b;", verilator, slang) == ["width-trunc"]


def test_what_one_tool_says_of_two_places_in_a_line_is_told_twice() -> None:
    assert rules_at("a b", finding("width-trunc", 0), finding("width-trunc", 2)) == ["width-trunc"] * 2


def test_the_same_rule_in_another_line_is_told_too() -> None:
    slang, verilator = finding("width-trunc", 0), finding("WIDTHTRUNC", 2, source=VERILATOR.source)
    assert rules_at("a\nb", verilator, slang) == ["width-trunc", "WIDTHTRUNC"]


def test_rules_that_are_not_the_same_are_told_both() -> None:
    slang, verible = finding("width-trunc"), finding("no-tabs", source=VERIBLE.source)
    assert rules_at("\ta", verible, slang) == ["width-trunc", "no-tabs"]


def test_an_error_of_one_line_is_told_in_one_tools_words() -> None:
    slang = finding("", level=Level.ERROR, message="expected ';'")
    verilator = finding("", source=VERILATOR.source, level=Level.ERROR, message="syntax error, unexpected endmodule")
    assert findings_to_show([verilator, slang], Lines("wire a"), NO_WISHES) == [slang]


def test_findings_come_in_the_order_of_the_text_and_each_once() -> None:
    late_finding, early_finding = finding("b", 4), finding("a", 0, source=VERIBLE.source)
    assert findings_to_show([late_finding, early_finding, late_finding], Lines("1234567"), NO_WISHES) == [
        early_finding,
        late_finding,
    ]


@pytest.mark.parametrize(
    "wish", [LintRuleSettings(off=("width-trunc",)), LintRuleSettings(severity={"width-trunc": "off"})]
)
def test_a_rule_can_be_turned_off(wish: LintRuleSettings) -> None:
    assert rules_at("a", finding("width-trunc"), finding("other"), lint=wish) == ["other"]


def test_a_rule_can_be_made_worse() -> None:
    (merged_finding,) = findings_to_show(
        [finding("width-trunc")], Lines("a"), LintRuleSettings(severity={"width-trunc": "error"})
    )
    assert merged_finding.level is Level.ERROR


@pytest.mark.parametrize(
    ("text", "waived"),
    [
        ("// verilator lint_off WIDTHTRUNC\nx\n// verilator lint_on WIDTHTRUNC\ny", {1}),
        ("/* verilator lint_off WIDTHTRUNC */\nx\n/* verilator lint_on WIDTHTRUNC */\ny", {1}),
        ("// verilator lint_off WIDTHTRUNC\nx\ny", {1, 2}),
        ("// verilator lint_off\nx\n// verilator lint_on\ny", {1}),
        ("// verilator lint_off UNUSEDSIGNAL\nx", set()),
        ("// slang lint_off width-trunc\nx\n// slang lint_on width-trunc\ny", {1}),
        ("// verilog_lint: waive width-trunc\nx\ny", {1}),
        ("x\ny // verilog_lint: waive width-trunc\nz", {1}),
        ("// verilog_lint: waive-start width-trunc\nx\n// verilog_lint: waive-stop width-trunc\ny", {1}),
        ("// verilog_lint: waive no-tabs\nx", set()),
        ("// verilog_lint: forgive width-trunc\nx", set()),
        ("/* é𝄞 \f \u2028 */\r\n// verilog_lint: waive width-trunc\r\nx\r\ny", {2}),
        ("// lint_off width-trunc\nx", set()),
        ("verilator lint_off WIDTHTRUNC\nx", set()),
    ],
)
def test_comments_waive(text: str, waived: set[int]) -> None:
    lines = Lines(text)
    waivers = Waivers(lines)
    code = {line for line in range(len(lines)) if not text.split("\n")[line].lstrip().startswith(("//", "/*"))}
    assert {line for line in code if waivers.is_waived(line, "width-trunc")} == waived


def test_no_error_is_waived() -> None:
    serious_finding = finding("", 33, level=Level.ERROR)
    shown_findings = findings_to_show([serious_finding], Lines("// verilator lint_off\nx = 3333333333333;"), NO_WISHES)
    assert shown_findings == [serious_finding]


def test_every_rule_has_its_page() -> None:
    assert VERILATOR.source.rule_page_url("WIDTHTRUNC") == "https://verilator.org/warn/WIDTHTRUNC"
    assert SLANG.rule_page_url("width-trunc") == "https://sv-lang.com/warning-ref.html#width-trunc"
    page = "https://chipsalliance.github.io/verible/verilog_lint.html#no-tabs"
    assert VERIBLE.source.rule_page_url("no-tabs") == page
    assert SLANG.rule_page_url("") is None


def test_what_could_go_and_what_should_not_be_used_is_marked() -> None:
    assert reports_removable_code("unused-net")
    assert reports_removable_code("UNUSEDSIGNAL")
    assert not reports_removable_code("unused-but-set-variable")
    assert not reports_removable_code("width-trunc")
    assert reports_deprecated_code("invalid-system-task-function", "")
    assert not reports_deprecated_code("width-trunc", "truncates")


def test_an_error_without_a_rule_is_like_no_other() -> None:
    assert rule_and_equivalents("") == frozenset()
    assert rule_and_equivalents("WIDTHTRUNC") > {"width-trunc"}
