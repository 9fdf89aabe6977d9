from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from ..support.editor.diagnostics import PULLS, capabilities
from .conftest import Editors
from .cursor import Scratch, scratch
from .session import PATIENCE_S, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def puller(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor that asks for diagnostics."""
    editor = await Editor.start(tmp_path_factory.mktemp("puller") / "home", capabilities=capabilities(PULLS))
    yield editor
    await editor.quit()


async def pulled(file: Scratch, previous_result: str | None = None) -> Any:
    params = types.DocumentDiagnosticParams(file.identifier, previous_result_id=previous_result)
    return await asyncio.wait_for(file.editor.client.text_document_diagnostic_async(params), PATIENCE_S)


async def test_a_client_that_asks_is_answered_and_never_told(puller: Editor) -> None:
    async with scratch(puller, "module m;\n  wire «w» = unknown_name‸;\n  wire = 1;\nendmodule\n") as file:
        report = await pulled(file)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert any("unknown_name" in item.message for item in report.items)
        assert puller.screen.diagnostics == []


async def test_what_did_not_change_is_not_sent_again(puller: Editor) -> None:
    async with scratch(puller, "module m;\n  wire w = unknown_name;‸\nendmodule\n") as file:
        first = await pulled(file)
        second_report = await pulled(file, first.result_id)
        assert isinstance(second_report, types.RelatedUnchangedDocumentDiagnosticReport)
        assert second_report.result_id == first.result_id
        file.enter(" wire v = other_name;")
        changed = await pulled(file, first.result_id)
        assert isinstance(changed, types.RelatedFullDocumentDiagnosticReport)
        assert len(changed.items) == 2


async def test_an_answer_is_about_the_newest_text(puller: Editor) -> None:
    async with scratch(puller, "module m;\n  ‸\nendmodule\n") as file:
        task = asyncio.create_task(pulled(file))
        await asyncio.sleep(0)
        file.enter("wire = 1;")
        await task
        assert len((await pulled(file)).items) == 1


async def test_a_file_of_another_kind_has_no_diagnostics(puller: Editor) -> None:
    async with scratch(puller, {"notes.md": "module m; wire = 1;‸\n"}) as file:
        assert (await pulled(file)).items == ()


async def test_linters_make_the_client_ask_again(puller: Editor) -> None:
    async with scratch(puller, "module a;\n  wire w;  ‸\nendmodule\n") as file:
        assert (await pulled(file)).items == ()
        refreshed = len(puller.screen.diagnostic_refreshes)
        file.save()
        items: Any = ()
        # The new folder may be a reason to ask again, too.
        while not items:
            seen: int = refreshed
            await puller.wait_until(lambda seen=seen: len(puller.screen.diagnostic_refreshes) > seen, "a refresh")  # type: ignore[misc]
            refreshed += 1
            items = (await pulled(file)).items
        (diagnostic,) = items
        assert (diagnostic.source, diagnostic.code) == ("verible", "no-trailing-spaces")
        assert diagnostic.code_description.href.endswith("/verilog_lint.html#no-trailing-spaces")
        assert diagnostic.severity == types.DiagnosticSeverity.Information


async def test_a_change_in_one_file_shows_in_another(puller: Editor) -> None:
    files = {"a.sv": "module a;\n  later u ();\nendmodule\n", "b.sv": "module b; endmodule‸\n"}
    async with scratch(puller, files) as b:
        a = b.open_files["a.sv"]
        assert len((await pulled(a)).items) == 1
        refreshed = len(puller.screen.diagnostic_refreshes)
        b.paste("module later; endmodule\n")
        await puller.wait_until(lambda: len(puller.screen.diagnostic_refreshes) > refreshed, "a refresh")
        assert (await pulled(a)).items == ()


async def test_a_client_that_cannot_ask_is_told(editors: Editors) -> None:
    editor = await editors(capabilities=capabilities({"textDocument": {"publishDiagnostics": {}}}))
    async with scratch(editor, "module m;\n  wire w = unknown_name‸;\nendmodule\n") as file:
        (diagnostic,) = await file.marked("unknown_name")
        assert (diagnostic.code_description, diagnostic.tags) == (None, None)
        with pytest.raises(Exception, match="Method Not Found"):
            await pulled(file)


async def test_diagnostics_can_be_turned_off(editors: Editors) -> None:
    editor = await editors(options={"features": {"diagnostics": False}})
    async with scratch(editor, "module m;\n  wire w = unknown_name‸;\nendmodule\n") as file:
        await file.code_actions()
        assert [params for params in editor.screen.diagnostics if params.diagnostics] == []


async def test_rules_are_turned_off_and_weighed_while_the_server_runs(editors: Editors) -> None:
    editor = await editors(options={"lint": {"off": ["constant-conversion"]}})
    async with scratch(editor, "module m;\n  wire [3:0] w = 8'd255‸;\nendmodule\n") as file:
        await file.marked()
        settings = {"benchwright": {"lint": {"severity": {"constant-conversion": "error"}}, "serverPath": "x"}}
        editor.client.set_configuration(settings)
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        (diagnostic,) = await file.marked("implicit conversion")
        assert diagnostic.severity == types.DiagnosticSeverity.Error
        assert editor.screen.messages == []


async def test_an_option_that_cannot_be_used_is_told_once(editors: Editors) -> None:
    editor = await editors(options={"diagnostics": {"quietMs": "soon"}, "lint": {"veribleRules": ["+nonsense"]}})
    await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
    assert "benchwright.diagnostics.quietMs" in editor.screen.messages[0]
    async with scratch(editor, "module m;\n  wire w = unknown_name‸;\nendmodule\n") as file:
        await file.marked("unknown_name")
        file.save()
        await editor.wait_until(lambda: len(editor.screen.messages) > 1, "a message about the rules")
        assert "benchwright.lint.veribleRules" in editor.screen.messages[1]
        await file.marked("unknown_name")


async def test_the_unused_is_grey_and_explained(shared_editor: Editor) -> None:
    desk = await shared_editor.open_problem("starter/saturating-counter")
    file = desk.open()
    file.type("  wire spare;\n", before_text="endmodule")
    file.save()
    await shared_editor.wait_until(
        lambda: any(p.code == "UNUSEDSIGNAL" for p in file.problems or ()), "Verilator's problems"
    )
    (unused,) = [p for p in file.problems or () if "spare" in p.message and p.source == "verilator"]
    assert unused.tags == (types.DiagnosticTag.Unnecessary,) or unused.tags == [types.DiagnosticTag.Unnecessary]
    assert unused.code_description is not None
    assert unused.code_description.href == "https://verilator.org/warn/UNUSEDSIGNAL"


async def test_candidates_for_clock_crossings_are_information_and_can_be_waived(editors: Editors) -> None:
    capable = capabilities(PULLS)
    editor = await editors(capabilities=capable, options={"project": {"clockCrossings": True}})
    text = (
        "module m(input logic a, b, x, output logic y, z);\n  logic r;\n  always_ff @(posedge a) r <= x;\n"
        "  always_ff @(posedge b) y <= r;\n  // slang lint_off clock-crossing\n"
        "  always_ff @(posedge b) z <= r;\nendmodule\n"
    )
    async with scratch(editor, {"m.sv": text}) as file:
        crossings = [diagnostic for diagnostic in (await pulled(file)).items if diagnostic.code == "clock-crossing"]
        assert [(crossing.severity, crossing.range.start.line) for crossing in crossings] == [
            (types.DiagnosticSeverity.Information, 3)
        ]
        assert "Candidate" in crossings[0].message


OLD_NAMES = "module m (input do, output reg [3:0] bit);\n  always @(posedge do) bit <= bit + 1;\nendmodule\n"


async def test_words_that_systemverilog_added_are_names_in_a_verilog_file(puller: Editor) -> None:
    async with scratch(puller, {"old.v": OLD_NAMES, "top.sv": "module top; m i (.do(1'b0)); endmodule\n"}) as file:
        assert not (await pulled(file)).items
    async with scratch(puller, {"new.sv": OLD_NAMES}) as file:
        assert (await pulled(file)).items


@pytest.mark.parametrize("option", ["--map-keyword-version 1364-2005+*.sv", "+1364-2001ext+sv", "-v2k"])
async def test_a_list_says_which_files_are_verilog(puller: Editor, option: str) -> None:
    async with scratch(puller, {"old.sv": OLD_NAMES}, on_disk={"all.f": f"{option}\nold.sv\n"}) as file:
        assert not (await pulled(file)).items


async def test_a_setting_says_which_files_are_verilog(editors: Editors) -> None:
    editor = await editors(capabilities=capabilities(PULLS), options={"project": {"verilogFiles": ["*.sv"]}})
    async with scratch(editor, {"old.sv": OLD_NAMES}) as file:
        assert not (await pulled(file)).items


async def test_closing_a_changed_header_unsaved_takes_its_changes_out_of_its_users(editors: Editors) -> None:
    editor = await editors()
    user = '`include "h.svh"\nmodule m;\n  wire [`W-1:0] x;\nendmodule\n'
    async with scratch(editor, {"a.sv": user, "h.svh": "`define V 8\n"}) as file:
        await file.marked("unknown macro")
        header = file.open_files["h.svh"]
        header.replace(0, len(header.text), "`define W 8\n")
        await file.marked()
        header.close()
        await file.marked("unknown macro")
