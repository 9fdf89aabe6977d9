"""Cells of vendors that a design instantiates: their ports are read, and nothing in their models is checked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from ..support.editor.diagnostics import PULLS, capabilities
from .conftest import Editors
from .cursor import scratch
from .session import PATIENCE_S, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """`timescale 1ns / 1ps
module BAD_CELL (input a); this is no code
endmodule
module my_ram #(parameter DEPTH = 4) (input clk, input [7:0] din, output reg [7:0] dout);
  always @(posedge clk) dout <= nobody_knows_it;
endmodule
"""
USER = """module top (input clk, input [7:0] d, output [7:0] q, input pad, output o);
  my_ram #(.DEPTH(8)) ram (.clk(clk), .din(d), .dout(q), .en(1'b1));
  IBUF buffer (.I(pad), .O(o), .X(pad));
  absent_cell unknown (.a(pad));
endmodule
"""


async def messages_of(editor: Editor, text: str, **other_files: str) -> list[str]:
    on_disk = {name.replace("__", "/").replace("_v", ".v"): content for name, content in other_files.items()}
    async with scratch(editor, {"top.sv": text}, on_disk=on_disk) as file:
        params = types.DocumentDiagnosticParams(file.identifier)
        report = await asyncio.wait_for(editor.client.text_document_diagnostic_async(params), PATIENCE_S)
        return [f"{item.code}: {item.message}" for item in report.items]  # type: ignore[union-attr]


async def test_ports_of_models_are_checked_and_their_bodies_are_not(editors: Editors, tmp_path: Path) -> None:
    models = tmp_path / "vendor" / "deep"
    models.mkdir(parents=True)
    (models / "cells.v").write_text(MODEL)
    client_options = {"project": {"blackBoxes": [str(tmp_path / "vendor")]}}
    editor = await editors(capabilities=capabilities(PULLS), options=client_options)
    messages = await messages_of(editor, USER)
    assert messages == [
        "port-does-not-exist: port 'en' does not exist in 'my_ram'",
        "port-does-not-exist: port 'X' does not exist in 'IBUF'",
        "unknown-module: unknown module 'absent_cell'",
    ]


async def test_without_a_setting_only_what_no_model_declares_is_unknown(editors: Editors) -> None:
    editor = await editors(capabilities=capabilities(PULLS))
    messages = await messages_of(editor, USER)
    assert [message for message in messages if message.startswith("unknown-module")] == [
        "unknown-module: unknown module 'my_ram'",
        "unknown-module: unknown module 'absent_cell'",
    ]


@pytest.mark.parametrize(
    "client_options", [{"project": {"warnings": ["no-unknown-module"]}}, {"lint": {"off": ["unknown-module"]}}]
)
async def test_unknown_modules_need_not_be_reported(editors: Editors, client_options: dict[str, object]) -> None:
    editor = await editors(capabilities=capabilities(PULLS), options=client_options)
    assert await messages_of(editor, "module top;\n  absent_cell unknown ();\nendmodule\n") == []


@pytest.mark.parametrize("option", ["--ignore-unknown-modules", "-Wno-unknown-module"])
async def test_a_list_says_that_unknown_modules_are_not_reported(editors: Editors, option: str) -> None:
    editor = await editors(capabilities=capabilities(PULLS))
    text = "module top;\n  absent_cell unknown ();\nendmodule\n"
    async with scratch(editor, {"top.sv": text}, on_disk={"all.f": f"{option}\ntop.sv\n"}) as file:
        params = types.DocumentDiagnosticParams(file.identifier)
        report = await asyncio.wait_for(editor.client.text_document_diagnostic_async(params), PATIENCE_S)
        assert not report.items  # type: ignore[union-attr]


async def test_a_cell_leads_to_its_model(editors: Editors, tmp_path: Path) -> None:
    (tmp_path / "cells.v").write_text(MODEL)
    editor = await editors(options={"project": {"blackBoxes": [str(tmp_path / "cells.v")]}})
    async with scratch(editor, {"top.sv": USER}) as file:
        file.go_to("my_ram")
        locations = await editor.client.text_document_definition_async(
            types.DefinitionParams(file.identifier, file.position)
        )
        (location,) = locations  # type: ignore[misc]
        assert (location.uri, location.range.start.line) == ((tmp_path / "cells.v").as_uri(), 3)  # type: ignore[union-attr]
        assert "my_ram #(" in (await file.hover() or "")
