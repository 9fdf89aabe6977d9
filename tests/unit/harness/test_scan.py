from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.scan import scan_solution
from benchwright_harness.scan.rules import rules
from benchwright_harness.scan.source import rule_matches
from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    ScanAction,
)

PACKS = Path(__file__).parents[3] / "problems" / "benchwright_problems" / "packs"


def problem_to_scan(category: Category = Category.SPEC_TO_RTL, **hidden_fields: object) -> Problem:
    return Problem(
        id="p",
        kind=ProblemKind.DESIGN,
        title="",
        category=category,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="", expected=("rtl/a.sv",)),
        hidden=Hidden.model_validate(hidden_fields),
    )


def scan_results(text: str, scanned_problem: Problem | None = None) -> list[tuple[str, int, ScanAction]]:
    findings = scan_solution(scanned_problem or problem_to_scan(), {"rtl/a.sv": text.encode()})
    return [(finding.rule, finding.line, finding.action) for finding in findings]


@pytest.mark.parametrize(
    "text",
    [
        "x = $clog2(N) + $signed(a) - $unsigned(b) + $bits(c);",
        'initial $display("a %d", $time);',
        '// $fopen("/src/x")\n/* $system */',
        'initial $display("$fopen is a word here");',
        '`include "defs.vh"\n`include "../rtl/other.sv"',
        '$readmemh("rom.hex", m);',
        "`define SAFE(x) (x[$:0] + $clog2(x))",
        "property p; $past(a) |-> $rose(b); endproperty",
        "covergroup g; endgroup",
        r"wire \odd$name ;",
    ],
)
def test_honest_designs_are_left_alone(text: str) -> None:
    assert scan_results(text) == []


SYNTHESISED = problem_to_scan(harness={"src/synth.py": 'os.system("yosys -s /src/synth.ys > /code/rundir/synth.log")'})


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('initial $display("Number of %s: %d", "cells", 1);', "computed-print"),
        (r'initial $write("Number of\040cells: 1");', "computed-print"),
        ('initial $display("Number of ", "cells: 1");', "computed-print"),
        ("`define TEXT a\ninitial $display(`TEXT);", "computed-print"),
        ('initial $write("ready");', "computed-print"),
        ('initial $display("7");', "computed-print"),
        ("`ifdef SYNTHESIS\n`endif", "tool-branch"),
        ("`ifndef  YOSYS\n`endif", "tool-branch"),
        ("`ifdef \\YOSYS \n`endif", "tool-branch"),
        ("// synopsys translate_off", "tool-branch"),
        ("/* synopsys full_case */", "tool-branch"),
        ("`define A x // more \\\n y", "tool-branch"),
        ('`define A(x) "is x"', "tool-branch"),
        ("module m; assign y = a === 1'bz; endmodule", "simulation-only"),
        ("module m; assign y = a !== b; endmodule", "simulation-only"),
        ("`define SAME ===\nmodule m; assign y = a `SAME b; endmodule", "simulation-only"),
        ("module m; always @(posedge c) q <= #1 d; endmodule", "simulation-only"),
        ("module m; assign (weak1, weak0) y = a; endmodule", "simulation-only"),
        ("module m; initial force y = a; endmodule", "simulation-only"),
        ("module m; assign y = $isunknown(a); endmodule", "simulation-only"),
        ("module m(input a, output y); wire n; assign y = n ? 1'b0 : a; endmodule", "simulation-only"),
        ("module m(input a, output y); reg n; assign y = n ? 1'b0 : a; endmodule", "simulation-only"),
        ("module m; always @* (* full_case *) case (a) endcase endmodule", "simulation-only"),
        ("(* blackbox *) module a;", "opaque"),
    ],
)
def test_where_a_design_is_synthesised_it_can_not_answer_for_the_tool(text: str, rule: str) -> None:
    assert [(rule_name, action) for rule_name, _, action in scan_results(text, SYNTHESISED)] == [
        (rule, ScanAction.REFUSE)
    ]
    assert scan_results(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'initial $display("ready");',
        'always @(posedge c) $display("%d", q);',
        "`ifdef WIDE\n`endif",
        '(* ram_style = "block" *) reg [7:0] m [0:3];',
        "module m; always @(posedge c or negedge r) if (!r) q <= 0; else q <= d == 4'd3; endmodule",
        "module m(input a, output y); wire n; elsewhere u(a, n); assign y = n; endmodule",
        "// translate the address",
        'initial if (W < 1) $error("W is %0d", W);',
    ],
)
def test_where_a_design_is_synthesised_honest_ones_are_left_alone(text: str) -> None:
    assert scan_results(text, SYNTHESISED) == []


