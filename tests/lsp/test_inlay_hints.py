from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types

from benchwright_verilog.syntax.lines import Lines

from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hinting_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor that shows inlay hints; the VS Code of the other tests is too old for them."""
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities()
    editor = await Editor.start(tmp_path_factory.mktemp("hints") / "home", capabilities=capabilities)
    yield editor
    await editor.quit()


@pytest.fixture
def editor(hinting_editor: Editor) -> Editor:
    return hinting_editor.forget()


SUB = "module sub #(parameter W = 8, parameter D = 2) (input clk, input logic [W-1:0] data_in);\nendmodule\n"


async def hinted_text(file: Scratch, hint_range: types.Range | None = None) -> str:
    """The text with its hints in angle brackets."""
    text, lines = file.text, Lines(file.text)
    for hint in reversed(await file.inlay_hints(hint_range)):
        assert isinstance(hint.label, str)
        offset = lines.code_point_at(hint.position)
        text = f"{text[:offset]}<{hint.label}>{text[offset:]}"
    return text


async def hinted(editor: Editor, line: str, variant: Callable[[str], str] | None = None) -> str:
    text = f"module m #(parameter A = 3) (input logic [3:0] i);\n{line}\nendmodule\n"
    async with scratch(editor, text, *([variant] if variant else []), on_disk={"sub.sv": SUB}) as file:
        return (await hinted_text(file)).splitlines()[1]


@pytest.mark.parametrize(
    ("line", "expected_line"),
    [
        ("sub #(4, 1) u (clk, i);", "sub #(<W:>4, <D:>1) u (clk<: wire>, <data_in:>i);"),
        ("sub u (.clk(i[0]), .data_in(8'd1));", "sub u (.clk(i[0]), .data_in(8'd1));"),
        ("wire clk; sub #(.W(4)) u (clk, i);", "wire clk; sub #(.W(4)) u (clk, <data_in:>i);"),
        ("logic [A-1:0] narrow;", "logic [A-1:0] narrow<3 bits>;"),
        ("logic [A*2-1:0] a, b;", "logic [A*2-1:0] a<6 bits>, b<6 bits>;"),
        ("logic [7:0] plain;", "logic [7:0] plain;"),
        ("localparam B = A * 2, C = 5;", "localparam B = A * 2<= 6>, C = 5;"),
        ("localparam D = $clog2(100);", "localparam D = $clog2(100)<= 7>;"),
        ("assign new_one = 1'b1;", "assign new_one<: wire> = 1'b1;"),
        ("wire [1:0] w; assign w = i;", "wire [1:0] w; assign w = i<4 → 2 bits>;"),
        ("wire [7:0] w; assign w = i;", "wire [7:0] w; assign w = i<4 → 8 bits>;"),
        ("wire [3:0] w; assign w = i;", "wire [3:0] w; assign w = i;"),
        ("if (1) begin : g localparam E = A + 1; end", "if (1) begin : g localparam E = A + 1<= 4>; end"),
    ],
)
async def test_hints_stand_where_they_belong(editor: Editor, line: str, expected_line: str) -> None:
    assert await hinted(editor, line) == expected_line


@pytest.mark.parametrize("variant", VARIANTS)
async def test_hints_stand_right_in_any_text(editor: Editor, variant: Callable[[str], str]) -> None:
    text = "module m #(parameter A = 3);\n  logic [A-1:0] «narrow»;\nendmodule\n"
    async with scratch(editor, text, variant) as file:
        (hint,) = await file.inlay_hints()
        assert Lines(file.text).code_point_at(hint.position) == file.expected_spans[0].end


async def test_only_the_range_asked_for_is_hinted(editor: Editor) -> None:
    text = "module m #(parameter A = 3);\n  logic [A-1:0] first;\n  logic [A:0] second;\nendmodule\n"
    async with scratch(editor, text) as file:
        hint_range = types.Range(types.Position(2, 0), types.Position(3, 0))
        assert "<3 bits>" not in await hinted_text(file, hint_range)
        assert "second<4 bits>" in await hinted_text(file, hint_range)


async def test_what_a_macro_writes_gets_no_hints(editor: Editor) -> None:
    text = "`define DECLARE(name) logic [A-1:0] name``_q;\nmodule m #(parameter A = 3);\n  `DECLARE(x)\nendmodule\n"
    async with scratch(editor, text) as file:
        assert await file.inlay_hints() == []


async def test_broken_code_keeps_its_hints(editor: Editor) -> None:
    text = "module m #(parameter A = 3);\n  assign = ;\n  logic [A-1:0] narrow;\n  always_comb begin if (\n"
    async with scratch(editor, text) as file:
        assert "narrow<3 bits>" in await hinted_text(file)


async def test_settings_switch_hints_off(tmp_path_factory: pytest.TempPathFactory) -> None:
    capabilities = pytest_lsp.client_capabilities("neovim")
    options = {"inlayHints": {"widths": False}}
    home = tmp_path_factory.mktemp("off") / "home"
    editor = await Editor.start(home, capabilities=capabilities, options=options)
    text = "module m #(parameter A = 3, B = A + 1);\n  logic [A-1:0] narrow;\nendmodule\n"
    async with scratch(editor, text) as file:
        assert [hint.label for hint in await file.inlay_hints()] == ["= 4"]
    await editor.quit()
