"""Files and folders that get other names: what includes and lists them follows."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types

from .cursor import Scratch, scratch
from .session import PATIENCE_S, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOP = '`include "defs.svh"\n// `include "defs.svh"\nmodule top;\n  `include "inc/ports.svh"\nendmodule\n'
FILES = {
    "rtl/top.sv": TOP,
    "rtl/sub.sv": '`include "../inc/defs.svh"\nmodule sub; endmodule\n',
    "inc/defs.svh": '`include "more.svh"\n',
    "inc/more.svh": "`define MORE\n",
    "rtl/inc/ports.svh": "wire w;\n",
}
LIST = "// rtl/top.sv\n+incdir+inc\nrtl/top.sv ./rtl/sub.sv\n-v lib/rtl/top.sv.bak\n"


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def texts_after_rename(file: Scratch, **new_names: str) -> dict[str, str]:
    renamed = [
        types.FileRename((file.folder / old).as_uri(), (file.folder / new).as_uri()) for old, new in new_names.items()
    ]
    pending_edit = file.editor.client.workspace_will_rename_files_async(types.RenameFilesParams(renamed))
    return file.edited_files(await asyncio.wait_for(pending_edit, PATIENCE_S))


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        ("inc/defs.svh", "inc/new.svh", {"rtl/top.sv": '"new.svh"', "rtl/sub.sv": '"../inc/new.svh"'}),
        ("inc/defs.svh", "inc/deep/defs.svh", {"rtl/sub.sv": '"../inc/deep/defs.svh"'}),
        ("inc/more.svh", "inc/most.svh", {"inc/defs.svh": '"most.svh"'}),
        ("rtl/inc/ports.svh", "rtl/inc/pins.svh", {"rtl/top.sv": '"inc/pins.svh"'}),
        ("rtl/inc", "rtl/headers", {"rtl/top.sv": '"headers/ports.svh"'}),
        ("inc", "include", {"rtl/sub.sv": '"../include/defs.svh"'}),
        ("rtl/sub.sv", "rtl/deep/sub.sv", {"rtl/sub.sv": '"../../inc/defs.svh"'}),
        ("rtl/top.sv", "rtl/core.sv", {}),
    ],
)
async def test_includes_follow_what_is_renamed(editor: Editor, old: str, new: str, replaced: dict[str, str]) -> None:
    async with scratch(editor, {"rtl/top.sv": TOP}, on_disk=FILES) as file:
        texts = await texts_after_rename(file, **{old: new})
        assert texts.keys() == replaced.keys()
        for name, include in replaced.items():
            before, after = FILES[name].splitlines(), texts[name].splitlines()
            changed = [(ours, theirs) for ours, theirs in zip(before, after, strict=True) if ours != theirs]
            assert [theirs.strip() for _, theirs in changed] == [f"`include {include}"]


async def test_lists_follow_files_and_folders_and_macros_of_settings_still_reach_them(editor: Editor) -> None:
    on_disk = FILES | {"all.f": LIST}
    async with scratch(editor, {"rtl/top.sv": TOP}, on_disk=on_disk) as file:
        texts = await texts_after_rename(file, **{"rtl/top.sv": "rtl/core.sv"})
        assert texts["all.f"] == LIST.replace("rtl/top.sv ", "rtl/core.sv ").replace("// rtl/top.sv", "// rtl/core.sv")
        texts = await texts_after_rename(file, inc="include", rtl="src")
        assert texts["all.f"] == LIST.replace("+inc", "+include").replace("./rtl", "rtl").replace(
            "rtl/", "src/"
        ).replace("lib/src", "lib/rtl").replace("+includedir", "+incdir")
        assert texts["rtl/sub.sv"].startswith('`include "../include/defs.svh"')
        assert "rtl/top.sv" not in texts


async def test_nothing_follows_a_file_that_nobody_names(editor: Editor) -> None:
    async with scratch(editor, {"rtl/top.sv": TOP}, on_disk=FILES | {"notes.txt": "rtl/top.sv"}) as file:
        assert await texts_after_rename(file, **{"notes.txt": "more.txt", "rtl/none.sv": "rtl/some.sv"}) == {}
