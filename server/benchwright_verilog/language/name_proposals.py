"""Proposals of names that are declared somewhere: in scope, or behind a dot or a `::`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING

from pyslang.ast import (
    EmptyMemberSymbol,
    EnumValueSymbol,
    FieldSymbol,
    ModportPortSymbol,
    ModportSymbol,
    PackageSymbol,
    ParameterSymbol,
    PortSymbol,
    SubroutineSymbol,
    Symbol,
    TransparentMemberSymbol,
    ValueSymbol,
    WildcardImportSymbol,
)

from benchwright_verilog.language.calls import CallKind
from benchwright_verilog.language.cursor import Expected
from benchwright_verilog.language.declarations import width_of
from benchwright_verilog.language.descriptions import describe, short_detail
from benchwright_verilog.language.headers import header_of_subroutine
from benchwright_verilog.language.methods import methods_of
from benchwright_verilog.language.names_in_scope import NameInScope, members_behind, names_in_scope, symbol_at_path
from benchwright_verilog.language.proposal import CompletionRequest, Proposal, Rank, Sort, call_snippet, constantly

if TYPE_CHECKING:
    from pyslang.ast import FormalArgumentSymbol, Type

    from benchwright_verilog.semantics.analysis import Analysis


def names(request: CompletionRequest) -> Iterator[Proposal]:
    """Names in scope; those whose type fits come first, then the nearer."""
    expected = request.cursor.expected
    wanted = _wanted_type(request)
    is_case = request.cursor.blocks[-1:] == ("procedural case",)
    for named in _likely(request):
        symbol = named.symbol
        if expected in (Expected.TYPE, Expected.PORT_DECLARATION):
            is_fit = named.is_type or isinstance(symbol, (ParameterSymbol, PackageSymbol))
        elif expected is Expected.ITEM:
            is_fit = named.is_type
        elif expected is Expected.STATEMENT:
            is_fit = is_case or not isinstance(symbol, (ParameterSymbol, EnumValueSymbol))
        elif expected is Expected.EXPRESSION:
            is_fit = not (isinstance(symbol, SubroutineSymbol) and symbol.returnType.isVoid)
        else:
            is_fit = True
        if is_fit:
            yield _name(request, named, wanted)


_MOST_NAMES = 300
"""Of more than these, only the nearest are proposed."""


def _likely(request: CompletionRequest) -> list[NameInScope]:
    listed = partial(request.library.members, request.analysis)
    found = [named for named in names_in_scope(request.analysis, request.byte, listed) if request.fits(named.name)]
    if len(found) <= _MOST_NAMES:
        return found
    word = request.word.lower()
    return nsmallest(_MOST_NAMES, found, key=lambda named: (not named.name.lower().startswith(word), named.distance))


def _name(request: CompletionRequest, named: NameInScope, wanted: Type | None) -> Proposal:
    symbol = named.symbol
    rank = Rank.NAMED + min(named.distance, 6)
    if wanted is not None and isinstance(symbol, ValueSymbol):
        rank = _type_rank(symbol.type, wanted, rank)
    snippet = ""
    if isinstance(symbol, SubroutineSymbol) and request.cursor.expected is not Expected.MEMBER:
        snippet = call_snippet(header_of_subroutine(symbol, request.analysis.sources), request.cursor.expected)
    return Proposal(
        named.name, _sort(symbol), rank, short_detail(symbol), "", snippet, _about(symbol, request.analysis)
    )


def _about(symbol: Symbol, analysis: Analysis) -> Callable[[], str]:
    return lambda: describe(symbol, analysis.sources).markdown


def _type_rank(type_: Type, wanted: Type, rank: int) -> int:
    """How well a type fits into another: the same is best, then one as wide."""
    if type_.isMatching(wanted):
        return Rank.FIT
    width = width_of(wanted)
    if width is not None and width_of(type_) == width and type_.isIntegral:
        return Rank.NEAR
    return rank if type_.isAssignmentCompatible(wanted) or wanted.isAssignmentCompatible(type_) else rank + 4


def _wanted_type(request: CompletionRequest) -> Type | None:
    """The type that a value here is assigned to, if that is known: of `count` in `count <= ‸`."""
    cursor = request.cursor
    call = cursor.call
    if call is not None and call.kind is CallKind.PORTS and call.named:
        body = request.analysis.body(call.path[0]) if call.path else None
        port = body.findPort(call.named) if body is not None else None
        return port.type if isinstance(port, PortSymbol) else None
    if call is not None and call.kind is CallKind.ARGUMENTS:
        routine = symbol_at_path(request.analysis, request.byte, call.path)
        if not isinstance(routine, SubroutineSymbol) or call.argument >= len(routine.arguments):
            return None
        argument: FormalArgumentSymbol = routine.arguments[call.argument]
        return argument.type
    if not cursor.assigned:
        return None
    target = symbol_at_path(request.analysis, request.byte, (cursor.assigned,))
    return target.type if isinstance(target, ValueSymbol) else None


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


def _sort(symbol: Symbol) -> Sort:
    return _SORTS.get(symbol.kind.name, Sort.SIGNAL)


def members(request: CompletionRequest) -> Iterator[Proposal]:
    """What can follow the dot or the `::` before the cursor."""
    path = request.cursor.path
    symbol = symbol_at_path(request.analysis, request.byte, path)
    if symbol is None:
        if request.cursor.expected is Expected.MEMBER and len(path) == 1:
            yield from _modports(request, path[0])
        return
    seen = set()
    for position, member in enumerate(members_behind(symbol)):
        if isinstance(member, _HIDDEN) or member.name in seen or not request.fits(member.name):
            continue
        seen.add(member.name)
        yield _member(request, member, position)
    if isinstance(symbol, ValueSymbol) and request.cursor.expected is Expected.MEMBER:
        yield from _methods(request, symbol.type)


_HIDDEN = (PortSymbol, WildcardImportSymbol, EmptyMemberSymbol)
_LISTED = (FieldSymbol, EnumValueSymbol, ModportPortSymbol)
"""What is shown in the order of its declaration; other members in that of the alphabet."""


def _member(request: CompletionRequest, member: Symbol, position: int) -> Proposal:
    shown = member.wrapped if isinstance(member, TransparentMemberSymbol) else member
    snippet = ""
    if isinstance(shown, SubroutineSymbol):
        snippet = call_snippet(header_of_subroutine(shown, request.analysis.sources), request.cursor.expected)
    return Proposal(
        member.name,
        _sort(shown),
        Rank.MEMBER,
        short_detail(shown),
        snippet=snippet,
        about=_about(shown, request.analysis),
        position=position if isinstance(shown, _LISTED) else 0,
    )


def _methods(request: CompletionRequest, type_: Type) -> Iterator[Proposal]:
    for method in methods_of(type_):
        if request.fits(method.name):
            takes = ", ".join(method.parameters)
            said = f"```systemverilog\n{method.result} {method.name}({takes})\n```\n\n{method.about}"
            detail = f"{method.result} ({takes})"
            yield Proposal(method.name, Sort.METHOD, Rank.NAMED, detail, about=constantly(said))


def _modports(request: CompletionRequest, name: str) -> Iterator[Proposal]:
    body = request.analysis.body(name)
    for member in body or ():
        if isinstance(member, ModportSymbol) and request.fits(member.name):
            yield Proposal(member.name, Sort.INTERFACE, Rank.MEMBER, "modport", about=_about(member, request.analysis))
