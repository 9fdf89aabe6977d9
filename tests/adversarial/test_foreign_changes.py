"""Designs made at random that write signals: none that Icarus's guard lets through changes the testbench's."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE

from ..support.designs.submissions import toolchain
from ..support.machine.toolchain_tree import command_in_tree

__all__ = ("toolchain",)

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
PORTS = """
input [3:0] d
input var logic [3:0] d
input var logic [3:0] d
input wire logic [3:0] d
input var bit [3:0] d
input var reg [3:0] d
inout [3:0] d
output logic [3:0] d
output [3:0] d
input var [3:0] d
input var logic signed [3:0] d
""".strip().splitlines()
FOREIGN = """
d
d[1]
d[2:1]
d[number]
d[number +: 2]
{own, d}
n
n[0]
tb.d
tb.source
tb.count
count
source
tb.memory[1]
tb.dut.d
part.p
part.p[0]
tb.runs
{d[0], own}
top.d
tb.n
""".strip().splitlines()
"""Signals that are not the design's."""
OWN = """
own
own[1]
own[number]
memory[2]
memory[number]
{own, other}
part.inner
other[2:1]
local_q
""".strip().splitlines()
STATEMENTS = """
§ = 1;
§ <= 2;
§ <= #1 3;
§ += 1;
§++;
force § = 0;
assign § = 0;
set(§);
both(§);
begin force § = 1; release §; end
begin assign § = 1; deassign §; end
if (own !== 9) § = 0;
void'($sscanf("9", "%d", §));
$swrite(§, "a");
for (§ = 0; § < 1; § = § + 1) ;
number = $random(§);
if ($value$plusargs("x=%d", §)) ;
case (own) default: § = 8; endcase
begin : block logic [3:0] deep; deep = own; § = ~deep; end
fork § = 2; join
repeat (2) § = § ^ 4'd15;
§ = #1 own;
§ = @(posedge clk) own;
void'($cast(§, 3));
number = $urandom(§);
number = $dist_uniform(§, 0, 9);
foreach (memory[i]) § = i;
§[0] = 1;
wait (clk) § = 0;
""".strip().splitlines()
"""Statements that write §."""
ITEMS = """
assign § = 0;
assign (supply0, supply1) § = 0;
buf gate(§, own[0]);
drain sink(.o(§));
pulldown(§);
assign (strong0, highz1) § = 0;
tran link(§, other[0]);
bufif1 gate(§, 1'b0, 1'b1);
drain sink(§);
and gate(§, own[0], own[1]);
""".strip().splitlines()
"""Items of a module that drive §."""
CONTEXTS = """
initial begin ¤ end
always @(posedge clk) begin ¤ end
always @(clk, d) begin ¤ end
always @* begin ¤ end
initial #4 begin ¤ end
initial forever begin @(clk); ¤ end
always_ff @(posedge clk) begin ¤ end
task act; begin ¤ end endtask initial #1 act;
generate if (1) begin : g initial #2 begin ¤ end end endgenerate
function int act(input int k); begin ¤ act = k; end endfunction initial #1 number = act(1);
final begin ¤ end
function automatic void act(); begin ¤ end endfunction initial #1 act();
function automatic logic [3:0] act(input int k); begin ¤ act = k; end endfunction always @(clk) other = act(1);
function string act(input int k); begin ¤ act = "a"; end endfunction string said; initial said = act(1);
function real act(input int k); begin ¤ act = 1.0; end endfunction real r; initial #1 r = act(1);
class k; task act; begin ¤ end endtask endclass k object; initial begin object = new; object.act; end
class k; function int act(); begin ¤ act = 1; end endfunction endclass k object = new; initial number = object.act();
task automatic act; begin ¤ end endtask always @(posedge clk) act;
initial fork begin #1; ¤ end join_none
""".strip().splitlines()
"""Items of a module that execute ¤."""
CALLS = """
-> tb.e;
-> e;
tb.run(1);
run(2);
disable tb.run;
begin -> own_event; end
act_own;
""".strip().splitlines()
DESIGN = """`timescale 1ns/1ns
module inside_part(input {kind} [3:0] p); logic [3:0] inner; {inner} endmodule
module drain(output [3:0] o); assign o = 0; endmodule
module top(input clk, {port}, input {net} [3:0] n, output [3:0] q);
  logic [3:0] own, other, memory [0:3], local_q; int number = 1; event own_event;
  inside_part part(.p({given}));
  task set(output logic [3:0] v); v = 1; endtask
  task both(inout logic [3:0] v); v = ~v; endtask
  task act_own; own = 3; endtask
  assign q = own;
  {items}
endmodule
"""


