"""In a folder that belongs to no problem, nothing that an editor can show is about problems and attempts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from ..support.editor.other_editors import open_problem
from .cursor import Scratch, scratch
from .session import SERVER, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {
    "rtl/top.sv": '`include "widths.svh"\nmodule top (input logic clk, output logic [`WIDTH-1:0] count);\n'
    "  counter #(.W(`WIDTH)) u (.clk, .rst(1'b0), .count());\n  assign nowhere = missing;\nendmodule\n",
    "rtl/counter.sv": "module counter #(parameter int W = 4) (input logic clk, rst, output logic [W-1:0] count);\n"
    "  always_ff @(posedge clk) if (rst) count <= '0; else count <= count + 1;\nendmodule\n",
    "rtl/widths.svh": "`define WIDTH 4\n",
    "tb/tb.sv": "module tb;\n  logic clk = 0;\n  top dut (.clk, .count());\n  initial #10 $finish;\nendmodule\n",
    "tb/test_top.py": "import cocotb\n\n\n@cocotb.test()\nasync def counts(dut):\n    pass\n",
    "README.md": "# A counter\n\nSee rtl/counter.sv.\n",
    # Names that a problem's files have as well.
    "pack.toml": 'title = "Not for this server"\n',
    "exam.toml": "",
    "problem.toml": "id = 1\n",
    "question.md": "How wide is it?\n",
    "answer.md": "4\n",
    "statement.md": "Count.\n",
}
OF_PROBLEMS = re.compile(
    r"\b(answer|assignment|attempt|clock is|grade|hidden|hint|judge|pack|participant|problem|question|reveal|solver|"
    r"study|submit|verdict)(s|ed|ted)?\b|attemptChanged|"
    r"benchwright\.(start|pause|resume|run|submit|abandon|status|open|hint)\b",
    re.IGNORECASE,
)


def messages_in(lsp_stream: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a recorded stream."""
    while lsp_stream:
        header, _, rest = lsp_stream.partition(b"\r\n\r\n")
        length = int(header.removeprefix(b"Content-Length: ").split(b"\r\n")[0])
        yield json.loads(rest[:length])
        lsp_stream = rest[length:]


def shown_texts(value: object) -> Iterator[str]:
    """Every text in JSON but addresses and the paths to watch, which no editor shows."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in ("uri", "globPattern", "target"):
                yield from shown_texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from shown_texts(item)
    elif isinstance(value, str):
        yield value


async def ask_for_everything(file: Scratch) -> None:
    """Ask for all that an editor shows of a file: at each of its words, and of the whole."""
    client = file.editor.client
    for lens in await file.editor.lenses(file):
        if lens.data is not None:
            await client.code_lens_resolve_async(lens)
    for word in re.finditer(r"`?\w+", file.text):
        file.cursor_offset = word.start()
        await file.hover()
        await file.definition()
        await file.code_actions(file.problems or ())
        file.cursor_offset = word.end()
        for item in (await file.completion())[:3]:
            await file.resolve(item)
        await file.signature_help()
    await file.document_symbols()
    await file.links()
    await file.folding_ranges()
    await file.semantic_tokens()


async def session_in_plain_folder(
    editors: Callable[..., Any], home: Path, tee_folder: Path
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Work in a plain folder.

    Returns:
        What the server sent: first, the answer to `initialize`; then all other messages.
    """
    tee_folder.mkdir()
    command = (sys.executable, str(Path(__file__).with_name("tee.py")), str(tee_folder), *SERVER)
    editor: Editor = await editors(home, command=command)
    async with scratch(editor, FILES) as top_file:
        await top_file.marked("'nowhere'", "'missing'")
        for file in top_file.open_files.values():
            await ask_for_everything(file)
            file.save()
        await top_file.workspace_symbols("count")
        await top_file.go_to("count").rename("counted")
    await editor.quit()
    first_message, *messages = messages_in((tee_folder / "from-server").read_bytes())
    return [first_message], messages


@pytest.mark.parametrize("has_open_attempt", [False, True])
async def test_nothing_of_problems_is_shown(
    editors: Callable[..., Any], tmp_path: Path, has_open_attempt: bool
) -> None:
    if has_open_attempt:
        open_problem(tmp_path, "sync-fifo", "")
    (initialize_answer,), messages = await session_in_plain_folder(editors, tmp_path / "home", tmp_path / "tee")
    texts = [text for message in messages for text in shown_texts(message)]
    assert {"1 instance", "▶ Run test"} <= set(texts)
    assert [text for text in texts if OF_PROBLEMS.search(text)] == []
    # The operations stay callable: with one of them an editor opens a problem.
    commands = initialize_answer["result"]["capabilities"]["executeCommandProvider"]["commands"]
    assert "benchwright.open" in commands


async def test_a_workspace_of_a_problem_shows_what_a_plain_folder_does_not(
    editors: Callable[..., Any], home: Path
) -> None:
    editor: Editor = await editors()
    desk = await editor.open_problem("starter/sync-fifo")
    lenses = await editor.lenses(desk.open())
    titles = [lens.command.title for lens in lenses if isinstance(lens.command, types.Command)]
    assert any(OF_PROBLEMS.search(title) for title in titles)
