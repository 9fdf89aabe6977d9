from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from lsprotocol import types

from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def warned_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    options = {"project": {"warnings": ["everything"]}}
    editor = await Editor.start(tmp_path_factory.mktemp("warned") / "home", options=options)
    yield editor
    await editor.quit()


@pytest.fixture
def editor(warned_editor: Editor) -> Editor:
    return warned_editor.forget()


async def titles(file: Scratch, only: list[types.CodeActionKind | str] | None = None) -> list[str]:
    return [action.title for action in await file.code_actions(only=only)]


async def apply_action(
    file: Scratch, title: str, only: list[types.CodeActionKind | str] | None = None
) -> dict[str, str]:
    """The texts of all changed files after an action."""
    offered_actions = await file.code_actions(only=only)
    assert title in [candidate.title for candidate in offered_actions]
    (action,) = [candidate for candidate in offered_actions if candidate.title == title]
    if action.edit is None:
        action = await file.editor.client.code_action_resolve_async(action)
    return {name: text.replace("\r\n", "\n") for name, text in file.edited_files(action.edit).items()}


def body(text: str) -> str:
    """A text without what the multi-byte variant puts into it."""
    return text.replace("/* é\f𝄞 */ ", "")


@pytest.mark.parametrize("statement", ["always @(*)", "always_comb", "always_ff @(posedge c)"])
async def test_another_always_is_offered_in_its_head_and_not_in_its_body(editor: Editor, statement: str) -> None:
    for head, body_line, titles in ((f"{statement}‸", " b = 1;", 1), (statement, " b‸ = 1;", 0), (statement, " ‸", 0)):
        text = f"module m(input c, output reg b);\n{head}\n  begin\n{body_line}\n  end\nendmodule\n"
        async with scratch(editor, text) as file:
            actions = await file.code_actions()
            assert len([action for action in actions if action.title.startswith("Write as always")]) == titles


STUBBED = """package p; typedef logic [2:0] op_t; endpackage
module m (input clk, input [7:0] d, output [7:0] q, inout pad);
  logic [3:0] low, high; wire done, link, k_o; p::op_t op;
  bo‸x #(.W(4), .M(2)) u (.clk, .d(d[3:0]), .low(low), .sum({high, low}), .done, .pad, .op(op), .n(4'd3), .link, .k_o);
  assign q = done ? {high, low} : 0;
  assign op = 3;
endmodule
"""
STUB = """module box #(
  parameter W = 0,
  parameter M = 0
) (
  input logic clk,
  input logic [3:0] d,
  output logic [3:0] low,
  output logic [7:0] sum,
  output logic done,
  inout wire pad,
  input logic [2:0] op,
  input logic [3:0] n,
  input logic link,
  output logic k_o,
  output logic [7:0] result
);

endmodule
"""


