from __future__ import annotations

import pytest

from benchwright_server.linters.verible import RulesError, verible_fixes, verible_lint
from benchwright_verilog.actions.line_fix import Fix

TEXT = "module m;\n  /* é𝄞 */ wire a;  \n  always @(*) begin end\nendmodule\n"


async def test_findings_name_rule_and_place_in_code_points() -> None:
    findings = await verible_lint("m.sv", TEXT)
    assert [(finding.rule, finding.line, finding.column, finding.end_column) for finding in findings] == [
        ("no-trailing-spaces", 2, 19, 21),
        ("always-comb", 3, 3, 9),
    ]
    assert findings[1].message == "Use 'always_comb' instead of 'always @*'."


async def test_a_waived_rule_is_not_found() -> None:
    text = TEXT.replace("  always", "  // verilog_lint: waive always-comb\n  always")
    assert "always-comb" not in {finding.rule for finding in await verible_lint("m.sv", text)}


async def test_the_selection_of_rules_can_be_changed() -> None:
    text = TEXT.replace("wire a;", "wire a_name_that_is_long, and_another_one;")
    rules = {finding.rule for finding in await verible_lint("m.sv", text, ["-always-comb", "+line-length=length:40"])}
    assert rules == {"no-trailing-spaces", "line-length"}


async def test_the_file_is_known_by_its_name() -> None:
    assert "module-filename" in {finding.rule for finding in await verible_lint("other.sv", TEXT)}


@pytest.mark.parametrize("text", ["module m; wire = ; endmodul", "`FOO(\n", "\0", "", "\ud800"])
async def test_broken_text_gives_no_error_and_no_syntax_finding(text: str) -> None:
    assert all(finding.rule for finding in await verible_lint("m.sv", text))


async def test_fixes_are_whole_lines_without_the_ones_around() -> None:
    assert await verible_fixes("m.sv", TEXT) == [
        Fix(
            rule="no-trailing-spaces",
            finding_line=2,
            finding_column=19,
            title="Remove trailing space",
            first_line=2,
            removed_lines=("  /* é𝄞 */ wire a;  ",),
            added_lines=("  /* é𝄞 */ wire a;",),
        ),
        Fix(
            rule="always-comb",
            finding_line=3,
            finding_column=3,
            title="Substitute 'always @(*)' for 'always_comb'",
            first_line=3,
            removed_lines=("  always @(*) begin end",),
            added_lines=("  always_comb begin end",),
        ),
    ]


async def test_a_fix_for_one_place_of_two_in_a_file_is_kept() -> None:
    fixes = await verible_fixes("m.sv", "module m;  \n  wire a\f;  \nendmodule\n")
    assert [(fix.finding_line, fix.removed_lines) for fix in fixes] == [(1, ("module m;  ",)), (2, ("  wire a\f;  ",))]


@pytest.mark.parametrize(("rule", "reason"), [("+nonsense", "nonsense"), ("+line-length=length:15", "out of range")])
async def test_rules_that_verible_cannot_read_are_named(rule: str, reason: str) -> None:
    with pytest.raises(RulesError, match=f"{reason}.*benchwright.lint.veribleRules"):
        await verible_lint("m.sv", TEXT, [rule])