LINTED = problem_to_scan(harness={"src/test_runner.py": 'run(["verilator", "--lint-only", "-Wall"])'})


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("// verilator lint_off WIDTH", "tool-comment"),
        ("/*verilator lint_off UNUSED*/", "tool-comment"),
        ("`ifdef VERILATOR\n`endif", "tool-branch"),
        ("`ifndef __ICARUS__\n`endif", "tool-branch"),
        ("`ifndef SYSTEMVERILOG\n`endif", "tool-branch"),
    ],
)
def test_where_a_design_is_linted_it_is_the_same_for_the_linter_and_not_silent(text: str, rule: str) -> None:
    assert scan_results(text, LINTED) == [(rule, 1, ScanAction.REFUSE)]
    assert scan_results(text) == []


@pytest.mark.parametrize(
    ("content", "description", "column"),
    [
        (b"wire \\x\x0b/* ;", "a vertical tab (0x0B)", 8),
        (b"wire a\x0c;", "a form feed (0x0C)", 7),
        (b"// one\r wire a;", "a carriage return without a line feed (0x0D)", 7),
        (b"wire a\x00;", "a null character (0x00)", 7),
        (b"wire a\x1c;", "a control character (0x1C)", 7),
        (b"wire a\x7f;", "a delete character (0x7F)", 7),
        ("wire a\u00a0;".encode(), "U+00A0 outside of comments and strings", 7),
        ("wire \\x\u0085/* ;".encode(), "U+0085 outside of comments and strings", 8),
        (b"wire a\x85;", "the byte 0x85 outside of comments and strings", 7),
        ("wire \u00e9;".encode(), "U+00E9 outside of comments and strings", 6),
    ],
)
def test_a_character_that_tools_read_differently_is_refused_with_its_place(
    content: bytes, description: str, column: int
) -> None:
    (finding, *_) = scan_solution(problem_to_scan(), {"rtl/a.sv": b"\n" + content})
    location = f"rtl/a.sv, line 2, column {column}"
    assert str(finding) == f"{location}: holds {description}, which tools read differently (rule character)"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfmodule m; endmodule",
        b"module m;\r\n\twire a;\r\nendmodule\r\n",
        '// \u00e9 \u00a0 \u2028\nmodule m; initial $display("\u00b5s"); /* \u0085 */ endmodule'.encode(),
        b"// \xff\xfe\nmodule m; endmodule",
    ],
)
def test_usual_line_ends_a_mark_and_any_language_in_comments_and_texts_are_legal(content: bytes) -> None:
    assert scan_solution(problem_to_scan(), {"rtl/a.sv": content}) == ()


