"""The names that can be used at a byte of a file, and the members behind a dot or a `::`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pyslang.ast import (
    ClassPropertySymbol,
    ClassType,
    ClockingBlockSymbol,
    CompilationUnitSymbol,
    CovergroupType,
    EnumType,
    ExplicitImportSymbol,
    ForwardingTypedefSymbol,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    GenericClassDefSymbol,
    InstanceArraySymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    MethodFlags,
    MethodPrototypeSymbol,
    ModportPortSymbol,
    ModportSymbol,
    MultiPortSymbol,
    NetType,
    PackageSymbol,
    PackedStructType,
    PackedUnionType,
    PortSymbol,
    RootSymbol,
    StatementBlockSymbol,
    SubroutineSymbol,
    Symbol,
    TransparentMemberSymbol,
    Type,
    TypeAliasType,
    TypeParameterSymbol,
    UnpackedStructType,
    UnpackedUnionType,
    ValueSymbol,
    VariableLifetime,
    VirtualInterfaceType,
    WildcardImportSymbol,
)

from benchwright_verilog.language.explanation.methods import builtin_methods_of
from benchwright_verilog.semantics.compilation.slang import ScopeSymbol, is_scope
from benchwright_verilog.semantics.names.scopes import SCOPED

if TYPE_CHECKING:
    from pyslang.ast import Compilation

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis

_UNNAMED = (PortSymbol, MultiPortSymbol, ModportPortSymbol, ForwardingTypedefSymbol)
"""Symbols that another symbol of the same name stands for."""
_TYPES = (TypeAliasType, ClassType, TypeParameterSymbol, GenericClassDefSymbol, CovergroupType, NetType)

_MOST_BASES = 100
_WITH_MEMBERS = (PackedStructType, UnpackedStructType, PackedUnionType, UnpackedUnionType, ClassType, EnumType)
"""Types whose values, or which themselves, have members behind a dot."""

ListMembers = Callable[[Symbol], Iterable[tuple[str, Symbol]]]
"""Gives the members of a scope with their names; wildcard imports have an empty name."""


class NameInScope(NamedTuple):
    """A name that can be used, and how far away it was declared: 0 is the innermost scope."""

    name: str
    symbol: Symbol
    distance: int

    @property
    def is_type(self) -> bool:
        """True if it can declare things."""
        return isinstance(self.symbol, _TYPES)


def scopes_at(analysis: FileAnalysis, byte: int) -> list[ScopeSymbol]:
    """The scopes around a byte, the innermost first."""
    scopes: list[ScopeSymbol] = []
    node = analysis.node_at(byte)
    while node is not None:
        if node.kind in SCOPED:
            scope = analysis.scopes.scope_of(node)
            if scope is not None and not any(scope is other_scope for other_scope in scopes):
                scopes.append(scope)
        node = node.parent
    unit_scope = analysis.scopes.compilation_unit_of(analysis.tree.root)
    if unit_scope is not None and not any(unit_scope is other_scope for other_scope in scopes):
        scopes.append(unit_scope)
    return scopes


def names_in_scope(analysis: FileAnalysis, byte: int, list_members: ListMembers) -> Iterator[NameInScope]:
    """Every name that can be used at a byte; of two that are the same, only the nearer.

    In `import p::*; wire a; initial begin int a; ‸`, where `p` declares `b`, these are the variable `a` and, further
    away, `b`.

    Args:
        analysis: Analysis of the file.
        byte: Place where the name would be used, as a byte.
        list_members: Gives the members of a scope.
    """
    seen_names: set[str] = set()
    imported: list[tuple[int, PackageSymbol]] = []
    for distance, scope in enumerate(scopes_at(analysis, byte)):
        for name, symbol in list_members(scope):
            if not name and isinstance(symbol, WildcardImportSymbol):
                imported.append((distance, symbol.package))
            elif name not in seen_names:
                seen_names.add(name)
                yield NameInScope(name, symbol, distance)
    for distance, package in imported:
        for name, symbol in list_members(package) if package is not None else ():
            if name and name not in seen_names:
                seen_names.add(name)
                yield NameInScope(name, symbol, distance + 1)


def named_members_of(scope: Symbol) -> Iterator[Symbol]:
    """The named members of a scope, each port once, and its wildcard imports."""
    if not is_scope(scope):
        return
    for symbol in scope:
        if isinstance(symbol, WildcardImportSymbol):
            yield symbol
            continue
        named_member: Symbol | None = symbol
        if isinstance(symbol, TransparentMemberSymbol):
            named_member = symbol.wrapped
        elif isinstance(symbol, ExplicitImportSymbol):
            named_member = symbol.importedSymbol
        elif isinstance(symbol, _UNNAMED):
            continue
        if named_member is not None and named_member.name:
            yield named_member


def symbol_at_path(analysis: FileAnalysis, byte: int, path_tokens: Sequence[str]) -> Symbol | None:
    """Return the symbol that a path means at a byte, by its names and dots alone.

    Args:
        analysis: Analysis of the file.
        byte: Place where the path would be used, as a byte.
        path_tokens: Names with their separators, such as `("u_fifo", ".", "count")`; selects are left out.
    """
    if not path_tokens:
        return None
    scopes = scopes_at(analysis, byte)
    symbol: Symbol | None
    name = path_tokens[0]
    if name == "$root":
        symbol = analysis.full_compilation.getRoot()
    elif name == "$unit":
        symbol = next((scope for scope in scopes if isinstance(scope, CompilationUnitSymbol)), None)
    elif len(path_tokens) > 1 and path_tokens[1] == "::":
        symbol = analysis.lookup_compilation.getPackage(name) or _first_symbol_named(scopes, name)
    else:
        symbol = _first_symbol_named(scopes, name) or analysis.lookup_compilation.getPackage(name)
    if symbol is None and (library := analysis.lookup_compilation.getPackage("std")) is not None:
        symbol = library.find(name)
    if symbol is None and "::" not in path_tokens[1:2] and (body := analysis.module_body(name)) is not None:
        # A path may begin at a top, as `top.gl[0].u` does; after an interface, modports are meant.
        top = body.parentInstance
        symbol = top if top is not None and not top.isInterface else None
    for step in path_tokens[2::2]:
        if symbol is None:
            return None
        owner = symbol
        symbol = next((member for member in members_reached_through(owner) if member.name == step), None)
        if symbol is None and (owner_type := type_of_value(owner)) is not None:
            symbol = _type_of_builtin_call(owner_type, step, analysis.lookup_compilation)
    return symbol


def type_of_value(symbol: Symbol) -> Type | None:
    """The type of what a name stands for: of a variable, of a function's result, of what a built-in method gives."""
    match symbol:
        case Type():
            return symbol
        case SubroutineSymbol():
            return symbol.returnType
        case ValueSymbol():
            return symbol.type
    return None


