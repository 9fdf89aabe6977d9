from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from .conftest import Editors
from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def folded(file: Scratch) -> set[tuple[int, int]]:
    return {(fold.start_line, fold.end_line) for fold in await file.folding_ranges()}


@pytest.mark.parametrize("variant", VARIANTS)
async def test_blocks_fold_up_to_the_line_that_closes_them(editor: Editor, variant: Callable[[str], str]) -> None:
    text = """\
module «m» (
  input a,
  input b
);
  always @(*) begin
    case (a)
      1: b = 1;
    endcase
  end
  function f;
    f = 1;
  endfunction
endmodule
"""
    async with scratch(editor, text, variant) as file:
        assert await folded(file) == {(0, 2), (3, 11), (4, 7), (5, 6), (9, 10)}


async def test_comments_imports_and_regions_tell_their_kind(editor: Editor) -> None:
    text = """\
/* A header
   of two lines. */
`include "a.svh"
`include "b.svh"
import a::*;
import b::*;
// one
// two
// three
wire x; // not one of them
// alone
wire y;
//#region mine
wire z;
//#endregion
"""
    async with scratch(editor, text) as file:
        kinds_by_lines = {(fold.start_line, fold.end_line): fold.kind for fold in await file.folding_ranges()}
        assert kinds_by_lines == {
            (0, 1): types.FoldingRangeKind.Comment,
            (2, 5): types.FoldingRangeKind.Imports,
            (6, 8): types.FoldingRangeKind.Comment,
            (12, 14): types.FoldingRangeKind.Region,
        }


async def test_branches_of_conditional_compilation_fold_also_around_modules(editor: Editor) -> None:
    text = """\
`ifdef A
module a;
endmodule
`elsif B
module b;
endmodule
module c;
endmodule
`else
module d;
  `ifndef X
  wire x;
  `endif
endmodule
`endif
"""
    async with scratch(editor, text) as file:
        assert await folded(file) >= {(0, 2), (3, 7), (8, 13), (10, 11)}


async def test_what_is_not_closed_folds_nothing_and_spoils_nothing(editor: Editor) -> None:
    text = """\
module a;
  always begin
    if (x) begin
      y = (1;
  end
  wire z;
endmodule
module b;
  wire x;
endmodule
"""
    async with scratch(editor, text) as file:
        folds = await folded(file)
        assert {(0, 5), (7, 8)} <= folds
        assert (2, 3) in folds


async def test_words_in_comments_strings_and_prototypes_fold_nothing(editor: Editor) -> None:
    text = """\
module a;
  // begin
  string s = "begin";
  import "DPI-C" function int f();
  initial wait fork;
  virtual interface bus b;
  // end
endmodule
"""
    async with scratch(editor, text) as file:
        assert await folded(file) == {(0, 6)}


async def test_a_client_that_folds_within_lines_gets_exact_places(editors: Editors) -> None:
    fold = types.FoldingRangeClientCapabilities(line_folding_only=False)
    capabilities = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(folding_range=fold))
    editor = await editors(capabilities=capabilities)
    async with scratch(editor, "module a;\n  initial begin\n  end\nendmodule\n") as file:
        folds = {(f.start_line, f.start_character, f.end_line, f.end_character) for f in await file.folding_ranges()}
        assert folds == {(0, 9, 3, 0), (1, 15, 2, 2)}


async def test_a_text_of_one_line_or_of_another_language_has_no_folds(editor: Editor) -> None:
    files = {"a.sv": "module a; endmodule", "b.md": "module a;\n\nendmodule\n"}
    async with scratch(editor, files) as file:
        assert await file.folding_ranges() == []
        assert await file.open_files["b.md"].folding_ranges() == []
