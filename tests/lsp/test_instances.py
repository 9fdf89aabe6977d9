from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Editors
from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALU = """\
module alu #(parameter W = 4) (input [W-1:0] a‸);
  if (W > 8) begin : wide
    wire x;
  end else begin : narrow
    wire y;
  end
endmodule
"""
DESIGN = {
    "alu.sv": ALU,
    "core.sv": (
        "module core #(N = 2) ();\n"
        "  for (genvar i = 0; i < N; i++) begin : g alu #(.W(8 + i)) u (); end\n"
        "  alu pair [2] ();\nendmodule\n"
    ),
    "top.sv": "module top;\n  core #(3) u_core ();\n  nowhere u_missing ();\nendmodule\n",
}
OTHER = {**DESIGN, "bench.sv": "module bench;\n  core #(1) dut ();\nendmodule\n"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities()
    editor = await Editor.start(tmp_path_factory.mktemp("shared") / "home", capabilities=capabilities)
    yield editor
    await editor.quit()


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def hovered(file: Scratch) -> str:
    params = types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(0, len(ALU.split("‸")[0]) - 1))
    hover = await file.editor.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


async def titles(file: Scratch) -> list[str]:
    return [lens.command.title for lens in await file.editor.lenses(file) if lens.command]


def paths(instances_answer: dict[str, Any]) -> list[str]:
    return [instance["path"] for instance in instances_answer["instances"]]