def _type_of_builtin_call(type_: Type | None, method_name: str, compilation: Compilation) -> Type | None:
    """The type of what a built-in method gives; indices behind an array are not known, so its elements count too."""
    while type_ is not None:
        for method in builtin_methods_of(type_):
            if method.name == method_name:
                result_symbols = {
                    "element": type_.canonicalType.arrayElementType,
                    "string": compilation.stringType,
                    "value": type_,
                    "queue": type_,
                    "array": type_,
                }
                return result_symbols.get(method.result_type)
        type_ = type_.canonicalType.arrayElementType
    return None


def type_after_indices(type_: Type, index_count: int) -> Type | None:
    """The type of an element, that many indices into an array; None if the array has fewer dimensions."""
    element: Type | None = type_
    for _ in range(index_count):
        element = element.canonicalType.arrayElementType if element is not None else None
    return element


def _first_symbol_named(scopes: Iterable[ScopeSymbol], name: str) -> Symbol | None:
    if name == "super":
        return next((scope.baseClass for scope in scopes if isinstance(scope, ClassType)), None)
    for scope in scopes:
        symbol = scope.find(name)
        if symbol is not None:
            return _unwrap_symbol(symbol)
        for member in scope:
            if isinstance(member, WildcardImportSymbol) and member.package is not None:
                symbol = member.package.find(name)
                if symbol is not None:
                    return _unwrap_symbol(symbol)
            elif isinstance(member, ExplicitImportSymbol) and member.name == name:
                return member.importedSymbol
    return None


