"""slang's symbols that are scopes, as a type.

pyslang's stubs give every such class the members of a scope, but no class in common.
"""

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
"""A symbol with members: `find(name)` gives one, iteration gives all."""


def is_scope(symbol: ast.Symbol | None) -> TypeGuard[ScopeSymbol]:
    """True if a symbol has members."""
    return symbol is not None and symbol.isScope
