from __future__ import annotations

from collections.abc import Callable

import pytest
import pytest_lsp
from lsprotocol import types

from .conftest import Editors
from .cursor import VARIANTS, Golden, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def hovered(editor: Editor, text: str, on_disk: dict[str, str] | None = None) -> str | None:
    async with scratch(editor, text, on_disk=on_disk) as file:
        return await file.hover()


async def hover_text(editor: Editor, text: str, on_disk: dict[str, str] | None = None) -> str:
    answer = await hovered(editor, text, on_disk)
    assert answer is not None
    return answer


@pytest.mark.parametrize("ports", [".a, .q", ".q, .a", ".a(a),\n    .q(q)", ".a(),\n    .q"])
async def test_an_instance_that_drives_a_signal_is_told_however_it_is_connected(editor: Editor, ports: str) -> None:
    text = (
        f"module s (input a, output q);\nendmodule\nmodule m (input a, output logic ‸q);\n  s u ({ports});\nendmodule\n"
    )
    assert "driven by `" in await hover_text(editor, text)


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_signal_tells_its_declaration_type_and_drivers(editor: Editor, variant: Callable[[str], str]) -> None:
    text = "module m (input logic a);\n  logic [7:0] «wide»; // eight wires\n  assign «wi‸de» = {8{a}};\nendmodule\n"
    async with scratch(editor, text, variant) as file:
        hover = await file.hover_answer()
        markdown = await file.hover()
        assert hover is not None
        assert markdown is not None
        assert hover.range is not None
        assert file.spans(hover.range) == [file.expected_spans[-1]]
    assert "logic [7:0] wide;" in markdown
    assert "8 bits" in markdown
    assert "eight wires" in markdown
    assert "driven by `" in markdown
    assert "{8{a}}" in markdown


PACKAGE = """package shapes;
  // What a pixel is.
  typedef struct packed {
    logic [4:0] red; // of five bits
    logic [5:0] green;
    logic [4:0] blue;
  } pixel_t;
  typedef enum logic [1:0] { IDLE, BUSY = 2, DONE } state_t;
  localparam int DEPTH = 1 << 4;
  /** Adds up.
   *  Carries are lost.
   */
  function automatic logic [3:0] total(input logic [3:0] a, b);
    return a + b;
  endfunction
endpackage
"""
SUB = """// Counts
// up to a limit.
module counter #(parameter int W = 8, parameter type T = logic [W-1:0]) (
  input  logic clk, // rising edge counts
  input  logic rst,
  output T     value
);
endmodule
"""
USE = """module top import shapes::*; (input logic clk);
  pixel_t pixel;
  state_t state;
  logic [3:0] sum;
  counter #(.W(4)) u_count (.clk(clk), .rst(1'b0), .value(sum));
  initial begin
    pixel.red = 5'd3;
    state = BUSY;
    sum = total(1, DEPTH);
  end
endmodule
"""


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("struct", "pixel;"),
        ("field", "red ="),
        ("enum", "state_t state"),
        ("enum_value", "BUSY;"),
        ("constant", "DEPTH)"),
        ("function", "total("),
        ("module", "counter #"),
        ("instance", "u_count"),
        ("port", "value(sum)"),
        ("parameter", "W(4)"),
        ("package", "shapes::"),
    ],
)
async def test_what_is_declared_elsewhere_is_explained(editor: Editor, golden: Golden, name: str, word: str) -> None:
    on_disk = {"shapes.sv": PACKAGE, "counter.sv": SUB}
    markdown = await hover_text(editor, USE.replace(word, f"‸{word}", 1), on_disk)
    golden.check(f"{name}.md", markdown)


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_macro_is_shown_expanded(editor: Editor, variant: Callable[[str], str]) -> None:
    text = (
        "`define ONE 1\n// The greater.\n`define MAX(a, b) ((a) > (b) ? (a) : (b) + `ONE)\n"
        "module m;\n  wire w = «`M‸AX»(2, 3);\nendmodule\n"
    )
    async with scratch(editor, text, variant) as file:
        markdown = await file.hover()
    assert markdown is not None
    assert "`define MAX(a, b)" in markdown
    assert "((2) > (3) ? (2) : (3) + 1)" in markdown
    assert "The greater." in markdown