def designs(seed: int, count: int) -> Iterator[tuple[str, bool]]:
    """Designs, and whether all that they write is their own."""
    chance = random.Random(seed)
    for _ in range(count):
        is_own = chance.random() < 0.2
        targets = OWN if is_own else FOREIGN
        port = "input [3:0] d" if is_own else chance.choice(PORTS)
        lines = []
        for _ in range(chance.choice((1, 1, 2))):
            draw = chance.random()
            if draw < 0.1 and not is_own:
                lines.append(chance.choice(CONTEXTS).replace("¤", chance.choice(CALLS)))
            elif draw < 0.25 and not is_own:
                lines.append(chance.choice(ITEMS).replace("§", chance.choice(targets)))
            else:
                statement = chance.choice(STATEMENTS).replace("§", chance.choice(targets))
                lines.append(chance.choice(CONTEXTS).replace("¤", statement))
        # A variable that is given a net drives it in Icarus, even if nothing writes it.
        kind, inner = "logic", ""
        if not is_own and chance.random() < 0.2:
            kind = chance.choice(("var logic", "logic"))
            inner = chance.choice(CONTEXTS).replace("¤", "p = 3;").replace("d)", "p)").replace("clk", "p[0]")
        net = "var logic" if not is_own and chance.random() < 0.1 else "wire"
        given = chance.choice(("d", "n", "{n[1:0], d[3:2]}")) if not is_own else "d"
        parts = {"port": port, "net": net, "given": given, "kind": kind, "inner": inner}
        yield DESIGN.format(items="\n  ".join(lines), **parts), is_own


def outcomes(texts: list[str], folder: Path, toolchain: Toolchain, selection: ToolSelection) -> list[str]:
    """The outcome of each design, in the toolchain's own tree."""
    (folder / "designs.json").write_text(json.dumps(texts), encoding="utf-8")
    options = [
        "--ro-bind",
        str(toolchain.own_programs_folder),
        INSIDE,
        "--ro-bind",
        str(folder),
        "/files",
        "--tmpfs",
        "/src",
    ]
    options += ["--tmpfs", "/code", "--dir", "/code/rtl", "--ro-bind", str(HERE), "/tests"]
    variables = {"BENCHWRIGHT_SUBMITTED": "rtl/top.sv", "BENCHWRIGHT_OWNERSHIP": "1", "BENCHWRIGHT_HIDDEN": "/src"}
    words = command_in_tree(toolchain, options, toolchain.environment(selection) | variables)
    command = [*words, "python3", "/tests/foreign_changes.py", "/files/designs.json"]
    answer: list[str] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return answer


@pytest.mark.parametrize(
    ("count", "icarus"),
    [
        (60, "12"),
        pytest.param(10_000, "12", marks=pytest.mark.nightly),
        pytest.param(1_000, "13", marks=pytest.mark.nightly),
    ],
)
def test_what_the_guard_lets_through_changes_nothing_of_the_testbench(
    count: int, icarus: str, tmp_path: Path, toolchain: Toolchain
) -> None:
    cases = list(designs(3, count))
    counted: Counter[str] = Counter()
    complaints = []
    simulated = outcomes([text for text, _ in cases], tmp_path, toolchain, ToolSelection(icarus=icarus))
    for (text, is_own), outcome in zip(cases, simulated, strict=True):
        counted[outcome.split()[0]] += 1
        if outcome.startswith("changed") or (is_own and outcome == "refused"):
            complaints.append(f"{outcome}:\n{text}")
    print(dict(counted))
    assert not complaints, "\n".join([f"{len(complaints)} designs", *complaints[:5]])
    # Designs that no tool reads, or that nothing refuses, prove nothing.
    assert counted["refused"] > count / 20
    assert counted["kept"] > count / 20


VARIABLE_PORT = """module top(input clk, input [3:0] d, input {kind} [3:0] n, output [3:0] q);
  wire [3:0] w = d + 1;
  {part}
  assign q = n;
endmodule
module leaf(input var logic [3:0] a); {inner} endmodule
module pair(input var logic [1:0] a); {inner} endmodule
module both(inout [1:0] a); assign a = 0; endmodule
"""


@pytest.mark.parametrize("icarus", ["12", "13"])
def test_a_variable_port_that_is_given_a_net_is_icaruss_limit_unless_it_is_written(
    icarus: str, tmp_path: Path, toolchain: Toolchain
) -> None:
    net, written = {"kind": "wire", "inner": ""}, {"kind": "wire", "inner": "initial #1 a = 0;"}
    cases = [
        *(
            ({**net, "part": part}, "unsupported")
            for part in ("leaf l(n);", "leaf l(d);", "leaf l(w);", "pair p(n[1:0]);")
        ),
        ({**net, "part": "leaf l({n[1:0], d[1:0]});"}, "unsupported"),
        ({"kind": "var logic", "inner": "", "part": ""}, "unsupported"),
        ({**net, "part": "leaf l(d + 4'd1);"}, "kept"),
        *(({**written, "part": part}, "refused") for part in ("leaf l(n);", "leaf l(d);", "pair p(n[1:0]);")),
        ({"kind": "var logic", "inner": "", "part": "initial #1 n = 0;"}, "refused"),
        ({**net, "part": "pair p(n[1:0]); both b(n[3:2]);"}, "refused"),
        ({**net, "part": "pair p(n[1:0]); tran t(n[0], n[3]);"}, "refused"),
    ]
    texts = [VARIABLE_PORT.format(**parts) for parts, _ in cases]
    simulated = outcomes(texts, tmp_path, toolchain, ToolSelection(icarus=icarus))
    assert simulated == [outcome for _, outcome in cases]
