from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from lsprotocol import types

from .cursor import VARIANTS, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize("variant", VARIANTS)
async def test_the_selection_grows_along_the_structure(editor: Editor, variant: Callable[[str], str]) -> None:
    async with scratch(editor, "module m;\n  assign y = a & («b‸c» | d);\nendmodule\n", variant) as file:
        selections = await file.selections()
        texts = [file.text[span.start : span.end] for span in selections]
        assert texts[0] == "bc"
        expected_texts = ["bc | d", "(bc | d)", "a & (bc | d)", "assign y = a & (bc | d);"]
        assert [text for text in texts if text in expected_texts] == expected_texts
        assert texts[-1] == file.text
        for inner_span, outer in pairwise(selections):
            assert outer.start <= inner_span.start <= inner_span.end <= outer.end
            assert inner_span != outer


async def test_what_is_broken_can_be_selected_too(editor: Editor) -> None:
    async with scratch(editor, "module a;\n  assign x = (b‸ ;\nmodule b; endmodule\n") as file:
        texts = [file.text[span.start : span.end] for span in await file.selections()]
        assert texts[0] == "b"
        assert texts[-2:] == ["module a;\n  assign x = (b ;\n", file.text]


async def test_every_place_is_answered(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "", "b.md": "two words\n"}) as file:
        cursor_positions = [types.Position(0, 0), types.Position(9, 9)]
        params = types.SelectionRangeParams(file.identifier, cursor_positions)
        selection_ranges = await editor.client.text_document_selection_range_async(params)
        assert [selection.range for selection in selection_ranges or ()] == [
            types.Range(cursor_positions[0], cursor_positions[0])
        ] * 2
        markdown_file = file.open_files["b.md"]
        assert [span.end for span in await markdown_file.selections()] == [len(markdown_file.text)]
