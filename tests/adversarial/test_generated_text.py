"""Text of a design in the C++ that Verilator writes: none leaves a string or a comment, and what would is found."""

from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Outcome

from ..support.designs.submissions import run, toolchain
from .submission import flow

__all__ = ("toolchain",)

GUARD = Path(__file__).parents[2] / "harness" / "benchwright_harness" / "inside" / "guard"
MARK = "INJECTED"
MODULE = """
interface ifc; string s; event e; endinterface
module sub(input i); int n; always @(posedge i) n <= 1; endmodule
module top(input clk, input a, output y);
assign y = a;
string p; always @(posedge clk) p = {p, "y"};
logic [63:0] v; int n; event e; bit b; ifc i();
%s
endmodule
"""
WAITED = (
    "initial @(posedge (p == §)) n = 1;",
    "initial @(p < §) n = 1;",
    "initial @({p, §} == p) n = 1;",
    "initial @(posedge clk iff p == §) n = 1;",
    "always @(posedge clk or posedge (p == §)) n <= 1;",
    "always_ff @(posedge clk iff p == §) n <= 1;",
    "function bit f(); return p == §; endfunction initial @(posedge f()) n = 1;",
    "function bit f(string s); return s == p; endfunction wire w = f(§); initial @(w) n = 1;",
    "wire w = (p == §); initial @(posedge w) n = 1;",
    "wire w = (p == §); wire x = w & a; initial @(posedge x) n = 1;",
    "sub s(.i(p == §));",
    "logic w; always_comb w = (p == §); initial @(posedge w) n = 1;",
    "logic w; always @* w = (p != §); initial @(posedge w) n = 1;",
    "logic w; always @(p) w = (p != §); initial @(posedge w) n = 1;",
    "localparam string L = §; initial @(posedge (p == L)) n = 1;",
    "localparam L = §; initial @(posedge (v == L)) n = 1;",
    "initial @($sformatf(§, n) == p) n = 1;",
    "int m[string]; initial @(m[§]) n = 1;",
    "struct {string s;} t; initial @(posedge (t.s == §)) n = 1;",
    "class K; string s; endclass K k; initial begin k = new; @(posedge (k.s == §)) n = 1; end",
    "initial @(posedge (i.s == §)) n = 1;",
    "virtual ifc vi; initial begin vi = i; @(posedge (vi.s == §)) n = 1; end",
    'initial @(posedge (p inside {§, "b"})) n = 1;',
    "let L(x) = (x == §); initial @(posedge L(p)) n = 1;",
    "initial wait (p == §) n = 1;",
    "initial fork wait (n == 1 && p == §); join_any",
    "initial wait (e.triggered && p == §);",
    "clocking cb @(posedge (p == §)); input a; endclocking initial @(cb) n = 1;",
    "assert property (@(posedge (p == §)) a);",
    "initial v = @(posedge (p == §)) 1;",
    '`define S(x) initial @(posedge (p == `"x`")) n = 1;\n`S( ? INJECTED(1) : )',
)
"""What can become part of an event."""
STRINGS = (
    "assert property (@(posedge clk) disable iff (p == §) a) else $error(§);",
    "cover property (@(posedge clk) p == §);",
    "covergroup g @(posedge clk); option.comment = §; c: coverpoint n { bins x = {1}; } endgroup g o = new;",
    "initial $display(§); initial $error(§); final $write({§, p});",
    "initial $monitor(§, n); initial n = $test$plusargs(§);",
    "initial begin $dumpfile(§); $dumpvars; end",
    "logic [7:0] m[4]; initial $readmemh(§, m); initial n = $fopen(§);",
    "(* foo = § *) logic z; assign z = v == §;",
    "string q[2] = '{§, §}; initial $timeformat(-9, 1, §, 4);",
    'always_comb case (p) §: n = 1; "b": n = 2; default: n = 3; endcase',
    'class K #(string S = "a"); static function string g(); return S; endfunction endclass initial p = K#(§)::g();',
    'class K; rand int x; constraint c { x > 3; if (§ == "a") x < 10; } endclass\n'
    "K k; initial begin k = new; n = k.randomize(); end",
    "class K; rand int x; endclass K k; initial begin k = new; n = k.randomize() with { x > 3; }; p = §; end",
    "initial begin n = std::randomize(v) with { v > 3; }; p = §; end",
    "initial while (p == §) @(posedge clk); initial #(p == § ? 1 : 2) n = 1;",
    "`pragma foo §\n",
    "task automatic t(string s); #1 p = s; endtask initial t(§);",
)
NAMES = (
    "logic ¤; initial @(posedge ¤) n = 1; always_comb b = ¤;",
    "event ¤; initial @(¤) n = 1; initial -> ¤;",
    "string ¤; initial @(posedge (¤ == p)) n = 1; initial $display(¤);",
    'sub ¤(.i(a)); initial $display("%m");',
    "function int ¤(int k); return k + n; endfunction initial n = ¤(n);",
    'initial begin : ¤ int k; k = 1; #1 $display("%m"); end',
    "if (1) begin : ¤ int q; initial #1 q = 1; end",
    'class ¤; rand int y; endclass ¤ k; initial begin k = new; $display("%p", k); end',
    "class K; rand int ¤; constraint c { ¤ > 3; } endclass K k; initial begin k = new; n = k.randomize(); end",
    'typedef struct {int ¤; string s;} st; st t; initial begin t.¤ = 1; $display("%p", t); @(t.¤); end',
    'typedef enum {¤, B} en; en x; initial $display("%s %p", x.name(), x);',
    '¤: assert property (@(posedge clk) a) else $error("%m");',
    "¤: cover property (@(posedge clk) a);",
    "clocking ¤ @(posedge clk); input a; endclocking initial @(¤) n = 1;",
    "covergroup ¤ @(posedge clk); ¤: coverpoint n { bins ¤ = {1}; } endgroup",
    "logic ¤ /*verilator public_flat_rw*/; initial ¤ = 1;",
    "parameter ¤ = 1; initial #(¤) n = 1;",
)
PIECES = ('\\"', "\\\\", "\\n", "\\042", "\\x22", *"'`;(){},", "//", "/*", "*/", "??/", " ? ", " : ")
OPTIONS = (
    (),
    ("--trace",),
    ("--coverage",),
    ("--vpi", "--public-flat-rw", "--trace-structs", "--trace"),
    ("--assert", "--output-split", "0", "--coverage-user"),
)
_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.DOTALL)
_MARKED = re.compile(rf"(?<![A-Za-z0-9_]){MARK}")


