from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from .session import Desk, Editor, File, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest_asyncio.fixture(loop_scope="module")
async def desk(editor: Editor) -> Desk:
    return await editor.open_problem("starter/saturating-counter")


@pytest_asyncio.fixture(loop_scope="module")
async def file(desk: Desk) -> File:
    """The counter, right, and looked at once."""
    file = desk.open(text=reference("saturating-counter"))
    await file.marked()
    return file


async def test_a_syntax_error_is_marked_while_typing_and_gone_when_fixed(file: File) -> None:
    file.type("wire = 1;\n", before_text="endmodule")
    (diagnostic,) = await file.marked("expected")
    assert (diagnostic.severity, diagnostic.source) == (types.DiagnosticSeverity.Error, "slang")
    assert file.text.splitlines()[diagnostic.range.start.line] == "wire = 1;"
    file.type("wire x = 1;\n", over_text="wire = 1;\n")
    await file.marked()


async def test_typing_without_a_rest_is_still_looked_at(file: File) -> None:
    file.type("wire = 1;\n", before_text="endmodule")
    published_count = len(file.editor.screen.diagnostics)
    async with _typing(file):
        await file.editor.wait_until(lambda: len(file.editor.screen.diagnostics) > published_count, "problems")


@asynccontextmanager
async def _typing(file: File) -> AsyncIterator[None]:
    """Types a letter every 50 ms."""

    async def type_on() -> None:
        file.type("\n// ")
        while True:
            file.type("x")
            await asyncio.sleep(0.05)

    task = asyncio.create_task(type_on())
    yield
    task.cancel()


async def test_a_module_of_another_file_is_known_also_before_it_is_saved(desk: Desk, file: File) -> None:
    (desk.folder / "rtl" / "gate.sv").write_text("module other; endmodule\n")
    file.type("gate g ();\n", before_text="endmodule")
    (diagnostic,) = await file.marked("unknown module")
    assert file.marked_text(diagnostic) == "gate"
    gate = desk.open("rtl/gate.sv")
    gate.type("gate", over_text="other")
    await gate.marked()
    file.type("// again\n", before_text="endmodule")
    await file.marked()


async def test_columns_count_utf16_also_after_multibyte_text(file: File) -> None:
    # A form feed and U+2028 end no line in LSP; a note is two UTF-16 units, its half none of slang's business.
    file.type("/* é 𝄞 \f \u2028 */ wire [3:0] 𝄞;\r\n/* 𝄞𝄞 */ wire near = nowhere;\r\n", before_text="endmodule")
    await file.editor.wait_until(lambda: bool(file.problems), "problems")
    marked_problems = file.problems or []
    undeclared = next(problem for problem in marked_problems if "nowhere" in problem.message)
    line = file.text[: file.text.index("nowhere")].count("\n")
    column = len("/* 𝄞𝄞 */ wire near = ".encode("utf-16-le")) // 2
    assert undeclared.range.start == types.Position(line, column)


async def test_what_verilator_finds_comes_with_a_save_and_goes_with_the_next_edit(file: File) -> None:
    file.type("  wire narrow;\n  /* é 𝄞 */ wire veiled;  \n", before_text="endmodule")
    await file.editor.wait_until(lambda: file.problems is not None, "slang's problems")
    assert all(problem.source == "slang" for problem in file.problems or ())
    file.save()
    await file.editor.wait_until(lambda: "verilator" in sources(file), "Verilator's problems")
    verilator_problems = [problem for problem in file.problems or () if problem.source == "verilator"]
    assert {problem.code for problem in verilator_problems} == {"UNUSEDSIGNAL"}
    # Where Verilator can't be trusted with columns, the whole line is marked.
    veiled, narrow = sorted(map(file.marked_text, verilator_problems))
    assert (veiled, narrow[0]) == ("/* é 𝄞 */ wire veiled;", "n")
    file.type("// more\n", before_text="endmodule")
    await file.editor.wait_until(lambda: file.problems is not None and "verilator" not in sources(file), "their end")


def sources(file: File) -> set[str | None]:
    return {problem.source for problem in file.problems or ()}


async def test_an_error_that_both_tools_find_is_shown_once(desk: Desk, file: File) -> None:
    file.type("assign = 1;\n", before_text="endmodule")
    await file.marked("expected")
    file.save()
    await file.editor.wait_until(lambda: bool(desk.events_of_kind("diagnostics")), "Verilator's word")
    (recorded,) = desk.events_of_kind("diagnostics")
    assert recorded.counts["verilator"].errors >= 1
    await file.marked("expected")


async def test_closing_a_file_clears_its_problems(file: File) -> None:
    file.type("wire = 1;\n", before_text="endmodule")
    await file.marked("expected")
    file.close()

    def last() -> types.PublishDiagnosticsParams:
        return [params for params in file.editor.screen.diagnostics if params.uri == file.uri][-1]

    await file.editor.wait_until(lambda: not last().diagnostics, "an empty list")


async def test_a_file_of_no_problem_is_looked_at_while_typing_only(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "mine.sv"
    path.write_text("module mine; wire [3:0] narrow = 8'd1; wire = 1; endmodule\n")
    (tmp_path / "broken.sv").symlink_to("/nowhere")
    file = editor.open(path)
    await file.marked("expected")
    file.save()
    await editor.ask("packs")
    assert sources(file) == {"slang"}
    assert [lens for lens in await editor.lenses(file) if lens.command] == []
    assert editor.screen.messages == []
