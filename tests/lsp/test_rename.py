from __future__ import annotations

from collections.abc import Callable

import pytest
from pygls.exceptions import JsonRpcException

from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

CHECK = "`define CLK clk\n`define CHECK(name, what, c = `CLK) name: assert property (@(posedge c) what);\n"

pytestmark = pytest.mark.asyncio(loop_scope="module")

Variant = Callable[[str], str]


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def refusal(file: Scratch, name: str) -> str:
    with pytest.raises(JsonRpcException) as error:
        await file.rename(name)
    return str(error.value.message)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("files", "renamed"),
    [
        (
            {"a.sv": "module m;\nwire w‸;\nassign w = 1; // w\nendmodule\n"},
            {"a.sv": "module m;\nwire new_name;\nassign new_name = 1; // w\nendmodule\n"},
        ),
        (
            {"a.sv": "module ‸m;\nendmodule : m\n", "b.sv": "module t;\nm m();\nendmodule\n"},
            {"a.sv": "module new_name;\nendmodule : new_name\n", "b.sv": "module t;\nnew_name m();\nendmodule\n"},
        ),
        (
            {
                "a.sv": "module sub(input clk‸);\nwire c = clk;\nendmodule\n",
                "b.sv": "module t;\nwire clk;\nsub s(.clk(clk));\nsub u(.clk);\nendmodule\n",
            },
            {
                "a.sv": "module sub(input new_name);\nwire c = new_name;\nendmodule\n",
                "b.sv": "module t;\nwire clk;\nsub s(.new_name(clk));\nsub u(.new_name(clk));\nendmodule\n",
            },
        ),
        (
            {"a.sv": "module sub(input clk);\nendmodule\nmodule t;\nwire ‸clk;\nsub u(.clk);\nendmodule\n"},
            {
                "a.sv": "module sub(input clk);\nendmodule\n"
                "module t;\nwire new_name;\nsub u(.clk(new_name));\nendmodule\n"
            },
        ),
        # Nothing says what the missing module calls it.
        (
            {"a.sv": "module t;\nwire ‸clk;\nmissing u(.clk);\nendmodule\n"},
            {"a.sv": "module t;\nwire new_name;\nmissing u(.clk(new_name));\nendmodule\n"},
        ),
        (
            {"a.sv": "package p;\nint x‸;\nendpackage\n", "b.sv": "module m;\nint y = p::x;\nint x;\nendmodule\n"},
            {
                "a.sv": "package p;\nint new_name;\nendpackage\n",
                "b.sv": "module m;\nint y = p::new_name;\nint x;\nendmodule\n",
            },
        ),
        (
            {"a.sv": '`include "d.svh"\nmodule m;\nwire [`W‸:0] w;\nendmodule\n', "d.svh": "`define W 4\n"},
            {
                "a.sv": '`include "d.svh"\nmodule m;\nwire [`new_name:0] w;\nendmodule\n',
                "d.svh": "`define new_name 4\n",
            },
        ),
        (
            {
                "a.sv": "package p;\nclass a;\nvirtual function void ‸f();\nendfunction\nendclass\n"
                "class b extends a;\nfunction void f();\nsuper.f();\nendfunction\nendclass\nendpackage\n",
                "b.sv": "class c extends p::b;\nfunction void f();\nendfunction\nendclass\n",
            },
            {
                "a.sv": "package p;\nclass a;\nvirtual function void new_name();\nendfunction\nendclass\n"
                "class b extends a;\nfunction void new_name();\nsuper.new_name();\nendfunction\nendclass\nendpackage\n",
                "b.sv": "class c extends p::b;\nfunction void new_name();\nendfunction\nendclass\n",
            },
        ),
        (
            {"a.sv": "module m(q);\noutput q;\nreg ‸q;\nendmodule\n"},
            {"a.sv": "module m(new_name);\noutput new_name;\nreg new_name;\nendmodule\n"},
        ),
    ],
)
async def test_a_name_is_changed_everywhere(
    editor: Editor, files: dict[str, str], renamed: dict[str, str], variant: Variant
) -> None:
    async with scratch(editor, files, variant) as file:
        # A marker puts a comment before its own line only, so the cursor's line of the result has one too.
        edited = file.edited_files(await file.rename("new_name"))
        plain_texts = {name: text.replace("\r\n", "\n").replace("/* é\f𝄞 */ ", "") for name, text in edited.items()}
        assert plain_texts == renamed


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("mod‸ule m; endmodule\n", "x", "module is a keyword"),
        ("module m; initial $dis‸play(1); endmodule\n", "x", "$display is a system task"),
        ("module m; wire ‸w; endmodule\n", "wire", "wire is a keyword"),
        ("module m; wire ‸w; endmodule\n", "1w", "is not a name"),
        ("module m; wire ‸w; endmodule\n", "", "is not a name"),
        ("module m; wire ‸w; wire v; endmodule\n", "v", "v would not mean the same"),
        ("module m; int ‸w; initial begin int v; w = v; end endmodule\n", "v", "v would not mean the same"),
        ("module m; int v; initial begin int ‸w; v = 1; end endmodule\n", "v", "v would not mean the same"),
        ("module ‸m; endmodule\nmodule n; endmodule\n", "n", "n is already there"),
        (
            "`define D wire w;\nmodule m;\n`D\nassign ‸w = 1;\nendmodule\n",
            "x",
            "The macro D in a.sv, line 3, writes the name w",
        ),
        (
            "`define U w\nmodule m;\nwire ‸w;\nassign `U = 1;\nendmodule\n",
            "x",
            "The macro U in a.sv, line 4, writes the name w",
        ),
        (
            # The default of a macro's argument is written where the macro is defined, here in a file of its own.
            '`include "d.svh"\nmodule m(input clk‸, d);\n`CHECK(a, d)\nendmodule\n',
            "x",
            "The macro CHECK in a.sv, line 3, writes the name clk",
        ),
        ('`include "‸d.svh"\n', "x", "is a file"),
        ("module m; assign x = nowhere‸; endmodule\n", "x", "It is unknown what nowhere means here"),
        ("module m; // ‸ \nendmodule\n", "x", "There is no name here"),
        ("`define ‸A 1\n", "define", "`define is a directive"),
    ],
)
async def test_what_is_not_safe_is_refused_with_the_reason(editor: Editor, text: str, name: str, reason: str) -> None:
    async with scratch(editor, {"a.sv": text, "d.svh": CHECK}) as file:
        assert reason in await refusal(file, name)


