"""Names in branches that the present defines leave out: found, explained and renamed like the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_verilog.semantics.names.branches import conditional_branches, covering_choices

from .conftest import Editors
from .cursor import scratch
from .session import Editor

DESIGN = """module core (input «d», output q);
  `ifdef FPGA
  assign q = ~«d»;
  `ifndef SLOW
  wire w = «d»;
  `elsif TINY
  wire w = «d» & «d»;
  `else
  wire w = ~«d»;
  `endif
  `else
  assign q = «d»;
  `endif
endmodule
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("place", ["input «d", "~«d»;\n  `ifndef", "wire w = «d» &", "assign q = «d»;\n  `endif"])
async def test_a_name_is_found_and_renamed_in_every_branch_from_any(editor: Editor, place: str) -> None:
    text = DESIGN.replace(place, place.replace("«d", "«‸d", 1), 1)
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans
        assert [span.start for span in await file.definition()] == [file.expected_spans[0].start]
        edit = await file.rename("data")
        assert file.edited_files(edit)["a.sv"] == file.text.replace(" d,", " data,").replace("~d;", "~data;").replace(
            "= d", "= data"
        ).replace("& d;", "& data;")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_place_in_an_inactive_branch_is_explained_and_says_which_macros_it_needs(editor: Editor) -> None:
    async with scratch(editor, DESIGN.replace("& «d»", "& «‸d»")) as file:
        hover = await file.hover()
    assert hover is not None
    assert "input d" in hover
    assert "inactive under the present defines; here with FPGA defined, SLOW defined, TINY defined" in hover


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "text",
    [
        "`define HAS 1\nmodule m (input «‸d», output q);\n`ifndef HAS\n  assign q = ~«d»;\n`else\n"
        "  assign q = «d»;\n`endif\nendmodule\n",
        '`include "defs.svh"\nmodule m (input «‸d», output q);\n`ifdef HAS\n  assign q = ~«d»;\n`elsif DEEP\n'
        "  assign q = !«d»;\n`else\n  assign q = «d»;\n`endif\nendmodule\n",
        "`define HAS\n`undef HAS\nmodule m (input «d», output q);\n`ifdef HAS\n  assign q = ~«‸d»;\n`else\n"
        "  assign q = «d»;\n`endif\nendmodule\n",
    ],
)
async def test_macros_that_files_define_themselves_are_taken_back_for_the_other_branch(
    editor: Editor, text: str
) -> None:
    headers = {"defs.svh": "`ifndef DEFS\n`define DEFS\n`define HAS \\\n  1\n`endif\n"}
    async with scratch(editor, text, on_disk=headers) as file:
        assert await file.references() == file.expected_spans
        edit = await file.rename("data")
        assert file.edited_files(edit)["a.sv"].count("data") == len(file.expected_spans)


@pytest.mark.asyncio(loop_scope="module")
async def test_what_an_inactive_branch_declares_is_found_in_files_without_conditions(editor: Editor) -> None:
    text = (
        "module m (\n`ifdef WIDE\n  input [7:0] «‸d»,\n`else\n  input d,\n`endif\n  output q);\n"
        "  assign q = ^«d»;\nendmodule\n"
    )
    user = "module t (input d, output q);\n  m u (.«d»(d), .q);\nendmodule\n"
    async with scratch(editor, {"a.sv": text}, on_disk={"b.sv": user}) as file:
        assert await file.references() == file.expected_spans


@pytest.mark.asyncio(loop_scope="module")
async def test_edits_in_inactive_branches_are_marked_for_confirmation(editor: Editor) -> None:
    async with scratch(editor, DESIGN.replace("input «d", "input «‸d")) as file:
        edit = await file.rename("data")
        assert edit is not None
        annotations = edit.change_annotations or {}
        (text_edits,) = edit.document_changes or ()
        annotated = [
            file.spans([text_edit])[0]
            for text_edit in text_edits.edits  # type: ignore[union-attr]
            if isinstance(text_edit, types.AnnotatedTextEdit)
            and annotations[text_edit.annotation_id].label == "inactive under the present defines"
            and annotations[text_edit.annotation_id].needs_confirmation
        ]
        assert (
            annotated
            == [span for span in file.expected_spans if "q = d" not in file.text[span.start - 4 : span.end]][1:]
        )


@pytest.mark.asyncio(loop_scope="module")
async def test_a_name_without_meaning_under_any_defines_is_listed(editors: Editors) -> None:
    editor = await editors()
    text = (
        "module m (input «‸d», output q);\n`ifdef HAS\n`ifndef HAS\n  assign q = ~d;\n`endif\n`else\n"
        "  assign q = «d»;\n`endif\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        edit = await file.rename("data")
        assert file.edited_files(edit)["a.sv"].count("data") == 2
    await editor.wait_until(lambda: bool(editor.screen.messages), "a message about the other branch")
    assert "give it a meaning: a.sv:4." in editor.screen.messages[0]


@pytest.mark.asyncio(loop_scope="module")
async def test_macro_text_that_no_file_uses_is_listed_however_many_files_have_the_name(editors: Editors) -> None:
    editor = await editors()
    text = "package p;\n  function automatic int f(int «‸data_i»); return «data_i»; endfunction\nendpackage\n"
    others = {f"m{n}.sv": f"module m{n} import p::*; (input int data_i); endmodule\n" for n in range(70)}
    headers = {f"unused{n}.svh": f"`define SHOW_{n}(x) $display(data_i, x) // data_i\n" for n in range(30)}
    async with scratch(editor, text, on_disk=others | headers) as file:
        edit = await file.rename("word")
        assert file.edited_files(edit) == {"a.sv": file.text.replace("data_i", "word")}
    await editor.wait_until(lambda: bool(editor.screen.messages), "a message about macro text")
    (message,) = editor.screen.messages
    assert "unused0.svh:1, unused1.svh:1," in message
    assert " and 10 more, which the log has." in message
    await editor.wait_until(lambda: bool(editor.client.log_messages), "the whole list in the log")
    assert all(f"unused{n}.svh:1" in editor.client.log_messages[-1].message for n in range(30))


@pytest.mark.asyncio(loop_scope="module")
async def test_macros_of_settings_are_taken_back_for_the_other_branch(editors: Editors, tmp_path: Path) -> None:
    editor = await editors(options={"project": {"defines": ["FPGA=1"]}})
    text = (
        "module m (input «‸d», output q);\n`ifdef FPGA\n  assign q = «d»;\n`else\n  assign q = ~«d»;\n`endif\n"
        "endmodule\n"
    )
    async with scratch(editor, text) as file:
        assert await file.references() == file.expected_spans


def test_every_branch_is_covered_by_few_sets_of_defines() -> None:
    code = DESIGN.replace("«", "").replace("»", "").encode()
    branches = [dict(branch.macros) for branch in conditional_branches(code)]
    assert branches == [
        {"FPGA": True, "SLOW": False},
        {"FPGA": True, "SLOW": True, "TINY": True},
        {"FPGA": True, "SLOW": True, "TINY": False},
        {"FPGA": True},
        {"FPGA": False},
    ]
    assert len(covering_choices([code], ())) == 3
    assert covering_choices([b"`ifndef GUARD\n`define GUARD\n`endif\n"], ()) == []
    assert list(conditional_branches(b"`else x `endif `ifdef A `ifndef A y `endif `endif")) != []
