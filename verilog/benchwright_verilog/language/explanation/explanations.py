"""Hovers: explanations of the word at an offset."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pyslang.ast import (
    ArgumentDirection,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InstanceArraySymbol,
    InstanceSymbol,
    ParameterSymbol,
    PortSymbol,
    Symbol,
    SymbolKind,
)

from benchwright_verilog.language.explanation.descriptions import connection_phrases, describe, port_with_inner_symbol
from benchwright_verilog.language.explanation.known_macros import KnownMacros, ReadText
from benchwright_verilog.language.explanation.macros import expand_use, macro_use_arguments
from benchwright_verilog.language.explanation.numbers import literal_at, number_in_radices, read_number
from benchwright_verilog.language.explanation.system_tasks import system_tasks_by_name
from benchwright_verilog.language.explanation.values import constant_text
from benchwright_verilog.semantics.names.occurrence import NameRole, Target, TargetKind
from benchwright_verilog.semantics.project.index.outline import blank_out_comments_and_strings
from benchwright_verilog.syntax.keywords import DIRECTIVES
from benchwright_verilog.syntax.text_shift import TextShift

if TYPE_CHECKING:
    from pyslang.ast import InstanceBodySymbol

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.compilation.slang import ScopeSymbol
    from benchwright_verilog.syntax.documents import Document

_SYSTEM = re.compile(r"\$[a-zA-Z_][\w$]*")
_DIRECTIVE = re.compile(r"`(\w+)")
_QUIET = frozenset({"one_line_comment", "block_comment", "quoted_string", "quoted_string_item"})
_DRIVEN = frozenset({SymbolKind.Net, SymbolKind.Variable, SymbolKind.Port})
_HOLDERS = (InstanceSymbol, InstanceArraySymbol, GenerateBlockSymbol, GenerateBlockArraySymbol)
_MOST_VALUES = 8
_MOST_LOOKS = 12
_MOST_ELABORATED = 128 * 1024
"""Up to this many characters, a whole design is elaborated for a hover; it takes a few milliseconds."""
_MOST_INSTANCES = 2000
_MACRO_USE = re.compile(r"`[A-Za-z_][\w$]*")
_LONGEST_EXPANSION = 2000
_MOST_BEFORE = 100

_IN_NAME = re.compile(rb"[\w$.]")
_SHORTHAND = re.compile(rb"[(,]\s*\.\Z")
_AFTER_SHORTHAND = re.compile(rb"\s*[,)]")
_GIVING = re.compile(
    rb"(?![\w$])(?:\s*\[[^\];]*\]|\s*\.\s*\w+)*\s*"
    rb"(?:[-+*/%&|^]?=(?![=])|<=|<<<?=|>>>?=|\+\+|--|[^;{}()]*\}\s*<?=(?!=)|[^;(]*\)\s*[,)])"
)


@dataclass(frozen=True)
class Explanation:
    """The explanation to show for a part of a document. Offsets are code points."""

    start: int
    end: int
    markdown: str


def explain_without_analysis(document: Document, code_point: int) -> Explanation | None:
    """Explain what needs no analysis: a number, a system task, a directive."""
    lines = document.lines
    start, end = lines.line_bounds(lines.line_index(code_point) + 1)
    line, column = document.text[start:end], code_point - start
    explanation = (
        _explain_literal(line, column) or _explain_system_task(line, column) or _explain_directive(line, column)
    )
    if explanation is None or _is_in_comment_or_string(document, start + explanation.start):
        return None
    return Explanation(start + explanation.start, start + explanation.end, explanation.markdown)


def _is_in_comment_or_string(document: Document, offset: int) -> bool:
    byte = document.lines.to_byte(offset)
    units = document.units
    unit = units[bisect_right(units, byte, key=lambda unit_: unit_.start) - 1]
    byte -= unit.start
    node = unit.item_text.tree.root_node.descendant_for_byte_range(byte, byte + 1)
    return node is not None and node.type in _QUIET


def _explain_literal(line: str, column: int) -> Explanation | None:
    match = literal_at(line, column)
    number = read_number(match[0]) if match is not None else None
    if match is None or number is None:
        return None
    head = f"{number.width} bits" if number.is_sized else "no size: at least 32 bits"
    fact_texts = [head, "signed" if number.is_signed else "unsigned"]
    radix_rows = "\n".join(f"| {name} | `{value}` |" for name, value in number_in_radices(number))
    cut = "\n\nSome digits do not fit into the size and are truncated." if number.is_cut else ""
    markdown = f"`{match[0]}` · {' · '.join(fact_texts)}\n\n| | |\n| --- | --- |\n{radix_rows}{cut}"
    return Explanation(*match.span(), markdown)


def _explain_system_task(line: str, column: int) -> Explanation | None:
    for match in _SYSTEM.finditer(line):
        if match.start() <= column <= match.end() and (task := system_tasks_by_name().get(match[0])) is not None:
            return Explanation(*match.span(), f"```systemverilog\n{task.signature}\n```\n\n{task.description}")
    return None


def _explain_directive(line: str, column: int) -> Explanation | None:
    for match in _DIRECTIVE.finditer(line):
        if match.start() <= column <= match.end() and (description := DIRECTIVES.get(match[1])) is not None:
            return Explanation(*match.span(), f"```systemverilog\n{match[0]}\n```\n\n{description}")
    return None


def explain_name(
    document: Document, code_point: int, analysis: FileAnalysis, read_text: ReadText
) -> Explanation | None:
    """Explain a name by what it means."""
    lines = document.lines
    shift = TextShift(analysis.data, lines.data)
    occurrence = analysis.occurrence_at(shift.to_old(lines.to_byte(code_point)))
    if occurrence is None:
        return None
    start, end = (lines.from_byte(shift.to_new(byte)) for byte in (occurrence.start, occurrence.end))
    target = occurrence.target
    if target.target_kind is TargetKind.MACRO:
        known_macros = KnownMacros(analysis, read_text)
        markdown = _macro_markdown(
            document.text, end, target.name, known_macros, is_used=occurrence.role is NameRole.READ
        )
    elif target.target_kind is TargetKind.FILE:
        markdown = f"`{target.name}` in `{target.path.parent.name}/`"
    elif target.symbol is not None:
        markdown = _symbol_markdown(target.symbol, target, analysis)
    else:
        markdown = None
    return Explanation(start, end, markdown) if markdown else None


def _symbol_markdown(symbol: Symbol, target: Target, analysis: FileAnalysis) -> str:
    is_driven = symbol.kind in _DRIVEN
    drivers = list(driving_code_lines(target, analysis)) if is_driven else []
    described = describe(symbol, analysis.sources, drivers).markdown
    lines: list[str] = []
    if isinstance(symbol, ParameterSymbol):
        lines = _parameter_value_lines(symbol, analysis)
    elif is_driven and (port := port_with_inner_symbol(symbol)) is not None and port.direction != ArgumentDirection.Out:
        lines = _connection_lines(port, analysis)
    return "\n".join([described, "", "In the design:", *lines]) if lines else described


def driving_code_lines(target: Target, analysis: FileAnalysis) -> Iterator[str]:
    """The lines of the same module that drive something; after a few places the search ends."""
    if target.path != analysis.path:
        return
    start, end = analysis.item_extent_at(target.start)
    code = blank_out_comments_and_strings(analysis.data[start:end])
    for offset in islice(_possible_driver_offsets(target.name.encode(), code), _MOST_LOOKS):
        byte = start + offset
        for occurrence in analysis.occurrences_at(byte):
            if occurrence.role is NameRole.WRITE and occurrence.target == target:
                yield _code_line_at(analysis.data, byte)
                break


def _possible_driver_offsets(name: bytes, code: bytes) -> Iterator[int]:
    """Yield places where a name may be driven: before an assignment, in a concatenation, in a connection."""
    offset = code.find(name)
    while offset >= 0:
        end = offset + len(name)
        if offset and _IN_NAME.match(code, offset - 1):
            # `.name` stands for `.name(name)`.
            is_shorthand = _SHORTHAND.search(code, max(0, offset - _MOST_BEFORE), offset) is not None
            if is_shorthand and _AFTER_SHORTHAND.match(code, end):
                yield offset
        elif _GIVING.match(code, end):
            yield offset
        offset = code.find(name, end)


def _code_line_at(data: bytes, byte: int) -> str:
    start = data.rfind(b"\n", 0, byte) + 1
    end = data.find(b"\n", byte)
    return data[start : end if end >= 0 else len(data)].decode(errors="replace").partition("//")[0].strip()


def _parameter_value_lines(parameter: ParameterSymbol, analysis: FileAnalysis) -> list[str]:
    """The values that the instances of a module give its parameter, in the whole design."""
    paths_by_value: dict[str, list[str]] = {}
    for path, body in _instances_of_declaring_module(parameter, analysis):
        symbol = body.find(parameter.name)
        if isinstance(symbol, ParameterSymbol) and (text := constant_text(symbol.value)):
            paths_by_value.setdefault(text, []).append(path)
    if set(paths_by_value) == {constant_text(parameter.value)}:
        return []
    lines = [f"- `{value}` in `{paths[0]}`{_more_phrase(len(paths) - 1)}" for value, paths in paths_by_value.items()]
    hidden_count = len(lines) - _MOST_VALUES
    return [*lines[:_MOST_VALUES], *([f"- … {hidden_count} more values"] if hidden_count > 0 else [])]


def _connection_lines(port: PortSymbol, analysis: FileAnalysis) -> list[str]:
    """The connections that the instances of a module make to its port."""
    lines: list[str] = []
    for _, body in _instances_of_declaring_module(port, analysis):
        inner_port = body.findPort(port.name)
        if isinstance(inner_port, PortSymbol):
            lines += [f"- {connected}" for connected in connection_phrases(inner_port)]
        if len(lines) > _MOST_VALUES:
            return [*lines[:_MOST_VALUES], "- …"]
    return lines


def _more_phrase(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _instances_of_declaring_module(
    declared_symbol: Symbol, analysis: FileAnalysis
) -> Iterator[tuple[str, InstanceBodySymbol]]:
    """The instances of the module that declares something, with their paths; none of a design too large for a hover."""
    definition = declared_symbol.declaringDefinition
    if definition is None or sum(len(tree.text) for tree in analysis.trees) > _MOST_ELABORATED:
        return
    module = definition.name
    pending_scopes: list[ScopeSymbol | InstanceSymbol] = list(analysis.full_compilation.getRoot().topInstances)
    seen_count = 0
    while pending_scopes and seen_count < _MOST_INSTANCES:
        holder = pending_scopes.pop()
        seen_count += 1
        if isinstance(holder, InstanceSymbol):
            if holder.definition.name == module:
                yield holder.hierarchicalPath, holder.body
            pending_scopes += _instances_and_inner_scopes(holder.body)
        else:
            pending_scopes += _instances_and_inner_scopes(holder)


def _instances_and_inner_scopes(scope: ScopeSymbol) -> Iterator[ScopeSymbol | InstanceSymbol]:
    """The members of a scope that have instances in them, or are one."""
    for scope_member in scope:
        is_built = not isinstance(scope_member, GenerateBlockSymbol) or not scope_member.isUninstantiated
        if isinstance(scope_member, _HOLDERS) and is_built:
            yield scope_member


def explain_macro_of_header(
    document: Document, code_point: int, analysis: FileAnalysis, target: Target, read_text: ReadText
) -> Explanation | None:
    """Explain the use of a macro by a definition that the file does not include."""
    use = next(match for match in _MACRO_USE.finditer(document.text) if match.start() <= code_point <= match.end())
    known_macros = KnownMacros(analysis, read_text, {target.name: target})
    markdown = _macro_markdown(document.text, use.end(), target.name, known_macros, is_used=True)
    return Explanation(use.start(), use.end(), markdown) if markdown else None


def _macro_markdown(
    text: str, name_end: int, macro_name: str, known_macros: KnownMacros, *, is_used: bool
) -> str | None:
    macro = known_macros.get(macro_name)
    if macro is None:
        return None
    markdown_parts = [f"```systemverilog\n{macro.declaration}\n```"]
    if macro.documentation:
        markdown_parts.append(macro.documentation)
    if is_used:
        became = expand_use(macro, macro_use_arguments(text, name_end), known_macros)
        if became is not None and became != macro.body:
            shown_expansion = became if len(became) <= _LONGEST_EXPANSION else became[:_LONGEST_EXPANSION] + "\n…"
            markdown_parts.append(f"expands to\n\n```systemverilog\n{shown_expansion}\n```")
    return "\n\n".join(markdown_parts)