async def test_a_macro_of_an_included_file_is_known(editor: Editor) -> None:
    text = '`include "defs.svh"\nmodule m;\n  wire [`WI‸DTH-1:0] w;\nendmodule\n'
    assert "`define WIDTH 12" in await hover_text(editor, text, {"defs.svh": "`define WIDTH 12\n"})


@pytest.mark.parametrize(
    ("literal", "expected_parts"),
    [
        ("8'h‸ff", ["8 bits", "`255`", "`-1`", "`8'b1111_1111`", "`8'o377`"]),
        ("-4'sd‸3", ["4 bits", "signed", "`4'sb0011`"]),
        ("12‸3", ["`32'h7b`", "at least 32 bits"]),
        ("4'b1x‸0z", ["`4'b1x0z`"]),
        ("'‸0", None),
        ("3'd‸9", ["truncated"]),
    ],
)
async def test_a_number_is_shown_in_other_radices(
    editor: Editor, literal: str, expected_parts: list[str] | None
) -> None:
    markdown = await hovered(editor, f"module m;\n  wire [7:0] w = {literal};\nendmodule\n")
    if expected_parts is None:
        assert markdown is None
    else:
        assert markdown is not None
        assert all(part in markdown for part in expected_parts), markdown


@pytest.mark.parametrize(
    "text",
    [
        "module m;\n  // 8'h‸ff is a number\nendmodule\n",
        'module m;\n  initial $display("12‸3 $time");\nendmodule\n',
        "module m;\n  /* $dis‸play */\nendmodule\n",
        "module m;\n  nobo‸dy_knows u ();\nendmodule\n",
        "module m;\n ‸ \nendmodule\n",
        "‸",
        "mod‸ule m;\nendmodule\n",
        "module m;\n  assign a = $no‸such(1);\nendmodule\n",
    ],
)
async def test_what_says_nothing_is_not_explained(editor: Editor, text: str) -> None:
    assert await hovered(editor, text) is None


async def test_system_tasks_and_directives_are_explained(editor: Editor) -> None:
    markdown = await hover_text(editor, "module m;\n  localparam N = $cl‸og2(9);\nendmodule\n")
    assert "function integer $clog2(n)" in markdown
    assert "time unit" in await hover_text(editor, "`times‸cale 1ns/1ps\n")


async def test_a_file_with_syntax_errors_is_explained_too(editor: Editor) -> None:
    text = "module m;\n  logic [3:0] nibble;\n  assign = ;\n  always_comb begin if (nib‸ble\nendmodule\n"
    assert "4 bits" in await hover_text(editor, text)


async def test_an_undeclared_net_is_called_implicit(editor: Editor) -> None:
    assert "implicit `wire`" in await hover_text(editor, "module m;\n  assign imp‸licit = 1'b1;\nendmodule\n")


async def test_a_parameter_has_the_values_of_the_design(editor: Editor) -> None:
    text = "module top;\n  sub #(3) a ();\n  sub #(3) b ();\nendmodule\nmodule sub #(parameter ‸N = 1);\nendmodule\n"
    async with scratch(editor, text) as file:
        markdown = await file.hover()
    assert markdown is not None
    assert "`3` in `top.a` and 1 more" in markdown or "`3` in `top.b` and 1 more" in markdown
    assert "value `1`" in markdown