@pytest.mark.parametrize(
    "text",
    [
        'initial begin $dumpfile("waves.vcd"); $dumpvars(0, m); end',
        'initial $warning("slow"); initial $info("built"); initial $error("no");',
        'initial $monitor("%b", a); initial $strobe("%b", a);',
        's = $sformatf("%0d passed", 3); t = $realtime; r = $urandom; r = $urandom_range(3);',
        "wire pass, Passed; assign pass = 1;",
        'initial $display("all tests pass");',
    ],
)
def test_debugging_is_legal(text: str) -> None:
    assert scan_results(text) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (r"initial \$fopen (f);", "file"),
        (r"initial \$finish ;", "finish"),
        ("$`F(x)", "assembled"),
        ("`define F $fo\n`define G pen", "assembled"),
        ("`define F(a, b) a``b\ninitial `F($, fopen)(x);", "assembled"),
        ("`define F(a, b) a``b\ninitial `F($write, memh)(x);", "assembled"),
        ("`define F(a) $a\ninitial `F(fopen)(x);", "assembled"),
        ("`define F(a) `a\n`F(include)", "assembled"),
        ("`define F [0:$\nq`F", "assembled"),
        ('`define I import\n`define D(x) `"x`"\n`I `D(DPI) function void f();', "dpi"),
        ('`line 1 "/src/tb.sv" 0', "location"),
        ("`pragma protect begin_protected", "ambiguous"),
        ("`protected", "ambiguous"),
        ("`ifdef (A && B)\n`endif", "ambiguous"),
        ("`ifdef A", "ambiguous"),
        ("`endif", "ambiguous"),
        ("`define include x", "ambiguous"),
        ("module m; endmodule /* more", "ambiguous"),
        ('initial $display("more', "ambiguous"),
        ('`define S(x) `"x // `" $c(y);', "ambiguous"),
        ("wire \\a/*b ;", "ambiguous"),
    ],
)
def test_what_tools_could_put_together_or_read_differently_is_found(text: str, rule: str) -> None:
    assert rule in {rule_name for rule_name, _, _ in scan_results(text)}


@pytest.mark.parametrize(
    "text",
    [
        "int q[$]; assign x = q[$-1]; cover property (a ##[1:$] b); bins b = {[5:$]};",
        '`define REG(n) reg n``_q;\n`define NAME(x) `"x`"\n`REG(a)',
        "`define LOG $display\ninitial `LOG(1);",
        '`define CHECK(x) \\\n  // more \\\n  if (!(x)) $error(`"x`"); \\\n  `ifdef A \\\n  y \\\n  `endif\n`CHECK(1)',
        "import p::*; import `P::x; modport m(import task t, export f); export *::*;",
        "// a // b /* c\n/* // d */ wire \\a+b ; wire \\$end_of$1 ;",
    ],
)
def test_honest_macros_and_names_are_left_alone(text: str) -> None:
    assert scan_results(text) == []


def test_a_file_of_another_name_that_is_included_is_read() -> None:
    scanned_problem = problem_to_scan()
    scanned_problem = scanned_problem.model_copy(
        update={"public": scanned_problem.public.model_copy(update={"expected": ("rtl/a.sv", "rtl/b.txt")})}
    )
    files = {"rtl/a.sv": b'`include "b.txt"', "rtl/b.txt": b"initial $system(1);"}
    assert [finding.path for finding in scan_solution(scanned_problem, files)] == ["rtl/b.txt"]
    assert scan_solution(scanned_problem, files | {"rtl/a.sv": b"wire a;"}) == ()


def test_an_unchanged_file_of_the_problem_is_not_the_solvers() -> None:
    scanned_problem = problem_to_scan()
    text = "wire a;\x0c $fopen(f);"
    scanned_problem = scanned_problem.model_copy(
        update={"public": scanned_problem.public.model_copy(update={"files": {"rtl/a.sv": text}})}
    )
    assert scan_results(text, scanned_problem) == []
    assert scan_results(text + " ", scanned_problem) == [("character", 1, ScanAction.REFUSE)]