def designs(seed: int, count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Designs with text that means something in C++, and options for Verilator."""
    chance = random.Random(seed)
    shapes = [*WAITED, *STRINGS, *NAMES]
    for number in range(count):
        shape = shapes[number % len(shapes)] if number < len(shapes) else chance.choice(shapes)
        pieces = [chance.choice(PIECES) for _ in range(chance.randint(0, 4))]
        pieces.insert(chance.randint(0, len(pieces)), f"{chance.choice((' ? ', ' ', ');', '+'))}{MARK}(1) : ")
        text = "".join(pieces)
        name = "\\a" + re.sub(r"\s", "", text.replace('\\"', '"')) + " "
        yield MODULE % shape.replace("§", f'"{text}"').replace("¤", name), chance.choice(OPTIONS)


def escapes(folder: Path) -> bool:
    """Whether the mark is outside of strings and comments."""
    files = [*folder.glob("*.cpp"), *folder.glob("*.h")]
    return any(_MARKED.search(_CODE.sub(" ", file.read_text(encoding="utf-8", errors="replace"))) for file in files)


class Tool:
    """Verilator and its guards, outside of a sandbox: nothing is compiled."""

    def __init__(self, folder: Path) -> None:
        verilator, variables = Toolchain.find(Home.from_environment().cache).host_verilator_and_variables
        self._verilator = str(verilator)
        self._environ = os.environ | variables | {"BENCHWRIGHT_HIDDEN": "/src", "BENCHWRIGHT_SUBMITTED": "top.sv"}
        self._folder = folder
        self._numbers = itertools.count()

    def write(self, text: str, options: tuple[str, ...], *, guarded: bool) -> Path | None:
        """Have the C++ of a design written; none if it was refused."""
        (self._folder / "top.sv").write_text(text, encoding="utf-8")
        folder = self._folder / f"generated{next(self._numbers)}"
        program = str(GUARD / "verilator") if guarded else self._verilator
        command = [program, "--cc", "--exe", "--main", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", *options]
        command += ["--prefix", "Vtop", "--top-module", "top", "--Mdir", str(folder), "top.sv"]
        return folder if self._run(command) == 0 else None

    def check(self, folder: Path) -> bool:
        """Whether what was written may be compiled."""
        return self._run([str(GUARD / "generated"), str(folder)]) == 0

    def _run(self, command: list[str]) -> int:
        return subprocess.run(
            command, cwd=self._folder, env=self._environ, capture_output=True, timeout=60, check=False
        ).returncode


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool(tmp_path)


@pytest.mark.parametrize("count", [70, pytest.param(2000, marks=pytest.mark.nightly)])
def test_what_the_guards_let_through_holds_no_text_of_the_design_as_code(tool: Tool, count: int) -> None:
    passed = 0
    for text, options in designs(1, count):
        folder = tool.write(text, options, guarded=True)
        if folder is not None:
            passed += 1
            assert not escapes(folder), text
    assert passed > count / 10


@pytest.mark.parametrize("count", [70, pytest.param(2000, marks=pytest.mark.nightly)])
def test_what_was_written_is_enough_to_find_it(tool: Tool, count: int) -> None:
    escape_count = 0
    for text, options in designs(2, count):
        folder = tool.write(text, options, guarded=False)
        if folder is not None and escapes(folder):
            escape_count += 1
            assert not tool.check(folder), text
    assert escape_count > count / 20


HONEST = (
    "int m[4]; initial $fclose(m[n + (n & 1)]);",
    "class K; rand int x, z; constraint c { x > 3; solve x before z; } endclass\n"
    "K k; initial begin k = new; n = k.randomize(); end",
)
"""What looks unusual in C++, and is Verilator's own."""
PLAIN = '"IDLE: %%, state-1 @(posedge clk"'


@pytest.mark.parametrize("options", OPTIONS)
def test_plain_text_is_let_through(tool: Tool, options: tuple[str, ...]) -> None:
    for shape in (*STRINGS, *NAMES, *HONEST):
        text = MODULE % shape.replace("§", PLAIN).replace("¤", "good_name")
        folder = tool.write(text, options, guarded=False)
        assert folder is None or tool.check(folder), text


# Whatever is called here, Verilator's own functions and the design's variables are there to be named.
@pytest.mark.parametrize(
    "text",
    [
        " , (vlSelf->y = 1) , ",
        " + (vlSelf->y = 1) + ",
        " ? (vlSelf->y = 1, 1) : ",
        "); vlSelf->y = 1; VL_FINISH_MT(1, 0, 0); (",
        "s); vlSelf->y = 1; (void)(",
        "s + std::to_string(vlSelf->y = 1) + ",
    ],
)
@pytest.mark.parametrize(
    "shape",
    [
        "initial @(posedge (p == §)) n = 1;",
        "initial wait (p == §) n = 1;",
        "wire w = (p == §); initial @(posedge w) n = 1;",
    ],
)
def test_names_that_are_verilators_own_do_not_help(tool: Tool, shape: str, text: str) -> None:
    folder = tool.write(MODULE % shape.replace("§", f'"{text}"'), (), guarded=False)
    assert folder is not None
    assert not tool.check(folder)


async def test_constraints_that_are_solved_in_order_are_let_through(toolchain: Toolchain) -> None:
    chosen_flow = flow("cocotb")
    design = chosen_flow.right.replace("endmodule", f"int n;\n{HONEST[1]}\nendmodule\n")
    verdict, output, _ = await run(chosen_flow, design.encode(), toolchain, "verilator")
    assert verdict.outcome is Outcome.PASSED, output
