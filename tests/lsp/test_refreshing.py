from __future__ import annotations

import pytest
from lsprotocol import types

from .conftest import Editors
from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {"top.sv": "module top(input logic a);\n  sub u(.‸new_name(a));\nendmodule\n"}
ON_DISK = {"sub.sv": "module sub(input logic old_name);\nendmodule\n"}


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def coloured(file: Scratch) -> int:
    """Number of words that have a colour."""
    tokens = await file.semantic_tokens()
    assert tokens is not None
    return len(tokens.data) // 5


async def test_what_is_shown_of_a_file_is_fetched_again_after_another_changed(editor: Editor) -> None:
    async with scratch(editor, FILES, on_disk=ON_DISK) as file:
        old_count = await coloured(file)
        lenses = editor.screen.lens_refreshes
        changed_file = file.folder / "sub.sv"
        changed_file.write_text(changed_file.read_text().replace("old_name", "new_name"))
        file_event = types.FileEvent(changed_file.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([file_event]))
        await editor.wait_until(lambda: bool(editor.screen.colour_refreshes), "a wish to fetch colours again")
        await editor.wait_until(lambda: editor.screen.lens_refreshes > lenses, "a wish to fetch lenses again")
        # The port has a colour now.
        assert await coloured(file) == old_count + 1


async def test_typing_in_one_file_fetches_nothing_again(editors: Editors) -> None:
    # No folder of another test goes away meanwhile, which is a reason to fetch again.
    editor = await editors()
    async with scratch(editor, FILES, on_disk=ON_DISK) as file:
        await file.marked("old_name", "new_name")
        await editor.wait_until(lambda: bool(editor.screen.colour_refreshes), "what the new folder makes old")
        editor.forget()
        file.type("  // more\n", before_text="endmodule")
        await file.marked("old_name", "new_name")
        assert not editor.screen.colour_refreshes