async def test_a_stub_of_a_module_gets_a_file_of_its_own_and_directions_by_use(editor: Editor) -> None:
    other = "module other(output [7:0] q);\n  box v (.result(q));\nendmodule\n"
    async with scratch(editor, {"rtl/a.sv": STUBBED}, on_disk={"rtl/b.sv": other}) as file:
        action = next(action for action in await file.code_actions() if action.title.startswith("Create"))
        assert action.title == "Create the module 'box' in box.sv"
        assert action.edit is not None
        creation, text_edit = action.edit.document_changes or ()
        assert isinstance(creation, types.CreateFile)
        assert isinstance(text_edit, types.TextDocumentEdit)
        assert creation.uri == text_edit.text_document.uri == f"{file.folder.as_uri()}/rtl/box.sv"
        assert [edit.new_text for edit in text_edit.edits if isinstance(edit, types.TextEdit)] == [STUB]
        (file.folder / "rtl" / "box.sv").write_text("")
        assert "Create the module 'box'" in await titles(file)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(/*AUTOINST*/)", "(/*AUTOINST*/\n    .a(a),\n    .b(b),\n    .c()\n  )"),
        ("(.a(a), /*AUTOINST*/)", "(.a(a), /*AUTOINST*/ .b(b), .c())"),
        ("(.a(a) /*AUTOINST*/)", "(.a(a), .b(b), .c() /*AUTOINST*/)"),
        ("( // all\n  )", "( // all\n    .a(a),\n    .b(b),\n    .c()\n  )"),
        ("(\n  // in\n  .a(a) // x\n  // end\n  )", "(\n  // in\n  .a(a), // x\n  .b(b),\n  .c()\n  // end\n  )"),
        ("(\n  .a(a) /* two\n lines */ // x\n  )", "(\n  .a(a), /* two\n lines */ // x\n  .b(b),\n  .c()\n  )"),
    ],
)
async def test_comments_between_connections_stay_where_they_are(editor: Editor, before: str, after: str) -> None:
    head = "module s(input a, b, output c); endmodule\nmodule m; logic a, b;\n  s‸ u "
    async with scratch(editor, f"{head}{before};\nendmodule\n") as file:
        action = next(action for action in await file.code_actions() if action.title == "Connect all ports")
        assert file.edited_files(action.edit)["a.sv"] == f"{head.replace('‸', '')}{after};\nendmodule\n"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        (
            "module m(input a, output reg b);\n  alw‸ays @(*) b = a;\nendmodule\n",
            "Write as always_comb",
            "module m(input a, output reg b);\n  always_comb b = a;\nendmodule\n",
        ),
        (
            "module m(input a, output reg b);\n  always‸ @  *\n b = a;\nendmodule\n",
            "Write as always_comb",
            "module m(input a, output reg b);\n  always_comb\n b = a;\nendmodule\n",
        ),
        (
            "module m(input a, output reg b);\n  always_c‸omb b = a;\nendmodule\n",
            "Write as always @(*)",
            "module m(input a, output reg b);\n  always @(*) b = a;\nendmodule\n",
        ),
        (
            "module m(input c, output reg b);\n  always‸ @(posedge c) b <= 1;\nendmodule\n",
            "Write as always_ff",
            "module m(input c, output reg b);\n  always_ff @(posedge c) b <= 1;\nendmodule\n",
        ),
        (
            "module s(input a, b); endmodule\nmodule m(input a, b);\n  s u (.*‸);\nendmodule\n",
            "Write out .*",
            "module s(input a, b); endmodule\nmodule m(input a, b);\n  s u (.a(a), .b(b));\nendmodule\n",
        ),
        (
            "module s(input a, b); endmodule\nmodule m(input a, c);\n  s‸ u (.b(c));\nendmodule\n",
            "Connect all ports",
            "module s(input a, b); endmodule\nmodule m(input a, c);\n  s u (.b(c), .a(a));\nendmodule\n",
        ),
        (
            "module s(input a, b); endmodule\nmodule m(input a);\n  s u‸ ();\nendmodule\n",
            "Connect all ports",
            "module s(input a, b); endmodule\nmodule m(input a);\n  s u (\n    .a(a),\n    .b()\n  );\nendmodule\n",
        ),
        (
            "module s(input a, b); endmodule\nmodule m(input x, y);\n  s u (x‸, y);\nendmodule\n",
            "Connect ports by name",
            "module s(input a, b); endmodule\nmodule m(input x, y);\n  s u (.a(x), .b(y));\nendmodule\n",
        ),
        (
            "module s #(parameter W = 4, localparam L = 1) (); endmodule\nmodule m;\n  s‸ u ();\nendmodule\n",
            "Set all parameters",
            "module s #(parameter W = 4, localparam L = 1) (); endmodule\nmodule m;\n  s #(.W(4)) u ();\nendmodule\n",
        ),
        (
            "module m(input abc, output w);\n  assign w = ab‸d;\nendmodule\n",
            "Change to 'abc'",
            "module m(input abc, output w);\n  assign w = abc;\nendmodule\n",
        ),
        (
            "module m(output w);\n  assign w = n‸ew;\nendmodule\n",
            "Declare 'logic new_'",
            "",
        ),
        (
            "module m(output w);\n  assign w = fre‸sh;\nendmodule\n",
            "Declare 'logic fresh'",
            "module m(output w);\n  logic fresh;\n  assign w = fresh;\nendmodule\n",
        ),
        (
            "module m(output w);\n  assign w = fre‸sh;\nendmodule\n",
            "Add the input port 'fresh'",
            "module m(output w, input logic fresh);\n  assign w = fresh;\nendmodule\n",
        ),
        (
            "module m();\n  assign fre‸sh = 1;\nendmodule\n",
            "Add the output port 'fresh'",
            "module m(output logic fresh);\n  assign fresh = 1;\nendmodule\n",
        ),
        (
            "module m;\n  wire w‸\nendmodule\n",
            "Insert ';'",
            "module m;\n  wire w;\nendmodule\n",
        ),
        (
            "module m(input [1:0] a, output reg b);\n  always_comb\n    ca‸se (a)\n      0: b = 1;\n"
            "    endcase\nendmodule\n",
            "Add a default that does nothing",
            "module m(input [1:0] a, output reg b);\n  always_comb\n    case (a)\n      0: b = 1;\n      default: ;\n"
            "    endcase\nendmodule\n",
        ),
        (
            "module s(input a); endmodule\nmodule m(input a);\n  s u (.a(a), .n‸ew(a));\nendmodule\n",
            "Add the input port 'new' to 's'",
            "",
        ),
        (
            "module s(input a); endmodule\nmodule m(input a);\n  s u (.a(a), .ex‸tra(a));\nendmodule\n",
            "Add the input port 'extra' to 's'",
            "module s(input a, input logic extra); endmodule\nmodule m(input a);\n  s u (.a(a), .extra(a));\n"
            "endmodule\n",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "module" not in value else "",
)
async def test_an_action_does_what_it_says(
    editor: Editor, variant: Callable[[str], str], text: str, title: str, expected: str
) -> None:
    async with scratch(editor, {"a.sv": text}, variant) as file:
        if expected:
            assert body((await apply_action(file, title))["a.sv"]) == expected
        else:
            # `new` is a keyword: what slang says there is about syntax.
            assert title not in await titles(file)


