"""Instances of modules: connections written out, and ports and modules that are missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import (
    Action,
    ActionKind,
    CodeSelection,
    TextChange,
    code_point_range,
    first_child_of_kind,
    line_indentation,
    newline,
    self_or_ancestor_of_kind,
    smallest_node_around,
    text_of,
)
from benchwright_verilog.actions.headers import ansi_port_addition
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import SLANG

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.syntax.documents import Document

UNCONNECTED = frozenset({"PINMISSING", "unconnected-input-port", "unconnected-output-port", "unconnected-inout-port"})
_INSTANCES = ("module_instantiation", "interface_instantiation", "program_instantiation")
_NO_PORT = re.compile(r"port '(?P<port>[^']+)' does not exist in '(?P<module>[^']+)'")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
OUTPUT_NAME = re.compile(r"(?:^o_|^out|_o$|_out$|_q$)", re.IGNORECASE)

ReadDocument = Callable[[Path], "Document | None"]
"""Reads a file as it is now: as it is open, otherwise from disk."""


@dataclass(frozen=True)
class ModuleInterface:
    """The interface that an instance connects to."""

    port_names: tuple[str, ...]
    parameters_with_defaults: tuple[tuple[str, str], ...]
    """Names and default values, as they are written."""


def module_interface(analysis: FileAnalysis, module_name: str) -> ModuleInterface | None:
    """Ports and parameters of a module; None if there is no such module."""
    body = analysis.module_body(module_name)
    if body is None:
        return None
    parameters = [parameter for parameter in body.parameters if parameter.isPortParam or parameter.isBodyParam]
    settable = [parameter for parameter in parameters if not parameter.isLocalParam]
    if any(parameter.isPortParam for parameter in settable):
        settable = [parameter for parameter in settable if parameter.isPortParam]
    return ModuleInterface(
        tuple(port.name for port in body.portList if port.name),
        tuple((parameter.name, _default_value_text(str(parameter.syntax or ""))) for parameter in settable),
    )


def instance_rewrites(code_selection: CodeSelection, analysis: FileAnalysis) -> Iterator[Action]:
    """Yield what can be written out of the instance at the selection."""
    instantiation = _enclosing_instantiation_and_instance(code_selection.document, code_selection.node)
    if instantiation is None:
        return
    instantiation_node, instance = instantiation
    module = _instantiated_module_name(instantiation_node)
    interface = module_interface(analysis, module) if module else None
    if interface is None:
        return
    if instance is not None:
        yield from _connection_rewrites(code_selection, analysis, instance, interface)
    yield from _parameter_rewrites(code_selection, instantiation_node, interface)


def instance_fixes(
    code_selection: CodeSelection, finding: Finding, analysis: FileAnalysis, read_document: ReadDocument
) -> Iterator[Action]:
    """Fixes of a finding about an instance."""
    document = code_selection.document
    instantiation = _enclosing_instantiation_and_instance(
        document, smallest_node_around(document, finding.start, finding.start)
    )
    if finding.rule in UNCONNECTED and instantiation is not None and instantiation[1] is not None:
        interface = module_interface(analysis, _instantiated_module_name(instantiation[0]) or "")
        if interface is not None:
            for action in _connection_rewrites(code_selection, analysis, instantiation[1], interface):
                yield Action(action.title, action.changes, finding=finding, is_preferred=True)
    if finding.source is not SLANG:
        return
    if (match := _NO_PORT.match(finding.message)) and instantiation is not None:
        yield from _new_port_fixes(code_selection, finding, analysis, read_document, instantiation[0], match["port"])


def _enclosing_instantiation_and_instance(document: Document, node: Node) -> tuple[Node, Node | None] | None:
    """The instantiation around a piece, and which of its instances; the only one if the piece is before them."""
    instantiation_node = self_or_ancestor_of_kind(node, *_INSTANCES)
    if instantiation_node is None:
        return None
    instance_nodes = [
        child_node for child_node in instantiation_node.children if child_node.type == "hierarchical_instance"
    ]
    hierarchical_instance = self_or_ancestor_of_kind(node, "hierarchical_instance")
    return instantiation_node, hierarchical_instance if hierarchical_instance is not None else instance_nodes[0] if len(
        instance_nodes
    ) == 1 else None


def _instantiated_module_name(instantiation_node: Node) -> str | None:
    name = first_child_of_kind(instantiation_node, "simple_identifier", "escaped_identifier")
    return text_of(name) if name is not None else None


def _connection_rewrites(
    code_selection: CodeSelection, analysis: FileAnalysis, instance: Node, interface: ModuleInterface
) -> Iterator[Action]:
    connection_list = first_child_of_kind(instance, "list_of_port_connections")
    written_connections = _named_children_without_comments(connection_list)
    ordered_connections = [
        port_connection for port_connection in written_connections if port_connection.type == "ordered_port_connection"
    ]
    named_connections = [
        port_connection for port_connection in written_connections if port_connection.type == "named_port_connection"
    ]
    star = next(
        (port_connection for port_connection in named_connections if text_of(port_connection).replace(" ", "") == ".*"),
        None,
    )
    names = {
        text_of(name)
        for port_connection in named_connections
        if (name := first_child_of_kind(port_connection, "simple_identifier", "escaped_identifier"))
    }
    missing = [port for port in interface.port_names if port not in names]
    document = code_selection.document
    if ordered_connections and not named_connections and len(ordered_connections) <= len(interface.port_names):
        changes = [
            TextChange(*code_point_range(document, port_connection), f".{port}({text_of(port_connection)})")
            for port_connection, port in zip(ordered_connections, interface.port_names, strict=False)
        ]
        yield Action("Connect ports by name", tuple(changes), ActionKind.REWRITE)
    elif star is not None:
        new_connections = [f".{port}({port})" for port in missing]
        yield Action("Write out .*", (_wildcard_replacement(document, star, new_connections),), ActionKind.REWRITE)
    elif missing and not ordered_connections:
        known_names = _names_in_module_around(analysis, instance)
        new_connections = [f".{port}({port if port in known_names else ''})" for port in missing]
        yield Action(
            "Connect all ports",
            _appending_connections_changes(document, instance, named_connections, new_connections),
            ActionKind.REWRITE,
        )


def _names_in_module_around(analysis: FileAnalysis, instance: Node) -> frozenset[str]:
    """The names that are declared in the module around an instance."""
    scope = self_or_ancestor_of_kind(instance, "module_declaration", "interface_declaration", "program_declaration")
    module_header = first_child_of_kind(scope, "module_ansi_header", "module_nonansi_header", "interface_ansi_header")
    name = first_child_of_kind(module_header, "simple_identifier")
    body = analysis.module_body(text_of(name)) if name is not None else None
    return frozenset(member.name for member in body if member.name) if body is not None else frozenset()


def _wildcard_replacement(document: Document, wildcard_node: Node, new_connections: list[str]) -> TextChange:
    start, end = code_point_range(document, wildcard_node)
    line_start = document.lines.line_bounds(document.lines.line_index(start) + 1)[0]
    text_before = document.text[line_start:start]
    if text_before.strip() or len(new_connections) < 2:
        return TextChange(start, end, ", ".join(new_connections))
    return TextChange(start, end, f",{newline(document)}{text_before}".join(new_connections))


def _appending_connections_changes(
    document: Document, instance: Node, named_connections: list[Node], new_connections: list[str]
) -> tuple[TextChange, ...]:
    """The changes that append connections, each in a line of its own unless the instance is in one.

    Comments stay where they are.
    """
    closing = instance.children[-1]
    opening, close_offset = (
        code_point_range(document, first_child_of_kind(instance, "(") or closing)[1],
        code_point_range(document, closing)[0],
    )
    lines = document.lines
    indent = line_indentation(document, code_point_range(document, instance)[0]) + "  "
    eol = newline(document)
    if named_connections:
        last_end = code_point_range(document, named_connections[-1])[1]
        tail = document.text[last_end:close_offset]
        if "," in _COMMENT.sub("", tail):
            # `.a(a), /*AUTOINST*/`: the comma that another connection needs is there.
            end = last_end + len(tail.rstrip())
            separator = f"{eol}{indent}" if eol in tail or "\n" in tail else " "
            joined = f",{separator}".join(new_connections)
            return (TextChange(end, end, f"{separator}{joined}"),)
        if lines.line_index(opening) == lines.line_index(last_end):
            added = "".join(f", {connection}" for connection in new_connections)
            return (TextChange(last_end, last_end, added),)
        indent = line_indentation(document, code_point_range(document, named_connections[-1])[0])
        line_end = lines.line_bounds(lines.line_index(last_end) + 1)[1]
        for comment in _COMMENT.finditer(document.text, last_end, close_offset):
            if comment.start() < line_end < comment.end():
                line_end = lines.line_bounds(lines.line_index(comment.end()) + 1)[1]
        added = f",{eol}{indent}".join(new_connections)
        if close_offset <= line_end:
            return (TextChange(last_end, last_end, f",{eol}{indent}{added}"),)
        # What follows the last connection on its line is a comment about it.
        return (TextChange(last_end, last_end, ","), TextChange(line_end, line_end, f"{eol}{indent}{added}"))
    comments = document.text[opening:close_offset].rstrip()
    start = opening + len(comments)
    if len(new_connections) == 1 and not comments:
        return (TextChange(start, close_offset, new_connections[0]),)
    joined = f",{eol}{indent}".join(new_connections)
    return (TextChange(start, close_offset, f"{eol}{indent}{joined}{eol}{indent[:-2]}"),)


def _parameter_rewrites(
    code_selection: CodeSelection, instantiation_node: Node, interface: ModuleInterface
) -> Iterator[Action]:
    assignment = first_child_of_kind(instantiation_node, "parameter_value_assignment")
    assignment_list = first_child_of_kind(assignment, "list_of_parameter_value_assignments")
    written_assignments = _named_children_without_comments(assignment_list)
    names = {
        text_of(name)
        for parameter in written_assignments
        if (name := first_child_of_kind(parameter, "simple_identifier"))
    }
    if any(parameter.type != "named_parameter_assignment" for parameter in written_assignments):
        return
    new_assignments = [
        f".{name}({default})" for name, default in interface.parameters_with_defaults if name not in names
    ]
    if not new_assignments:
        return
    document = code_selection.document
    if written_assignments:
        end = code_point_range(document, written_assignments[-1])[1]
        change = TextChange(end, end, "".join(f", {assigned}" for assigned in new_assignments))
    elif assignment is not None:
        start, end = code_point_range(document, assignment)
        change = TextChange(start, end, f"#({', '.join(new_assignments)})")
    else:
        end = code_point_range(document, instantiation_node.children[0])[1]
        change = TextChange(end, end, f" #({', '.join(new_assignments)})")
    yield Action("Set all parameters", (change,), ActionKind.REWRITE)


def _new_port_fixes(
    code_selection: CodeSelection,
    finding: Finding,
    analysis: FileAnalysis,
    read_document: ReadDocument,
    instantiation_node: Node,
    port_name: str,
) -> Iterator[Action]:
    name = first_child_of_kind(instantiation_node, "simple_identifier")
    occurrence = analysis.occurrence_at(name.start_byte) if name is not None else None
    if name is None or occurrence is None or not port_name.isidentifier():
        return
    module, path = text_of(name), occurrence.target.path
    document = code_selection.document if path == analysis.path else read_document(path)
    scope = _module_declaration(document, module) if document is not None else None
    if document is None or scope is None:
        return
    directions = ("output", "input") if OUTPUT_NAME.search(port_name) else ("input", "output")
    for direction in directions:
        change = ansi_port_addition(document, scope, f"{direction} logic {port_name}")
        if change is None:
            continue
        title = f"Add the {direction} port '{port_name}' to '{module}'"
        own_changes = (change,) if document is code_selection.document else ()
        changes_elsewhere = {} if document is code_selection.document else {path: (change,)}
        yield Action(title, own_changes, finding=finding, changes_elsewhere=changes_elsewhere)


def _module_declaration(document: Document, module_name: str) -> Node | None:
    for declaration in document.tree.root_node.children:
        module_header = first_child_of_kind(
            declaration, "module_ansi_header", "module_nonansi_header", "interface_ansi_header"
        )
        name = first_child_of_kind(module_header, "simple_identifier")
        if name is not None and text_of(name) == module_name:
            return declaration
    return None


def _named_children_without_comments(node: Node | None) -> list[Node]:
    """The members of a list."""
    children = node.children if node is not None else []
    return [child_node for child_node in children if child_node.is_named and not child_node.type.endswith("comment")]


def _default_value_text(declarator_text: str) -> str:
    """The expression after the `=` of a parameter's declaration."""
    return declarator_text.partition("=")[2].strip()
