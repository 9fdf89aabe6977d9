"""What pyslang's own types lack: a class of symbols that are scopes, and the text of every type."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from pyslang import ast

ScopeSymbol: TypeAlias = (
    "ast.CheckerInstanceBodySymbol | ast.CheckerSymbol | ast.ClassType | ast.ClockingBlockSymbol"
    " | ast.CompilationUnitSymbol | ast.CovergroupBodySymbol | ast.CovergroupType | ast.EnumType"
    " | ast.GenerateBlockArraySymbol | ast.GenerateBlockSymbol | ast.InstanceArraySymbol | ast.InstanceBodySymbol"
    " | ast.LetDeclSymbol | ast.MethodPrototypeSymbol | ast.ModportSymbol | ast.PackageSymbol | ast.PackedStructType"
    " | ast.PackedUnionType | ast.PropertySymbol | ast.RootSymbol | ast.SequenceSymbol | ast.StatementBlockSymbol"
    " | ast.SubroutineSymbol | ast.UnpackedStructType | ast.UnpackedUnionType"
)
"""A symbol with members: `find(name)` gives one, iteration gives all. pyslang's stubs have no class of them."""


def is_scope(symbol: ast.Symbol | None) -> TypeGuard[ScopeSymbol]:
    """True if a symbol has members."""
    return symbol is not None and symbol.isScope


def type_text(resolved_type: ast.Type) -> str:
    """A type as slang writes it; as the file writes it if slang can't: an enumeration with a value that is unknown."""
    try:
        return str(resolved_type)
    except RuntimeError:
        syntax = resolved_type.canonicalType.syntax
        return resolved_type.name or " ".join(str(syntax).split())
