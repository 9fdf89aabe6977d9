"""From a name to other places of the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.analysis import Analysis
from benchwright_verilog.semantics.occurrence import Occurrence, Role, Target, TargetKind
from benchwright_verilog.semantics.project import Project
from benchwright_verilog.syntax.suffixes import HEADERS

if TYPE_CHECKING:
    from pyslang.ast import Symbol
    from pyslang.syntax import SyntaxNode

UNITS = frozenset(
    {
        TargetKind.CHECKER,
        TargetKind.CLASS,
        TargetKind.INTERFACE,
        TargetKind.MODULE,
        TargetKind.PACKAGE,
        TargetKind.PRIMITIVE,
        TargetKind.PROGRAM,
    }
)


def definitions(analysis: Analysis, byte: int) -> list[Target]:
    """Where the thing that is named at a byte is defined; the body of a routine that was declared elsewhere."""
    found: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        found[_body(analysis, occurrence.target) or occurrence.target] = None
    return list(found)


def declarations(project: Project, analysis: Analysis, byte: int) -> list[Occurrence]:
    """Every place that declares what is named at a byte, such as a port in a list and its net in the module."""
    targets = {occurrence.target for occurrence in analysis.occurrences_at(byte)}
    found = []
    for target in targets:
        inner = project.analysis_of(target.path)
        if target.kind is TargetKind.FILE or inner is None:
            found.append(Occurrence(target.path, target.start, target.end, target, Role.DECLARATION))
        else:
            found += [one for one in inner.occurrences_of(target.name) if one.target == target and _declares(one)]
    return found


def type_definitions(analysis: Analysis, byte: int) -> list[Target]:
    """Where the type of what is named at a byte is defined: a module for an instance."""
    found: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        target = _type(analysis, occurrence.target.symbol)
        if target is not None:
            found[target] = None
    return list(found)


def implementations(project: Project, analysis: Analysis, byte: int) -> list[Target]:
    """The modules of instances, the bodies of prototypes, what extends a class, what overrides a method."""
    found: dict[Target, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        target = occurrence.target
        if (body := _body(analysis, target)) is not None:
            found[body] = None
        if target.kind is TargetKind.INSTANCE:
            if (unit := _type(analysis, target.symbol)) is not None:
                found[unit] = None
        elif target.kind in (TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PROGRAM):
            found[target] = None
        elif target.kind in (TargetKind.CLASS, TargetKind.FUNCTION, TargetKind.TASK):
            found |= dict.fromkeys(_extensions(project, target))
    return list(found)


def highlights(analysis: Analysis, byte: int) -> list[Occurrence]:
    """Every place of the file that names the same thing as a byte."""
    at = analysis.occurrences_at(byte)
    targets = {occurrence.target for occurrence in at}
    found: dict[tuple[int, int], Occurrence] = {}
    for target in targets:
        if target.kind is TargetKind.FILE:
            near: Iterator[Occurrence] = analysis.macros.occurrences(analysis.path, 0, len(analysis.data))
        else:
            near = analysis.occurrences_near(target.name)
        for occurrence in near:
            if occurrence.target == target:
                found.setdefault((occurrence.start, occurrence.end), occurrence)
    return sorted(found.values(), key=lambda one: one.start)


def references(project: Project, target: Target) -> Iterator[Occurrence]:
    """Every place of the project that names a thing, its declaration included; also where macros do."""
    for _, found in references_by_file(project, target):
        yield from found


def references_by_file(project: Project, target: Target) -> Iterator[tuple[Analysis, list[Occurrence]]]:
    """Every place that names a thing, by file; some files have none."""
    for analysis in project.analyses_of(candidates(project, target)):
        if target.kind is TargetKind.FILE:
            found = list(analysis.macros.occurrences(analysis.path, 0, len(analysis.data)))
        else:
            found = analysis.occurrences_of(target.name)
        yield analysis, list(dict.fromkeys(one for one in found if one.target == target))


def candidates(project: Project, target: Target) -> list[Path]:
    """The files that may name a thing, that which declares it first."""
    if target.kind is TargetKind.FILE:
        return project.including(target.path)
    module = _module_of(target)
    name = target.name
    found = [target.path]
    for path, words in project.words():
        if path == target.path or name not in words.words:
            continue
        if module is not None and path.suffix not in HEADERS and target.path.suffix not in HEADERS:
            # Others can name it behind a dot, or in a binding.
            is_theirs = module in words.words and (name in words.connected or "bind" in words.words)
            if not is_theirs and name not in words.members:
                continue
        found.append(path)
    return found


def renamed_with(project: Project, analysis: Analysis, target: Target) -> list[Target]:
    """A thing and what needs the same name: of a virtual method all that it overrides, and all that override it."""
    from pyslang.ast import MethodPrototypeSymbol, SubroutineSymbol

    top = target.symbol
    if not isinstance(top, (MethodPrototypeSymbol, SubroutineSymbol)) or not top.isVirtual or target.name == "new":
        return [target]
    while isinstance(above := top.override, (MethodPrototypeSymbol, SubroutineSymbol)):
        top = above
    first = analysis.resolver.target(top) or target
    return list(dict.fromkeys([target, first, *_extensions(project, first)]))


def _module_of(target: Target) -> str | None:
    """The module, interface or program that a thing is in; None for one that others see without a dot."""
    symbol = target.symbol
    scope = symbol.parentScope if symbol is not None and target.kind not in UNITS else None
    body = scope.containingInstance if scope is not None else None
    return body.definition.name if body is not None else None


def _declares(occurrence: Occurrence) -> bool:
    from_port_list = occurrence.role is Role.NAME and occurrence.target.kind is TargetKind.PORT
    return occurrence.role is Role.DECLARATION or from_port_list


def _body(analysis: Analysis, target: Target) -> Target | None:
    """The body of a routine that a prototype declares."""
    from pyslang.ast import MethodPrototypeSymbol

    symbol = target.symbol
    if not isinstance(symbol, MethodPrototypeSymbol):
        return None
    routine = symbol.subroutine
    place = analysis.locations.of(routine.location) if routine is not None else None
    if place is None or (place.path, place.offset) == (target.path, target.start):
        return None
    end = place.offset + len(target.name.encode())
    return Target(place.path, place.offset, end, target.name, target.kind, routine, place.generated)


def _type(analysis: Analysis, symbol: Symbol | None) -> Target | None:
    """What the type of a symbol is called: `word_t` in `word_t [3:0] x;`, the module of an instance."""
    from pyslang.ast import (
        InstanceArraySymbol,
        InstanceSymbol,
        InterfacePortSymbol,
        SubroutineSymbol,
        Type,
        TypeAliasType,
        ValueSymbol,
        VirtualInterfaceType,
    )

    type_: Type
    match symbol:
        case InstanceSymbol():
            return analysis.resolver.target(symbol.definition)
        case InstanceArraySymbol():
            return next((_type(analysis, inner) for inner in symbol), None)
        case InterfacePortSymbol():
            return analysis.resolver.target(symbol.interfaceDef)
        case TypeAliasType():
            type_ = symbol.targetType.type
        case SubroutineSymbol():
            type_ = symbol.returnType
        case ValueSymbol():
            type_ = symbol.type
        case _:
            return None
    while not isinstance(type_, TypeAliasType) and type_.isArray:
        type_ = type_.arrayElementType
    if isinstance(type_, VirtualInterfaceType):
        return analysis.resolver.target(type_.iface.definition)
    return analysis.resolver.target(type_)


def _extensions(project: Project, target: Target) -> Iterator[Target]:
    from pyslang.syntax import SyntaxKind

    for path in project.with_word("extends"):
        outline = project.outline(path)
        if outline is None or target.name.encode() not in outline.data:
            continue
        analysis = project.analysis_of(path)
        if analysis is None:
            continue
        classes: list[SyntaxNode] = []
        analysis.tree.root.visit(lookup_table={SyntaxKind.ClassDeclaration: classes.append})
        for declaration in classes:
            scope = analysis.scopes.of(declaration)
            if scope is not None and (found := _extension(analysis, scope, target)) is not None:
                yield found


def _extension(analysis: Analysis, scope: Symbol, target: Target) -> Target | None:
    """The class, if it extends the target, or its method that overrides the target."""
    from pyslang.ast import ClassType

    resolver = analysis.resolver
    base = scope.baseClass if isinstance(scope, ClassType) else None
    while isinstance(scope, ClassType) and isinstance(base, ClassType):
        if target.kind is TargetKind.CLASS:
            if resolver.target(base) == target:
                return resolver.target(scope)
        elif (theirs := base.find(target.name)) is not None and resolver.target(theirs) == target:
            ours = resolver.target(scope.find(target.name))
            return ours if ours != target else None
        base = base.baseClass
    return None