async def test_an_input_tells_what_the_design_connects_to_it(editor: Editor) -> None:
    text = (
        "module top (input logic [1:0] a);\n  sub u (.d(a[0] & a[1]));\nendmodule\n"
        "module sub (input logic ‸d);\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        markdown = await file.hover()
    assert markdown is not None
    assert "input port of `sub`" in markdown
    assert "connected to `a[0] & a[1]` in `top.u`" in markdown


async def test_the_newest_text_is_explained(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  logic [3:0] ‸data;\nendmodule\n") as file:
        assert "4 bits" in (await file.hover() or "")
        file.type("[8:0]", over_text="[3:0]")
        assert "9 bits" in (await file.hover() or "")


async def test_a_client_without_markdown_gets_plain_text(editors: Editors) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    editor = await editors(capabilities=capabilities)
    async with scratch(editor, "module m;\n  logic [3:0] ‸data;\nendmodule\n") as file:
        hover = await file.hover_answer()
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind is types.MarkupKind.PlainText
    assert hover.contents.value.startswith("logic [3:0] data;")
    assert "`" not in hover.contents.value


FIFO = """module fifo #(parameter type T = logic) (input T d_i);
  T mem [4];
endmodule
module top;
  typedef struct packed {logic [7:0] data; logic last;} beat_t;
  beat_t beat;
  fifo #(.T(beat_t)) u_fifo (.d_i(beat));
endmodule
"""


@pytest.mark.parametrize(
    ("cursor_text", "expected_text"),
    [
        ("T = logic", "parameter type T = logic"),
        ("T = logic", "`beat_t` · 9 bits"),
        ("T mem", "type parameter of `fifo`"),
        ("d_i)", "`T` · that is `beat_t` · 9 bits"),
        ("mem [4]", "`T [0:3]` · `T` is `beat_t` · 36 bits"),
    ],
)
async def test_a_type_parameter_says_what_it_is(editor: Editor, cursor_text: str, expected_text: str) -> None:
    async with scratch(editor, FIFO) as file:
        assert expected_text in (await file.go_to(cursor_text).hover() or "")


async def test_a_word_that_systemverilog_added_is_a_name_in_a_verilog_file(editor: Editor) -> None:
    text = "module m (input do, output reg [3:0] «bit»);\n  always @(posedge do) «bit» <= «b‸it» + 1;\nendmodule\n"
    async with scratch(editor, {"old.v": text}) as file:
        assert "reg [3:0] bit" in (await file.hover() or "")
        assert await file.references() == file.expected_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("package p;\n  typedef enum logic [1:0] {IDLE, B‸USY = NOPE} e;\nendpackage\n", "BUSY = NOPE"),
        (f"module m;\n  localparam w‸ide = 20000'd{'9' * 4400};\nendmodule\n", "localparam wide"),
        ("module m;\n  typedef enum real {A = 1, ‸B} e;\nendmodule\n", "B"),
        ("interface bus (input virtual bus up, input logic c‸lk);\nendinterface\n", "input logic clk"),
    ],
)
async def test_a_declaration_that_slang_can_not_evaluate_is_shown(editor: Editor, text: str, expected: str) -> None:
    async with scratch(
        editor, {"a.sv": text, "b.sv": "module user import p::*; (input logic own);\n  wire w = ow;\nendmodule\n"}
    ) as file:
        assert expected in (await file.hover() or "")
        user = file.open_files["b.sv"].go_to("= o", is_after=True)
        assert "own" in {proposal.label for proposal in await user.completion()}


async def test_a_macro_of_a_header_that_nobody_includes_is_explained_and_leads_there(editor: Editor) -> None:
    on_disk = {"inc/defs.svh": "// Doubles it.\n`define TWICE(x) (2 * x)\n"}
    async with scratch(editor, "module m;\n  int a = `TWI‸CE(b);\nendmodule\n", on_disk=on_disk) as file:
        hover = await file.hover() or ""
        assert all(text in hover for text in ("Doubles it.", "(2 * b)", "defs.svh, which this file does not include"))
        (span,) = await file.definition()
        assert (span.file, file.text_of(span.file)[span.start : span.end]) == ("inc/defs.svh", "TWICE")
    async with scratch(editor, "module m;\n  int a = `NO‸WHERE;\nendmodule\n", on_disk=on_disk) as file:
        assert (await file.hover(), await file.definition()) == (None, [])
