"""Declarations as they are written, and the types that slang resolved for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyslang.syntax import (
    AnsiPortListSyntax,
    DeclaratorSyntax,
    FunctionDeclarationSyntax,
    HierarchicalInstanceSyntax,
    ImplicitAnsiPortSyntax,
    ModuleDeclarationSyntax,
)

from benchwright_verilog.language.explanation.comments import documentation_around
from benchwright_verilog.semantics.compilation.slang import type_text

if TYPE_CHECKING:
    from pyslang import SourceLocation, SourceManager
    from pyslang.ast import Symbol, Type
    from pyslang.syntax import SyntaxNode

_MOST_CHARACTERS = 1200
_LONGEST_LINE = 200
_AROUND = 4096
"""Number of bytes around a declaration that are looked through for comments."""
_WHOLE = {
    "DataDeclaration",
    "NetDeclaration",
    "ParameterDeclaration",
    "TypeParameterDeclaration",
    "ImplicitAnsiPort",
    "ExplicitAnsiPort",
    "PortDeclaration",
    "FunctionPort",
    "TypedefDeclaration",
    "StructUnionMember",
    "HierarchyInstantiation",
    "PrimitiveInstantiation",
    "ClassPropertyDeclaration",
    "ClassMethodDeclaration",
    "GenvarDeclaration",
    "LocalVariableDeclaration",
    "UserDefinedNetDeclaration",
    "ModportDeclaration",
    "LetDeclaration",
    "ForVariableDeclaration",
}
_HEADED = {"ModuleDeclaration", "InterfaceDeclaration", "PackageDeclaration", "ProgramDeclaration"}
_ROUTINES = {"FunctionDeclaration", "TaskDeclaration"}
_BODIES = {"CompilationUnit", "SequentialBlockStatement", "GenerateBlock", "LoopGenerate", "ForLoopStatement"}
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class WrittenDeclaration:
    """A declaration in its file."""

    text: str
    """Only what declares this one name, without comments."""
    documentation: str
    """The text of the comments around it."""


def declaration_of(symbol: Symbol, sources: SourceManager) -> WrittenDeclaration:
    """A symbol's declaration; empty if it has none, as for built-in things."""
    syntax = symbol.syntax
    return declaration_around(syntax, sources) if syntax is not None else WrittenDeclaration("", "")


def declaration_around(syntax: SyntaxNode, sources: SourceManager) -> WrittenDeclaration:
    """The declaration that a node of the syntax is, or is part of."""
    declarator, whole_node = syntax, syntax
    while whole_node.kind.name not in _WHOLE | _HEADED | _ROUTINES:
        parent = whole_node.parent
        if parent is None or _has_body(parent) or parent.kind.name == "EnumType":
            whole_node = declarator
            break
        whole_node = parent
    name = whole_node.kind.name
    text = (
        _declaration_text(whole_node, declarator, sources)
        if whole_node is not declarator or name in _WHOLE | _HEADED | _ROUTINES
        else ""
    )
    if not text:
        text = text_without_leading_comments(declarator, sources)
    return WrittenDeclaration(_tidy_declaration(text), _comments_around(whole_node, declarator, sources))


def _has_body(node: SyntaxNode) -> bool:
    return node.kind.name in _HEADED | _ROUTINES | _BODIES


def _declaration_text(whole_node: SyntaxNode, declarator: SyntaxNode, sources: SourceManager) -> str:
    if isinstance(whole_node, ModuleDeclarationSyntax):
        return text_without_leading_comments(whole_node.header, sources)
    if isinstance(whole_node, FunctionDeclarationSyntax):
        return text_without_leading_comments(whole_node.prototype, sources) + ";"
    if isinstance(whole_node, ImplicitAnsiPortSyntax):
        header = text_without_leading_comments(own_or_inherited_header(whole_node), sources)
        return f"{header} {text_without_leading_comments(whole_node.declarator, sources)}"
    if whole_node is declarator or declarator.kind.name not in ("Declarator", "HierarchicalInstance", "TypeAssignment"):
        return text_without_leading_comments(whole_node, sources)
    sibling_nodes: Iterable[SyntaxNode] = (
        getattr(whole_node, "declarators", None) or getattr(whole_node, "instances", None) or ()
    )
    sibling_declarators = [entry for entry in sibling_nodes if isinstance(entry, type(declarator))]
    if len(sibling_declarators) < 2:
        return text_without_leading_comments(whole_node, sources)
    # `wire [7:0] a, b;`, for `b`: what comes before the first name belongs to all.
    head_size = sibling_declarators[0].sourceRange.start.offset - whole_node.sourceRange.start.offset
    data = text_without_leading_comments(whole_node, sources).encode()
    return data[: max(0, head_size)].decode(errors="replace") + text_without_leading_comments(declarator, sources) + ";"


