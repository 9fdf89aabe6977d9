"""Proposals of names that are declared somewhere: in scope, or behind a dot or a `::`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING

from pyslang.ast import (
    ClassType,
    EmptyMemberSymbol,
    EnumValueSymbol,
    FieldSymbol,
    GenericClassDefSymbol,
    ModportPortSymbol,
    ModportSymbol,
    PackageSymbol,
    PackedStructType,
    ParameterSymbol,
    PortSymbol,
    SubroutineSymbol,
    Symbol,
    TransparentMemberSymbol,
    TypeParameterSymbol,
    UnpackedStructType,
    ValueSymbol,
    WildcardImportSymbol,
)

from benchwright_verilog.language.completion.calls import CallKind
from benchwright_verilog.language.completion.cursor import ExpectedCode
from benchwright_verilog.language.completion.names_in_scope import (
    NameInScope,
    members_reached_through,
    names_in_scope,
    names_of_class_and_bases,
    needs_object,
    scopes_at,
    symbol_at_path,
    type_after_indices,
    type_of_value,
)
from benchwright_verilog.language.completion.proposal import (
    CompletionRequest,
    Proposal,
    ProposalKind,
    Rank,
    call_snippet,
    constant_documentation_maker,
)
from benchwright_verilog.language.declarations import width_of
from benchwright_verilog.language.explanation.descriptions import describe, short_detail
from benchwright_verilog.language.explanation.headers import header_of_subroutine
from benchwright_verilog.language.explanation.macros import arguments_and_end
from benchwright_verilog.language.explanation.methods import BuiltinMethod, builtin_methods_of
from benchwright_verilog.language.explanation.tokens import CodeTokenKind, opening_bracket_index, tokens_between
from benchwright_verilog.separate_results import results_of_each

if TYPE_CHECKING:
    from pyslang.ast import FormalArgumentSymbol, Type

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis


def scope_name_proposals(request: CompletionRequest) -> Iterator[Proposal]:
    """Names in scope; those whose type fits come first, then the nearer."""
    expected_type = _type_expected_at_cursor(request)
    pattern = _PATTERN.search(request.text, max(0, request.cursor.word_start - _FAR), request.cursor.word_start)
    if pattern is not None and expected_type is not None:
        yield from _pattern_key_proposals(request, expected_type, pattern)
        expected_type = _type_in_pattern(expected_type, pattern)

    def fitting_proposals(name_in_scope: NameInScope) -> Iterator[Proposal]:
        if _is_expected(request, name_in_scope):
            yield _name_proposal(request, name_in_scope, expected_type)

    yield from results_of_each(_likeliest_names_in_scope(request), fitting_proposals)


def _pattern_key_proposals(
    request: CompletionRequest, pattern_type: Type, pattern_match: re.Match[str]
) -> Iterator[Proposal]:
    """The members that are not set yet, where a key of an assignment pattern of a structure is written."""
    canonical = pattern_type.canonicalType
    if pattern_match["key"] or not isinstance(canonical, (PackedStructType, UnpackedStructType)):
        return
    given_names = set(re.findall(r"(\w+)\s*:", pattern_match["items"] or ""))
    for position, member in enumerate(canonical):
        if (
            isinstance(member, FieldSymbol)
            and member.name not in given_names
            and request.matches_typed_word(member.name)
        ):
            yield Proposal(
                f"{member.name}:",
                ProposalKind.FIELD,
                Rank.MEMBER,
                short_detail(member),
                f"{member.name}: ",
                make_documentation=_documentation_maker(member, request.analysis),
                position=position,
            )


_PATTERN = re.compile(r"'\{(?P<items>[^{};]*,)?\s*(?:(?P<key>\w+)\s*:\s*)?\Z")
"""An assignment pattern that is open at the end, in which a key or a value comes next, or a value behind its key."""


def _type_in_pattern(pattern_type: Type, pattern_match: re.Match[str]) -> Type | None:
    """The type of the value that comes next in an assignment pattern; None if that is unknown."""
    canonical = pattern_type.canonicalType
    if not isinstance(canonical, (PackedStructType, UnpackedStructType)):
        return canonical.arrayElementType
    members = [member for member in canonical if isinstance(member, FieldSymbol)]
    if pattern_match["key"]:
        return next((field.type for field in members if field.name == pattern_match["key"]), None)
    position = (pattern_match["items"] or "").count(",")
    return members[position].type if position < len(members) and ":" not in (pattern_match["items"] or "") else None


def _is_expected(request: CompletionRequest, name_in_scope: NameInScope) -> bool:
    symbol = name_in_scope.symbol
    match request.cursor.expected_code:
        case ExpectedCode.TYPE | ExpectedCode.PORT_DECLARATION:
            return name_in_scope.is_type or isinstance(symbol, (ParameterSymbol, PackageSymbol))
        case ExpectedCode.ITEM:
            return name_in_scope.is_type
        case ExpectedCode.STATEMENT:
            is_case = request.cursor.open_blocks[-1:] == ("procedural case",)
            return is_case or not isinstance(symbol, (ParameterSymbol, EnumValueSymbol))
        case ExpectedCode.EXPRESSION:
            return not (isinstance(symbol, SubroutineSymbol) and symbol.returnType.isVoid)
        case _:
            return True


_MOST_NAMES = 300
"""Of more than these, only the nearest are proposed."""


def _likeliest_names_in_scope(request: CompletionRequest) -> list[NameInScope]:
    list_members = partial(request.library.named_members, request.analysis)
    fitting = [
        name_in_scope
        for name_in_scope in names_in_scope(request.analysis, request.analysed_byte, list_members)
        if request.matches_typed_word(name_in_scope.name)
    ]
    if len(fitting) <= _MOST_NAMES:
        return fitting
    word = request.word.lower()
    return nsmallest(
        _MOST_NAMES,
        fitting,
        key=lambda scoped_name: (not scoped_name.name.lower().startswith(word), scoped_name.distance),
    )


def _name_proposal(request: CompletionRequest, name_in_scope: NameInScope, expected_type: Type | None) -> Proposal:
    symbol = name_in_scope.symbol
    rank = Rank.NAMED + min(name_in_scope.distance, 6)
    if expected_type is not None and isinstance(symbol, ValueSymbol):
        rank = _type_rank(symbol.type, expected_type, rank)
    snippet = ""
    if isinstance(symbol, SubroutineSymbol) and request.cursor.expected_code is not ExpectedCode.MEMBER:
        snippet = call_snippet(header_of_subroutine(symbol, request.analysis.sources), request.cursor.expected_code)
    return Proposal(
        name_in_scope.name,
        _kind_of_symbol(symbol),
        rank,
        short_detail(symbol),
        "",
        snippet,
        _documentation_maker(symbol, request.analysis),
    )


def _documentation_maker(symbol: Symbol, analysis: FileAnalysis) -> Callable[[], str]:
    return lambda: describe(symbol, analysis.sources).markdown


def _type_rank(type_: Type, expected_type: Type, rank_if_compatible: int) -> int:
    """Rank of a type by how well it fits into another: the same is best, then one as wide."""
    if type_.isMatching(expected_type):
        return Rank.FIT
    width = width_of(expected_type)
    if width is not None and width_of(type_) == width and type_.isIntegral:
        return Rank.NEAR
    return (
        rank_if_compatible
        if type_.isAssignmentCompatible(expected_type) or expected_type.isAssignmentCompatible(type_)
        else rank_if_compatible + 4
    )


def _type_expected_at_cursor(request: CompletionRequest) -> Type | None:
    """The type that a value here is assigned to, if that is known: of `count` in `count <= ‸`."""
    cursor = request.cursor
    call = cursor.call
    if call is not None and call.call_kind is CallKind.PORTS and call.argument_name:
        body = request.analysis.module_body(call.callee_path[0]) if call.callee_path else None
        port = body.findPort(call.argument_name) if body is not None else None
        return port.type if isinstance(port, PortSymbol) else None
    if call is not None and call.call_kind is CallKind.ARGUMENTS:
        routine = symbol_at_path(request.analysis, request.analysed_byte, call.callee_path)
        if not isinstance(routine, SubroutineSymbol) or call.argument_index >= len(routine.arguments):
            return None
        argument: FormalArgumentSymbol = routine.arguments[call.argument_index]
        return argument.type
    if not cursor.assigned_path:
        return None
    assigned_symbol = symbol_at_path(request.analysis, request.analysed_byte, cursor.assigned_path)
    if not isinstance(assigned_symbol, ValueSymbol):
        return None
    return type_after_indices(assigned_symbol.type, cursor.assigned_index_count)


_SORTS = {
    "Parameter": ProposalKind.CONSTANT,
    "Specparam": ProposalKind.CONSTANT,
    "EnumValue": ProposalKind.ENUM_VALUE,
    "TypeAlias": ProposalKind.TYPE,
    "TypeParameter": ProposalKind.TYPE,
    "NetType": ProposalKind.TYPE,
    "ClassType": ProposalKind.CLASS,
    "GenericClassDef": ProposalKind.CLASS,
    "CovergroupType": ProposalKind.CLASS,
    "Subroutine": ProposalKind.FUNCTION,
    "MethodPrototype": ProposalKind.FUNCTION,
    "Instance": ProposalKind.INSTANCE,
    "InstanceArray": ProposalKind.INSTANCE,
    "InterfacePort": ProposalKind.INSTANCE,
    "Package": ProposalKind.PACKAGE,
    "Field": ProposalKind.FIELD,
    "ClassProperty": ProposalKind.FIELD,
    "ModportPort": ProposalKind.FIELD,
    "Modport": ProposalKind.INTERFACE,
    "GenerateBlock": ProposalKind.BLOCK,
    "GenerateBlockArray": ProposalKind.BLOCK,
    "StatementBlock": ProposalKind.BLOCK,
}


def _kind_of_symbol(symbol: Symbol) -> ProposalKind:
    return _SORTS.get(symbol.kind.name, ProposalKind.SIGNAL)


def member_proposals(request: CompletionRequest) -> Iterator[Proposal]:
    """Yield what can follow the dot or the `::` before the cursor."""
    path = request.cursor.path
    symbol = symbol_at_path(request.analysis, request.analysed_byte, path)
    if symbol is None:
        if request.cursor.expected_code is ExpectedCode.MEMBER and len(path) == 1:
            yield from _modport_proposals(request, path[0])
        return
    seen_names: set[str] = set()
    is_static = _allows_only_static_members(request, symbol)
    parameter_values = (
        _class_parameter_values_by_name(request, symbol) if isinstance(symbol, GenericClassDefSymbol) else {}
    )

    def fitting_proposals(position_and_member: tuple[int, Symbol]) -> Iterator[Proposal]:
        position, scope_member = position_and_member
        if (
            isinstance(scope_member, _HIDDEN)
            or scope_member.name in seen_names
            or not request.matches_typed_word(scope_member.name)
            or (is_static and needs_object(scope_member))
        ):
            return
        seen_names.add(scope_member.name)
        yield _member_proposal(request, scope_member, position, parameter_values)

    value_type = type_of_value(symbol) if request.cursor.expected_code is ExpectedCode.MEMBER else None
    if value_type is not None:
        value_type = type_after_indices(value_type, request.cursor.path_index_count)
        if value_type is None:
            return
    canonical = value_type.canonicalType if value_type is not None else None
    # The members of an array's elements are not its own, and the values of an enumeration are not those of a variable.
    if canonical is None or not (canonical.isArray or canonical.isEnum):
        yield from results_of_each(enumerate(members_reached_through(value_type or symbol)), fitting_proposals)
    if value_type is not None:
        methods = [method for method in builtin_methods_of(value_type) if method.name not in seen_names]
        yield from _builtin_method_proposals(request, methods)


def _allows_only_static_members(request: CompletionRequest, symbol: Symbol) -> bool:
    """True if only what needs no object can follow: behind `class::` outside of that class and those that extend it."""
    if request.cursor.expected_code is not ExpectedCode.SCOPED or not isinstance(
        symbol, ClassType | GenericClassDefSymbol
    ):
        return False
    line = request.text[request.text.rfind("\n", 0, request.cursor.word_start) + 1 : request.cursor.word_start]
    if _ROUTINE.match(line):
        # A method's body outside of its class.
        return False
    scopes = (scope for scope in scopes_at(request.analysis, request.analysed_byte) if isinstance(scope, ClassType))
    return all(symbol.name not in names_of_class_and_bases(scope) for scope in scopes)


_ROUTINE = re.compile(r"\s*(?:function|task)\b")
_HIDDEN = (PortSymbol, WildcardImportSymbol, EmptyMemberSymbol)
_LISTED = (FieldSymbol, EnumValueSymbol, ModportPortSymbol)
"""The members that are shown in the order of their declaration; others are in that of the alphabet."""


def _class_parameter_values_by_name(request: CompletionRequest, symbol: GenericClassDefSymbol) -> dict[str, str]:
    """The values written for the parameters of a class, by their names: `T` is `int` behind `config_db#(int)::`."""
    start = request.cursor.word_start
    code = [
        token
        for token in tokens_between(request.text, max(0, start - _FAR), start)
        if token.token_kind is not CodeTokenKind.COMMENT
    ]
    opening = opening_bracket_index(code, len(code) - 2) if len(code) > 1 and code[-2].text == ")" else 0
    class_ = symbol.invalidSpecialization
    if opening < 1 or code[opening - 1].text != "#" or not isinstance(class_, ClassType):
        return {}
    parameters = [
        class_member.name
        for class_member in class_
        if isinstance(class_member, TypeParameterSymbol | ParameterSymbol) and class_member.isPortParam
    ]
    given_values: dict[str, str] = {}
    for name, value in zip(parameters, arguments_and_end(request.text, code[opening].start)[0], strict=False):
        match = _NAMED.fullmatch(value)
        given_values |= {match[1]: match[2]} if match else {name: value} if value else {}
    return given_values


def _documentation_maker_with_values(
    documentation_maker: Callable[[], str], parameter_values: Mapping[str, str]
) -> Callable[[], str]:
    """Documentation whose declaration has what was given for parameters."""

    def filled() -> str:
        head, fence, tail = documentation_maker().partition("\n```")
        return re.sub(r"[A-Za-z_]\w*", lambda word: parameter_values.get(word[0], word[0]), head) + fence + tail

    return filled if parameter_values else documentation_maker


_FAR = 2_000
_NAMED = re.compile(r"\.\s*(\w+)\s*\((.*)\)", re.DOTALL)


def _member_proposal(
    request: CompletionRequest, scope_member: Symbol, position: int, parameter_values: Mapping[str, str]
) -> Proposal:
    symbol = scope_member.wrapped if isinstance(scope_member, TransparentMemberSymbol) else scope_member
    snippet = ""
    if isinstance(symbol, SubroutineSymbol):
        snippet = call_snippet(header_of_subroutine(symbol, request.analysis.sources), request.cursor.expected_code)
    return Proposal(
        scope_member.name,
        _kind_of_symbol(symbol),
        Rank.MEMBER,
        short_detail(symbol),
        snippet=snippet,
        make_documentation=_documentation_maker_with_values(
            _documentation_maker(symbol, request.analysis), parameter_values
        ),
        position=position if isinstance(symbol, _LISTED) else 0,
    )


def _builtin_method_proposals(request: CompletionRequest, methods: Iterable[BuiltinMethod]) -> Iterator[Proposal]:
    for method in methods:
        if request.matches_typed_word(method.name):
            takes = ", ".join(method.parameters)
            description = f"```systemverilog\n{method.result_type} {method.name}({takes})\n```\n\n{method.description}"
            detail = f"{method.result_type} ({takes})"
            yield Proposal(
                method.name,
                ProposalKind.METHOD,
                Rank.NAMED,
                detail,
                make_documentation=constant_documentation_maker(description),
            )


def _modport_proposals(request: CompletionRequest, interface_name: str) -> Iterator[Proposal]:
    body = request.analysis.module_body(interface_name)
    for body_member in body or ():
        if isinstance(body_member, ModportSymbol) and request.matches_typed_word(body_member.name):
            yield Proposal(
                body_member.name,
                ProposalKind.INTERFACE,
                Rank.MEMBER,
                "modport",
                make_documentation=_documentation_maker(body_member, request.analysis),
            )
