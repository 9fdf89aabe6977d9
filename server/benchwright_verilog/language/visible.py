"""The names that can be used at a place, and the members behind a dot or a `::`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright_verilog.syntax.tree import difference

if TYPE_CHECKING:
    from pyslang.ast import Symbol

    from benchwright_verilog.semantics.analysis import Analysis

_UNNAMED = frozenset({"Port", "MultiPort", "ExplicitImport", "ModportPort", "ForwardingTypedef"})
_TYPES = frozenset({"TypeAlias", "ClassType", "TypeParameter", "GenericClassDef", "CovergroupType", "NetType"})


class Named(NamedTuple):
    """A name that can be used, and how far away it was declared: 0 is the innermost scope."""

    name: str
    symbol: Any
    distance: int

    @property
    def is_type(self) -> bool:
        """Whether it declares things."""
        return self.symbol.kind.name in _TYPES


class Shift:
    """Where bytes of a newer text were in the text that was analysed.

    Args:
        analysis: Of the older text.
        data: The newer text.
    """

    def __init__(self, analysis: Analysis, data: bytes) -> None:
        if analysis.data is data or analysis.data == data:
            self._start = self._old_end = self._end = len(data)
        else:
            self._start, self._old_end, self._end = difference(analysis.data, data)

    def is_new(self, byte: int) -> bool:
        """Whether a byte is in or beside what the older text does not have."""
        has_changed = (self._start, self._old_end) != (self._end, self._end)
        return has_changed and self._start <= byte <= self._end

    def to_old(self, byte: int) -> int:
        """The byte in the older text; of what is new, where it was put in."""
        if byte <= self._start:
            return byte
        return byte - self._end + self._old_end if byte >= self._end else self._start

    def to_new(self, byte: int) -> int:
        """The byte in the newer text."""
        return byte if byte <= self._start else byte - self._old_end + self._end


def old_byte(analysis: Analysis, data: bytes, byte: int) -> int:
    """Where a byte of a newer text was in the text that was analysed."""
    return Shift(analysis, data).to_old(byte)


def scopes_at(analysis: Analysis, byte: int) -> list[Any]:
    """The scopes around a byte, the innermost first."""
    from benchwright_verilog.semantics.scopes import SCOPED

    found: list[Any] = []
    node = analysis.node_at(byte)
    while node is not None:
        if node.kind in SCOPED:
            scope = analysis.scopes.of(node)
            if scope is not None and not any(scope is known for known in found):
                found.append(scope)
        node = node.parent
    unit = analysis.scopes.unit_of(analysis.tree.root)
    if unit is not None and not any(unit is known for known in found):
        found.append(unit)
    return found


def visible(analysis: Analysis, byte: int, listed: Callable[[Any], Iterable[tuple[str, Any]]]) -> Iterator[Named]:
    """Every name that can be used at a byte; where two are the same, only the nearer.

    Args:
        analysis: Of the file.
        byte: The place.
        listed: Gives the members of a scope with their names.
    """
    seen: set[str] = set()
    imported: list[tuple[int, Any]] = []
    for distance, scope in enumerate(scopes_at(analysis, byte)):
        for name, symbol in listed(scope):
            if not name:
                imported.append((distance, symbol.package))
            elif name not in seen:
                seen.add(name)
                yield Named(name, symbol, distance)
    for distance, package in imported:
        for name, symbol in listed(package) if package is not None else ():
            if name and name not in seen:
                seen.add(name)
                yield Named(name, symbol, distance + 1)


def members_of(scope: Any) -> Iterator[Any]:
    """The named members of a scope, ports once, and what it imports."""
    if not scope.isScope:
        return
    for symbol in scope:
        kind = symbol.kind.name
        if kind == "WildcardImport":
            yield symbol
            continue
        if kind == "TransparentMember":
            symbol = symbol.wrapped
        elif kind == "ExplicitImport":
            symbol = symbol.importedSymbol
            if symbol is None:
                continue
        elif kind in _UNNAMED:
            continue
        if symbol.name:
            yield symbol


def looked_up(analysis: Analysis, byte: int, path: Sequence[str]) -> Any | None:
    """What a hierarchical name means at a byte, as far as names and dots go; selects count for nothing."""
    if not path:
        return None
    scopes = scopes_at(analysis, byte)
    if len(path) > 1 and path[1] == "::":
        found: Any | None = analysis.compilation.getPackage(path[0]) or _found(scopes, path[0])
    else:
        found = _found(scopes, path[0]) or analysis.compilation.getPackage(path[0])
    for step in path[2::2]:
        if found is None:
            return None
        found = next((member for member in members_behind(found) if member.name == step), None)
    return found


def _found(scopes: Iterable[Any], name: str) -> Any | None:
    for scope in scopes:
        symbol = scope.find(name) if scope.isScope else None
        if symbol is not None:
            return symbol.wrapped if symbol.kind.name == "TransparentMember" else symbol
        for member in scope if scope.isScope else ():
            if member.kind.name == "WildcardImport" and member.package is not None:
                symbol = member.package.find(name)
                if symbol is not None:
                    return symbol.wrapped if symbol.kind.name == "TransparentMember" else symbol
            elif member.kind.name == "ExplicitImport" and member.name == name:
                return member.importedSymbol
    return None


def members_behind(symbol: Symbol) -> Iterator[Any]:
    """What can follow a name and a dot, or a name and a `::`."""
    form: Any = symbol
    kind = form.kind.name
    if kind == "InstanceArray":
        form = next(iter(form), None)
        if form is not None:
            yield from members_behind(form)
    elif kind == "Instance":
        yield from members_of(form.body)
    elif kind == "InterfacePort":
        yield from _interface_members(form)
    elif kind == "GenerateBlockArray":
        form = next((entry for entry in form if entry.kind.name == "GenerateBlock"), None)
        yield from members_of(form) if form is not None else ()
    elif kind in (
        "Package",
        "GenerateBlock",
        "StatementBlock",
        "ClockingBlock",
        "ClassType",
        "InstanceBody",
        "Modport",
    ):
        yield from _plain(form)
    elif kind == "TypeAlias" or form.isType:
        yield from _type_members(form)
    elif form.isValue:
        yield from _type_members(form.type)


def _plain(scope: Any) -> Iterator[Any]:
    return (member for member in scope if member.name or member.kind.name == "TransparentMember")


def _interface_members(port: Any) -> Iterator[Any]:
    connection = port.connection
    if connection is None or connection[0] is None:
        return
    instance, modport = connection
    if modport is not None:
        yield from _plain(modport)
        return
    while instance is not None and instance.kind.name == "InstanceArray":
        instance = next(iter(instance), None)
    if instance is not None:
        yield from (member for member in members_of(instance.body) if member.kind.name != "WildcardImport")


def element_of(kind: Any) -> Any:
    """The type of an array's elements, of other types the type itself."""
    canonical = kind.canonicalType
    while (canonical.isPackedArray or canonical.isUnpackedArray) and canonical.arrayElementType is not None:
        canonical = canonical.arrayElementType.canonicalType
    return canonical


def _type_members(kind: Any) -> Iterator[Any]:
    canonical = element_of(kind)
    if canonical.isVirtualInterface:
        instance = canonical.iface
        yield from members_of(instance.body) if instance is not None else ()
    elif canonical.isStruct or canonical.isClass or canonical.isEnum or canonical.kind.name.endswith("UnionType"):
        yield from _plain(canonical)
