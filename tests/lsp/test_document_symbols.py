from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from lsprotocol import types

from .cursor import VARIANTS, Golden, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYTHING = """\
`define WIDTH(n) (n)
package pkg;
  typedef enum logic [1:0] { IDLE, RUN = 2 } state_t;
  typedef struct packed { logic a; logic [3:0] b; } pair_t;
  parameter int P = 3, Q = 4;
  function automatic int add(input int a, int b); return a + b; endfunction
  class Cat extends Animal; int lives; function new(); endfunction task purr(int times); endtask
    constraint alive { lives > 0; } endclass
endpackage : pkg
interface bus(input clk);
  logic v; modport mst(input v); clocking cb @(posedge clk); endclocking
endinterface
module top #(parameter W = 8, type T = int)(input logic [W-1:0] a, output reg q, bus.mst port);
  wire w1, w2 = 1;
  logic [3:0] x [2];
  genvar g;
  struct packed { logic in; } s;
  sub #(.A(1)) u_sub (.a(a)), u_two [3:0] (x);
  and gate(w1, a, w2);
  always @(*) begin : comb logic inner; end
  always_ff @(posedge clk) if (a) begin : named logic z; end
  initial begin end
  generate for (genvar k = 0; k < 2; k++) begin : gen sub u(k); end endgenerate
  if (W > 1) begin : wide wire z; end
  property stable; a |-> w1; endproperty
  holds: assert property (stable);
  covergroup cg @(posedge clk); cp: coverpoint a; endgroup
endmodule
module old(a, b);
  input a; output [3:0] b;
endmodule
primitive udp(o, i); output o; input i; table 0 : 1; endtable endprimitive
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


def drawn(symbols: Sequence[types.DocumentSymbol], depth: int = 0) -> Iterator[str]:
    for symbol in symbols:
        detail = f" · {symbol.detail}" if symbol.detail else ""
        yield f"{'  ' * depth}{symbol.kind.name} {symbol.name}{detail}"
        yield from drawn(symbol.children or (), depth + 1)


async def outline(file: Scratch) -> list[str]:
    return [line.split(" · ")[0] for line in drawn(await file.document_symbols())]


async def test_everything_that_is_declared_is_in_the_outline(editor: Editor, golden: Golden) -> None:
    async with scratch(editor, EVERYTHING) as file:
        golden.check("everything.txt", "\n".join(drawn(await file.document_symbols())))


@pytest.mark.parametrize("variant", VARIANTS)
async def test_names_are_where_they_stand(editor: Editor, variant: Callable[[str], str]) -> None:
    text = "module «m»;\n  wire «w1», «w2»;\nendmodule\nmodule «n»(input «clk»); sub «u»(clk); endmodule\n"
    async with scratch(editor, text, variant) as file:
        name_ranges: list[types.Range] = []

        def gather(symbols: Sequence[types.DocumentSymbol]) -> None:
            for symbol in symbols:
                assert symbol.range.start <= symbol.selection_range.start
                assert symbol.selection_range.end <= symbol.range.end
                name_ranges.append(symbol.selection_range)
                gather(symbol.children or ())

        gather(await file.document_symbols())
        assert file.spans(name_ranges) == file.expected_spans


async def test_what_is_half_typed_leaves_the_rest_of_the_outline(editor: Editor) -> None:
    whole_modules = "module b;\n  wire x;\n  logic y;\nendmodule\nmodule c; wire z; endmodule\n"
    for broken_module in (
        "module a(input clk);\n  wire w;\n  assign w = (1;\n",
        "module a(input clk);\n  wire w;\n  sub u_sub(.clk(clk), .\n",
        "module a(input clk);\n  wire w;\n  always @(posedge clk) begin case (w) 1: \n",
        "module a(input clk, \n",
    ):
        async with scratch(editor, broken_module + whole_modules) as file:
            outline_lines = await outline(file)
            assert outline_lines[0] == "Module a", broken_module
            assert outline_lines[-5:] == ["Module b", "  Variable x", "  Variable y", "Module c", "  Variable z"], (
                broken_module
            )


async def test_the_outline_follows_the_typing(editor: Editor) -> None:
    async with scratch(editor, "module a; wire x; endmodule\n") as file:
        assert await outline(file) == ["Module a", "  Variable x"]
        file.type("\n\nwire y; ", before_text="wire x")
        symbols = await file.document_symbols()
        assert [line.split(" · ")[0] for line in drawn(symbols)] == ["Module a", "  Variable y", "  Variable x"]
        inner_symbols = symbols[0].children or ()
        assert [symbol.selection_range.start for symbol in inner_symbols] == [
            types.Position(2, 5),
            types.Position(2, 13),
        ]


async def test_a_name_with_a_percent_sign_or_a_quote_is_told_as_it_is(editor: Editor) -> None:
    async with scratch(editor, 'module \\100%d"x ; endmodule\n') as file:
        assert [symbol.name for symbol in await file.document_symbols()] == ['\\100%d"x']


async def test_what_declares_nothing_has_no_outline(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "", "notes.md": "module m; endmodule\n"}) as file:
        assert await file.document_symbols() == []
        assert await file.open_files["notes.md"].document_symbols() == []