def own_or_inherited_header(port: ImplicitAnsiPortSyntax) -> SyntaxNode:
    """The header of a port; `b` of `input logic a, b` has that of `a`."""
    header: SyntaxNode = port.header
    if str(header).strip() or not isinstance(port.parent, AnsiPortListSyntax):
        return header
    for sibling in port.parent.ports:
        if not isinstance(sibling, ImplicitAnsiPortSyntax):
            continue
        if sibling.sourceRange.start == port.sourceRange.start:
            break
        if str(sibling.header).strip():
            header = sibling.header
    return header


def text_without_leading_comments(node: SyntaxNode, sources: SourceManager) -> str:
    """A node as it is written, without the comments before it."""
    source_range = node.sourceRange
    start_location, end_location = source_range.start, source_range.end
    if (
        sources.isMacroLoc(start_location)
        or sources.isMacroLoc(end_location)
        or start_location.buffer != end_location.buffer
    ):
        return str(node).strip()
    return _text_between(sources, start_location, end_location.offset)


def _text_between(sources: SourceManager, start_location: SourceLocation, end_byte: int) -> str:
    text = sources.getSourceText(start_location.buffer)
    if text.isascii():
        return text[start_location.offset : end_byte]
    return text.encode()[start_location.offset : end_byte].decode(errors="replace")


def _comments_around(whole_node: SyntaxNode, declarator: SyntaxNode, sources: SourceManager) -> str:
    source_range = whole_node.sourceRange
    start_location = sources.getFullyExpandedLoc(source_range.start)
    last_node = declarator if isinstance(declarator, (DeclaratorSyntax, HierarchicalInstanceSyntax)) else whole_node
    if isinstance(whole_node, ModuleDeclarationSyntax):
        last_node = whole_node.header
    elif isinstance(whole_node, FunctionDeclarationSyntax):
        last_node = whole_node.prototype
    end_location = sources.getFullyExpandedLoc(last_node.sourceRange.end)
    if start_location.buffer != end_location.buffer or end_location.offset < start_location.offset:
        return ""
    source_text = sources.getSourceText(start_location.buffer)
    if source_text.isascii():
        return documentation_around(source_text, start_location.offset, end_location.offset)
    encoded = source_text.encode()
    window_start = max(0, start_location.offset - _AROUND)
    text_before = encoded[window_start : start_location.offset].decode(errors="replace")
    text_within = encoded[start_location.offset : end_location.offset].decode(errors="replace")
    text_after = encoded[end_location.offset : end_location.offset + _AROUND].decode(errors="replace")
    return documentation_around(
        text_before + text_within + text_after, len(text_before), len(text_before) + len(text_within)
    )


def _tidy_declaration(text: str) -> str:
    text = _COMMENT.sub("", text.replace("\r\n", "\n"))
    lines = [line.rstrip() for line in text.split("\n")]
    kept_lines = [line for line in lines if line.strip()]
    if len(kept_lines) > 1:
        # Lines after the first are as far in as the file has them; the least of that goes away.
        margins = [len(line) - len(line.lstrip()) for line in kept_lines[1:] if not _begins_with_closing_bracket(line)]
        margin = min(margins, default=0)
        kept_lines[1:] = [
            line.strip() if _begins_with_closing_bracket(line) else "    " + line[margin:] for line in kept_lines[1:]
        ]
        kept_lines[0] = kept_lines[0].strip()
    text = "\n".join(kept_lines).strip().rstrip(",")
    text = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", text) if "\n" not in text else text
    if len(text) <= _MOST_CHARACTERS:
        return text
    whole_lines = text[:_MOST_CHARACTERS].rpartition("\n")[0]
    return f"{whole_lines}\n…" if whole_lines else f"{text[:_LONGEST_LINE]}…"


def _begins_with_closing_bracket(line: str) -> bool:
    return line.lstrip()[0] in ")}"


_NAMED = re.compile(r"((?:enum|struct|union).*\})([\w:.$]*)", re.DOTALL)
_NUMBERED = re.compile(r"(?<=\w)\$\d+\b")


def type_name(resolved_type: Type) -> str:
    """A resolved type as an engineer would write it: `logic [7:0]`, `pkg::state_t`, `byte_t [0:15]`."""
    text = type_text(resolved_type)
    if (match := _NAMED.fullmatch(text)) is not None:
        text = match[2] if not _NUMBERED.search(match[2]) and match[2] else match[1]
    text = _NUMBERED.sub("", text)
    # slang marks unpacked dimensions with a dollar sign, and local types with the path of their module.
    text = re.sub(r"\$(?=\[)", " ", text)
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)
    text = re.sub(r"(?<=[\w\]])\[", " [", text)
    text = re.sub(r"\] \[", "][", text)
    return text.replace("{", " {", 1) if re.match(r"(?:enum|struct|union)", text) else text


def width_of(resolved_type: Type) -> int | None:
    """Number of bits that a type takes; None if that is not fixed or means nothing."""
    canonical = resolved_type.canonicalType
    if canonical.isError or canonical.isVoid or not canonical.isFixedSize or canonical.isEvent or canonical.isFloating:
        return None
    width = canonical.bitstreamWidth
    return width or None
