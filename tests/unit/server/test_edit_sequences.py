"""However a text was arrived at, by typing or at once, the server sees the same in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol.types import (
    PositionEncodingKind,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from benchwright_server.features.language.document_symbols import _symbols_template
from benchwright_server.features.language.folding import _character_folds_template
from benchwright_verilog.syntax.documents import Document, Documents
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.surrogates import encode_text, join_surrogates
from benchwright_verilog.syntax.tree import differing_start_old_end_new_end, parse
from benchwright_verilog.syntax.units import UnitCache, inner_unit_starts

if TYPE_CHECKING:
    from tree_sitter import Tree

URI = "file:///a.sv"
MODULE = (
    "module m(input clk, output reg q);\n  always @(posedge clk) begin : b\n    q <= {q, 1'b1};\n  end\nendmodule\n"
)
PIECES = [
    *("\n", "\r", "\r\n", "\f", "\v", "\u2028", "\x85", " ", "é", "漢", "𝄞", "\ud834", "\udd1e", "\ufeff", "\0"),
    *(
        "module n;\n",
        "endmodule\n",
        "\nendmodule",
        "begin ",
        "end ",
        "(",
        ")",
        ";",
        "/*",
        "*/",
        "//",
        '"',
        "`ifdef A\n",
    ),
    *(
        "`endif\n",
        "`define X \\\n",
        "\\esc ",
        "x",
        "= 1",
        "package p;\n",
        "endpackage\n",
        "\nmodule ",
        "wire w;\n",
        "%d",
    ),
    MODULE,
]
text_strategy = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
start_strategy = st.lists(st.sampled_from([*PIECES, MODULE, MODULE]), max_size=8).map("".join)
encodings = st.sampled_from([PositionEncodingKind.Utf16, PositionEncodingKind.Utf8, PositionEncodingKind.Utf32])


def nodes(tree: Tree) -> list[tuple[str, int, int, bool]]:
    node_facts, pending_nodes = [], [tree.root_node]
    while pending_nodes:
        node = pending_nodes.pop()
        node_facts.append((node.type, node.start_byte, node.end_byte, node.is_missing))
        pending_nodes += node.children
    return node_facts


def check(document: Document, text: str, encoding: PositionEncodingKind) -> None:
    fresh = Lines(text, encoding)
    assert document.text == text
    assert (document.lines._starts, document.lines._byte_starts) == (fresh._starts, fresh._byte_starts)
    assert document.lines.data == encode_text(text)
    assert nodes(document.tree) == nodes(parse(fresh.data))
    unit_facts = [
        (
            unit.start,
            unit.line,
            nodes(unit.item_text.tree),
            unit.item_text.kept_result(_symbols_template).json_at(unit.line),
        )
        for unit in document.units
    ]
    assert unit_facts == [
        (
            unit.start,
            unit.line,
            nodes(unit.item_text.tree),
            unit.item_text.kept_result(_symbols_template).json_at(unit.line),
        )
        for unit in UnitCache().units_of(fresh.data, encoding)
    ]
    assert b"".join(unit.item_text.data for unit in document.units) == fresh.data
    for unit in document.units:
        assert fresh.line_index_of_byte(unit.start) == unit.line
        assert unit.item_text.kept_result(_character_folds_template).json_at(unit.line) is not None


@given(st.data(), start_strategy, encodings)
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
def test_typing_leads_to_what_a_fresh_look_sees(data: st.DataObject, text: str, encoding: PositionEncodingKind) -> None:
    text = join_surrogates(text)
    documents = Documents()
    documents.encoding = encoding
    check(documents.open(URI, 1, text), text, encoding)
    for version in range(2, 7):
        content_changes: list[TextDocumentContentChangePartial | TextDocumentContentChangeWholeDocument] = []
        for _ in range(data.draw(st.integers(0, 3))):
            new_text = data.draw(text_strategy)
            if data.draw(st.integers(0, 19)) == 0:
                content_changes.append(TextDocumentContentChangeWholeDocument(new_text))
                text = join_surrogates(new_text)
                continue
            cut_offsets = [offset for offset in range(len(text) + 1) if text[offset - 1 : offset + 1] != "\r\n"]
            first_index = data.draw(st.integers(0, len(cut_offsets) - 1))
            start, end = (
                cut_offsets[first_index],
                cut_offsets[min(len(cut_offsets) - 1, first_index + data.draw(st.sampled_from([0, 0, 1, 2, 40])))],
            )
            lines = Lines(text, encoding)
            content_changes.append(TextDocumentContentChangePartial(text=new_text, range=lines.range(start, end)))
            text = join_surrogates(text[:start] + new_text + text[end:])
        document, _ = documents.change(URI, version, content_changes)
        check(document, text, encoding)


@given(text_strategy, st.integers(0, 40), st.integers(0, 40), text_strategy)
def test_replacing_gives_the_lines_of_the_new_text(text: str, start: int, length: int, new: str) -> None:
    text = join_surrogates(text)
    start = min(start, len(text))
    end = min(start + length, len(text))
    whole_text = join_surrogates(text[:start] + new + text[end:])
    replaced, fresh = Lines(text).with_range_replaced(start, end, new), Lines(whole_text)
    assert (replaced.text, replaced._starts, replaced._byte_starts) == (whole_text, fresh._starts, fresh._byte_starts)


@given(st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=20))
def test_a_difference_is_what_has_to_be_replaced(before: bytes, old: bytes, new: bytes, after: bytes) -> None:
    first_bytes, second_bytes = before + old + after, before + new + after
    start, old_end, new_end = differing_start_old_end_new_end(first_bytes, second_bytes)
    assert first_bytes[:start] + second_bytes[start:new_end] + first_bytes[old_end:] == second_bytes
    assert 0 <= start <= min(old_end, new_end)
    assert old_end - start <= len(old)


def test_a_large_module_is_parsed_on_from_what_it_was() -> None:
    items = "".join(f"  assign w{number} = a{number} & (b | c);\n" for number in range(2000))
    documents = Documents()
    document = documents.open(URI, 1, f"module m;\n{items}endmodule\n")
    assert not document.units[0].item_text.tree.root_node.has_error
    offset = document.text.index(";", 40_000)
    content_change = TextDocumentContentChangePartial(text=" ^ x", range=document.lines.range(offset, offset))
    document, _ = documents.change(URI, 2, [content_change])
    assert nodes(document.units[0].item_text.tree) == nodes(parse(document.lines.data))


@pytest.mark.parametrize(
    ("text", "expected_parts"),
    [
        (f"{MODULE}{MODULE}", [MODULE, MODULE]),
        (f"// a\n{MODULE}\n// b\n{MODULE}", ["// a\n", MODULE, "\n// b\n", MODULE]),
        ("module a;\n  module b;\n  endmodule\nendmodule\n", ["module a;\n  module b;\n  endmodule\nendmodule\n"]),
        ("/*\nmodule a;\nendmodule\n*/\nwire x;\n", ["/*\nmodule a;\nendmodule\n*/\nwire x;\n"]),
        ('string s = "/*";\nmodule a;\n', ['string s = "/*";\n', "module a;\n"]),
        ("// /*\nmodule a;\n", ["// /*\n", "module a;\n"]),
        ("`define A \\\nmodule a; \\\nendmodule\nwire x;\n", ["`define A \\\nmodule a; \\\nendmodule\nwire x;\n"]),
        ("module a(\nmodule b;\nendmodule", ["module a(\n", "module b;\nendmodule"]),
        ("endmodule /* a\n*/\nwire x;", ["endmodule /* a\n*/\nwire x;"]),
        ("module_x u();\nendmodule_x\n", ["module_x u();\nendmodule_x\n"]),
        ("a\r\nmodule b;\r\nendmodule\r\nc", ["a\r\n", "module b;\r\nendmodule\r\n", "c"]),
    ],
)
def test_a_text_is_cut_at_its_top_level_items(text: str, expected_parts: list[str]) -> None:
    cuts = [0, *inner_unit_starts(text.encode()), len(text)]
    assert [text[start:end] for start, end in pairwise(cuts)] == expected_parts


def test_what_did_not_change_is_not_looked_at_again() -> None:
    documents = Documents()
    second_module = MODULE.replace("module m", "module o")
    first_document = documents.open(URI, 1, MODULE + second_module)
    content_change = TextDocumentContentChangePartial(text="\n\n", range=Lines(MODULE).range(0, 0))
    second_document, _ = documents.change(URI, 2, [content_change])
    assert second_document.units[-1].item_text is first_document.units[-1].item_text
    assert second_document.units[-1].line == first_document.units[-1].line + 2
