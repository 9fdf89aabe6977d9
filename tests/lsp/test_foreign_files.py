"""A solver's text names files outside of the workspace: whoever asks, each is as if it did not exist."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException

from benchwright_foundation.home import Home

from .conftest import Editors
from .session import SERVER, Desk, Editor
from .test_agent_tools import Agent, agent

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONVERTER = get_converter()
_NUMBERS = re.compile(r"data=\(?\[?[\d, ]+\]?\)?")
"""Completions are numbered."""
LOOK_S = 0.6
"""What was seen on disk counts as current for a shorter time."""
FILE = "rtl/sat_counter.sv"
CANARY = "zqcanary"
HIDDEN = f"""\
// {CANARY}_comment
`define {CANARY}_m(x) (x + 7)
module {CANARY}_inner (input a, output logic {CANARY}_y);
  wire {CANARY}_w = ~a;
  assign {CANARY}_y = {CANARY}_w;
endmodule
"""
# What the solver guesses has other names than what is hidden, but for what the hidden file declares.
USE = """
module user (input d, output q);
  guess_inner u (.a(d), .guess_y(q));
  wire w = `guess_m(d);
endmodule
"""
WAYS = (
    '`include "{file}"',
    '`include "{dots}"',
    "`include <{file}>",
    '`define F "{file}"\n`include `F',
    '`define I(name) `include name\n`I("{file}")',
    '`include "link.sv"',
    '`include "linked/x.sv"',
    '`include "through.svh"',
    '`include "/proc/self/root{file}"',
)
TESTBENCH = """
`include "{file}"
module tb_user;
  reg [7:0] memory [0:3];
  initial begin
    $readmemh("{file}", memory);
    $display("seen %h", memory[0]);
    $finish;
  end
endmodule
"""


def hidden_folder(home: Path, tmp_path: Path, place: str) -> Path:
    """A folder with a hidden file, or where there might be one: of a pack, or of what Benchwright keeps."""
    return {
        "pack": tmp_path / "packs" / "own" / "problem" / "hidden" / "reference" / "rtl",
        "kept": Home.from_environment({"BENCHWRIGHT_HOME": str(home)}).data / "kept",
        "neighbour": home / "workspaces" / "neighbour" / "rtl",
    }[place]


def write_ways(folder: Path, hidden: Path, name: str) -> None:
    """Links into a folder, and headers that lead there, in a workspace."""
    rtl = folder / "rtl"
    for link, target in (("link.sv", hidden / name), ("linked", hidden)):
        (rtl / link).unlink(missing_ok=True)
        (rtl / link).symlink_to(target)
    (rtl / "through.svh").write_text(f'`include "{hidden / name}"\n')


def variants(folder: Path, hidden: Path) -> Iterator[str]:
    dots = "/".join([".."] * len((folder / "rtl").parts[1:])) + str(hidden / "x.sv")
    for way in WAYS:
        yield way.format(file=hidden / "x.sv", dots=dots) + USE.replace("guess", CANARY)


@pytest.mark.parametrize("place", ["pack", "kept", "neighbour"])
async def test_the_editor_is_told_nothing_of_it(editors: Editors, home: Path, tmp_path: Path, place: str) -> None:
    tee = tmp_path / "tee"
    tee.mkdir()
    editor = await editors(home, command=(sys.executable, str(Path(__file__).with_name("tee.py")), str(tee), *SERVER))
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    hidden = hidden_folder(home, tmp_path, place)
    answers_by_existence: dict[bool, list[str]] = {}
    for is_there in (True, False):
        make(hidden) if is_there else shutil.rmtree(hidden)
        write_ways(desk.folder, hidden, "x.sv")
        answers_by_existence[is_there] = [
            f"{text}: {_NUMBERS.sub('', json.dumps(answer, default=str))}"
            for text in variants(desk.folder, hidden)
            for answer in await told(desk, text, hidden)
        ]
    pairs = zip(answers_by_existence[True], answers_by_existence[False], strict=True)
    assert [answer for answer, expected in pairs if answer != expected] == []
    assert sum("No such file or directory" in answer for answer in answers_by_existence[True]) >= len(WAYS) - 1
    from_server = (tee / "from-server").read_bytes()
    for secret in (b"_comment", b"_w = ~a", b"(x + 7)", b"wire zqcanary"):
        assert secret not in from_server


def make(hidden: Path) -> None:
    hidden.mkdir(parents=True)
    (hidden / "x.sv").write_text(HIDDEN)
    if "hidden" in hidden.parts:
        (hidden.parents[2] / "problem.toml").write_text('title = "A"\n')