def test_the_page_of_the_documentation_has_every_rule_and_its_actions() -> None:
    lines = (PACKS.parents[2] / "docs" / "reference" / "submissions.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    documented_rules = {row[0].strip("`"): row[2:] for row in cells}
    assert documented_rules == {
        name: [rule.action, rule.testbench, rule.synthesis or rule.action, rule.lint or rule.action]
        for name, rule in rules().items()
    }


def test_a_net_that_another_file_drives_has_a_driver_and_one_that_it_reads_has_none() -> None:
    scanned_problem = SYNTHESISED.model_copy(
        update={"public": SYNTHESISED.public.model_copy(update={"expected": ("rtl/a.sv", "rtl/b.sv")})}
    )
    user = b"module a(input i, output y); wire n; b u(.i(i), .o(n)); assign y = n; endmodule"
    driver = b"module b(input i, output o); assign o = i; endmodule"
    assert scan_solution(scanned_problem, {"rtl/a.sv": user, "rtl/b.sv": driver}) == ()
    reader_module = b"module b(input i, input o); endmodule"
    assert [
        finding.what for finding in scan_solution(scanned_problem, {"rtl/a.sv": user, "rtl/b.sv": reader_module})
    ] == ["a net without a driver"]


def test_many_errors_of_the_lexer_hide_nothing() -> None:
    assert ("file", 1, ScanAction.REFUSE) in scan_results("8'hZZ \\ " * 45 + "$fopen(x);")


def test_a_finding_names_file_line_and_words() -> None:
    (finding,) = scan_solution(problem_to_scan(), {"rtl/a.sv": b'\n\ninitial f = $fopen("x");'})
    assert str(finding) == "rtl/a.sv, line 3, column 13: opens or uses files with $fopen (rule file)"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('`include "/etc/passwd"', "outside"),
        ('`include "../../src/x"', "outside"),
        ('$readmemh("/src/x", m);', "outside"),
        ('$dumpfile("/code/src/x");', "outside"),
        ('import "DPI-C" function int f();', "dpi"),
        ('$c("x();");', "native"),
        ('$c32("x()");', "native"),
        ('$cpure("x()");', "native"),
        ("`systemc_header", "native"),
        ("`define A(x) $``x", "assembled"),
        ("`define A $ \\\n fopen", "assembled"),
        ('x = """text""";', "ambiguous"),
    ],
)
def test_what_reaches_beyond_the_design_is_refused(text: str, rule: str) -> None:
    assert (rule, 1, ScanAction.REFUSE) in scan_results(text)


def test_a_name_that_is_computed_is_flagged() -> None:
    assert scan_results("$readmemh(FILE, m);") == [("computed-path", 1, ScanAction.FLAG)]


def test_testbenches_may_do_more() -> None:
    text = 'initial begin $dumpfile("a.vcd"); $dumpvars; f = $fopen("log.txt"); $finish; end'
    assert scan_results(text, problem_to_scan(Category.STIMULUS)) == [("file", 1, ScanAction.FLAG)]


def test_a_problem_may_decide_otherwise() -> None:
    assert scan_results("$fclose(f);", problem_to_scan(scan={"file": "allow"})) == []
    assert scan_results('$display("x");', problem_to_scan(scan={"print": "refuse"})) == [
        ("print", 1, ScanAction.REFUSE)
    ]


def test_what_the_reference_does_is_allowed() -> None:
    scanned_problem = problem_to_scan(reference={"rtl/a.sv": '$fopen("a.txt");'})
    assert scan_results('$fopen("b.txt");', scanned_problem) == []
    assert scan_results("$fclose(f);", scanned_problem) == [("file", 1, ScanAction.REFUSE)]


def test_files_that_the_problem_does_not_take_are_not_read() -> None:
    assert scan_solution(problem_to_scan(), {"rtl/b.sv": b"$fopen"}) == ()


def test_no_reference_of_the_starter_pack_is_refused() -> None:
    files = [file for file in PACKS.rglob("*.sv") if "reference" in file.parts or "public" in file.parts]
    assert files
    for file in files:
        testbench = "verif" in file.parts
        rules = {finding.rule for finding in rule_matches(file.name, file.read_bytes())}
        assert rules <= ({"print", "computed-print", "finish", "wave"} if testbench else {"print"}), file
