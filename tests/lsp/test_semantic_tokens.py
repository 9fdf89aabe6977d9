from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from lsprotocol import types

from benchwright_verilog.semantics.names.token_legend import MODIFIERS, TYPES
from benchwright_verilog.syntax.lines import Lines

from .cursor import VARIANTS, Golden, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

Told = tuple[str, str, frozenset[str]]

DESIGN = """\
`define ONE 1'b1
package pkg; // é 𝄞
  typedef enum logic { IDLE, RUN } state_t;
  function automatic int twice(int n); return 2 * n; endfunction
endpackage
interface bus(input clk); logic v; modport m(input v); endinterface
module sub #(parameter int W = 4)(input logic [W-1:0] a, output logic q);
  assign q = ^a;
endmodule
module top(input clk, bus.m b);
  import pkg::*;
  state_t state;
  wire [3:0] data = `ONE;
  logic q;
  sub #(.W(4)) u_sub(.a(data), .q(q));
  always_ff @(posedge clk) state <= RUN;
  initial $display("text %d", pkg::twice(32'hff));
endmodule
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


def decoded_tokens(text: str, token_numbers: Sequence[int]) -> list[Told]:
    """Each token's text, type and modifiers."""
    lines, token_facts, line, character = Lines(text), [], 0, 0
    for index in range(0, len(token_numbers), 5):
        line_step, column_step, length, type_index, bits = token_numbers[index : index + 5]
        character = column_step if line_step else character + column_step
        line += line_step
        start, end = (lines.code_point_at(types.Position(line, column)) for column in (character, character + length))
        assert lines.line_bounds(line + 1)[0] <= start < end <= lines.line_bounds(line + 1)[1]
        modifiers = frozenset(name for bit, name in enumerate(MODIFIERS) if bits >> bit & 1)
        token_facts.append((text[start:end], TYPES[type_index], modifiers))
    return token_facts


async def tokens(file: Scratch) -> list[Told]:
    semantic_tokens = await file.semantic_tokens()
    assert semantic_tokens is not None
    return decoded_tokens(file.text, semantic_tokens.data)


async def test_every_word_is_told_for_what_it_is(editor: Editor, golden: Golden) -> None:
    async with scratch(editor, DESIGN) as file:
        golden.check(
            "design.txt",
            "\n".join(" ".join([repr(text), kind, *sorted(bits)]) for text, kind, bits in await tokens(file)),
        )


@pytest.mark.parametrize("variant", VARIANTS)
async def test_names_are_told_apart_by_what_they_mean(editor: Editor, variant: Callable[[str], str]) -> None:
    text = "module m #(parameter P = 1)(input clk);\n  wire w = clk & «P»;\nendmodule\n"
    async with scratch(editor, text, variant) as file:
        all_tokens = await tokens(file)
        declaration_modifiers = frozenset({"declaration"})
        assert ("m", "class", declaration_modifiers) in all_tokens
        assert ("P", "variable", declaration_modifiers | {"readonly"}) in all_tokens
        assert ("clk", "parameter", declaration_modifiers) in all_tokens
        assert ("w", "variable", declaration_modifiers) in all_tokens
        assert ("clk", "parameter", frozenset()) in all_tokens
        assert ("P", "variable", frozenset({"readonly"})) in all_tokens


async def test_what_is_left_out_is_marked_line_by_line(editor: Editor) -> None:
    text = "module m;\n`ifdef NOT\n  wire a;\n\n  wire b; // c\n`else\n  wire d;\n`endif\nendmodule\n"
    async with scratch(editor, text) as file:
        all_tokens = await tokens(file)
        inactive = [text for text, _, bits in all_tokens if "inactive" in bits]
        assert inactive == ["wire a;", "wire b;"] or inactive == ["wire a;", "wire b; // c"]
        assert ("d", "variable", frozenset({"declaration"})) in all_tokens
        file.type("`define NOT\n", before_text="module m")
        inactive = [text for text, _, bits in await tokens(file) if "inactive" in bits]
        assert inactive == ["wire d;"]


async def test_a_comment_of_several_lines_is_told_line_by_line(editor: Editor) -> None:
    async with scratch(editor, "/* one\n   two é\n\n*/\nmodule m; endmodule\n") as file:
        comments = [text for text, kind, _ in await tokens(file) if kind == "comment"]
        assert comments == ["/* one", "two é", "*/"]


async def test_broken_code_keeps_its_colours(editor: Editor) -> None:
    async with scratch(editor, 'module m;\n  wire x = (1;\n  initial $display("x\n') as file:
        all_tokens = [(text, kind) for text, kind, _ in await tokens(file)]
        assert ("wire", "keyword") in all_tokens
        assert ("1", "number") in all_tokens
        assert ("$display", "function") in all_tokens
        assert ('"x', "string") in all_tokens


async def test_a_delta_makes_the_new_tokens_of_the_old(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        first_tokens = await file.semantic_tokens()
        assert first_tokens is not None
        assert first_tokens.result_id is not None
        file.type("  wire more;\n", before_text="  logic q;\n  sub")
        params = types.SemanticTokensDeltaParams(file.identifier, first_tokens.result_id)
        delta = await editor.client.text_document_semantic_tokens_full_delta_async(params)
        assert isinstance(delta, types.SemanticTokensDelta)
        token_numbers = list(first_tokens.data)
        for token_edit in delta.edits:
            token_numbers[token_edit.start : token_edit.start + token_edit.delete_count] = token_edit.data or ()
        assert sum(len(edit.data or ()) for edit in delta.edits) < len(token_numbers) / 4
        new_tokens = await file.semantic_tokens()
        assert new_tokens is not None
        assert token_numbers == list(new_tokens.data)
        unknown_params = types.SemanticTokensDeltaParams(file.identifier, "no such")
        full_answer = await editor.client.text_document_semantic_tokens_full_delta_async(unknown_params)
        assert isinstance(full_answer, types.SemanticTokens)
        assert list(full_answer.data) == token_numbers


async def test_a_range_gets_its_own_tokens_only(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        file_tokens = await tokens(file)
        line_range = types.Range(types.Position(6, 0), types.Position(8, 0))
        params = types.SemanticTokensRangeParams(file.identifier, line_range)
        range_tokens = await editor.client.text_document_semantic_tokens_range_async(params)
        assert range_tokens is not None
        part_tokens = decoded_tokens(file.text, range_tokens.data)
        assert part_tokens[0][0] == "module"
        assert part_tokens[-1][0] == "a"
        assert len(part_tokens) < len(file_tokens) / 3


async def test_other_files_have_no_tokens(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "", "b.md": "module m; endmodule\n"}) as file:
        assert await tokens(file) == []
        assert await tokens(file.open_files["b.md"]) == []
