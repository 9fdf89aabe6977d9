"""Reports from the trackers of other tools for hardware languages, each with files of our own; see `reports.md`.

One server for all. Each test is named in `reports.md`, with what the reporter saw and what this server does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .cursor import CURSOR, Scratch, crlf, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def formatted(file: Scratch) -> str:
    return file.edited_text(await file.formatting_edits())


async def applied(file: Scratch, title: str) -> str:
    """The text after a code action at the cursor."""
    action = next(action for action in await file.code_actions() if action.title == title)
    if action.edit is None:
        action = await file.editor.client.code_action_resolve_async(action)
    return file.edited_files(action.edit)[file.name]


def outline(symbols: Sequence[types.DocumentSymbol], depth: int = 0) -> Iterator[str]:
    """The names of an outline, indented by their depth."""
    for symbol in symbols:
        yield "  " * depth + symbol.name
        yield from outline(symbol.children or (), depth + 1)


async def test_every_report_is_a_row_of_the_page() -> None:
    page_text = (Path(__file__).parent / "reports.md").read_text()
    test_names = re.findall(r"^async def test_(\w+)", Path(__file__).read_text(), re.MULTILINE)
    assert re.findall(r"`(\w+)` \|$", page_text, re.MULTILINE) == test_names[1:]


async def test_two_minus_signs_stay_apart(editor: Editor) -> None:
    text = "module m;\n  logic [3:-4] t;\nassign   t[0] = 1;\n  assign t[-1 - -1] = 0;\nendmodule\n"
    async with scratch(editor, text) as file:
        assert await formatted(file) == text.replace("assign   t", "  assign t")
        message = "a.sv was formatted but for lines that verible can't read: 4."
        await editor.wait_until(lambda: message in editor.screen.messages, message)


async def test_a_define_with_windows_line_ends_gets_no_empty_line(editor: Editor) -> None:
    text = "`define DEPTH 1024\n\nmodule   m;  // memory\n  // of words\nendmodule\n"
    async with scratch(editor, text, crlf) as file:
        formatted_text = await formatted(file)
    assert formatted_text == crlf(text.replace("module   m", "module m"))
    async with scratch(editor, formatted_text) as file:
        assert await file.formatting_edits() == []


async def test_an_enumeration_value_is_renamed_at_every_use(editor: Editor) -> None:
    text = (
        "module m (input logic clk);\n  typedef enum {ID‸LE, WORK} state_e;\n  state_e state = IDLE;\n"
        "  always_ff @(posedge clk)\n    unique case (state)\n      IDLE: state <= WORK;\n      WORK: state <= IDLE;\n"
        "    endcase\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        assert file.edited_files(await file.rename("REST")) == {
            "a.sv": text.replace(CURSOR, "").replace("IDLE", "REST")
        }


async def test_ports_are_typed_one_by_one(editor: Editor) -> None:
    text = (
        "module m #(\n  parameter int W = 8 // words\n) (\n  input clk, // clock\n  input rst // reset\n);\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        file.go_to("input rst", is_after=True)
        for character in ", // asynchronous\n\n  input logic [W-1:0] data":
            file.enter(character)
            await file.completion()
            await file.hover()
            await file.document_symbols()
        assert list(outline(await file.document_symbols())) == ["m", "  W", "  clk", "  rst", "  data"]
        await file.marked()


async def test_a_rename_beside_broken_code_changes_that_name_alone(editor: Editor) -> None:
    text = (
        "program p (interface bus);\n  env_c env;\n  initial void'($display(stack#(enum {A, B = list[idx]})));\n"
        "endprogram\nmacromodule memory (clk);\n  input [AW-1:0] add‸r;\n  longint cc;\n"
        "  sub u (.x(`packet()[v]. field), .y(`c));\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        renamed = file.edited_files(await file.rename("place"))
        assert renamed == {"a.sv": text.replace(f"add{CURSOR}r", "place")}


@pytest.mark.parametrize("header", ["\n  import leaf_pkg::*;\n", " // of a tree\n"])
async def test_a_module_with_a_line_before_its_parameters_is_found(editor: Editor, header: str) -> None:
    files = {
        "top.sv": "module top;\n  logic x, y;\n  le‸af #(.Z(3)) u (.x, .y);\nendmodule\n",
        "leaf.sv": f"module «leaf»{header}#(parameter int Z = 1) (input logic x, output logic y);\n"
        "  assign y = x;\nendmodule\n",
        "leaf_pkg.sv": "package leaf_pkg;\nendpackage\n",
    }
    async with scratch(editor, files) as file:
        assert await file.definition() == file.expected_spans
        assert "parameter int Z = 1" in str(await file.hover())


async def test_classes_are_included_into_a_package(editor: Editor) -> None:
    files = {
        "bus_pkg.sv": 'package bus_pkg;\n  `include "item.svh"\n  `include "monitor.svh"\nendpackage\n',
        "item.svh": "class «item»;\n  rand bit [7:0] data;\nendclass\n",
        "monitor.svh": "class monitor;\n  it‸em last;\n  function bit [7:0] peek(); return last.data; endfunction\n"
        "endclass\n",
    }
    async with scratch(editor, files) as file:
        assert await file.definition() == file.expected_spans
        for name in files:
            await file.open_files[name].marked()


async def test_an_include_in_angle_brackets_is_read(editor: Editor) -> None:
    files = {
        "rtl/m.sv": "`include <widths.svh>\nmodule m;\n  logic [`WID‸TH-1:0] w;\n  initial w = 0;\nendmodule\n",
        "inc/widths.svh": "`define «WIDTH» 4\n",
    }
    async with scratch(editor, files) as file:
        await file.marked()
        assert await file.definition() == file.expected_spans


async def test_an_include_by_macros_is_read_but_its_macros_have_no_references(editor: Editor) -> None:
    files = {
        "a.sv": '`define FILE widths.svh\n`define QUOTE(path) `"path`"\n`include `QUOTE(`FILE)\n'
        "module m;\n  logic [`WID‸TH-1:0] w;\n  initial w = 0;\nendmodule\n",
        "widths.svh": "`define «WIDTH» 4\n",
    }
    async with scratch(editor, files) as file:
        await file.marked()
        assert await file.definition() == file.expected_spans
        assert await file.references() == []
        with pytest.raises(JsonRpcException, match="can't be renamed"):
            await file.rename("BITS")


async def test_a_genvar_is_renamed_in_the_loop_too(editor: Editor) -> None:
    text = (
        "module m (input logic [3:0] a, output logic [3:0] y);\n  genvar ‸k;\n"
        "  for (k = 0; k < 4; k++) begin : bits\n    assign y[k] = a[3-k];\n  end\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        renamed = file.edited_files(await file.rename("bit_number"))
        assert renamed == {"a.sv": re.sub(r"\bk\b", "bit_number", text.replace(CURSOR, ""))}


async def test_fields_two_dots_deep_are_found_and_completed(editor: Editor) -> None:
    text = (
        "typedef struct packed {logic «q»; logic qe;} bit_t;\n"
        "typedef struct packed {bit_t parity; bit_t nco;} ctrl_t;\n"
        "typedef struct packed {ctrl_t ctrl;} regs_t;\nmodule m (input regs_t regs, output logic y);\n"
        "  assign y = regs.ctrl.parity.«q‸» ^ regs.ctrl.nco.«q»;\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans
        file.go_to("regs.ctrl.parity.", is_after=True)
        assert [item.label for item in await file.completion(".")] == ["q", "qe"]


async def test_an_inherited_member_is_found_from_the_class_that_inherits_it(editor: Editor) -> None:
    text = (
        "package p;\n  class base_c;\n    int «depth»;\n"
        "    function void zero(); «depth» = 0; endfunction\n  endclass\n"
        "  class child_c extends base_c;\n    function void bump(); «depth‸» = «depth» + 1; endfunction\n  endclass\n"
        "  class user_c;\n    base_c handle;\n    function void go(); handle.«depth» = 9; endfunction\n  endclass\n"
        "endpackage\n"
    )
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans


async def test_a_byte_order_mark_hides_no_module(editor: Editor) -> None:
    files = {
        "top.sv": "\ufeffmodule top;\n  le‸af u ();\nendmodule\n",
        "leaf.sv": "\ufeff// Größe 𝄞\nmodule «leaf»;\nendmodule\n",
    }
    async with scratch(editor, files) as file:
        assert await file.definition() == file.expected_spans
        for name in files:
            await file.open_files[name].marked()


async def test_a_package_completes_the_values_of_its_enumerations(editor: Editor) -> None:
    text = (
        "package p;\n  localparam int W = 8;\n  typedef enum logic [1:0] {IDLE, RUN, DONE} mode_e;\nendpackage\n"
        "module top;\n  p::mode_e mode;\n  initial mode = p::‸;\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        assert {"IDLE", "RUN", "DONE", "W", "mode_e"} == {item.label for item in await file.completion(":")}


async def test_members_are_completed_in_the_parentheses_of_a_macro(editor: Editor) -> None:
    text = (
        '`define INFO(tag, text) $display("%s %s", tag, text);\n'
        "class item;\n  rand bit [7:0] addr;\n  int delay;\nendclass\nmodule m;\n  item req;\n"
        '  initial begin\n    `INFO("DRV", $sformatf("%0h", req.‸))\n  end\nendmodule\n'
    )
    async with scratch(editor, text) as file:
        labels = {item.label for item in await file.completion(".")}
        assert {"addr", "delay", "randomize"} <= labels
        assert not {"m", "req", "item"} & labels


async def test_the_outline_names_ports_and_not_their_types(editor: Editor) -> None:
    text = (
        "module m (\n  input wire [7:0] in_a,\n  output reg [7:0] out_a,\n  input in_b\n);\n"
        "  reg [1:0] unsigned_reg;\n  wire signed [3:0] w;\n"
        "  for (genvar i = 0; i < 2; i++) begin : bits\n    logic t;\n  end\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        names = ["m", "  in_a", "  out_a", "  in_b", "  unsigned_reg", "  w", "  bits", "    t"]
        assert list(outline(await file.document_symbols())) == names


async def test_array_and_interface_ports_are_connected_by_their_names(editor: Editor) -> None:
    text = (
        "interface wb_if #(DW = 64) (input bit clk);\n"
        "  logic [DW-1:0] dat;\n  modport slave (input dat);\nendinterface\n"
        "module dut (wb_if.slave bus, input wire signed [15:0] taps [0:7], wb_if spare);\nendmodule\n"
        "module top;\n  bit clk;\n  wire signed [15:0] taps [0:7];\n"
        "  wb_if #(.DW(32)) bus (clk);\n  wb_if spare (clk);\n"
        "  dut u (‸);\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        connected_text = await applied(file, "Connect all ports")
    connections = "\n    .bus(bus),\n    .taps(taps),\n    .spare(spare)\n  "
    assert connected_text == text.replace(CURSOR, connections)
    async with scratch(editor, connected_text) as file:
        await file.marked()


async def test_typed_and_array_parameters_are_set_by_their_names(editor: Editor) -> None:
    text = (
        "package p;\n  parameter int unsigned DEPTH = 2;\n  parameter bit MASK [2] = '{0, 1};\nendpackage\n"
        "module leaf #(parameter W = 6, parameter int unsigned DEPTH = p::DEPTH, parameter bit MASK [2] = p::MASK)\n"
        "  (input logic clk);\nendmodule\nmodule top (input logic clk);\n  leaf ‸u (.clk);\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        set_text = await applied(file, "Set all parameters")
    assert set_text == text.replace(f" {CURSOR}u", " #(.W(6), .DEPTH(p::DEPTH), .MASK(p::MASK)) u")
    async with scratch(editor, set_text) as file:
        await file.marked()


async def test_a_primitive_with_edges_is_understood_and_its_table_stays(editor: Editor) -> None:
    primitive = (
        "primitive «dff» (output reg q, input clk, d);\n  initial q = 0;\n  table\n    // clk d : old : new\n"
        "    (01)  0 : ? : 0;\n    r     1 : ? : 1;\n    (?0)  ? : ? : -;\n    ?     * : ? : -;\n"
        "  endtable\nendprimitive\n"
    )
    text = f"{primitive}module top (input logic clk, d, output wire q);\n   df‸f u (q, clk, d);\nendmodule\n"
    async with scratch(editor, text) as file:
        await file.marked()
        assert await file.definition() == file.expected_spans
        assert "primitive dff (output reg q, input clk, d);" in str(await file.hover())
        assert (await formatted(file)).startswith(re.sub("[«»]", "", primitive))


async def test_a_module_with_hundreds_of_ports_is_completed_and_resolved(editor: Editor) -> None:
    ports = "".join(f"  input logic [{number % 32}:0] in_{number},\n" for number in range(400))
    text = f"module wide (\n{ports}  output logic out\n);\nendmodule\nmodule top;\n  wide u (.‸);\nendmodule\n"
    async with scratch(editor, text) as file:
        for item in await file.completion("."):
            await file.resolve(item)
        file.enter("in_399")
        (item,) = await file.completion()
        assert (await file.resolve(item)).label == "in_399"


async def test_two_roots_with_a_module_of_the_same_name_keep_to_their_own(editor: Editor) -> None:
    def files(width: int) -> dict[str, str]:
        return {
            "top.v": "module top (input clk, input rst);\n  rt‸l u (.clk(clk), .rst(rst), .q());\nendmodule\n",
            "rtl/rtl.v": f"module «rtl» (input rst, input clk, output [{width}:0] q);\nendmodule\n",
        }

    async with scratch(editor, files(3)) as near_file, scratch(editor, files(7)) as far_file:
        for file in (near_file, far_file):
            assert await file.definition() == file.expected_spans
            await file.marked()
        assert "[3:0]" in str(await near_file.hover())
        assert "[7:0]" in str(await far_file.hover())
