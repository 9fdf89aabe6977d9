"""The parts of our `xrun` and `imc` that need no simulator."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

INSIDE = Path(str(files("benchwright_harness"))) / "inside"


@pytest.fixture
def xcelium(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Imports its modules, as the programs in `bin` do."""
    monkeypatch.syspath_prepend(str(INSIDE / "guard"))
    monkeypatch.syspath_prepend(str(INSIDE))
    yield lambda name: importlib.import_module(f"xcelium.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("xcelium", "supervision")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["-coverage", "all", "a.sv"], "coverage", True),
        (["-coverage all", " -covoverwrite", "-covtest test_1"], "test", "test_1"),
        (["/src/a.sv", "/code/b.v", "-sv"], "sources", ["/src/a.sv", "/code/b.v"]),
        (["-define", "BUG_1=1", "+define+A+B=2"], "defines", ["BUG_1=1", "A", "B=2"]),
        (["-define WIDTH=8"], "defines", ["WIDTH=8"]),
        (["+incdir+x+y", "-incdir", "z"], "include_folders", ["x", "y", "z"]),
        (["-top top", "-top", "other"], "tops", ["top", "other"]),
        (["-timescale", "1ns/1ps"], "timescale", "1ns/1ps"),
        (["-seed", "random"], "seed", "random"),
        (["-svseed 7"], "seed", "7"),
        (["-l", "bug_0.log"], "log", "bug_0.log"),
        (['-gpg "WIDTH => 16"'], "parameters", ["WIDTH=16"]),
        (["-access +rwc", "+speed=7"], "plusargs", ["+speed=7"]),
        (["-loadvpi", "/x/libcocotbvpi_ius.so:vlog_startup_routines_bootstrap"], "vpi", "/x/libcocotbvpi_ius.so"),
        (["-R", "", "-input", "@run; exit;"], "run_only", True),
        (['-input "@database -open w -default" -input "@run" '], "plusargs", []),
    ],
)
def test_options_are_understood(words: list[str], field: str, value: object, xcelium: Any) -> None:
    assert getattr(xcelium("command_line").parse_xrun_arguments(words), field) == value


@pytest.mark.parametrize("words", [["-frobnicate"], ["a.vhd"], ["dpi.c"], ["-uvm"], ["-define"], ["-f", "/none"]])
def test_what_is_not_known_is_refused(words: list[str], xcelium: Any) -> None:
    module = xcelium("command_line")
    with pytest.raises(module.UnknownOptionError, match=r"\S"):
        module.parse_xrun_arguments(words)


