from __future__ import annotations

import pytest

from benchwright_verilog.language.explanation.comments import documentation_around
from benchwright_verilog.language.explanation.known_macros import KnownMacros
from benchwright_verilog.language.explanation.macros import expand_use, macro_use_arguments

from ...support.designs.lone_file import lone_analysis

TEXT = """`define ONE 1
// The sum.
`define ADD(a, b = `ONE) ((a) + (b))
`define NAME(x) x``_q
`define LONG first \\
  second
`define LOOP `LOOP x
`define QUOTE(x) `"x`"
`define NOTHING
"""


def macros() -> KnownMacros:
    return KnownMacros(lone_analysis(TEXT), lambda path: TEXT)


@pytest.mark.parametrize(
    ("name", "use_text", "expected_text"),
    [
        ("ONE", "", "1"),
        ("ADD", "(2, 3)", "((2) + (3))"),
        ("ADD", "(2)", "((2) + (1))"),
        ("ADD", "(f(1, 2), {3, 4})", "((f(1, 2)) + ({3, 4}))"),
        ("NAME", "(data)", "data_q"),
        ("LONG", "", "first\n  second"),
        ("QUOTE", "(a b)", '"a b"'),
        ("NOTHING", "", ""),
        ("NAME", "", None),
        ("NAME", "(a, b)", None),
    ],
)
def test_a_use_becomes_what_the_definition_says(name: str, use_text: str, expected_text: str | None) -> None:
    known_macros = macros()
    assert expand_use(known_macros[name], macro_use_arguments(use_text, 0), known_macros) == expected_text


def test_a_macro_that_uses_itself_comes_to_an_end() -> None:
    known_macros = macros()
    assert expand_use(known_macros["LOOP"], None, known_macros) is not None


def test_the_comment_above_documents_a_macro() -> None:
    assert macros()["ADD"].documentation == "The sum."


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("// one\n// two\n«wire w»;", "one\ntwo"),
        ("/** One.\n *  Two.\n */\n«wire w»;", "One.\nTwo."),
        ("«wire w»; // after", "after"),
        ("«wire w», /* after */\n", "after"),
        ("// above\n«wire w»; // after", "above\n\nafter"),
        ("// far\n\n«wire w»;", ""),
        ("wire v; // of v\n«wire w»;", ""),
        ("«wire w»; wire v; // of v", ""),
        ("//-----\n// text\n//-----\n«wire w»;", "text"),
        ("// verilator lint_off WIDTH\n«wire w»;", ""),
        ("// kept\n(* keep *)\n«wire w»;", "kept"),
        ("// é𝄞\r\n«wire w»;\r\n", "é𝄞"),
    ],
)
def test_comments_beside_a_declaration_document_it(text: str, expected_text: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    assert documentation_around(text.replace("«", "").replace("»", ""), start, end) == expected_text
