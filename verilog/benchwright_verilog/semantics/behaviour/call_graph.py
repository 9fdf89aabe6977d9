"""Callers and callees of a routine; drivers and loads of a signal; modules that instantiate a module.

A signal is driven and read by *processes*: `always` and `initial` blocks, `assign`s, instances, declarations with a
value, routines. From a driver one can continue to the signals that it reads, and from a load to what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.names.navigation import references
from benchwright_verilog.semantics.names.occurrence import NameRole, Occurrence, Target, TargetKind
from benchwright_verilog.semantics.project.project import Project

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxNode

_ROUTINES = frozenset({TargetKind.FUNCTION, TargetKind.TASK})
_SIGNALS = frozenset(
    {TargetKind.ARGUMENT, TargetKind.FIELD, TargetKind.NET, TargetKind.PORT, TargetKind.PROPERTY, TargetKind.VARIABLE}
)
_UNITS = frozenset({TargetKind.INTERFACE, TargetKind.MODULE, TargetKind.PROGRAM})


class NodeKind(Enum):
    """The kinds of nodes."""

    ROUTINE = "routine"
    SIGNAL = "signal"
    UNIT = "unit"
    PROCESS = "process"


@dataclass(frozen=True)
class CallNode:
    """Something that calls or is called. Offsets are bytes."""

    node_kind: NodeKind
    name: str
    detail: str
    path: Path
    start: int
    end: int
    name_start: int
    name_end: int


@dataclass
class CallEdge:
    """Another node, and where it meets the one that was asked about."""

    node: CallNode
    occurrences: list[Occurrence] = field(default_factory=list)


def call_nodes_at(project: Project, analysis: FileAnalysis, byte: int) -> list[CallNode]:
    """The routine, signal, module or process at a byte."""
    nodes: dict[CallNode, None] = {}
    for occurrence in analysis.occurrences_at(byte):
        target = occurrence.target
        if target.target_kind in _ROUTINES | _SIGNALS | _UNITS and not target.is_generated:
            nodes[_node_of_target(project, target)] = None
    if not nodes and (process := _process_or_module_at(analysis, byte)) is not None:
        is_on_it = process.node_kind is NodeKind.PROCESS and process.name_start <= byte <= process.name_end
        nodes |= {process: None} if is_on_it else {}
    return list(nodes)


def caller_or_driver_edges(project: Project, node: CallNode) -> list[CallEdge]:
    """Callers of a routine, drivers of a signal, instantiations of a module, what a process reads."""
    analysis = project.analysis_of(node.path)
    if analysis is None:
        return []
    if node.node_kind is NodeKind.PROCESS:
        return _edges_by_named_target(project, _occurrences_inside(analysis, node), {NameRole.READ})
    uses = _incoming_or_outgoing_occurrences(project, analysis, node, is_incoming=True)
    return _edges_by_process(project, uses)


def callee_or_load_edges(project: Project, node: CallNode) -> list[CallEdge]:
    """The callees of a routine, loads of a signal, modules in a module, what a process writes and calls."""
    analysis = project.analysis_of(node.path)
    if analysis is None:
        return []
    if node.node_kind is NodeKind.PROCESS:
        return _edges_by_named_target(project, _occurrences_inside(analysis, node), {NameRole.WRITE, NameRole.CALL})
    if node.node_kind is NodeKind.ROUTINE:
        return _edges_by_named_target(project, _occurrences_inside(analysis, node), {NameRole.CALL})
    if node.node_kind is NodeKind.UNIT:
        return _edges_by_named_target(project, _occurrences_inside(analysis, node), {NameRole.INSTANTIATION})
    return _edges_by_process(project, _incoming_or_outgoing_occurrences(project, analysis, node, is_incoming=False))


def _incoming_or_outgoing_occurrences(
    project: Project, analysis: FileAnalysis, node: CallNode, *, is_incoming: bool
) -> Iterator[Occurrence]:
    targets = [
        occurrence.target
        for occurrence in analysis.occurrences_at(node.name_start)
        if occurrence.target.start == node.name_start
    ]
    for target in targets[:1]:
        for occurrence in references(project, target):
            role = occurrence.role
            if node.node_kind is NodeKind.ROUTINE:
                is_it = role is NameRole.CALL
            elif node.node_kind is NodeKind.UNIT:
                is_it = role is NameRole.INSTANTIATION
            elif role is NameRole.CONNECTION:
                # What is outside of an input drives it; what is outside of an output is driven by it.
                is_it = is_incoming == _is_input_or_ref_port(target)
            elif role is NameRole.DECLARATION:
                is_it = is_incoming and _has_initializer(project, occurrence)
            else:
                is_it = role is (NameRole.WRITE if is_incoming else NameRole.READ)
            if is_it:
                yield occurrence


def _is_input_or_ref_port(target: Target) -> bool:
    from pyslang.ast import ArgumentDirection

    symbol = target.symbol
    scope = symbol.parentScope.containingInstance if symbol is not None and symbol.parentScope is not None else None
    port = scope.findPort(target.name) if scope is not None else symbol
    return getattr(port, "direction", None) in (ArgumentDirection.In, ArgumentDirection.Ref)


def _has_initializer(project: Project, occurrence: Occurrence) -> bool:
    from pyslang.syntax import DeclaratorSyntax

    analysis = project.analysis_of(occurrence.path)
    named_node = analysis.name_at(occurrence.start) if analysis is not None else None
    return (
        named_node is not None and isinstance(named_node[1], DeclaratorSyntax) and named_node[1].initializer is not None
    )


def _occurrences_inside(analysis: FileAnalysis, node: CallNode) -> Iterator[Occurrence]:
    for occurrence in analysis.occurrences(node.start, node.end):
        if not (occurrence.role is NameRole.DECLARATION and occurrence.start == node.name_start):
            yield occurrence


def _edges_by_named_target(project: Project, occurrences: Iterator[Occurrence], roles: set[NameRole]) -> list[CallEdge]:
    edges: dict[Target, CallEdge] = {}
    for occurrence in occurrences:
        is_named = occurrence.target.target_kind in _ROUTINES | _SIGNALS | _UNITS and not occurrence.target.is_generated
        if occurrence.role in roles and is_named:
            if occurrence.target not in edges:
                edges[occurrence.target] = CallEdge(_node_of_target(project, occurrence.target))
            edges[occurrence.target].occurrences.append(occurrence)
    return list(edges.values())


def _edges_by_process(project: Project, occurrences: Iterator[Occurrence]) -> list[CallEdge]:
    edges: dict[CallNode, CallEdge] = {}
    for occurrence in occurrences:
        analysis = project.analysis_of(occurrence.path)
        node = _process_or_module_at(analysis, occurrence.start) if analysis is not None else None
        if node is not None:
            edges.setdefault(node, CallEdge(node)).occurrences.append(occurrence)
    return list(edges.values())


def _node_of_target(project: Project, target: Target) -> CallNode:
    node_kind = (
        NodeKind.ROUTINE
        if target.target_kind in _ROUTINES
        else NodeKind.UNIT
        if target.target_kind in _UNITS
        else NodeKind.SIGNAL
    )
    start, end = target.start, target.end
    analysis = project.analysis_of(target.path)
    if node_kind is not NodeKind.SIGNAL and analysis is not None:
        start, end = _declaration_extent(analysis, target) or (start, end)
    return CallNode(node_kind, target.name, target.target_kind.value, target.path, start, end, target.start, target.end)


def _declaration_extent(analysis: FileAnalysis, target: Target) -> tuple[int, int] | None:
    from pyslang.syntax import SyntaxKind

    wide = {
        SyntaxKind.ClassMethodPrototype,
        SyntaxKind.FunctionDeclaration,
        SyntaxKind.InterfaceDeclaration,
        SyntaxKind.ModuleDeclaration,
        SyntaxKind.ProgramDeclaration,
        SyntaxKind.TaskDeclaration,
    }
    named_node = analysis.name_at(target.start)
    node = named_node[1] if named_node is not None else None
    while node is not None and node.kind not in wide:
        node = node.parent
    return _byte_extent(analysis, node) if node is not None else None


def _byte_extent(analysis: FileAnalysis, node: SyntaxNode) -> tuple[int, int] | None:
    start = analysis.locations.byte_in_file(node.sourceRange.start, analysis.path)
    end = analysis.locations.byte_in_file(node.sourceRange.end, analysis.path)
    return (start, max(start, end)) if start is not None and end is not None else None


def _process_or_module_at(analysis: FileAnalysis, byte: int) -> CallNode | None:
    """The process around a byte, or the module if it is in none."""
    from pyslang.syntax import (
        ContinuousAssignSyntax,
        DataDeclarationSyntax,
        FunctionDeclarationSyntax,
        HierarchicalInstanceSyntax,
        HierarchyInstantiationSyntax,
        ModuleDeclarationSyntax,
        NetDeclarationSyntax,
        ProceduralBlockSyntax,
        SyntaxKind,
    )

    named_node = analysis.name_at(byte)
    node = named_node[1] if named_node is not None else analysis.node_at(byte)
    while node is not None:
        match node:
            case ProceduralBlockSyntax() | ContinuousAssignSyntax():
                return _process_node(
                    analysis, node, node.getFirstToken().rawText, _shortened_first_line(analysis, node)
                )
            case HierarchicalInstanceSyntax() if node.decl is not None:
                parent = node.parent
                unit = parent.type.valueText if isinstance(parent, HierarchyInstantiationSyntax) else ""
                return _process_node(analysis, node, node.decl.name.valueText, f"instance of {unit}")
            case NetDeclarationSyntax() | DataDeclarationSyntax():
                return _process_node(analysis, node, _shortened_first_line(analysis, node), "declaration")
            case FunctionDeclarationSyntax():
                token = node.prototype.name.getLastToken()
                return _make_node(analysis, node, NodeKind.ROUTINE, token.valueText, token.location.offset, "routine")
            case ModuleDeclarationSyntax() if node.kind != SyntaxKind.PackageDeclaration:
                token = node.header.name
                return _make_node(analysis, node, NodeKind.UNIT, token.valueText, token.location.offset, "module")
        node = node.parent
    return None


def _process_node(analysis: FileAnalysis, node: SyntaxNode, name: str, detail: str) -> CallNode | None:
    extent = _byte_extent(analysis, node)
    if extent is None:
        return None
    start, end = extent
    keyword_size = len(node.getFirstToken().rawText.encode())
    return CallNode(NodeKind.PROCESS, name, detail, analysis.path, start, end, start, min(start + keyword_size, end))


def _make_node(
    analysis: FileAnalysis, node: SyntaxNode, node_kind: NodeKind, name: str, name_start: int, detail: str
) -> CallNode | None:
    extent = _byte_extent(analysis, node)
    if extent is None or not extent[0] <= name_start < extent[1]:
        return None
    return CallNode(node_kind, name, detail, analysis.path, *extent, name_start, name_start + len(name.encode()))


def _shortened_first_line(analysis: FileAnalysis, node: SyntaxNode) -> str:
    """The first line of a node, without what is too long."""
    start, end = _byte_extent(analysis, node) or (0, 0)
    line = analysis.data[start:end].decode(errors="replace").strip().partition("\n")[0].strip()
    return line if len(line) <= 60 else line[:59] + "…"
