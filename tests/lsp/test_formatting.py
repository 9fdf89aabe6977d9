from __future__ import annotations

import asyncio
from collections.abc import Callable

import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .cursor import VARIANTS, Scratch, scratch
from .session import PATIENCE_S, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

UGLY = "module m(input a,output b);\n\n// é 𝄞 stays\nassign   b=a;\f\nendmodule"


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


def words(text: str) -> str:
    return "".join(text.split())


async def on_type(file: Scratch, typed: str, tab: int = 2) -> str:
    params = types.DocumentOnTypeFormattingParams(
        file.identifier, file.position, typed, types.FormattingOptions(tab, True)
    )
    edits = await file.editor.client.text_document_on_type_formatting_async(params)
    return file.edited_text(edits or ())


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_file_is_formatted_and_keeps_its_line_ends(editor: Editor, variant: Callable[[str], str]) -> None:
    async with scratch(editor, UGLY.replace("assign", "«assign»"), variant) as file:
        edits = await file.formatting_edits()
        text = file.edited_text(edits)
        assert words(text) == words(file.text)
        lines = text.split("\r\n") if "\r\n" in file.text else text.split("\n")
        assert lines[:4] == ["module m (", "    input  a,", "    output b", ");"]
        assert any(line.endswith("assign b = a;\f") for line in lines)
        # Nothing but white space is replaced, so a cursor stays in its word.
        assert all(not edit.new_text.strip() for edit in edits)
        assert all(not file.text[span.start : span.end].strip() for span in file.spans(edits))