async def send(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    kinds: Any = types.METHOD_TO_TYPES.get(method)
    return await editor.send(method, CONVERTER.structure(params, kinds[2]) if kinds is not None else params)


async def told(desk: Desk, text: str, hidden: Path) -> list[Any]:
    """Everything that the server says of a version of a file."""
    editor = desk.editor
    path = desk.folder / FILE
    path.write_text(text)
    file_event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([file_event]))
    editor.screen.diagnostics.clear()
    file = desk.open(FILE, text)
    replies: list[Any] = []

    async def ask(method: str, **params: Any) -> None:
        try:
            replies.append([method, await send(editor, method, params)])
        except JsonRpcException as error:
            replies.append([method, error.code, error.message])

    document = {"uri": file.uri}
    last = text[: text.index(f"{CANARY}_inner u")].count("\n")
    positions = [
        {"line": 0, "character": 14},
        {"line": 1, "character": 14},
        {"line": last, "character": 4},
        {"line": last, "character": len(f"  {CANARY}_inner u (.a(d), .") + 2},
        {"line": last + 1, "character": len("  wire w = `") + 2},
    ]
    await editor.wait_until(lambda: bool(file.problems), "its problems")
    replies.append([problem.message for problem in file.problems or ()])
    for method in ("documentLink", "documentSymbol", "foldingRange"):
        await ask(f"textDocument/{method}", textDocument=document)
    for position in positions:
        at = {"textDocument": document, "position": position}
        for method in (
            "hover",
            "definition",
            "completion",
            "prepareCallHierarchy",
            "signatureHelp",
            "documentHighlight",
        ):
            await ask(f"textDocument/{method}", **at)
        await ask("textDocument/references", context={"includeDeclaration": True}, **at)
        whole = {"start": position, "end": position}
        await ask("textDocument/codeAction", textDocument=document, range=whole, context={"diagnostics": []})
        await ask("benchwright/expandMacro", uri=file.uri, position=position, full=True)
    await ask("workspace/symbol", query=CANARY)
    await ask("benchwright/hierarchy", uri=desk.uri)
    for signal in ("user.q", "user.d", "user.w", f"user.u.{CANARY}_w", f"user.u.{CANARY}_y"):
        for way in ("drivers", "loads"):
            await ask(f"benchwright/{way}", uri=desk.uri, signal=signal)
    await ask("benchwright/schematic", uri=desk.uri, instance="user")
    for prefix in (f'`include "{hidden}/', f'`include "{"../" * 40}{str(hidden)[1:]}/', '`include "linked/'):
        file.paste(prefix)
        end = {"line": 0, "character": len(prefix)}
        await ask("textDocument/completion", textDocument=document, position=end)
    file.close()
    return replies


@pytest.mark.parametrize("place", ["pack", "kept", "neighbour"])
async def test_an_agent_is_told_nothing_of_it(editor: Editor, home: Path, tmp_path: Path, place: str) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    hidden = hidden_folder(home, tmp_path, place)
    answers_by_existence: dict[bool, list[str]] = {}
    async with agent(home, desk.folder) as mcp_agent:
        for is_there in (True, False):
            make(hidden) if is_there else shutil.rmtree(hidden)
            write_ways(desk.folder, hidden, "x.sv")
            answers_by_existence[is_there] = [answer async for answer in told_to_agent(mcp_agent, desk.folder, hidden)]
    assert answers_by_existence[True] == answers_by_existence[False]
    for answer in answers_by_existence[True]:
        for secret in ("_comment", "_w = ~a", "(x + 7)", "wire zqcanary"):
            assert secret not in answer


async def told_to_agent(mcp_agent: Agent, folder: Path, hidden: Path) -> Any:
    relative = "/".join([".."] * len(folder.parts[1:])) + str(hidden)
    for path in (
        relative,
        f"{relative}/x.sv",
        str(hidden / "x.sv"),
        "rtl/link.sv",
        "rtl/linked/x.sv",
        f"rtl/../{relative}/x.sv",
    ):
        yield await mcp_agent.use("read_file", path=path)
        yield await mcp_agent.use("lint", path=path)
        yield await mcp_agent.use("wave_signals", waves=path)
    for number, text in enumerate(variants(folder, hidden)):
        (folder / "rtl" / f"user{number}.sv").write_text(text.replace("module user", f"module user{number}"))
    testbench = folder / "tests" / "tb_user.sv"
    testbench.parent.mkdir(exist_ok=True)
    testbench.write_text(TESTBENCH.format(file=hidden / "x.sv"))
    await asyncio.sleep(LOOK_S)
    for number in range(len(WAYS)):
        yield await mcp_agent.use("lint", path=f"rtl/user{number}.sv")
        for signal in (f"user{number}.q", f"user{number}.u.{CANARY}_w"):
            yield await mcp_agent.use("drivers", signal=signal)
            yield await mcp_agent.use("loads", signal=signal)
    yield await mcp_agent.use("hierarchy")
    yield await mcp_agent.use("lint", path="tests/tb_user.sv")
    yield await mcp_agent.use("own_tests")
    # That what the sandbox shows of it is a failure.
    for design_file in (folder / "rtl").glob("user*.sv"):
        design_file.unlink()
    await asyncio.sleep(LOOK_S)
    ran = await mcp_agent.use("run_own_tests", ids=["tests/tb_user.sv::tb_user"])
    assert "refused" in ran or not json.loads(ran)["passed"]