async def test_the_hierarchy_is_asked_level_by_level(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        top = await editor.ask("hierarchy", uri=file.uri)
        assert top["top"] is None
        assert paths(top) == ["top"]
        assert (top["instances"][0]["instantiated"], top["instances"][0]["hasChildren"]) == (None, True)
        core, missing = (await editor.ask("hierarchy", uri=file.uri, path="top"))["instances"]
        assert (core["name"], core["module"], core["kind"]) == ("u_core", "core", "module")
        assert core["parameters"] == [{"name": "N", "value": "3"}]
        assert core["instantiated"]["uri"].endswith("/top.sv")
        assert core["instantiated"]["start"] == {"line": 1, "character": 12}
        assert core["declared"]["uri"].endswith("/core.sv")
        assert (missing["kind"], missing["declared"], missing["hasChildren"]) == ("unknown", None, False)
        inside = await editor.ask("hierarchy", uri=file.uri, path="top.u_core")
        assert [instance["name"] for instance in inside["instances"]] == [
            "g[0].u",
            "g[1].u",
            "g[2].u",
            "pair[0]",
            "pair[1]",
        ]
        assert await editor.command("hierarchy", uri=file.folder.as_uri()) == top


async def test_a_path_that_leads_nowhere_is_told(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        with pytest.raises(JsonRpcException, match=r"The design has no instance top\.u_cor\."):
            await editor.ask("hierarchy", uri=file.uri, path="top.u_cor")
        with pytest.raises(JsonRpcException, match=r"top\.u_core is an instance of core, not of alu"):
            await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core")
        with pytest.raises(JsonRpcException, match="declares a module alus"):
            await editor.ask("setTop", uri=file.uri, module="alus")


async def test_a_module_is_viewed_as_the_chosen_instance(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        assert "4 bits" in await hovered(file)
        listed = await editor.ask("instances", uri=file.uri, module="alu")
        assert (listed["chosen"], listed["complete"], len(listed["instances"])) == (None, True, 5)
        assert await titles(file) == ["with default parameters · 5 in the design …"]
        view = await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core.g[2].u")
        assert view == {"top": None, "instances": {"alu": "top.u_core.g[2].u"}}
        assert "10 bits" in await hovered(file)
        assert await titles(file) == ["as top.u_core.g[2].u · 5 in the design …"]
        await editor.ask("viewAs", uri=file.uri, module="alu")
        assert "4 bits" in await hovered(file)


TYPED = {
    "stage.sv": (
        "module stage #(parameter type T = logic) (input T request, output y);\n  assign y = request.‸;\nendmodule\n"
    ),
    "types.sv": (
        "package types;\n  typedef struct packed { logic first; } one_t;\n"
        "  typedef struct packed { logic «second»; } two_t;\nendpackage\n"
    ),
    "top.sv": (
        "module top;\n  stage #(.T(types::one_t)) u_one ();\n  stage #(.T(types::two_t)) u_two ();\nendmodule\n"
    ),
}


async def test_members_of_a_type_parameter_are_those_of_the_chosen_instance(editor: Editor) -> None:
    async with scratch(editor, TYPED) as file:
        assert [item.label for item in await file.completion()] == ["first"]
        await editor.ask("viewAs", uri=file.uri, module="stage", instance="top.u_two")
        assert [item.label for item in await file.completion()] == ["second"]
        file.enter("second")
        assert await file.definition() == file.expected_spans
        await editor.ask("viewAs", uri=file.uri, module="stage", instance="top.u_one")
        assert await file.definition() == []


async def test_hints_are_those_of_the_chosen_instance(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        assert await _hints(file) == ["4 bits"]
        await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core.g[1].u")
        assert await _hints(file) == ["9 bits"]


async def _hints(file: Scratch) -> list[str]:
    whole_range = types.Range(types.Position(0, 0), types.Position(1, 0))
    params = types.InlayHintParams(types.TextDocumentIdentifier(file.uri), whole_range)
    hints = await file.editor.client.text_document_inlay_hint_async(params)
    return [str(hint.label) for hint in hints or ()]


async def test_the_branches_that_the_chosen_instance_does_not_have_are_greyed(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        assert await _grey(file) == []
        await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core.g[2].u")
        assert await _grey(file) == [3, 4, 5]
        await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core.g[0].u")
        assert await _grey(file) == [1, 2, 3]


async def _grey(file: Scratch) -> list[int]:
    """The lines with words that are marked as inactive."""
    initialized = file.editor.initialized
    assert initialized is not None
    provider = initialized.capabilities.semantic_tokens_provider
    assert provider is not None
    inactive = 1 << list(provider.legend.token_modifiers).index("inactive")
    params = types.SemanticTokensParams(types.TextDocumentIdentifier(file.uri))
    tokens = await file.editor.client.text_document_semantic_tokens_full_async(params)
    assert tokens is not None
    lines, line = set(), 0
    for index in range(0, len(tokens.data), 5):
        line += tokens.data[index]
        if tokens.data[index + 4] & inactive:
            lines.add(line)
    return sorted(lines)


async def test_viewing_modules_as_here_takes_those_above_and_below(editor: Editor) -> None:
    async with scratch(editor, OTHER) as file:
        view = await editor.ask("viewHere", uri=file.uri, path="bench.dut")
        assert view["instances"] == {"bench": "bench", "core": "bench.dut", "alu": "bench.dut.g[0].u"}
        assert "8 bits" in await hovered(file)
        assert (await editor.ask("viewAs", uri=file.uri))["instances"] == {}


async def test_only_the_chosen_top_is_elaborated(editor: Editor) -> None:
    async with scratch(editor, OTHER) as file:
        assert paths(await editor.ask("hierarchy", uri=file.uri)) == ["bench", "top"]
        await editor.ask("viewAs", uri=file.uri, module="alu", instance="top.u_core.g[2].u")
        assert (await editor.ask("setTop", uri=file.uri, module="bench")) == {"top": "bench", "instances": {}}
        assert paths(await editor.ask("hierarchy", uri=file.uri)) == ["bench"]
        assert len((await editor.ask("instances", uri=file.uri, module="alu"))["instances"]) == 3
        await editor.ask("setTop", uri=file.uri)
        assert paths(await editor.ask("hierarchy", uri=file.uri)) == ["bench", "top"]


async def test_of_a_huge_array_the_first_instances_are_listed(editor: Editor) -> None:
    files = {"a.sv": "module a #(N = 1) (); endmodule\nmodule top;\n  a many [30000] ();\nendmodule\n"}
    async with scratch(editor, files) as file:
        level = await editor.ask("hierarchy", uri=file.uri, path="top")
        assert (len(level["instances"]), level["complete"]) == (2_000, False)
        listed = await editor.ask("instances", uri=file.uri, module="a")
        assert (len(listed["instances"]), listed["complete"]) == (2_000, False)


async def test_the_hierarchy_follows_what_is_typed(editor: Editor) -> None:
    async with scratch(editor, {"top.sv": "module top;‸\nendmodule\n", "alu.sv": ALU.replace("‸", "")}) as file:
        assert paths(await editor.ask("hierarchy", uri=file.uri)) == ["alu", "top"]
        file.type("\n  alu u_new ();", after_text="module top;")
        assert paths(await editor.ask("hierarchy", uri=file.uri, path="top")) == ["top.u_new"]


async def test_the_choice_is_remembered_for_the_folder(editors: Editors, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    for name, text in DESIGN.items():
        (folder / name).write_text(text.replace("‸", ""))
    file_params = {"uri": (folder / "alu.sv").as_uri()}
    folders = types.DidChangeWorkspaceFoldersParams(
        types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), "design")], [])
    )
    first_editor = await editors()
    first_editor.client.workspace_did_change_workspace_folders(folders)
    await first_editor.ask("setTop", **file_params, module="top")
    await first_editor.ask("viewAs", **file_params, module="alu", instance="top.u_core.pair[1]")
    second_editor = await editors()
    second_editor.client.workspace_did_change_workspace_folders(folders)
    assert (await second_editor.ask("instances", **file_params, module="alu"))["chosen"] == "top.u_core.pair[1]"
    assert (await second_editor.ask("hierarchy", **file_params))["top"] == "top"


async def test_clients_without_a_list_of_their_own_are_asked_by_the_server(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        (lens,) = [code_lens.command for code_lens in await editor.lenses(file) if code_lens.command]
        assert lens.command == "benchwright.chooseInstance"
        editor.answer = "top.u_core.g[1].u (W = 9)"
        await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams(lens.command, list(lens.arguments or ()))
        )
        assert editor.screen.questions == ["View alu as which instance?"]
        assert "9 bits" in await hovered(file)
        await editor.ask("viewAs", uri=file.uri, module="alu")


async def test_modules_with_the_same_parameters_everywhere_have_no_choice(editor: Editor) -> None:
    files = {"a.sv": "module a #(N = 1) (); endmodule\n", "b.sv": "module b; a #(2) x(), y(); endmodule\n"}
    async with scratch(editor, files) as file:
        assert await titles(file) == []
