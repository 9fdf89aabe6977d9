"""The header of a module in its text: one more port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import Change, child, indentation, newline, span

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.syntax.documents import Document


def added_port(document: Document, scope: Node, port: str) -> Change | None:
    """The change that gives a module one more port; none for headers that only name their ports.

    Args:
        document: The document that holds the module.
        scope: Its declaration.
        port: Such as `input logic a`.
    """
    header = child(scope, "module_ansi_header", "interface_ansi_header", "program_ansi_header")
    if header is None:
        old = child(scope, "module_nonansi_header")
        listed = child(old, "list_of_ports")
        # `module m ();` has a list without ports, and may be written either way.
        if listed is None or any(part.is_named for part in listed.children):
            return None
        _, end = span(document, listed)
        return Change(end - 1, end - 1, port)
    ports = child(header, "list_of_port_declarations")
    if ports is None:
        semicolon = child(header, ";")
        return Change(*(span(document, semicolon)[0],) * 2, f" ({port})") if semicolon is not None else None
    declared = [part for part in ports.children if part.is_named and not part.type.endswith("comment")]
    if not declared:
        _, end = span(document, ports)
        return Change(end - 1, end - 1, port)
    start, end = span(document, declared[-1])
    opening, _ = span(document, ports)
    lines = document.lines
    if lines.line_of(start) == lines.line_of(opening):
        return Change(end, end, f", {port}")
    # What follows the last port on its line is a comment about it.
    line_end = lines.line(lines.line_of(end) + 1)[1]
    line_rest = document.text[end:line_end] if "//" in document.text[end:line_end] else ""
    added = f",{line_rest}{newline(document)}{indentation(document, start)}{port}"
    return Change(end, end + len(line_rest), added)