@pytest.mark.parametrize(
    "text",
    [
        "module m;\n  // always‸ @(*)\nendmodule\n",
        "module m(input a);\n  wire‸ w = a;\nendmodule\n",
        "‸",
        "module m; initial begin ‸",
        "`define A always @(*) x = 1;\nmodule m; reg x; `A‸ endmodule\n",
        "module s(input a); endmodule\nmodule m(input a); s u (.a‸(a)); endmodule\n",
    ],
)
async def test_nothing_is_offered_where_nothing_is_to_be_rewritten(editor: Editor, text: str) -> None:
    async with scratch(editor, {"a.sv": text}) as file:
        assert await titles(file, ["refactor"]) == []


async def test_a_module_of_another_file_gets_the_port_there(editor: Editor) -> None:
    files = {"a.sv": "module m(input a);\n  s u (.a(a), .ex‸tra(a));\nendmodule\n"}
    sub = "module s (\n  input a  // the only one\n);\nendmodule\n"
    async with scratch(editor, files, on_disk={"s.sv": sub}) as file:
        texts = await apply_action(file, "Add the input port 'extra' to 's'")
        assert texts == {"s.sv": "module s (\n  input a,  // the only one\n  input logic extra\n);\nendmodule\n"}


async def test_edits_name_the_version_they_are_for(editor: Editor) -> None:
    async with scratch(editor, {"a.sv": "module m;\n  wire w‸\nendmodule\n"}) as file:
        file.type("// more\n")
        (action,) = [candidate for candidate in await file.code_actions() if candidate.title == "Insert ';'"]
        assert action.edit is not None
        (document_change,) = action.edit.document_changes or ()
        assert isinstance(document_change, types.TextDocumentEdit)
        assert document_change.text_document.version == file.version
        assert (action.kind, action.is_preferred) == (types.CodeActionKind.QuickFix, True)


async def test_only_what_is_asked_for_is_offered(editor: Editor) -> None:
    text = "module m(input a, output reg b);\n  always‸ @(*) b = unkn;\nendmodule\n"
    async with scratch(editor, {"a.sv": text}) as file:
        file.go_to("unkn")
        action_kinds = {action.kind for action in await file.code_actions(only=["quickfix"])}
        assert action_kinds == {types.CodeActionKind.QuickFix}
        action_kinds = {action.kind for action in await file.code_actions(only=["refactor"])}
        assert action_kinds == {types.CodeActionKind.RefactorRewrite}
        assert await titles(file, ["source.organizeImports"]) == []


async def test_what_verible_finds_can_be_fixed_or_waived(editor: Editor) -> None:
    text = "module a(input x, output reg y);\n  wire w;‸  \n  always_comb y <= x;\nendmodule\n"
    async with scratch(editor, {"a.sv": text}) as file:
        file.save()
        await file.marked("unused net", "trailing spaces", "blocking")
        assert body((await apply_action(file, "Remove trailing space"))["a.sv"]) == text.replace("‸  \n", "\n")
        waived = (await apply_action(file, "Waive no-trailing-spaces on this line"))["a.sv"]
        assert "  // verilog_lint: waive no-trailing-spaces\n  wire w;  \n" in waived
        file.go_to("<=")
        assert "always_comb y = x;" in (await apply_action(file, "Make this assignment blocking"))["a.sv"]


async def test_a_waiver_silences_what_it_names(editor: Editor) -> None:
    text = "module m(output wire y);\n  wire [3:0] w ‸= 8'd255;\n  assign y = w[0];\nendmodule\n"
    async with scratch(editor, {"a.sv": text}) as file:
        (diagnostic,) = await file.marked("implicit conversion")
        waived = (await apply_action(file, f"Waive {diagnostic.code} on this line"))["a.sv"]
        assert f"  // slang lint_off {diagnostic.code}\n" in waived
        file.paste(waived)
        await file.marked()


async def test_everything_safe_is_fixed_at_once_and_only_when_asked_for(editor: Editor) -> None:
    text = "module a;  \n  wire w; ‸ \n  always @(*) begin end\nendmodule"
    async with scratch(editor, {"a.sv": text}) as file:
        title = "Fix everything that is safe to fix"
        assert title not in await titles(file)
        fixed = await apply_action(file, title, ["source.fixAll"])
        assert fixed == {"a.sv": "module a;\n  wire w;\n  always @(*) begin end\nendmodule\n"}


