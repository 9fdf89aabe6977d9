from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
import pytest_lsp
from lsprotocol import types

from .conftest import Editors
from .cursor import VARIANTS, Scratch, scratch
from .session import PATIENCE_S, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TWO = {
    "a.sv": "module «sub»(input x); endmodule\nmodule «top»;\n  sub u_one(1), u_two(0);\nendmodule\n",
    "b.sv": "module bench; sub u(1); endmodule\n",
}


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def resolved(file: Scratch) -> list[types.CodeLens]:
    client = file.editor.client
    return [await client.code_lens_resolve_async(lens) for lens in await file.editor.lenses(file)]


def title(lens: types.CodeLens) -> str:
    assert lens.command is not None
    return lens.command.title


@pytest.mark.parametrize("variant", VARIANTS)
async def test_every_module_tells_how_often_it_is_used(editor: Editor, variant: Callable[[str], str]) -> None:
    async with scratch(editor, TWO, variant) as file:
        lenses = await resolved(file)
        assert file.spans(lenses) == [span for span in file.expected_spans if span.file == "a.sv"]
        assert [title(lens) for lens in lenses] == ["2 instances", "no instances"]
        assert lenses[1].command is not None
        assert lenses[1].command.command == ""


async def test_a_client_that_lists_places_gets_them(editors: Editors) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    capabilities.experimental = {"commands": {"commands": ["benchwright.showReferences"]}}
    editor = await editors(capabilities=capabilities)
    async with scratch(editor, TWO) as file:
        first_lens, _ = await resolved(file)
        assert first_lens.command is not None
        assert first_lens.command.command == "benchwright.showReferences"
        uri, _, places = first_lens.command.arguments or ()
        assert uri == file.uri
        assert isinstance(places, list | tuple)
        assert len(places) == 2


async def test_other_clients_are_led_there_by_the_server(editor: Editor) -> None:
    async with scratch(editor, TWO) as file:
        first_lens, _ = await resolved(file)
        assert first_lens.command is not None
        command_params = types.ExecuteCommandParams(
            first_lens.command.command, list(first_lens.command.arguments or ())
        )
        await editor.client.workspace_execute_command_async(command_params)
        assert editor.screen.messages == ["Instances: a.sv:3, b.sv:1."]
        command_params = types.ExecuteCommandParams(
            first_lens.command.command, [{"uri": "file:///nowhere.sv", "module": "x"}]
        )
        await editor.client.workspace_execute_command_async(command_params)
        assert editor.screen.messages[1:] == ["No open folder has an instance of it."]


async def test_modules_of_a_broken_file_still_have_their_lenses(editor: Editor) -> None:
    async with scratch(editor, "module a;\n  wire = ;\nmodule b; endmodule\n") as file:
        assert "a" in file.words(await editor.lenses(file))


async def test_what_has_no_modules_has_no_lenses(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "package p; endpackage\n", "b.md": "module m; endmodule\n"}) as file:
        assert await editor.lenses(file) == []
        assert await editor.lenses(file.open_files["b.md"]) == []


async def test_while_the_clock_runs_a_file_can_be_submitted_from_its_lens(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    assert [lens.command.title for lens in await editor.lenses(file) if lens.command] == [
        "▶ Start the clock to run the hidden tests"
    ]
    await desk.start()
    run_command, submit = [lens.command for lens in await editor.lenses(file) if lens.command]
    assert (run_command.command, submit.command) == ("benchwright.run", "benchwright.submit")
    assert list(submit.arguments or ()) == [{"uri": desk.uri}]


async def test_the_size_of_a_module_is_shown_with_its_change_since_the_last_save(editors: Editors) -> None:
    editor = await editors(options={"designViews": {"sizeLens": True}})
    text = "module «m»(input logic [3:0] a, b, output logic [3:0] y);\n  assign y = a + b;\nendmodule\n"

    async def shows(file: Scratch, size: str) -> None:
        """Waits for the size: the lens shows that of the save before until the new one is known."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                if size in [title(lens) for lens in await editor.lenses(file) if lens.command is not None]:
                    return
                await asyncio.sleep(0.1)

    async with scratch(editor, text) as file:
        await shows(file, "1 cell · 3 wires · longest path 1")
        file.type(" + (a ^ b)", after_text="a + b")
        file.save()
        await shows(file, "3 cells (+2) · 3 wires · longest path 2 (+1)")


async def test_without_the_setting_no_size_is_shown(editor: Editor) -> None:
    async with scratch(editor, "module m(input a, output y); assign y = ~a; endmodule\n") as file:
        assert [lens.command for lens in await editor.lenses(file)] == [None]
