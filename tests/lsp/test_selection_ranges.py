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
        for inner, outer in pairwise(selections):
            assert outer.start <= inner.start <= inner.end <= outer.end
            assert inner != outer


async def test_what_is_broken_can_be_selected_too(editor: Editor) -> None:
    async with scratch(editor, "module a;\n  assign x = (b‸ ;\nmodule b; endmodule\n") as file:
        texts = [file.text[span.start : span.end] for span in await file.selections()]
        assert texts[0] == "b"
        assert texts[-2:] == ["module a;\n  assign x = (b ;\n", file.text]


async def test_every_place_is_answered(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "", "b.md": "two words\n"}) as file:
        places = [types.Position(0, 0), types.Position(9, 9)]
        params = types.SelectionRangeParams(file.identifier, places)
        answer = await editor.client.text_document_selection_range_async(params)
        assert [selection.range for selection in answer or ()] == [types.Range(places[0], places[0])] * 2
        text = file.open_files["b.md"]
        assert [span.end for span in await text.selections()] == [len(text.text)]