async def test_a_file_that_can_not_be_written_is_left_alone(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scratch(
        editor, "module m; lib l‸(); endmodule\n", on_disk={"lib.sv": "module lib; endmodule\n"}
    ) as file:
        file.cursor_offset = file.text.index("lib")
        (file.folder / "lib.sv").chmod(0o444)
        if file.path.owner() != "root":
            assert "can't be written" in await refusal(file, "x")


@pytest.mark.parametrize(
    ("text", "answer"),
    [("module m; wire «w»‸; endmodule\n", "w"), ("module m;\nwire w;\nassign ‸«w» = 1;\nendmodule\n", "w")],
)
async def test_preparing_tells_what_would_be_renamed(editor: Editor, text: str, answer: str) -> None:
    async with scratch(editor, text) as file:
        prepared = await file.prepare_rename()
        assert prepared.placeholder == answer
        assert file.spans(prepared.range) == file.expected_spans


async def test_preparing_refuses_with_the_reason(editor: Editor) -> None:
    async with scratch(editor, "module m; init‸ial x = 1; endmodule\n") as file:
        with pytest.raises(JsonRpcException, match="initial is a keyword"):
            await file.prepare_rename()


async def test_renaming_to_the_same_name_changes_nothing(editor: Editor) -> None:
    async with scratch(editor, "module m; wire w‸; endmodule\n") as file:
        assert file.edited_files(await file.rename("w")) == {}


async def test_broken_code_can_be_renamed_in(editor: Editor) -> None:
    async with scratch(editor, "module m;\nwire w‸;\nassign = ;\nassign w = 1;\n") as file:
        (text,) = file.edited_files(await file.rename("v")).values()
        assert text == "module m;\nwire v;\nassign = ;\nassign v = 1;\n"


async def test_a_name_that_an_error_holds_is_no_reason_to_refuse(editor: Editor) -> None:
    text = (
        "module s (input «‸d», output q);\n  assign q = «d»;\nendmodule\n"
        "module m (input x, output z);\n  s i (.«d»(x), .«d»(x), .q(z));\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        edit = await file.rename("d_i")
        assert edit is not None
        (changes,) = edit.document_changes or ()
        assert len(changes.edits) == len(file.expected_spans)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        (
            "module s(input ‸a, b); endmodule\nmodule t; wire a, b; s u(.*); s v(.*, .a(b)); endmodule\n",
            "module s(input c, b); endmodule\nmodule t; wire a, b; s u(.c(a), .*); s v(.*, .c(b)); endmodule\n",
        ),
        (
            "module s(input a, b); endmodule\nmodule t; wire ‸a, b; s u(.*); s v(.*, .a(b)); endmodule\n",
            "module s(input a, b); endmodule\nmodule t; wire c, b; s u(.a(c), .*); s v(.*, .a(b)); endmodule\n",
        ),
        (
            "module m;\n`ifdef X\nwire a;\n`else\nwire a = 1;\n`endif\nwire b = ‸a;\nendmodule\n",
            "module m;\n`ifdef X\nwire c;\n`else\nwire c = 1;\n`endif\nwire b = c;\nendmodule\n",
        ),
        (
            "module m;\n`ifdef X\nwire ‸a;\n`else\nwire a = 1;\n`endif\nwire b = a;\nendmodule\n",
            "module m;\n`ifdef X\nwire c;\n`else\nwire c = 1;\n`endif\nwire b = c;\nendmodule\n",
        ),
    ],
)
async def test_what_has_to_have_one_name_keeps_one_name(editor: Editor, text: str, renamed: str) -> None:
    async with scratch(editor, {"a.sv": text}) as file:
        assert file.edited_files(await file.rename("c"))["a.sv"] == renamed
