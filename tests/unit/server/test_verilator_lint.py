from __future__ import annotations

from benchwright_server.linters.lint_tool import LintFinding, LintSeverity
from benchwright_server.linters.verilator import verilator_findings

PRINTED = """\
%Warning-WIDTHTRUNC: rtl/a.sv:3:12: Operator ASSIGNW expects 4 bits on the Assign RHS, but has 8 bits.
                                  : ... note: In instance 'a'
    3 |   assign y = x;
      |            ^
                     ... For warning description see https://verilator.org/warn/WIDTHTRUNC?v=5.048
                     ... Use "/* verilator lint_off WIDTHTRUNC */" and lint_on around source to disable this message.
%Error: rtl/a.sv:5:1: syntax error, unexpected endmodule, expecting ';'
    5 | endmodule
      | ^~~~~~~~~
%Error-UNSUPPORTED: rtl/b.sv:7:3: Unsupported: something: with a colon
%Error: Exiting due to 2 error(s)
"""


def test_findings_have_place_extent_rule_and_severity() -> None:
    assert verilator_findings(PRINTED) == [
        LintFinding(
            path="rtl/a.sv",
            line=3,
            column=12,
            end_column=13,
            severity=LintSeverity.WARNING,
            rule="WIDTHTRUNC",
            message="Operator ASSIGNW expects 4 bits on the Assign RHS, but has 8 bits.",
        ),
        LintFinding(
            path="rtl/a.sv",
            line=5,
            column=1,
            end_column=10,
            severity=LintSeverity.ERROR,
            rule="",
            message="syntax error, unexpected endmodule, expecting ';'",
        ),
        LintFinding(
            path="rtl/b.sv",
            line=7,
            column=3,
            end_column=4,
            severity=LintSeverity.ERROR,
            rule="UNSUPPORTED",
            message="Unsupported: something: with a colon",
        ),
    ]


def test_one_finding_printed_twice_is_one() -> None:
    line = "%Warning-X: a.sv:1:1: same\n"
    assert len(verilator_findings(line * 3)) == 1


def test_anything_else_that_is_printed_is_no_finding() -> None:
    assert verilator_findings("") == []
    assert verilator_findings("%Error: Cannot find file\nmake: *** [x]\n%Warning-A: a.sv: no line\n") == []
