from __future__ import annotations

import pyslang
import pytest
from lsprotocol.types import PositionEncodingKind, SymbolKind
from pyslang.syntax import SyntaxTree

from benchwright_verilog.syntax.outline import OutlineSymbol, outline_of
from benchwright_verilog.syntax.surrogates import encode_text
from benchwright_verilog.syntax.tree import parse
from benchwright_verilog.syntax.units import UnitCache

from ...support.designs.corpus import Design, designs


def accepted(text: str) -> SyntaxTree | None:
    """slang's tree of a text that it has no complaint about."""
    tree = SyntaxTree.fromFileInMemory(text.encode("utf-8", "replace").decode(), pyslang.SourceManager(), "a.sv")
    return None if any(diagnostic.isError() for diagnostic in tree.diagnostics) else tree


def declared(text: str) -> list[OutlineSymbol]:
    units = UnitCache().units_of(encode_text(text), PositionEncodingKind.Utf16)
    return [declaration for unit in units for declaration in outline_of(unit.item_text)]


@pytest.mark.parametrize("design", designs(), ids=lambda design: design.name)
def test_what_slang_accepts_is_understood(design: Design) -> None:
    for text in design.files.values():
        if accepted(text) is None:
            continue
        data = encode_text(text)
        assert not parse(data).root_node.has_error
        assert not any(
            unit.item_text.tree.root_node.has_error for unit in UnitCache().units_of(data, PositionEncodingKind.Utf16)
        )


@pytest.mark.parametrize("design", designs(), ids=lambda design: design.name)
def test_every_module_that_slang_sees_is_in_the_outline(design: Design) -> None:
    for text in design.files.values():
        tree = accepted(text)
        if tree is None:
            continue
        names = {
            member.header.name.rawText
            for member in getattr(tree.root, "members", ())
            if type(member).__name__ == "ModuleDeclarationSyntax"
        }
        assert names <= {declaration.name for declaration in declared(text)}


def test_a_long_chain_of_conditions_is_no_trouble() -> None:
    chain = "".join(f"if (x == {number}) y = {number}; else " for number in range(3000))
    (module_symbol,) = declared(f"module m; always @* begin : b {chain} y = 0; end endmodule")
    assert [(declaration.symbol_kind, declaration.name) for declaration in module_symbol.inner_symbols] == [
        (SymbolKind.Event, "b")
    ]
