"""Proposals of names that are declared somewhere: in scope, or behind a dot or a `::`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from benchwright_verilog.language.calls import CallKind
from benchwright_verilog.language.declarations import width_of
from benchwright_verilog.language.descriptions import describe, short_detail
from benchwright_verilog.language.heads import head_of_subroutine
from benchwright_verilog.language.methods import methods_of
from benchwright_verilog.language.places import Place
from benchwright_verilog.language.proposal import Asked, Proposal, Rank, Sort, call_snippet, constantly
from benchwright_verilog.language.visible import Named, looked_up, members_behind, visible

if TYPE_CHECKING:
    from benchwright_verilog.semantics.analysis import Analysis


def names(asked: Asked) -> Iterator[Proposal]:
    """Names in scope; those whose type fits come first, then the nearer."""
    place = asked.cursor.place
    wanted = _wanted_type(asked)
    is_case = asked.cursor.blocks[-1:] == ("procedural case",)
    for named in _likely(asked):
        kind = named.symbol.kind.name
        if place in (Place.TYPE, Place.PORT_DECLARATION) and not (named.is_type or kind in ("Parameter", "Package")):
            continue
        if place is Place.ITEM and not named.is_type:
            continue
        if place is Place.STATEMENT and kind in ("Parameter", "EnumValue") and not is_case:
            continue
        if place is Place.EXPRESSION and kind == "Subroutine" and named.symbol.returnType.isVoid:
            continue
        yield _name(asked, named, wanted)


_MOST_NAMES = 300
"""Of more than these, only the nearest are looked at further."""


def _likely(asked: Asked) -> list[Named]:
    listed = partial(asked.library.members, asked.analysis)
    found = [named for named in visible(asked.analysis, asked.byte, listed) if asked.fits(named.name)]
    if len(found) <= _MOST_NAMES:
        return found
    word = asked.word.lower()
    return nsmallest(_MOST_NAMES, found, key=lambda named: (not named.name.lower().startswith(word), named.distance))


def _name(asked: Asked, named: Named, wanted: Any | None) -> Proposal:
    symbol = named.symbol
    kind = symbol.kind.name
    rank = Rank.NAMED + min(named.distance, 6)
    if wanted is not None and symbol.isValue and kind != "GenerateBlock":
        rank = _type_rank(symbol.type, wanted, rank)
    snippet = ""
    if kind == "Subroutine" and asked.cursor.place is not Place.MEMBER:
        snippet = call_snippet(head_of_subroutine(symbol, asked.analysis.sources), asked.cursor.place)
    return Proposal(named.name, _sort(symbol), rank, short_detail(symbol), "", snippet, _about(symbol, asked.analysis))


def _about(symbol: Any, analysis: Analysis) -> Callable[[], str]:
    return lambda: describe(symbol, analysis.sources).markdown


def _type_rank(kind: Any, wanted: Any, rank: int) -> int:
    """How well a type goes into another: the same is best, then one as wide."""
    if kind.isMatching(wanted):
        return Rank.FIT
    width = width_of(wanted)
    if width is not None and width_of(kind) == width and kind.isIntegral:
        return Rank.NEAR
    return rank if kind.isAssignmentCompatible(wanted) or wanted.isAssignmentCompatible(kind) else rank + 4


def _wanted_type(asked: Asked) -> Any | None:
    """The type that a value here goes into, where that is known."""
    cursor = asked.cursor
    call = cursor.call
    if call is not None and call.kind is CallKind.PORTS and call.named:
        body = asked.analysis.body(call.path[0]) if call.path else None
        port: Any = body.findPort(call.named) if body is not None else None
        return port.type if port is not None and port.kind.name == "Port" else None
    if call is not None and call.kind is CallKind.ARGUMENTS:
        routine = looked_up(asked.analysis, asked.byte, call.path)
        if routine is None or routine.kind.name != "Subroutine" or call.argument >= len(routine.arguments):
            return None
        argument: Any = routine.arguments[call.argument]
        return argument.type
    if not cursor.assigned:
        return None
    target: Any = looked_up(asked.analysis, asked.byte, (cursor.assigned,))
    return target.type if target is not None and target.isValue else None


_SORTS = {
    "Parameter": Sort.CONSTANT,
    "Specparam": Sort.CONSTANT,
    "EnumValue": Sort.ENUM_VALUE,
    "TypeAlias": Sort.TYPE,
    "TypeParameter": Sort.TYPE,
    "NetType": Sort.TYPE,
    "ClassType": Sort.CLASS,
    "GenericClassDef": Sort.CLASS,
    "CovergroupType": Sort.CLASS,
    "Subroutine": Sort.FUNCTION,
    "MethodPrototype": Sort.FUNCTION,
    "Instance": Sort.INSTANCE,
    "InstanceArray": Sort.INSTANCE,
    "InterfacePort": Sort.INSTANCE,
    "Package": Sort.PACKAGE,
    "Field": Sort.FIELD,
    "ClassProperty": Sort.FIELD,
    "ModportPort": Sort.FIELD,
    "Modport": Sort.INTERFACE,
    "GenerateBlock": Sort.BLOCK,
    "GenerateBlockArray": Sort.BLOCK,
    "StatementBlock": Sort.BLOCK,
}


def _sort(symbol: Any) -> Sort:
    return _SORTS.get(symbol.kind.name, Sort.SIGNAL)


def members(asked: Asked) -> Iterator[Proposal]:
    """What can follow the dot or the `::` before the place."""
    path = asked.cursor.path
    symbol = looked_up(asked.analysis, asked.byte, path)
    if symbol is None:
        if asked.cursor.place is Place.MEMBER and len(path) == 1:
            yield from _modports(asked, path[0])
        return
    seen = set()
    for position, member in enumerate(members_behind(symbol)):
        if member.kind.name in _HIDDEN or member.name in seen or not asked.fits(member.name):
            continue
        seen.add(member.name)
        yield _member(asked, member, position)
    if symbol.isValue and asked.cursor.place is Place.MEMBER:
        yield from _methods(asked, symbol.type)


_HIDDEN = frozenset({"Port", "WildcardImport", "EmptyMember"})
_LISTED = frozenset({"Field", "EnumValue", "ModportPort"})
"""What is known by its order; what a scope declares is found by its name."""


def _member(asked: Asked, member: Any, position: int) -> Proposal:
    shown = member.wrapped if member.kind.name == "TransparentMember" else member
    snippet = ""
    if shown.kind.name == "Subroutine":
        snippet = call_snippet(head_of_subroutine(shown, asked.analysis.sources), asked.cursor.place)
    return Proposal(
        member.name,
        _sort(shown),
        Rank.MEMBER,
        short_detail(shown),
        snippet=snippet,
        about=_about(shown, asked.analysis),
        position=position if shown.kind.name in _LISTED else 0,
    )


def _methods(asked: Asked, kind: Any) -> Iterator[Proposal]:
    for method in methods_of(kind):
        if asked.fits(method.name):
            takes = ", ".join(method.parameters)
            said = f"```systemverilog\n{method.result} {method.name}({takes})\n```\n\n{method.about}"
            detail = f"{method.result} ({takes})"
            yield Proposal(method.name, Sort.METHOD, Rank.NAMED, detail, about=constantly(said))


def _modports(asked: Asked, name: str) -> Iterator[Proposal]:
    body = asked.analysis.body(name)
    for member in body or ():
        if member.kind.name == "Modport" and asked.fits(member.name):
            yield Proposal(member.name, Sort.INTERFACE, Rank.MEMBER, "modport", about=_about(member, asked.analysis))
