from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from .cursor import VARIANTS, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "text",
    [
        "module m;\nwire «w»;\nassign «w»‸ = 1;\nwire x = «w»; // w\nendmodule\n",
        "`define «A» 1\nmodule m;\nint x = `‸«A»;\n`undef «A»\nendmodule\n",
        "module m;\nint «i»;\ninitial begin int i; i = 1; end\ninitial «i‸» = 2;\nendmodule\n",
        "module m;\nwire «w»;\nassign = ;\nassign «w‸» = 1;\n",
    ],
)
async def test_the_same_thing_is_highlighted(editor: Editor, text: str, variant: Callable[[str], str]) -> None:
    async with scratch(editor, text, variant) as file:
        assert file.spans(await file.highlights()) == file.expected_spans


async def test_reads_and_writes_are_told_apart(editor: Editor) -> None:
    async with scratch(editor, "module m;\nint w‸;\ninitial w = 1;\nint x = w;\nendmodule\n") as file:
        highlight_kinds = [highlight.kind for highlight in await file.highlights()]
        assert highlight_kinds == [
            types.DocumentHighlightKind.Write,
            types.DocumentHighlightKind.Write,
            types.DocumentHighlightKind.Read,
        ]


@pytest.mark.parametrize("text", ["module m; // ‸w\nendmodule\n", "‸", 'module m; initial $display("w‸"); endmodule\n'])
async def test_what_is_no_name_highlights_nothing(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        assert await file.highlights() == []
