"""The fix of an unknown module: a stub, in a file of its own where the editor can make one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import Action, CodeSelection, TextChange, newline
from benchwright_verilog.actions.instances import OUTPUT_NAME
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import SLANG
from benchwright_verilog.semantics.names.occurrence import NameRole
from benchwright_verilog.syntax.uri import document_path

if TYPE_CHECKING:
    from pyslang.ast import Expression, Symbol, UninstantiatedDefSymbol

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.compilation.slang import ScopeSymbol
    from benchwright_verilog.semantics.project.project import Project

_NO_MODULE = re.compile(r"unknown module '(?P<module>[^']+)'")
_MOST_FILES = 64
"""Files in which instances of the module are looked for."""


@dataclass
class _StubPort:
    """A port as the instances use it."""

    directions: set[str] = field(default_factory=set)
    width: int = 1


def missing_module_fixes(
    code_selection: CodeSelection, finding: Finding, project: Project, *, can_create_files: bool
) -> Iterator[Action]:
    """Fixes of an unknown module. Blocks on the disk.

    Args:
        code_selection: The selection.
        finding: A finding.
        project: The project of the document.
        can_create_files: True if the editor takes edits that create files.
    """
    match = _NO_MODULE.match(finding.message)
    if finding.source is not SLANG or match is None or not match["module"].isidentifier():
        return
    document, name = code_selection.document, match["module"]
    eol = newline(document)
    text = _stub_text(name, list(_instances_of_missing_module(project, name)), eol)
    path = document_path(document.uri)
    new_file = path.with_name(f"{name}{path.suffix}")
    if can_create_files and project.folder is not None and not new_file.exists():
        title = f"Create the module '{name}' in {new_file.name}"
        yield Action(title, (), finding=finding, new_files={new_file: text})
        return
    end = len(document.text)
    separator = eol if document.text.endswith(("\n", "\r")) or not document.text else eol * 2
    yield Action(f"Create the module '{name}'", (TextChange(end, end, separator + text),), finding=finding)


def _instances_of_missing_module(
    project: Project, module_name: str
) -> Iterator[tuple[FileAnalysis, UninstantiatedDefSymbol]]:
    """The instances of an unknown module, in all files of the project."""
    for analysis in project.lookup_analyses_of(project.files_with_word(module_name)[:_MOST_FILES]):
        for declared in analysis.declared_modules:
            body = analysis.module_body(declared.name)
            for instance in _unknown_module_instances_in(body) if body is not None else ():
                if instance.definitionName == module_name:
                    yield analysis, instance


def _unknown_module_instances_in(scope: ScopeSymbol) -> Iterator[UninstantiatedDefSymbol]:
    from pyslang.ast import GenerateBlockArraySymbol, GenerateBlockSymbol, UninstantiatedDefSymbol

    for scope_member in scope:
        if isinstance(scope_member, UninstantiatedDefSymbol):
            yield scope_member
        elif isinstance(scope_member, (GenerateBlockSymbol, GenerateBlockArraySymbol)):
            yield from _unknown_module_instances_in(scope_member)


def _stub_text(module_name: str, instances: Iterable[tuple[FileAnalysis, UninstantiatedDefSymbol]], eol: str) -> str:
    ports: dict[str, _StubPort] = {}
    parameters: dict[str, None] = {}
    for analysis, instance in instances:
        for number, (port_name, connection) in enumerate(
            zip(instance.portNames, instance.portConnections, strict=False)
        ):
            expression = getattr(connection, "expr", None)
            symbol = _connected_symbol(expression)
            shown_name = port_name or (symbol.name if symbol is not None else f"port{number}")
            stub_port = ports.setdefault(shown_name, _StubPort())
            if expression is not None:
                stub_port.width = max(stub_port.width, expression.type.bitWidth)
                stub_port.directions |= _directions_by_use(analysis, expression, symbol)
        parameters |= dict.fromkeys(_parameter_names(instance))
    head = f"module {module_name}"
    if parameters:
        head += f" #({eol}  {f',{eol}  '.join(f'parameter {parameter} = 0' for parameter in parameters)}{eol})"
    declarations = [_port_declaration(port_name, stub_port) for port_name, stub_port in ports.items()]
    head += f" ({eol}  {f',{eol}  '.join(declarations)}{eol});" if declarations else " ();"
    return f"{head}{eol}{eol}endmodule{eol}"


def _port_declaration(port_name: str, stub_port: _StubPort) -> str:
    """Such as `output logic [7:0] q`; where the uses say nothing, the name decides."""
    if "inout" in stub_port.directions:
        direction = "inout"
    elif stub_port.directions:
        direction = "input" if "input" in stub_port.directions else "output"
    else:
        direction = "output" if OUTPUT_NAME.search(port_name) else "input"
    data_type = "wire" if direction == "inout" else "logic"
    return f"{direction} {data_type} {f'[{stub_port.width - 1}:0] ' if stub_port.width > 1 else ''}{port_name}"


def _parameter_names(instance: UninstantiatedDefSymbol) -> Iterator[str]:
    from pyslang.syntax import HierarchyInstantiationSyntax, NamedParamAssignmentSyntax, OrderedParamAssignmentSyntax

    syntax = instance.syntax.parent if instance.syntax is not None else None
    parameter_list = syntax.parameters if isinstance(syntax, HierarchyInstantiationSyntax) else None
    nodes = parameter_list.parameters if parameter_list is not None else ()
    for position, parameter in enumerate(
        node for node in nodes if isinstance(node, NamedParamAssignmentSyntax | OrderedParamAssignmentSyntax)
    ):
        if isinstance(parameter, NamedParamAssignmentSyntax):
            yield parameter.name.valueText
        else:
            yield f"PARAMETER_{position}"


def _connected_symbol(expression: Expression | None) -> Symbol | None:
    """The signal that is connected, wholly or in part: `a` for `a` and for `a[3:0]`."""
    from pyslang.ast import (
        ElementSelectExpression,
        MemberAccessExpression,
        NamedValueExpression,
        RangeSelectExpression,
    )

    while isinstance(expression, (ElementSelectExpression, MemberAccessExpression, RangeSelectExpression)):
        expression = expression.value
    return expression.symbol if isinstance(expression, NamedValueExpression) else None


def _directions_by_use(analysis: FileAnalysis, expression: Expression, connected_symbol: Symbol | None) -> set[str]:
    """The direction that a connection shows: an input if its signal has a driver, an output if it only has loads."""
    from pyslang.ast import ConcatenationExpression, EmptyArgumentExpression, ParameterSymbol

    if isinstance(expression, ConcatenationExpression):
        operand_directions = (
            _directions_by_use(analysis, operand, _connected_symbol(operand)) for operand in expression.operands
        )
        return set().union(*operand_directions)
    if isinstance(expression, EmptyArgumentExpression):
        return set()
    if connected_symbol is None or isinstance(connected_symbol, ParameterSymbol):
        return {"input"}
    scope = connected_symbol.parentScope.containingInstance if connected_symbol.parentScope is not None else None
    port = scope.findPort(connected_symbol.name) if scope is not None else None
    port_direction = getattr(port, "direction", None)
    if port_direction is not None and port_direction.name in ("In", "InOut", "Ref"):
        return {"inout" if port_direction.name == "InOut" else "input"}
    target = analysis.resolver.target_of(connected_symbol)
    roles = {
        occurrence.role
        for occurrence in analysis.occurrences_of(connected_symbol.name)
        if occurrence.target == target and not _is_in_unknown_instance(analysis, occurrence.start)
    }
    if NameRole.WRITE in roles or getattr(connected_symbol, "initializer", None) is not None:
        return {"input"}
    return {"output"} if NameRole.READ in roles or port_direction is not None else set()


def _is_in_unknown_instance(analysis: FileAnalysis, byte: int) -> bool:
    """True of a name that is connected to an instance of which nobody knows the directions."""
    from pyslang.syntax import HierarchyInstantiationSyntax

    named_node = analysis.name_at(byte)
    node = named_node[1] if named_node is not None else None
    while node is not None and not isinstance(node, HierarchyInstantiationSyntax):
        node = node.parent
    return node is not None and analysis.module_body(node.type.valueText) is None
