"""The header of a module in its text: one more port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import TextChange, child, line_indentation, newline, offsets_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.syntax.documents import Document


def port_addition(document: Document, module_node: Node, declaration: str) -> TextChange | None:
    """The change that gives a module one more port; none for headers that only name their ports.

    Args:
        document: The document that holds the module.
        module_node: Its declaration.
        declaration: Such as `input logic a`.
    """
    ansi_header = child(module_node, "module_ansi_header", "interface_ansi_header", "program_ansi_header")
    if ansi_header is None:
        old_header = child(module_node, "module_nonansi_header")
        port_list = child(old_header, "list_of_ports")
        # `module m ();` has a list without ports, and may be written either way.
        if port_list is None or any(part.is_named for part in port_list.children):
            return None
        _, end = offsets_of(document, port_list)
        return TextChange(end - 1, end - 1, declaration)
    port_declarations = child(ansi_header, "list_of_port_declarations")
    if port_declarations is None:
        semicolon = child(ansi_header, ";")
        return (
            TextChange(*(offsets_of(document, semicolon)[0],) * 2, f" ({declaration})")
            if semicolon is not None
            else None
        )
    declared_ports = [
        part for part in port_declarations.children if part.is_named and not part.type.endswith("comment")
    ]
    if not declared_ports:
        _, end = offsets_of(document, port_declarations)
        return TextChange(end - 1, end - 1, declaration)
    start, end = offsets_of(document, declared_ports[-1])
    opening, _ = offsets_of(document, port_declarations)
    lines = document.lines
    if lines.line_of(start) == lines.line_of(opening):
        return TextChange(end, end, f", {declaration}")
    # What follows the last port on its line is a comment about it.
    line_end = lines.line_bounds(lines.line_of(end) + 1)[1]
    line_rest = document.text[end:line_end] if "//" in document.text[end:line_end] else ""
    added_text = f",{line_rest}{newline(document)}{line_indentation(document, start)}{declaration}"
    return TextChange(end, end + len(line_rest), added_text)