def test_a_random_seed_is_the_runs_own(xcelium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_seed = xcelium("command_line").fixed_seed
    monkeypatch.setenv("COCOTB_RANDOM_SEED", "42")
    assert (fixed_seed("random"), fixed_seed(None), fixed_seed("7")) == (42, 42, 7)
    assert 0 < fixed_seed("0") <= 0x7FFFFFFF
    assert 0 < fixed_seed("99999999999") <= 0x7FFFFFFF


def test_stop_ends_without_an_error_and_nothing_else_changes(xcelium: Any) -> None:
    source_bytes = b'$stop; // $stop\n$display("$stop \\" $stop"); /* $stop */ $stop(1); $stopwatch; a$stop;\n'
    filtered = xcelium("source_filter").filter_source(source_bytes)
    assert filtered == source_bytes.replace(b"$stop; // ", b"$finish; // ").replace(
        b"*/ $stop(1)", b"*/ $finish(1)"
    ).replace(b"a$stop", b"a$finish")


PREPROCESSED = """`line 1 "rtl/a.sv" 1
module leaf #(parameter W = 1) (input clk);
  ap: assert property (@(posedge clk) a |-> b);
  assert final (x);

`line 20 "rtl/b.sv" 0
  always @(*) begin
    /* assert (no); */
    if (x) assert (y) else $error("assert (z)");
    low: assume #0 (y);
  end
  c1: cover property (@(posedge clk) a);
  // cover property (no);
endmodule : leaf
interface bus; endinterface
module top; cover sequence (s); coverpoint x; endmodule
"""


def test_assertions_are_found_with_their_modules_and_lines(xcelium: Any) -> None:
    assertions = xcelium("assertions").find_assertions(PREPROCESSED)
    assert [(item.module, item.name, item.kind, item.concurrent, item.file, item.line) for item in assertions] == [
        ("leaf", "ap", "assert", True, "rtl/a.sv", 2),
        ("leaf", "", "assert", False, "rtl/a.sv", 3),
        ("leaf", "", "assert", False, "rtl/b.sv", 22),
        ("leaf", "low", "assume", False, "rtl/b.sv", 23),
        ("leaf", "c1", "cover", True, "rtl/b.sv", 25),
        ("top", "", "cover", True, "rtl/b.sv", 29),
    ]


@pytest.mark.parametrize(
    ("assertion", "covers"),
    [
        ("a: assert property (@(posedge clk) x |-> y);", ["@(posedge clk) x", "@(posedge clk) (x) ##0 (y)"]),
        (
            "assert property (@(posedge clk) disable iff (r) x && z |=> y);",
            ["@(posedge clk) disable iff (r) x && z", "@(posedge clk) disable iff (r) (x && z) ##1 (y)"],
        ),
        ("assert property (1'b0 |-> 1'b0);", [" 1'b0", " (1'b0) ##0 (1'b0)"]),
        ("assume property ((x |-> y));", [" x", " (x) ##0 (y)"]),
        ("assert property (x);", [" 1'b1", " x"]),
        ("assert property (x |-> ##[1:$] y);", [" x", " (x) ##0 (##[1:$] y)"]),
        ("assert property ((x |-> y) and (y |-> x));", [" x", " y"]),
        ("assert property (x |-> (y |-> z));", [" x"]),
        ("assert property (x |-> not y);", [" x"]),
        ("assert property (if (x) y);", [" (x)"]),
        ("assert property (accept_on (1'b1) x);", None),
        ("always @(posedge clk) assert property (x |-> y);", None),
    ],
)
def test_covers_tell_whether_an_assertion_is_triggered_and_holds(
    assertion: str, covers: list[str] | None, xcelium: Any
) -> None:
    module = xcelium("triggers")
    text, (marks,) = module.with_trigger_covers(f"module m(input clk);\n  wire x;\n  {assertion}\nendmodule\n")
    if covers is None:
        assert marks is None
    else:
        assert marks.hits == tuple(f"{module.PREFIX}0_{number}" for number in range(len(covers)))
        assert f"{marks.failures[0]}: cover (1'b1); endfunction\n" in text
        assert f") else {module.PREFIX}0(); " in text
    assert [part.partition("); ")[0] for part in text.split("cover property (")[1:]] == (covers or [])


def test_a_cover_that_implies_has_to_be_triggered_too(xcelium: Any) -> None:
    text = "module m(input clk);\nc: cover property (1'b0 |-> x); d: cover sequence (x); e: cover (x);\nendmodule\n"
    _, marks = xcelium("triggers").with_trigger_covers(text)
    assert [len(own.hits) for own in marks] == [2, 0, 0]
    assert not any(own.failures for own in marks)


def test_a_named_property_is_triggered_by_its_own_antecedent(xcelium: Any) -> None:
    source = "property p(a, b); bit v; @(posedge clk) (a, v = b) |-> v; endproperty : p\nassert property (p(x, y));"
    module = xcelium("triggers")
    text, (marks,) = module.with_trigger_covers(f"module m;\n{source}\nendmodule\n")
    assert f"property {module.PREFIX}p_0(a, b); bit v; @(posedge clk) (a, v = b); endproperty" in text
    assert f"{marks.hits[0]}: cover property ( {module.PREFIX}p_0(x, y)); " in text
    assert f"property {module.PREFIX}p_1(a, b); bit v; @(posedge clk) ((a, v = b)) ##0 (v); endproperty" in text


@pytest.mark.parametrize(
    ("source", "condition"),
    [
        ("module m import p::*; #(parameter W = 1) (input clk);@ always_comb assert (x) else begin end", "x"),
        ("module m (interface i, input clk);@ a: assert final (f(x) && y);", "f(x) && y"),
        ("package p; endpackage module m;@ virtual interface bus v; always_comb assume #0 (x);", "x"),
    ],
)
def test_the_condition_of_an_immediate_assertion_is_covered(source: str, condition: str, xcelium: Any) -> None:
    module = xcelium("triggers")
    text, (marks,) = module.with_trigger_covers(f'`line 7 "a.sv" 1\n{source.replace("@", "")}\nendmodule\n')
    name = f"{module.PREFIX}0"
    assert (marks.hits, marks.failures) == ((f"{name}_held",), (f"{name}_failed",))
    header, _, rest = text.partition(f'\n`line 1 "{module.OWN_FILE}" 0\nfunction automatic bit {name}(')
    assert header == f'`line 7 "a.sv" 1\n{source.partition("@")[0]}'
    assert rest.partition("endfunction")[2].startswith('\n`line 7 "a.sv" 0\n')
    assert f"({name}(({condition}) != 0))" in rest


@pytest.mark.parametrize(("block", "can_count"), [("", True), ("else begin end", False), ("$display(1);", False)])
def test_where_no_cover_can_be_an_action_block_could_keep_failures_to_itself(
    block: str, can_count: bool, xcelium: Any
) -> None:
    module = xcelium("triggers")
    text = f"module m;\nclass c; function void f(); assert (x) {block or ';'} endfunction endclass\nendmodule\n"
    assert module.with_trigger_covers(text)[1] == [module.StatementCovers() if can_count else None]


def test_texts_and_escaped_names_are_no_assertions(xcelium: Any) -> None:
    text = 'module m;\n`pragma x assert (a)\nwire \\assert ; initial $display("assert (a)"); // assert (a)\nendmodule\n'
    assert xcelium("assertions").find_assertions(text) == []
    assert xcelium("triggers").with_trigger_covers(text)[1] == []


def test_a_design_does_not_leave_itself_out_of_its_coverage(xcelium: Any) -> None:
    source_bytes = b"// verilator coverage_off\n/* verilator coverage_block_off */\n`verilator_config\ncoverage_off\n"
    filtered = xcelium("source_filter").filter_source(source_bytes)
    assert b"verilator coverage_" not in filtered
    assert b"`verilator_config" not in filtered
    assert xcelium("triggers").with_trigger_covers("/*verilator coverage_off*/ wire x;\n")[0].strip() == "wire x;"


def coverage_line(
    kind: str, module: str, hierarchy: str, count: int, line: int = 1, lines: str = "", object: str = "x"
) -> str:
    point_keys = {"f": "a.sv", "l": line, "n": 1, "page": f"v_{kind}/{module}", "o": object, "S": lines, "h": hierarchy}
    return "C '" + "".join(f"\1{key}\2{value}" for key, value in point_keys.items()) + f"' {count}\n"


DATA = (
    "# SystemC::Coverage-3\n"
    + coverage_line("line", "tb", "tb", 1)
    + coverage_line("line", "dut", "tb.uut", 3, 5, "5-7")
    + coverage_line("branch", "dut", "tb.uut", 0, 9)
    + "".join(coverage_line("toggle", "dut", "tb.uut", count) for count in (1, 1, 1, 0))
    + coverage_line("line", "leaf__W8", "tb.uut.l0", 0, 30, "30-31")
    + coverage_line("user", "dut", "tb.uut.c1", 2, 12)
)


def assertion_facts(
    name: str, kind: str, line: int, concurrent: bool = True, module: str = "dut", failures: tuple[str, ...] = ()
) -> dict[str, object]:
    marks = {"hits": [], "failures": failures}
    facts = {"module": module, "name": name, "kind": kind, "concurrent": concurrent, "file": "a.sv", "line": line}
    return facts | {"marks": marks}


@pytest.fixture
def covered(tmp_path: Path) -> Path:
    folder = tmp_path / "cov_work" / "scope" / "test"
    folder.mkdir(parents=True)
    (folder / "coverage.dat").write_text(DATA)
    statements = [
        assertion_facts("held", "assert", 10),
        assertion_facts("broken", "assert", 11),
        assertion_facts("c1", "cover", 12),
        assertion_facts("", "assert", 6, concurrent=False),
        assertion_facts("", "assert", 30, concurrent=False, module="leaf"),
    ]
    coverage_summary = {"assertions": statements, "failed": ["tb.uut.broken"]}
    (folder / "assertions.json").write_text(json.dumps(coverage_summary))
    return folder


def exit_code_of_imc(xcelium: Any, monkeypatch: pytest.MonkeyPatch, *imc_arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["imc", *map(str, imc_arguments)])
    status: int = xcelium("imc").main()
    return status


def test_a_report_has_the_shape_that_checks_read(
    xcelium: Any, covered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = tmp_path / "coverage.cmd"
    commands.write_text("report -metrics overall -out coverage.log\nreport -html -metrics all -out page -overwrite\n")
    assert exit_code_of_imc(xcelium, monkeypatch, "-load", covered, "-exec", commands) == 0
    heading, rule, *rows = Path("coverage.log").read_text().splitlines()
    assert heading.split("  ")[0] == "name"
    assert set(rule) == {"-"}
    cells = {row.split()[0].strip("|-"): row.split()[1:3] for row in rows}
    # Block 1 of 3, toggle 3 of 4, assertions 3 of 5: with what lies below it.
    assert cells["uut"] == ["56.11%", "58.33%"]
    assert list(cells) == ["tb", "uut", "l0"]
    assert "uut" in Path("page/index.html").read_text()


def test_columns_are_two_spaces_apart_and_cells_are_not(
    xcelium: Any, covered: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "report -metrics all -all -aspect sim -assertionStatus -overwrite -text"
    assert exit_code_of_imc(xcelium, monkeypatch, "-load", covered, "-execcmd", command) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    table_cells = [[cell for cell in line.split("  ") if cell] for line in (lines[0], *lines[2:])]
    stripped = [[cell.strip() for cell in row] for row in table_cells]
    assert stripped[0] == ["name", "Overall Average", "Overall Covered", "Block", "Expression", "Toggle", "Assertion"]
    assert dict(zip(stripped[0], stripped[2], strict=True)) == {
        "name": "|-uut",
        "Overall Average": "56.11%",
        "Overall Covered": "58.33% (7/12)",
        "Block": "33.33% (1/3)",
        "Expression": "n/a",
        "Toggle": "75.00% (3/4)",
        "Assertion": "60.00% (3/5)",
    }


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["-load", "nowhere", "-execcmd", "report -metrics overall"], 1),
        (["-execcmd", "report -metrics overall"], 2),
        (["-load", "nowhere", "-execcmd", "merge all"], 2),
        (["-load", "nowhere"], 2),
    ],
)
def test_what_can_not_be_reported_is_said(
    words: list[str], status: int, xcelium: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of_imc(xcelium, monkeypatch, *words) == status
    assert "imc: *E," in capsys.readouterr().err