async def test_a_file_that_is_no_design_has_no_actions(editor: Editor) -> None:
    async with scratch(editor, {"a.md": "module m; wi‸re w endmodule\n"}) as file:
        assert await titles(file) == []


@pytest.mark.parametrize("variant", VARIANTS)
async def test_the_header_that_defines_an_unknown_macro_can_be_included(
    editor: Editor, variant: Callable[[str], str]
) -> None:
    text = '// A user.\n`include "other.svh"\nmodule m;\n  wire [`WI‸DTH-1:0] x;\nendmodule\n'
    headers = {"inc/defs.vh": "`define WIDTH 8\n", "other.svh": "`define OTHER 1\n"}
    async with scratch(editor, {"a.sv": text, **headers}, variant) as file:
        changed = await apply_action(file, 'Include "defs.vh", which defines `WIDTH')
    assert '`include "other.svh"\n`include "defs.vh"\nmodule m;' in body(changed["a.sv"])


async def test_a_stub_takes_parameters_by_position(editor: Editor) -> None:
    text = "module m (input a, output q);\n  bo‸x #(8, 4) u (a, q);\nendmodule\n"
    async with scratch(editor, text) as file:
        action = next(action for action in await file.code_actions() if action.title.startswith("Create"))
    assert action.edit is not None
    (text_edit,) = (
        change for change in action.edit.document_changes or () if isinstance(change, types.TextDocumentEdit)
    )
    (edit,) = text_edit.edits
    assert isinstance(edit, types.TextEdit)
    assert "#(\n  parameter PARAMETER_0 = 0,\n  parameter PARAMETER_1 = 0\n) (" in edit.new_text


async def test_a_file_of_nothing_but_macros_is_a_header_whatever_its_suffix(editor: Editor) -> None:
    text = "module m;\n  wire [`WI‸DTH-1:0] x;\nendmodule\n"
    async with scratch(editor, text, on_disk={"inc/defines.v": "`define WIDTH 8\n"}) as file:
        changed = await apply_action(file, 'Include "inc/defines.v", which defines `WIDTH')
    assert changed["a.sv"].startswith('`include "inc/defines.v"\nmodule m;')


async def test_a_package_imports_what_it_does_not_know(editor: Editor) -> None:
    text = "package q;\n  typedef t‸ [3:0] v;\nendpackage\n"
    async with scratch(editor, {"a.sv": text, "p.sv": "package pk;\n  typedef bit t;\nendpackage\n"}) as file:
        changed = await apply_action(file, "Import 'pk::t'")
    assert changed["a.sv"] == "package q; import pk::t;\n  typedef t [3:0] v;\nendpackage\n"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Import 'pk::t'", "module m import pk::t; (input logic a);\n  t y;\nendmodule\n"),
        ("Write 'pk::t'", "module m (input logic a);\n  pk::t y;\nendmodule\n"),
    ],
)
async def test_an_unknown_type_can_be_taken_from_the_package_that_has_it(
    editor: Editor, title: str, expected: str
) -> None:
    text = "module m (input logic a);\n  t‸ y;\nendmodule\n"
    async with scratch(editor, {"a.sv": text, "p.sv": "package pk;\n  typedef int t;\nendpackage\n"}) as file:
        assert (await apply_action(file, title))["a.sv"] == expected


SMALL = "module s (input a, input b, output c);\nendmodule\n"


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        (
            "  s u‸ (\n    // inputs first\n    .a(x) // the first\n    // and no more\n  );\n",
            "  s u (\n    // inputs first\n    .a(x), // the first\n    .b(),\n    .c()\n    // and no more\n  );\n",
        ),
        ("  s u‸ (/*AUTOINST*/);\n", "  s u (/*AUTOINST*/\n    .a(),\n    .b(),\n    .c()\n  );\n"),
        (
            "  s u‸ (\n    // by hand\n  );\n",
            "  s u (\n    // by hand\n    .a(),\n    .b(),\n    .c()\n  );\n",
        ),
        ("  s u‸ (.a(x), .b(x) /* two */);\n", "  s u (.a(x), .b(x), .c() /* two */);\n"),
    ],
)
async def test_connecting_all_ports_leaves_comments_where_they_are(
    editor: Editor, instance: str, expected: str
) -> None:
    async with scratch(editor, f"{SMALL}module m (input x);\n{instance}endmodule\n") as file:
        changed = await apply_action(file, "Connect all ports")
    assert changed["a.sv"] == f"{SMALL}module m (input x);\n{expected}endmodule\n"
