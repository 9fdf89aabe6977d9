"""A repository problem in an editor: its files, its diff, what a build leaves, and what stays hidden."""

from __future__ import annotations

import json
import os
import time
import zlib
from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_foundation.home import Home
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.tree import TreeStore
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_server.errors import WorkspaceError
from benchwright_server.workspaces.repository import diff_of_workspace

from ..support.repository_pack import ADDER, BENCH, BUGS, TREE, write_repository_pack
from .session import Desk, Editor
from .test_agent_tools import agent

WRONG_ADDER = BUGS["sum"][1]
CANARY = "CANARY-7c1f"


@pytest.fixture
def repository_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the pack, whose hidden part has a canary in every file."""
    folder = write_repository_pack(tmp_path / "pack")
    bench = folder / "sum/hidden/harness/bench.sv"
    bench.write_text(f"// {CANARY}\n{BENCH}")
    verifier = folder / "sum/hidden/harness/verifier.sh"
    verifier.write_text(f"# {CANARY}\n{verifier.read_text()}")
    reference_diff = folder / f"sum/hidden/reference/{CHANGES}"
    reference_diff.write_text(
        reference_diff.read_text().replace("+  assign y = a + b;", f"+  assign y = a + b; // {CANARY}")
    )
    home = tmp_path / "home"
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    Store(Home.from_environment()).add(read_pack_folder(folder))
    return home


async def opened(home: Path) -> tuple[Editor, Desk]:
    editor = await Editor.start(home)
    desk = await editor.open_problem("core/sum")
    await desk.start()
    return editor, desk


async def test_a_person_solves_it_by_saving_and_the_diff_is_what_is_judged(repository_home: Path) -> None:
    editor, desk = await opened(repository_home)
    written = {path.relative_to(desk.folder).as_posix() for path in desk.folder.rglob("*") if path.is_file()}
    assert written == {*TREE, "PROBLEM.md", ".benchwright.json"}
    assert Path(desk.opened_problem.primary.removeprefix("file://")).name == "PROBLEM.md"
    adder = desk.open("rtl/adder.sv")
    for path in ("build/bench.o", "waves.vcd", "obj_dir/Vtop.cpp", ".agent/notes.md"):
        (desk.folder / path).parent.mkdir(exist_ok=True)
        (desk.folder / path).write_text("left by a tool\n")
    # Another program writes beside the editor.
    (desk.folder / "rtl/unused.sv").write_text("module unused;\nendmodule\n")
    adder.replace(0, len(WRONG_ADDER), ADDER)
    adder.save()
    verdict = await desk.verdict(1)
    assert verdict.outcome == "passed", verdict
    diff = (desk.folder / CHANGES).read_text()
    assert "+  assign y = a + b;" in diff
    assert "rtl/unused.sv" in diff
    assert "left by a tool" not in diff
    await desk.submit()
    assert desk.replayed_content(CHANGES) == diff.encode()
    assert desk.replayed_content("rtl/adder.sv") == ADDER.encode()
    assert desk.replayed_content("rtl/unused.sv") == b"module unused;\nendmodule\n"
    await editor.quit()


async def test_an_agents_tools_list_the_tree_and_say_what_is_tested(repository_home: Path) -> None:
    editor, desk = await opened(repository_home)
    (desk.folder / "obj_dir").mkdir()
    (desk.folder / "obj_dir/built.sv").write_text("left by a tool\n")
    async with agent(repository_home, desk.folder) as helper:
        listed = json.loads(await helper.use("files"))
        assert {file["path"]: (file["bytes"], file["is_tested"]) for file in listed} == {
            path: (len(WRONG_ADDER if path == "rtl/adder.sv" else text), True) for path, text in TREE.items()
        }
        assert await helper.use("read_file", path="rtl/top.sv") == TREE["rtl/top.sv"]
        assert "all of the repository that may be changed" in await helper.use("problem")
    await editor.quit()


async def test_an_edit_in_a_workspace_changes_no_other_and_the_next_one_is_whole(repository_home: Path) -> None:
    editor, desk = await opened(repository_home)
    (desk.folder / "rtl/adder.sv").write_text("module changed;\nendmodule\n")
    (desk.folder / "rtl/top.sv").unlink()
    fresh_desk = await editor.open_problem("core/sum", fresh=True)
    assert fresh_desk.folder != desk.folder
    assert (fresh_desk.folder / "rtl/adder.sv").read_text() == WRONG_ADDER
    assert (fresh_desk.folder / "rtl/top.sv").read_text() == TREE["rtl/top.sv"]
    await editor.quit()


async def test_no_file_object_or_message_has_what_is_hidden(repository_home: Path) -> None:
    editor, desk = await opened(repository_home)
    adder = desk.open("rtl/adder.sv")
    adder.replace(0, len(WRONG_ADDER), WRONG_ADDER + "\n")
    adder.save()
    assert (await desk.verdict(1)).outcome == "failed"
    shown = json.dumps([status.model_dump(mode="json") for status in editor.screen.statuses])
    await editor.quit()
    assert CANARY not in shown
    assert CANARY.encode() not in bytes(editor.stderr)
    for file in [*desk.folder.rglob("*"), *(repository_home / "data/trees").rglob("*")]:
        assert file.name != ".git"
        content = file.read_bytes() if file.is_file() else b""
        assert CANARY.encode() not in content, file
        try:
            assert CANARY.encode() not in zlib.decompress(content), file
        except zlib.error:
            continue
    packs = (repository_home / "data/packs/core.json").read_text()
    assert CANARY not in packs


def test_a_workspace_refuses_what_can_not_be_handed_in_and_says_what_to_do(tmp_path: Path) -> None:
    tree = TreeStore(tmp_path / "trees").add(
        {"a.sv": b"module a;\nendmodule\n", "logo.png": b"\x89\xff", "build/in.f": b""}
    )
    folder = tmp_path / "workspace"
    folder.mkdir()
    tree.write_below(folder)
    assert diff_of_workspace(folder, tree, ()) == b""
    # A folder of the repository counts, also where builds have one of that name.
    (folder / "build/in.f").write_text("a.sv\n")
    (folder / "a.out").write_bytes(b"\x7fELF\0")
    assert diff_of_workspace(folder, tree, ()).count(b"diff --git") == 1
    (folder / "big.sv").write_text("x\n" * (5 << 20))
    with pytest.raises(WorkspaceError, match=r"larger than 8 MiB; see big\.sv"):
        diff_of_workspace(folder, tree, ())
    (folder / "big.sv").unlink()
    (folder / "logo.png").write_bytes(b"\x89\xfe")
    with pytest.raises(WorkspaceError, match=r"logo\.png is no text"):
        diff_of_workspace(folder, tree, ())
    (folder / "logo.png").unlink()
    (folder / "logo.png").symlink_to("/etc/hostname")
    with pytest.raises(WorkspaceError, match=r"logo\.png must be a plain file"):
        diff_of_workspace(folder, tree, ())


@pytest.mark.nightly
@pytest.mark.alone
async def test_four_thousand_files_open_within_three_seconds_and_are_compared_within_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    for number in range(4000):
        file = folder / f"trees/core/ip{number % 40}/rtl/m{number}.sv"
        file.parent.mkdir(parents=True, exist_ok=True)
        wires = "".join(f"  wire [7:0] w{wire} = {wire};\n" for wire in range(number % 200))
        file.write_text(f"module m{number}(input a, output y);\n{wires}endmodule\n")
    (folder / "trees/core/rtl/fast_adder.sv").write_text(ADDER)
    (folder / "trees/core/core.f").write_text("rtl/fast_adder.sv\nrtl/top.sv\n")
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    pack = read_pack_folder(folder)
    Store(Home.from_environment()).add(pack)
    editor = await Editor.start(tmp_path / "home")
    # A server loads its libraries and makes its log with the first problem.
    await editor.open_problem("starter/sync-fifo")
    # What the import has written would be waited for where the log is put on the disk.
    os.sync()
    begun = time.monotonic()
    desk = await editor.open_problem("core/sum")
    opening_s = time.monotonic() - begun
    begun = time.monotonic()
    assert pack.problems[0].public.tree is not None
    assert diff_of_workspace(desk.folder, pack.problems[0].public.tree, ("PROBLEM.md",)) == b""
    comparing_s = time.monotonic() - begun
    # Of two modules of one name, the tree's list says which is meant.
    top = desk.open("rtl/top.sv")
    at_adder = types.DefinitionParams(types.TextDocumentIdentifier(top.uri), types.Position(2, 3))
    locations = await editor.client.text_document_definition_async(at_adder)
    assert isinstance(locations, list)
    targets = {getattr(location, "target_uri", "") or location.uri for location in locations}
    assert targets == {(desk.folder / "rtl/fast_adder.sv").as_uri()}
    await editor.quit()
    print(f"opened in {opening_s:.2f} s, compared in {comparing_s:.2f} s")
    assert (opening_s < 3, comparing_s < 1) == (True, True)
