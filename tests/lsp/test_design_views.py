"""Drivers, loads and registers of a design, as an editor asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from benchwright_verilog.syntax.lines import Lines

from ..support.studies.study import begin, foresee, open_task, study_allowing
from .conftest import Editors
from .cursor import Scratch, scratch
from .session import Editor, File, reference, starting_text

pytestmark = pytest.mark.asyncio(loop_scope="module")

REFUSED = -32803
LEAF = """\
module leaf #(parameter W = 4) (input clk, rst, input [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk)
    if (rst) q <= '0;
    else q <= d;
endmodule
"""
TOP = """\
module top(input clk, rst, input [7:0] data, output [7:0] result);
  wire [7:0] mid‸dle;
  leaf #(8) u_first (.clk, .rst, .d(data), .q(middle));
  leaf #(8) u_second (.clk, .rst, .d(middle), .q(result));
endmodule
"""
DESIGN = {"leaf.sv": LEAF, "top.sv": TOP}
FORBIDDING = study_allowing()


def cursor_params(file: Scratch) -> dict[str, Any]:
    text_before = TOP.split("‸")[0]
    return {
        "uri": file.uri,
        "position": {"line": text_before.count("\n"), "character": len(text_before.rpartition("\n")[2])},
    }


def ends(registers_answer: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(flow["text"], [end["signal"]["path"] for end in flow["signals"]]) for flow in registers_answer["flows"]]


async def test_drivers_are_asked_level_by_level_from_the_cursor_to_the_top(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        answer = await shared_editor.ask("drivers", **cursor_params(file))
        assert answer["signal"]["path"] == "top.middle"
        assert answer["signal"]["declared"]["start"] == {"line": 1, "character": 13}
        assert ends(answer) == [(".q(middle)", ["top.u_first.q"])]
        inside = await shared_editor.ask("drivers", uri=file.uri, signal="top.u_first.q")
        assert ends(inside)[1] == ("q <= d", ["top.u_first.d", "top.u_first.rst", "top.u_first.clk"])
        assert inside["flows"][1]["at"]["uri"].endswith("/leaf.sv")
        assert inside["flows"][1]["at"]["start"] == {"line": 3, "character": 9}
        assert [end["part"] for end in inside["flows"][1]["signals"]] == ["value", "condition", "event"]
        input_ = await shared_editor.ask("drivers", uri=file.uri, signal="top.u_first.d")
        assert ends(input_) == [(".d(data)", ["top.data"])]
        top = await shared_editor.command("drivers", uri=file.uri, signal="top.data")
        assert (top["flows"], top["portOfTop"]) == ([], "in")


async def test_loads_lead_the_other_way(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        assert ends(await shared_editor.ask("loads", **cursor_params(file))) == [(".d(middle)", ["top.u_second.d"])]
        answer = await shared_editor.ask("loads", uri=file.uri, signal="top.u_second.d")
        assert ends(answer) == [("q <= d", ["top.u_second.q"])]


async def test_what_was_typed_and_not_saved_counts(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        file.type("assign middle = 1;", after_text="u_second (.clk, .rst, .d(middle), .q(result));\n")
        assert ("middle = 1", []) in ends(await shared_editor.ask("drivers", **cursor_params(file)))


async def test_connections_are_shown_as_they_are_written(shared_editor: Editor) -> None:
    instances = "  leaf u_star (.*);\n  leaf u_name (.clk, .rst(rst), .d(), .q());\n  leaf u_order (clk, rst);\n"
    top = f"module top(input clk, rst, input [3:0] d, output [3:0] q);\n{instances}endmodule\n"
    async with scratch(shared_editor.forget(), {"top.sv": top, "leaf.sv": LEAF}) as file:
        texts = [text for text, _ in ends(await shared_editor.ask("loads", uri=file.uri, signal="top.clk"))]
        assert texts == [".*", ".clk", ".clk(clk)"]
        drivers = await shared_editor.ask("drivers", uri=file.uri, signal="top.u_name.rst")
        assert ends(drivers) == [(".rst(rst)", ["top.rst"])]


async def test_where_no_signal_is_that_is_told(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        nowhere = {"uri": file.uri, "position": {"line": 0, "character": 3}}
        code, message = await shared_editor.refusal("drivers", **nowhere)
        assert (code, "Put the cursor on the name" in message) == (REFUSED, True)
        assert "no signal top.gone" in (await shared_editor.refusal("loads", uri=file.uri, signal="top.gone"))[1]
        assert "Say which signal" in (await shared_editor.refusal("loads", uri=file.uri))[1]


async def test_registers_are_those_of_the_module_around_the_cursor(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        leaf = f"{file.folder.as_uri()}/leaf.sv"
        answer = await shared_editor.ask("registers", uri=leaf, position={"line": 3, "character": 0})
        assert (answer["module"], answer["instance"], answer["complete"]) == ("leaf", "top.u_first", True)
        (register,) = answer["registers"]
        assert (register["type"], register["edge"], register["clock"]) == ("logic[7:0]", "posedge", "clk")
        reset_fields = [register[f"reset{suffix}"] for suffix in ("", "Active", "Asynchronous", "Value")]
        assert reset_fields == ["rst", 1, False, "'0"]
        second = await shared_editor.ask("registers", uri=file.uri, module="leaf", instance="top.u_second")
        assert second["registers"][0]["path"] == "top.u_second.q"
        assert (
            "no instance top.u_third"
            in (await shared_editor.refusal("registers", uri=file.uri, module="leaf", instance="top.u_third"))[1]
        )


async def test_each_use_in_an_attempt_is_an_event(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open(text=reference("saturating-counter"))
    module_position = {"uri": file.uri, "position": {"line": 0, "character": 0}}
    assert "Press Start first" in (await editor.refusal("registers", **module_position))[1]
    await desk.start()
    answer = await editor.ask("registers", **module_position)
    assert answer["registers"]
    await editor.ask("drivers", uri=file.uri, signal=answer["registers"][0]["path"])
    aid_uses = desk.events_of_kind("aid_used")
    assert [(aid_use.aid, aid_use.feature) for aid_use in aid_uses] == [
        ("design_views", "registers"),
        ("design_views", "drivers"),
    ]
    assert aid_uses[0].path == Path(file.path).relative_to(desk.folder).as_posix()
    assert aid_uses[1].detail == answer["registers"][0]["path"]


async def test_a_condition_that_forbids_views_refuses_them_by_whatever_file_they_are_asked(
    editors: Editors, home: Path
) -> None:
    await begin(home, FORBIDDING)
    editor = await editors()
    await editor.ask("giveConsent", study="bare", version="2")
    await foresee(editor, "bare")
    desk = await open_task(editor, "bare")
    await desk.start()
    file = desk.open(text=reference("saturating-counter"))
    file.save()
    parent_uri = desk.folder.parent.as_uri()
    # Who opens the folder around a workspace asks by another file, and sees the same module.
    folder_change = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(parent_uri, "above")], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(folder_change))
    module = reference("saturating-counter").partition("module ")[2].split()[0].strip("#(;")
    for uri in (file.uri, desk.uri, parent_uri):
        for operation, params in (
            ("registers", {"module": module}),
            ("drivers", {"signal": f"{module}.clk"}),
            ("stateMachines", {"module": module}),
            ("schematic", {"module": module}),
            ("designSize", {"module": module}),
        ):
            assert "does not allow views of the design" in (await editor.refusal(operation, uri=uri, **params))[1]
    # The call hierarchy shows drivers and loads too.
    assert not await prepared(file, "count <= count + ")
    assert desk.events_of_kind("aid_used") == []


async def prepared(file: File, before_text: str) -> Any:
    """The items of the call hierarchy at the place before a text."""
    position = Lines(file.text).range(offset := file.text.index(before_text), offset).start
    params = types.CallHierarchyPrepareParams(types.TextDocumentIdentifier(file.uri), position)
    return await file.editor.client.text_document_prepare_call_hierarchy_async(params)


async def test_drivers_in_the_call_hierarchy_are_a_recorded_aid(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open(text=reference("saturating-counter"))
    (item,) = await prepared(file, "count <= count + ")
    params = types.CallHierarchyIncomingCallsParams(item)
    assert not await editor.client.call_hierarchy_incoming_calls_async(params)
    await desk.start()
    assert await editor.client.call_hierarchy_incoming_calls_async(params)
    (aid_use,) = desk.events_of_kind("aid_used")
    assert (aid_use.aid, aid_use.feature, aid_use.detail) == ("design_views", "drivers", "count")


async def test_state_machines_have_names_conditions_and_places_in_the_source(shared_editor: Editor) -> None:
    text = starting_text("uart-parity")
    async with scratch(shared_editor.forget(), {"uart_tx.sv": text}) as file:
        answer = await shared_editor.ask("stateMachines", uri=file.uri, module="uart_tx")
        (machine,) = answer["machines"]
        names = [state["name"] for state in machine["states"]]
        assert (machine["name"], machine["clock"], machine["reset"], names[machine["resetState"]]) == (
            "state",
            "clk",
            "rst",
            "IDLE",
        )
        begins = next(
            transition
            for transition in machine["transitions"]
            if transition["source"] == 0 and transition["target"] == 1
        )
        line = text.splitlines()[begins["at"]["start"]["line"]]
        assert f"state <= {names[1]}" in line
        assert [state["reachable"] for state in machine["states"]] == [True] * len(names)
        assert machine["complete"]


def wires(schematic_answer: dict[str, Any]) -> set[tuple[str, str, str, int]]:
    """Connections as (from, to, net, bits); a cell is called by its name or type."""
    names = [cell["name"] or cell["type"] for cell in schematic_answer["cells"]]

    def end(terminal: dict[str, Any]) -> str:
        return f"{names[terminal['cell']]}.{terminal['port']}" if terminal["cell"] is not None else terminal["port"]

    return {
        (end(connection["source"]), end(connection["target"]), connection["net"], connection["width"])
        for connection in schematic_answer["connections"]
    }


async def test_a_schematic_has_instances_as_boxes_and_leads_to_the_source(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        answer = await shared_editor.ask("schematic", **cursor_params(file))
        assert answer["module"] == "top"
        assert [(cell["name"], cell["type"], cell["isInstance"]) for cell in answer["cells"]] == [
            ("u_first", "leaf", True),
            ("u_second", "leaf", True),
        ]
        assert {
            ("data", "u_first.d", "data", 8),
            ("u_first.q", "u_second.d", "middle", 8),
            ("u_second.q", "result", "result", 8),
        } <= wires(answer)
        assert answer["cells"][1]["at"]["uri"] == file.uri
        assert answer["cells"][1]["at"]["start"]["line"] == 3
        leaf = await shared_editor.ask("schematic", uri=f"{file.folder.as_uri()}/leaf.sv")
        assert "register" in [cell["type"] for cell in leaf["cells"]]
        assert [port["width"] for port in leaf["ports"] if port["name"] == "q"] == [8]


async def test_cells_and_pins_are_called_as_an_engineer_calls_them(shared_editor: Editor) -> None:
    text = (
        "module top(input clk, rst_n, en, input [3:0] a, b, input [1:0] s, output logic [3:0] q, r, output less);\n"
        "  logic [3:0] store [4];\n"
        "  always_ff @(posedge clk or negedge rst_n) if (!rst_n) q <= 4'd3; else if (en) q <= a + b;\n"
        "  always_ff @(negedge clk) begin store[s] <= a; r <= store[b[1:0]]; end\n"
        "  assign less = a < b;\nendmodule\n"
    )
    async with scratch(shared_editor.forget(), text) as file:
        answer = await shared_editor.ask("schematic", uri=file.uri, module="top")
    pins_of_cells = {
        (cell["name"], cell["type"]): {pin["name"]: pin["constant"] for pin in cell["ports"]}
        for cell in answer["cells"]
    }
    register = pins_of_cells["q", "register with asynchronous reset"]
    assert register == {"clock": "", "D": "", "Q": "", "reset (low)": "", "reset value": "4'b0011"}
    assert pins_of_cells["less", "magnitude comparator"] == {"a": "", "b": "", "a < b": ""}
    assert list(pins_of_cells["", "multiplexer"]) == ["0", "1", "select", "out"]
    assert "a + b" in pins_of_cells["", "adder"]
    assert {"write address", "read data", "write clock (falling)"} <= set(pins_of_cells["store", "memory"])
    schematic_wires = wires(answer)
    assert ("rst_n", "q.reset (low)", "rst_n", 1) in schematic_wires
    assert ("q.Q", "q", "q", 4) in schematic_wires
    shown_names = [name for cell, pins in pins_of_cells.items() for name in (*cell, *pins)]
    assert not [name for name in shown_names if "$" in name or "\\" in name or "_" in name.replace("rst_n", "")]


async def test_what_is_included_and_packages_are_found_and_places_are_those_of_each_file(shared_editor: Editor) -> None:
    design = {
        "a.sv": 'module a import p::*; (input word_t x, output word_t y);\n`include "body.svh"\nendmodule\n',
        "body.svh": "  // one\n  assign y = ~x;\n",
        "p.sv": "package p;\n  typedef logic [2:0] word_t;\nendpackage\n",
        "broken.sv": "module broken; this is no design endmodule\n",
    }
    async with scratch(shared_editor.forget(), design) as file:
        answer = await shared_editor.ask("schematic", uri=file.uri, module="a")
        (cell,) = answer["cells"]
        assert (cell["type"], cell["ports"][0]["width"]) == ("inverter", 3)
        assert cell["at"]["uri"].endswith("/body.svh")
        assert cell["at"]["start"] == {"line": 1, "character": 13}


async def test_what_yosys_refuses_is_told_with_its_place(shared_editor: Editor) -> None:
    text = "module a(input logic x, output logic y);\n  always @(posedge x or y) y <= #1 $urandom;\nendmodule\n"
    async with scratch(shared_editor.forget(), text) as file:
        code, message = await shared_editor.refusal("schematic", uri=file.uri, module="a")
        assert code == REFUSED
        assert message.startswith("Yosys can't read the module. a.sv:2: ")


async def test_a_size_has_what_it_was_before_the_sources_changed(shared_editor: Editor) -> None:
    async with scratch(shared_editor.forget(), DESIGN) as file:
        first = await shared_editor.ask("designSize", **cursor_params(file))
        assert (first["now"]["flipFlopBits"], first["before"]) == (16, None)
        assert first["now"]["longestPath"] >= 0
        assert await shared_editor.ask("designSize", **cursor_params(file)) == first
        file.type(
            "logic [4:0] more; always_ff @(posedge clk) more <= data + more;\n", after_text="wire [7:0] middle;\n"
        )
        file.type(".d(middle + more)", over_text=".d(middle)")
        second = await shared_editor.ask("designSize", **cursor_params(file))
        assert second["now"]["flipFlopBits"] == 21
        assert second["before"] == first["now"]
        assert second["now"]["longestPath"] > first["now"]["longestPath"]


async def test_a_module_that_never_ends_its_loop_is_refused_in_time(shared_editor: Editor) -> None:
    text = "module a(output logic [7:0] y);\n  always_comb begin y = 0; while (y < 300) y = y + 1; end\nendmodule\n"
    async with scratch(shared_editor.forget(), text) as file:
        assert "Yosys" in (await shared_editor.refusal("schematic", uri=file.uri, module="a"))[1]


async def test_a_size_names_what_cells_do_and_where(shared_editor: Editor) -> None:
    text = (
        "module top(input clk, input [3:0] a, b, input [1:0] s, output logic [3:0] q, output logic y);\n"
        "  always_ff @(posedge clk) if (s[0]) q <= a * b;\n"
        "  always_comb case (s) 0: y = ^a; 1: y = (a > b) && b != 3; default: y = 0; endcase\nendmodule\n"
    )
    async with scratch(shared_editor.forget(), text) as file:
        answer = await shared_editor.ask("designSize", uri=file.uri, module="top")
    types_of_cells = {cell["type"] for cell in answer["now"]["cells"]}
    assert {"multiplier", "register", "reduction XOR", "magnitude comparator", "AND"} <= types_of_cells
    shown_names = [*types_of_cells, *answer["path"]]
    assert not [name for name in shown_names if "$" in name or "\\" in name or "_" in name]
    assert answer["path"][-1] == "y"
    assert any(" at a.sv:3" in step for step in answer["path"])
