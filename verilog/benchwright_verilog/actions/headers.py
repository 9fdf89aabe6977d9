"""The header of a module in its text: one more port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import (
    TextChange,
    code_point_range,
    first_child_of_kind,
    line_indentation,
    newline,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.syntax.documents import Document


def ansi_port_addition(document: Document, module_node: Node, port_declaration: str) -> TextChange | None:
    """The change that gives a module one more port; none for headers that only name their ports.

    Args:
        document: The document that holds the module.
        module_node: Its declaration.
        port_declaration: Such as `input logic a`.
    """
    ansi_header = first_child_of_kind(module_node, "module_ansi_header", "interface_ansi_header", "program_ansi_header")
    if ansi_header is None:
        old_header = first_child_of_kind(module_node, "module_nonansi_header")
        port_list = first_child_of_kind(old_header, "list_of_ports")
        # `module m ();` has a list without ports, and may be written either way.
        if port_list is None or any(child.is_named for child in port_list.children):
            return None
        _, end = code_point_range(document, port_list)
        return TextChange(end - 1, end - 1, port_declaration)
    port_declarations = first_child_of_kind(ansi_header, "list_of_port_declarations")
    if port_declarations is None:
        semicolon = first_child_of_kind(ansi_header, ";")
        return (
            TextChange(*(code_point_range(document, semicolon)[0],) * 2, f" ({port_declaration})")
            if semicolon is not None
            else None
        )
    declared_ports = [
        child for child in port_declarations.children if child.is_named and not child.type.endswith("comment")
    ]
    if not declared_ports:
        _, end = code_point_range(document, port_declarations)
        return TextChange(end - 1, end - 1, port_declaration)
    start, end = code_point_range(document, declared_ports[-1])
    opening, _ = code_point_range(document, port_declarations)
    lines = document.lines
    if lines.line_index(start) == lines.line_index(opening):
        return TextChange(end, end, f", {port_declaration}")
    # What follows the last port on its line is a comment about it.
    line_end = lines.line_bounds(lines.line_index(end) + 1)[1]
    line_rest = document.text[end:line_end] if "//" in document.text[end:line_end] else ""
    added_text = f",{line_rest}{newline(document)}{line_indentation(document, start)}{port_declaration}"
    return TextChange(end, end + len(line_rest), added_text)
