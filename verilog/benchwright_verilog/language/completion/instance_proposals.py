"""Proposals of connections, and of whole instances."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pyslang.ast import SubroutineSymbol

from benchwright_verilog.language.completion.calls import CallKind, OpenCall
from benchwright_verilog.language.completion.library import Library, LibraryUnit
from benchwright_verilog.language.completion.names_in_scope import scopes_at, symbol_at_path
from benchwright_verilog.language.completion.proposal import (
    CompletionRequest,
    Proposal,
    ProposalKind,
    Rank,
    constant_documentation_maker,
    escape_for_snippet,
)
from benchwright_verilog.language.explanation.descriptions import describe
from benchwright_verilog.language.explanation.headers import Formal, Header, header_of_subroutine, header_of_system_task
from benchwright_verilog.language.explanation.system_tasks import system_tasks_by_name

if TYPE_CHECKING:
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project


_MOST_READ = 16
"""Up to this many modules are offered as whole instances."""


def called_header(request: CompletionRequest, call: OpenCall) -> Header | None:
    """The header of what a call or instantiation names."""
    return called_header_at(request.analysis, request.analysed_byte, request.project, request.library, call)


def called_header_at(
    analysis: FileAnalysis, byte: int, project: Project, library: Library, call: OpenCall
) -> Header | None:
    """The header of what is called or instantiated at a byte of the analysed text."""
    if not call.callee_path:
        return None
    if call.call_kind is CallKind.ARGUMENTS:
        if (task := system_tasks_by_name().get(call.callee_path[0])) is not None:
            return header_of_system_task(task)
        routine = symbol_at_path(analysis, byte, call.callee_path)
        if isinstance(routine, SubroutineSymbol):
            return header_of_subroutine(routine, analysis.sources)
        return None
    unit = library.unit_named(project, analysis, call.callee_path[0])
    return library.header(project, analysis, unit) if unit is not None else None


def unconnected_formal_proposals(request: CompletionRequest, *, is_after_dot: bool) -> Iterator[Proposal]:
    """Ports, parameters or arguments that are not connected yet; after their dot if it is `is_after_dot`."""
    call = request.cursor.call
    header = called_header(request, call) if call is not None else None
    if call is None or header is None:
        return
    formals = header.parameters if call.call_kind is CallKind.PARAMETERS else header.formals
    open_formals = [formal for formal in formals if formal.name not in call.taken_names]
    is_open = request.text[request.cursor.word_end : request.cursor.word_end + 1] != "("
    dot = "" if is_after_dot else "."
    for position, formal in enumerate(open_formals):
        if not request.matches_typed_word(formal.name):
            continue
        value = _placeholder_text(formal, call)
        plain_text = f"{dot}{formal.name}({value})" if is_open else f"{dot}{formal.name}"
        snippet = f"{dot}{formal.name}(${{1:{escape_for_snippet(value)}}})" if is_open else ""
        documentation = constant_documentation_maker(_formal_markdown(formal))
        yield Proposal(
            f"{dot}{formal.name}",
            ProposalKind.PORT,
            Rank.MEMBER,
            formal.declaration_text,
            plain_text,
            snippet,
            documentation,
            position,
        )
    if len(open_formals) > 1 and not request.word and is_open:
        yield _all_connections_proposal(open_formals, call, request, is_after_dot=is_after_dot)


def _all_connections_proposal(
    open_formals: Sequence[Formal], call: OpenCall, request: CompletionRequest, *, is_after_dot: bool
) -> Proposal:
    further = "" if "\n" in request.text[call.opening_offset : request.cursor.word_start] else "  "
    snippet = _connection_list_text(open_formals, call, ",\n" + further, 1)
    plain_text = _connection_list_text(open_formals, call, ",\n" + _cursor_line_indentation(request) + further, None)
    if is_after_dot:
        snippet, plain_text = snippet[1:], plain_text[1:]
    noun = "parameters" if call.call_kind is CallKind.PARAMETERS else "ports"
    label = f"all {len(open_formals)} {noun}" if not call.taken_names else f"the other {len(open_formals)} {noun}"
    names = ", ".join(formal.name for formal in open_formals)
    return Proposal(label, ProposalKind.SNIPPET, Rank.FIT, names, plain_text, snippet)


def _connection_list_text(
    formals: Sequence[Formal], call: OpenCall | None, separator: str, first_tab_stop: int | None
) -> str:
    connection_texts = []
    for index, formal in enumerate(formals):
        value = _placeholder_text(formal, call)
        connection_texts.append(
            f".{formal.name}({value})"
            if first_tab_stop is None
            else f".{formal.name}(${{{first_tab_stop + index}:{escape_for_snippet(value)}}})"
        )
    return separator.join(connection_texts)


def _placeholder_text(formal: Formal, call: OpenCall | None) -> str:
    if call is not None and call.call_kind is CallKind.PARAMETERS:
        return formal.default
    return formal.name


def _cursor_line_indentation(request: CompletionRequest) -> str:
    start = request.text.rfind("\n", 0, request.cursor.word_start) + 1
    match = re.compile(r"[ \t]*").match(request.text, start)
    return match[0] if match else ""


def _formal_markdown(formal: Formal) -> str:
    return f"```systemverilog\n{formal.declaration_text}\n```" + (
        f"\n\n{formal.documentation}" if formal.documentation else ""
    )


def module_and_instance_proposals(request: CompletionRequest) -> Iterator[Proposal]:
    """Modules of the project, by name and as whole instances."""
    enclosing_names = {
        scope.name for scope in scopes_at(request.analysis, request.analysed_byte) if scope.kind.name == "InstanceBody"
    }
    read_count = 0
    for unit in request.library.units(request.project, request.analysis):
        if unit.kind not in (
            "module",
            "interface",
            "program",
            "primitive",
            "checker",
        ) or not request.matches_typed_word(unit.name):
            continue
        if unit.name in enclosing_names:
            # A module can't instantiate itself.
            continue
        yield Proposal(
            unit.name,
            _kind_of_unit(unit),
            Rank.UNIT,
            unit.kind,
            make_documentation=_unit_documentation_maker(request, unit),
        )
        if not request.word or read_count >= _MOST_READ or not request.cursor.open_blocks:
            continue
        read_count += 1
        header = request.library.header(request.project, request.analysis, unit)
        if header is not None:
            yield _instance_proposal(header, unit, request)


def _instance_proposal(header: Header, unit: LibraryUnit, request: CompletionRequest) -> Proposal:
    detail = f"instance with {len(header.formals)} ports"
    snippet = _instance_text(header, "", 1)
    plain_text = _instance_text(header, _cursor_line_indentation(request), None)
    return Proposal(
        f"{header.name} …",
        ProposalKind.SNIPPET,
        Rank.UNIT - 1,
        detail,
        plain_text,
        snippet,
        _unit_documentation_maker(request, unit),
    )


def _instance_text(header: Header, indent: str, first_tab_stop: int | None) -> str:
    """A whole instance; with places to fill in from number `first_tab_stop` on, or without."""
    separator = f",\n{indent}  "
    text = header.name
    if header.parameters:
        parameter_call = OpenCall(CallKind.PARAMETERS, (), 0, 0, None, ())
        connections = _connection_list_text(header.parameters, parameter_call, separator, first_tab_stop)
        text += f" #(\n{indent}  {connections}\n{indent})"
        first_tab_stop = None if first_tab_stop is None else first_tab_stop + len(header.parameters)
    name = f"u_{header.name}"
    text += f" {name} (" if first_tab_stop is None else f" ${{{first_tab_stop}:{name}}} ("
    if header.formals:
        connected = _connection_list_text(
            header.formals, None, separator, None if first_tab_stop is None else first_tab_stop + 1
        )
        text += f"\n{indent}  {connected}\n{indent}"
    return text + ");"


def _kind_of_unit(unit: LibraryUnit) -> ProposalKind:
    if unit.kind == "interface":
        return ProposalKind.INTERFACE
    return (
        ProposalKind.PACKAGE
        if unit.kind == "package"
        else ProposalKind.CLASS
        if unit.kind == "class"
        else ProposalKind.MODULE
    )


def _unit_documentation_maker(request: CompletionRequest, unit: LibraryUnit) -> Callable[[], str]:
    def documentation() -> str:
        if unit.path is None:
            symbol = request.analysis.module_body(unit.name) or request.analysis.lookup_compilation.getPackage(
                unit.name
            )
            return describe(symbol, request.analysis.sources).markdown if symbol is not None else unit.kind
        header = request.library.header(request.project, request.analysis, unit)
        return header_markdown(header) if header is not None else f"{unit.kind} in `{unit.path.name}`"

    return documentation


def header_markdown(header: Header) -> str:
    """A header as a declaration, with what is said of it."""
    formals = ",\n".join(f"    {formal.declaration_text}" for formal in header.formals)
    parameters = ",\n".join(f"    {formal.declaration_text}" for formal in header.parameters)
    declaration = f"{header.kind} {header.name}"
    declaration += f" #(\n{parameters}\n)" if parameters else ""
    declaration += f" (\n{formals}\n);" if formals else ";"
    return f"```systemverilog\n{declaration}\n```" + (f"\n\n{header.documentation}" if header.documentation else "")


def unit_proposals(request: CompletionRequest, unit_kinds: Iterable[str]) -> Iterator[Proposal]:
    """Modules, interfaces and the like of the project, by name."""
    for unit in request.library.units(request.project, request.analysis):
        if unit.kind in unit_kinds and request.matches_typed_word(unit.name):
            yield Proposal(
                unit.name,
                _kind_of_unit(unit),
                Rank.UNIT,
                unit.kind,
                make_documentation=_unit_documentation_maker(request, unit),
            )


def package_proposals(request: CompletionRequest, rank: int) -> Iterator[Proposal]:
    """Packages of the project, with the colons that follow."""
    for unit in request.library.units(request.project, request.analysis):
        if unit.kind == "package" and request.matches_typed_word(unit.name):
            documentation = _unit_documentation_maker(request, unit)
            yield Proposal(
                unit.name, ProposalKind.PACKAGE, rank, "package", f"{unit.name}::", make_documentation=documentation
            )
