from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from .cursor import VARIANTS, Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUB = """// Adds one.
module sub #(parameter int W = 8, parameter type T = logic) (
  input logic clk, // the clock
  input logic [W-1:0] data_in,
  output logic [W-1:0] data_out
);
endmodule
"""


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def label_and_turn(file: Scratch) -> tuple[str, str | None]:
    """The label, and what of it is the turn."""
    signature_help = await file.signature_help()
    assert signature_help is not None
    (signature,) = signature_help.signatures
    if signature_help.active_parameter is None:
        return signature.label, None
    label = (signature.parameters or ())[signature_help.active_parameter].label
    assert not isinstance(label, str)
    return signature.label, signature.label[label[0] : label[1]]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("call", "active_parameter"),
    [
        ("sub u (‸);", "input logic clk"),
        ("sub u (clk, ‸", "input logic [W-1:0] data_in"),
        ("sub #(.W(4)) u (.clk(clk), .data_out(‸));", "output logic [W-1:0] data_out"),
        ("sub u (.clk(clk), .data_in({a, b[3:0]}), ‸);", "output logic [W-1:0] data_out"),
        ("sub u (.clk(f(1, 2)), .data_in(x‸", "input logic [W-1:0] data_in"),
        ("sub first (.clk(clk)), second (.data_in(‸));", "input logic [W-1:0] data_in"),
    ],
)
async def test_ports_of_an_instance(
    editor: Editor, variant: Callable[[str], str], call: str, active_parameter: str
) -> None:
    async with scratch(editor, f"module m;\n  {call}\nendmodule\n", variant, on_disk={"sub.sv": SUB}) as file:
        label, turn = await label_and_turn(file)
    assert label.endswith("(input logic clk, input logic [W-1:0] data_in, output logic [W-1:0] data_out)")
    assert turn == active_parameter


@pytest.mark.parametrize(
    ("call", "active_parameter"),
    [("sub #(‸) u ();", "int W = 8"), ("sub #(4, ‸", "type T = logic"), ("sub #(.T(‸)) u ();", "type T = logic")],
)
async def test_parameters_of_an_instance(editor: Editor, call: str, active_parameter: str) -> None:
    async with scratch(editor, f"module m;\n  {call}\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        assert await label_and_turn(file) == ("sub #(int W = 8, type T = logic)", active_parameter)


@pytest.mark.parametrize(
    ("call", "label", "active_parameter"),
    [
        ("n = f(‸);", "int f(input int a, output logic [3:0] b)", "input int a"),
        ("n = f(g(1), {2, 3}‸);", "int f(input int a, output logic [3:0] b)", "output logic [3:0] b"),
        ("n = f(1, 2, ‸);", "int f(input int a, output logic [3:0] b)", None),
        ("n = f(.b(‸));", "int f(input int a, output logic [3:0] b)", "output logic [3:0] b"),
        ("t(‸", "t(input byte c)", "input byte c"),
        ("n = `ADD(1, ‸);", "`ADD(x, y)", "y"),
        ('$display("%d", 1, 2, ‸);', "$display([format], [argument…])", "[argument…]"),
        ("n = $clog2(‸);", "integer $clog2(n)", "n"),
    ],
)
async def test_tasks_functions_macros_and_system_tasks(
    editor: Editor, call: str, label: str, active_parameter: str | None
) -> None:
    text = (
        "`define ADD(x, y) ((x) + (y))\nmodule m;\n  function int f(input int a, output logic [3:0] b);\n"
        f"  endfunction\n  task t(input byte c);\n  endtask\n  initial begin\n    {call}\n  end\nendmodule\n"
    )
    async with scratch(editor, text) as file:
        assert await label_and_turn(file) == (label, active_parameter)


async def test_what_comments_say_is_shown_with_it(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  sub u (‸);\nendmodule\n", on_disk={"sub.sv": SUB}) as file:
        signature_help = await file.signature_help()
    assert signature_help is not None
    module_doc, clock = (
        signature_help.signatures[0].documentation,
        (signature_help.signatures[0].parameters or ())[0].documentation,
    )
    assert isinstance(module_doc, types.MarkupContent)
    assert module_doc.value == "Adds one."
    assert isinstance(clock, types.MarkupContent)
    assert clock.value == "the clock"


@pytest.mark.parametrize(
    "text",
    [
        "module m;\n  initial if (‸) x = 1;\nendmodule\n",
        "module m (‸);\nendmodule\n",
        "module m;\n  unheard_of u (‸);\nendmodule\n",
        "module m;\n  sub u (); ‸\nendmodule\n",
        "module m;\n  // sub u (‸\nendmodule\n",
        "module m;\n  function int f(input int a, ‸);\n  endfunction\nendmodule\n",
        "‸",
    ],
)
async def test_no_call_no_help(editor: Editor, text: str) -> None:
    async with scratch(editor, text, on_disk={"sub.sv": SUB}) as file:
        assert await file.signature_help() is None
