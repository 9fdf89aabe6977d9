"""The one symbol out of all those that slang has for one declared thing, and the scope of what is declared in it."""

from __future__ import annotations

from pyslang.ast import (
    CovergroupType,
    CoverpointSymbol,
    ExplicitImportSymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    ModportPortSymbol,
    NamedValueExpression,
    PortSymbol,
    SubroutineSymbol,
    Symbol,
    TransparentMemberSymbol,
    Type,
    VirtualInterfaceType,
)
from pyslang.syntax import CoverpointSyntax

from benchwright_verilog.semantics.compilation.slang import ScopeSymbol, is_scope


def canonical_symbol(symbol: Symbol | None) -> Symbol | None:
    """The symbol that stands for a declared thing.

    In `module m (input a);` slang has a port `a` and a net `a`: the net stands for both. In `enum {RED} c;` the scope
    around the type has a second, transparent `RED`: that of the type stands for both.
    """
    while symbol is not None:
        next_symbol: Symbol | None = None
        if isinstance(symbol, TransparentMemberSymbol):
            next_symbol = symbol.wrapped
        elif isinstance(symbol, ExplicitImportSymbol):
            symbol = symbol.importedSymbol
            continue
        elif isinstance(symbol, (PortSymbol, ModportPortSymbol)):
            inner_symbol = symbol.internalSymbol
            # `.outside(inside)`: a port that is named differently from its net is a thing of its own.
            next_symbol = inner_symbol if inner_symbol is not None and inner_symbol.name == symbol.name else None
        elif isinstance(symbol, InstanceBodySymbol):
            next_symbol = symbol.definition
        elif isinstance(symbol, CoverpointSymbol):
            next_symbol = _covered_signal_if_unnamed(symbol)
        elif isinstance(symbol, SubroutineSymbol):
            next_symbol = symbol.prototype
        elif isinstance(symbol, InstanceSymbol) and symbol.location == symbol.definition.location:
            # A top-level instance has the name and the location of its module.
            next_symbol = symbol.definition
        if next_symbol is None:
            return symbol
        symbol = next_symbol
    return None


def _covered_signal_if_unnamed(coverpoint: CoverpointSymbol) -> Symbol | None:
    """The signal that gives a coverpoint its name: `a` in `coverpoint a;` and in `cross a, b;`."""
    syntax = coverpoint.syntax
    if isinstance(syntax, CoverpointSyntax) and syntax.label is not None:
        return None
    expression = coverpoint.coverageExpr
    return expression.symbol if isinstance(expression, NamedValueExpression) else None


def member_scope_of_type(type_: Type) -> ScopeSymbol | None:
    """The scope with the members of a type's values; of an array, of its elements."""
    canonical_type = type_.canonicalType
    while canonical_type.isArray:
        canonical_type = canonical_type.arrayElementType.canonicalType
    if isinstance(canonical_type, CovergroupType):
        return canonical_type.body
    if isinstance(canonical_type, VirtualInterfaceType):
        return canonical_type.iface.body
    return canonical_type if is_scope(canonical_type) else None