def _unwrap_symbol(symbol: Symbol) -> Symbol:
    return symbol.wrapped if isinstance(symbol, TransparentMemberSymbol) else symbol


def members_reached_through(symbol: Symbol) -> Iterator[Symbol]:
    """Yield what can follow a name and a dot, or a name and a `::`."""
    match symbol:
        case InstanceArraySymbol():
            first_element = next(iter(symbol), None)
            if first_element is not None:
                yield from members_reached_through(first_element)
        case RootSymbol():
            yield from symbol.topInstances
        case InstanceSymbol():
            yield from named_members_of(symbol.body)
        case InterfacePortSymbol():
            yield from _interface_port_members(symbol)
        case GenerateBlockArraySymbol():
            block = next((entry for entry in symbol if isinstance(entry, GenerateBlockSymbol)), None)
            yield from named_members_of(block) if block is not None else ()
        case (
            PackageSymbol()
            | GenerateBlockSymbol()
            | StatementBlockSymbol()
            | ClockingBlockSymbol()
            | ClassType()
            | InstanceBodySymbol()
            | ModportSymbol()
            | CompilationUnitSymbol()
        ):
            yield from _named_or_transparent_members(symbol)
        case GenericClassDefSymbol():
            # With unknown parameters: pyslang can't be asked for other ones.
            if isinstance(symbol.invalidSpecialization, ClassType):
                yield from _named_or_transparent_members(symbol.invalidSpecialization)
        case SubroutineSymbol():
            yield from _type_members(symbol.returnType)
        case Type():
            yield from _type_members(symbol)
        case ValueSymbol():
            yield from _type_members(symbol.type)


def needs_object(class_member: Symbol) -> bool:
    """True if a member of a class needs an object: a method or property that is not static."""
    if isinstance(class_member, TransparentMemberSymbol):
        class_member = class_member.wrapped
    if isinstance(class_member, SubroutineSymbol | MethodPrototypeSymbol):
        return MethodFlags.Static not in class_member.flags
    return isinstance(class_member, ClassPropertySymbol) and class_member.lifetime != VariableLifetime.Static


def names_of_class_and_bases(class_: ClassType) -> set[str]:
    """The names of a class and of all that it extends."""
    base_names: set[str] = set()
    base_class: Symbol | None = class_
    while isinstance(base_class, ClassType) and len(base_names) < _MOST_BASES:
        base_names.add(base_class.name)
        base_class = base_class.baseClass.canonicalType if base_class.baseClass is not None else None
    return base_names


def _named_or_transparent_members(scope: ScopeSymbol) -> Iterator[Symbol]:
    return (member for member in scope if member.name or isinstance(member, TransparentMemberSymbol))


def _interface_port_members(port: InterfacePortSymbol) -> Iterator[Symbol]:
    port_connection = port.connection
    if port_connection is None or port_connection[0] is None:
        return
    instance: Symbol | None = port_connection[0]
    if port_connection[1] is not None:
        yield from _named_or_transparent_members(port_connection[1])
        return
    while isinstance(instance, InstanceArraySymbol):
        instance = next(iter(instance), None)
    if isinstance(instance, InstanceSymbol):
        members = named_members_of(instance.body)
        yield from (member for member in members if not isinstance(member, WildcardImportSymbol))


def innermost_element_type(type_: Type) -> Type:
    """The type of an array's elements, of other types the type itself."""
    canonical = type_.canonicalType
    while (canonical.isPackedArray or canonical.isUnpackedArray) and canonical.arrayElementType is not None:
        canonical = canonical.arrayElementType.canonicalType
    return canonical


def _type_members(type_: Type) -> Iterator[Symbol]:
    element = innermost_element_type(type_)
    if isinstance(element, VirtualInterfaceType):
        if element.modport is not None:
            yield from _named_or_transparent_members(element.modport)
        elif element.iface is not None:
            yield from named_members_of(element.iface.body)
    elif isinstance(element, _WITH_MEMBERS):
        yield from _named_or_transparent_members(element)
