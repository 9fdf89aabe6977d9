"""The name of a block or declaration and the label of its end change together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Editors
from .cursor import VARIANTS, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALL = """\
module m;
  initial begin : blk
    fork : f
    join : f
  end : blk
  for (genvar i = 0; i < 2; i++) begin : g
    wire w;
  end : g
  function automatic int fn(); return 1; endfunction : fn
  task t(); endtask : t
  clocking cb @(posedge x); endclocking : cb
endmodule : m
class c;
endclass : c
function void c::q(); endfunction : q
package p; endpackage : p
interface \\i+ ; endinterface : \\i+
program pr; endprogram : pr
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("begin_text", "end_text", "name"),
    [
        ("begin : blk", "end : blk", "blk"),
        ("fork : f", "join : f", "f"),
        ("begin : g", "end : g", "g"),
        ("int fn", "endfunction : fn", "fn"),
        ("task t", "endtask : t", "t"),
        ("clocking cb", "endclocking : cb", "cb"),
        ("module m", "endmodule : m", "m"),
        ("class c", "endclass : c", "c"),
        ("c::q", "endfunction : q", "q"),
        ("package p", "endpackage : p", "p"),
        ("program pr", "endprogram : pr", "pr"),
        ("interface \\i+", "endinterface : \\i+", "\\i+"),
    ],
)
async def test_both_places_are_linked_from_either(
    editor: Editor, variant: Callable[[str], str], begin_text: str, end_text: str, name: str
) -> None:
    async with scratch(editor, ALL, variant) as file:
        linked_spans = []
        for cursor_text in (begin_text, end_text):
            linked_spans.append(await file.go_to(cursor_text, is_after=True).linked_spans())
        assert linked_spans[0] == linked_spans[1]
        assert len(linked_spans[0]) == 2
        texts = [file.text_of(span.file)[span.start : span.end] for span in linked_spans[0]]
        assert texts == [name, name]


@pytest.mark.parametrize("cursor_text", ["genvar i", "wire w", "return 1", "posedge x", "initial", "endclass :"])
async def test_nothing_else_is_linked(editor: Editor, cursor_text: str) -> None:
    async with scratch(editor, ALL) as file:
        assert await file.go_to(cursor_text, is_after=True).linked_spans() == []


@pytest.mark.parametrize(
    "text",
    [
        "module m; initial begin : a end : b endmodule\n",
        "module m; endmodule : n\n",
        "module m; initial begin : a end endmodule\n",
        "module m; initial begin end : a endmodule\n",
        "",
    ],
)
async def test_names_that_differ_are_not_linked(editor: Editor, text: str) -> None:
    async with scratch(editor, text) as file:
        for cursor_text in ("begin : a", "end : b", "module m", "endmodule : n", "end : a"):
            if cursor_text in text:
                assert await file.go_to(cursor_text, is_after=True).linked_spans() == []


async def test_a_file_that_is_no_design_has_none(editors: Editors) -> None:
    editor = await editors()
    async with scratch(editor, {"a.md": "begin : x end : x\n"}) as file:
        assert await file.linked_spans() == []