async def test_what_is_formatted_already_needs_no_edits(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  wire a;\nendmodule\n") as file:
        assert await file.formatting_edits() == []


async def test_the_indentation_is_the_clients(editor: Editor) -> None:
    async with scratch(editor, "module m;\nwire a;\nendmodule") as file:
        formatting_options = types.FormattingOptions(6, True, insert_final_newline=True)
        params = types.DocumentFormattingParams(file.identifier, formatting_options)
        edits = await editor.client.text_document_formatting_async(params)
        assert file.edited_text(edits or ()) == "module m;\n      wire a;\nendmodule\n"


async def test_a_broken_file_stays_as_it_is_and_the_reason_is_told(editor: Editor) -> None:
    async with scratch(editor, "module m(\n  assign = ;\nendmodule\n") as file:
        assert await file.formatting_edits() == []
        await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
        assert "a.sv was formatted but for lines that verible can't read: 1–" in editor.screen.messages[0]


UNREAD = """module m;
wire   a;
    always @(posedge clk) begin
  x  = tagged   X  (1)
        + 2;
 y   <= a;
    end
assign = ;
   assign    y=a;
endmodule
module   other;wire b;
endmodule
"""
AROUND_UNREAD = """module m;
  wire a;
  always @(posedge clk) begin
    x  = tagged   X  (1)
        + 2;
    y <= a;
  end
  assign = ;
  assign y = a;
endmodule
module other;
  wire b;
endmodule
"""


async def test_what_can_not_be_read_stays_to_the_byte_and_is_named_and_the_rest_is_formatted(editor: Editor) -> None:
    async with scratch(editor, UNREAD) as file:
        assert file.edited_text(await file.formatting_edits()) == AROUND_UNREAD
        await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
        assert editor.screen.messages == ["a.sv was formatted but for lines that verible can't read: 4–5, 8."]


@pytest.mark.parametrize(
    ("text", "formatted_text", "unread_lines"),
    [
        (
            "module   m;\n  logic  a;\n assign  a = - - 1;\n assign   b[ -1 - -1 ] = 0;\nendmodule\n",
            "module m;\n  logic a;\n  assign a = - -1;\n  assign   b[ -1 - -1 ] = 0;\nendmodule\n",
            "4",
        ),
        (
            "module m\n#(W=1)\n(p [ 1'b0 : -1'b0 ? W : -1 ]);\nassign   x=1;\nendmodule\nmodule   n;\nendmodule\n",
            "module m\n#(W=1)\n(p [ 1'b0 : -1'b0 ? W : -1 ]);\nassign   x=1;\nendmodule\nmodule n;\nendmodule\n",
            "1–5",
        ),
    ],
    ids=["statement", "header"],
)
@pytest.mark.parametrize("variant", VARIANTS)
async def test_what_the_formatter_would_spoil_stays_and_is_named(
    editor: Editor, variant: Callable[[str], str], text: str, formatted_text: str, unread_lines: str
) -> None:
    async with scratch(editor, text, variant) as file:
        assert file.edited_text(await file.formatting_edits()) == variant(formatted_text)
        await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
        assert editor.screen.messages == [f"a.sv was formatted but for lines that verible can't read: {unread_lines}."]


UNSTABLE = """module m;
  task run (string name,
            int size=1);
    if (!a_pkg::get_or_none(size, "", "check_names_of_all_the_modules_in_it",name)) begin
    end
    // Wait until the other side is ready.
    //
    else if (from.is_export() && (provider.is_export() || provider.is_imp()) &&
             from_parent != to_parent) begin
      s = {provider.get_full_name(),
           "a string that is long enough to be wrapped"};
    end
  endtask
endmodule
"""
"""verible formats what it has formatted once more, and refuses to return the first."""


async def test_what_verible_formats_differently_at_the_second_time_is_formatted(editor: Editor) -> None:
    async with scratch(editor, UNSTABLE) as file:
        formatted_text = file.edited_text(await file.formatting_edits())
    assert formatted_text != UNSTABLE
    assert editor.screen.messages == []
    async with scratch(editor, formatted_text) as file:
        assert await file.formatting_edits() == []


SPOILT = """module   m;
always_comb begin
case (a)
1:        // one
        b = 2;
default:  b   = 3;
endcase
end
   assign   c =   d;
endmodule
"""


async def test_what_verible_would_spoil_stays_to_the_byte_and_the_rest_is_formatted(editor: Editor) -> None:
    # verible aligns the statement behind the comment, and refuses all when it reads its own result.
    async with scratch(editor, SPOILT) as file:
        text = file.edited_text(await file.formatting_edits())
        assert words(text) == words(SPOILT)
        assert "1:        // one\n        b = 2;" in text
        assert text.endswith("  assign c = d;\nendmodule\n")
        await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
        assert "a.sv was formatted but for lines that verible can't read: 3–5" in editor.screen.messages[0]


async def test_a_range_is_formatted_without_the_rest(editor: Editor) -> None:
    text = "module m;\nassign   a=b;\n\n\n// apart\n\nassign   c=d;\nendmodule\n"
    async with scratch(editor, text) as file:
        line_range = types.Range(types.Position(6, 0), types.Position(6, 3))
        params = types.DocumentRangeFormattingParams(file.identifier, line_range, types.FormattingOptions(2, True))
        edits = await editor.client.text_document_range_formatting_async(params)
        assert file.edited_text(edits or ()) == file.text.replace("assign   c=d", "  assign c = d")


async def test_several_ranges_are_formatted_at_once_without_the_rest(editor: Editor) -> None:
    text = "module m;\nassign   a=b;\nassign   c=d;\nassign   e=f;\nendmodule\n"
    async with scratch(editor, text) as file:
        ranges = [types.Range(types.Position(line, 0), types.Position(line, 3)) for line in (1, 3, 3)]
        params = types.DocumentRangesFormattingParams(file.identifier, ranges, types.FormattingOptions(2, True))
        edits = await editor.client.text_document_ranges_formatting_async(params)
        expected = file.text.replace("assign   a=b", "  assign a = b").replace("assign   e=f", "  assign e = f")
        assert file.edited_text(edits or ()) == expected


async def test_a_line_is_formatted_when_it_ends(editor: Editor) -> None:
    async with scratch(editor, "module m;\nassign   a=b;‸\nendmodule\n") as file:
        assert await on_type(file, ";") == file.text.replace("assign   a=b", "  assign a = b")
    async with scratch(editor, "module m;\nassign   a=b;\n   ‸\nendmodule\n") as file:
        assert await on_type(file, "\n") == file.text.replace("assign   a=b", "  assign a = b")


async def test_a_closing_word_goes_to_its_place_and_other_words_do_not(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  initial begin\n    x = 1;\n      end‸\nendmodule\n") as file:
        assert await on_type(file, "d") == file.text.replace("      end", "  end")
    async with scratch(editor, "module m;\n      blend‸;\nendmodule\n") as file:
        assert await on_type(file, "d") == file.text


async def test_half_typed_code_is_left_alone_in_silence(editor: Editor) -> None:
    async with scratch(editor, "module m;\nassign   a=(b;‸\nendmodule\n") as file:
        assert await on_type(file, ";") == file.text
        assert editor.screen.messages == []


async def test_formatting_can_be_cancelled_and_asked_again(editor: Editor) -> None:
    async with scratch(editor, UGLY) as file:
        params = types.DocumentFormattingParams(file.identifier, types.FormattingOptions(2, True))
        protocol = editor.client.protocol
        # It reads both at once, however slowly they are written.
        server_process = psutil.Process(editor.process.pid)
        server_process.suspend()
        task = asyncio.ensure_future(protocol.send_request_async("textDocument/formatting", params, "mine"))  # type: ignore[no-untyped-call]
        await asyncio.sleep(0)
        protocol.notify("$/cancelRequest", types.CancelParams("mine"))
        server_process.resume()
        with pytest.raises(JsonRpcException, match="ancel"):
            await asyncio.wait_for(task, PATIENCE_S)
        assert await asyncio.wait_for(file.formatting_edits(), PATIENCE_S)


async def test_what_is_no_design_is_not_formatted(editor: Editor) -> None:
    async with scratch(editor, {"a.md": "module   m;\n", "b.sv": "", "c.sv": "  \n\n"}) as file:
        assert [await scratch_file.formatting_edits() for scratch_file in file.open_files.values()] == [[], [], []]
