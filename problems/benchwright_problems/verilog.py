"""Facts about a Verilog source without elaboration: its modules, their instances, their ports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.syntax import ModuleDeclarationSyntax, SyntaxNode, SyntaxTree

_DIRECTIVE = re.compile(r"^[ \t]*`(?:define|timescale|default_nettype)\b.*(?:\\\n.*)*", re.MULTILINE)


@dataclass(frozen=True)
class VerilogModule:
    """A module as its source declares it."""

    name: str
    instances: tuple[tuple[str, str], ...]
    """(module, name) of each instance in it."""


def modules(verilog_source: str) -> tuple[VerilogModule, ...]:
    """The modules of a source, in order; of a broken source, those that could be parsed."""
    return tuple(_module_facts(declaration) for declaration in _module_declarations(_parse(verilog_source)))


def port_names(verilog_source: str) -> frozenset[str]:
    """The names of the ports of all modules that a source declares."""
    from pyslang.syntax import (
        DeclaratorSyntax,
        ExplicitAnsiPortSyntax,
        ImplicitAnsiPortSyntax,
        PortDeclarationSyntax,
        SyntaxNode,
    )

    names: set[str] = set()
    open_nodes: list[SyntaxNode] = [
        part
        for declaration in _module_declarations(_parse(verilog_source))
        for part in (declaration.header, *declaration.members)
        if part is declaration.header or isinstance(part, PortDeclarationSyntax)
    ]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, ExplicitAnsiPortSyntax):
            names.add(node.name.valueText)
        elif isinstance(node, ImplicitAnsiPortSyntax):
            names.add(node.declarator.name.valueText)
        elif isinstance(node, PortDeclarationSyntax):
            names.update(
                declarator.name.valueText for declarator in node.declarators if isinstance(declarator, DeclaratorSyntax)
            )
        open_nodes += [child for child in node if isinstance(child, SyntaxNode)]
    return frozenset(names - {""})


def parameter_names_by_module(verilog_source: str) -> dict[str, frozenset[str]]:
    """Module → the names of its parameters that an instance can set."""
    from pyslang.parsing import TokenKind
    from pyslang.syntax import DeclaratorSyntax, ParameterDeclarationStatementSyntax, ParameterDeclarationSyntax

    names_by_module: dict[str, frozenset[str]] = {}
    for declaration in _module_declarations(_parse(verilog_source)):
        header = declaration.header
        ported = header.parameters.declarations if header.parameters is not None else None
        # With such a list, those in the body are local.
        set_parameters = (
            [
                statement.parameter
                for statement in declaration.members
                if isinstance(statement, ParameterDeclarationStatementSyntax)
            ]
            if ported is None
            else ported
        )
        names: set[str] = set()
        keyword = TokenKind.ParameterKeyword
        for parameter in set_parameters:
            if not isinstance(parameter, ParameterDeclarationSyntax):
                continue
            # One without a keyword is of the kind of the one before it.
            keyword = parameter.keyword.kind if parameter.keyword else keyword
            if keyword == TokenKind.ParameterKeyword:
                names.update(
                    declarator.name.valueText
                    for declarator in parameter.declarators
                    if isinstance(declarator, DeclaratorSyntax)
                )
        names_by_module[header.name.valueText] = frozenset(names)
    return names_by_module


def connected_names_by_module(verilog_source: str) -> dict[str, frozenset[str]]:
    """Module → the names of ports and parameters that its instances in a source connect by name."""
    from pyslang.syntax import (
        HierarchyInstantiationSyntax,
        NamedParamAssignmentSyntax,
        NamedPortConnectionSyntax,
        SyntaxNode,
    )

    names_by_module: dict[str, set[str]] = {}
    open_nodes: list[tuple[SyntaxNode, str]] = [(_parse(verilog_source).root, "")]
    while open_nodes:
        node, module = open_nodes.pop()
        if isinstance(node, HierarchyInstantiationSyntax):
            module = node.type.valueText
        elif isinstance(node, NamedParamAssignmentSyntax | NamedPortConnectionSyntax):
            names_by_module.setdefault(module, set()).add(node.name.valueText)
        open_nodes += [(child, module) for child in node if isinstance(child, SyntaxNode)]
    return {module: frozenset(names - {""}) for module, names in names_by_module.items()}


def scope_names(verilog_source: str) -> frozenset[str]:
    """The names of scopes that a source declares, and so of what a module below can refer to by an upward name.

    Modules, packages, instances, tasks, functions, and named blocks.
    """
    from pyslang.syntax import (
        FunctionPrototypeSyntax,
        IdentifierNameSyntax,
        InstanceNameSyntax,
        ModuleHeaderSyntax,
        NamedBlockClauseSyntax,
        NamedLabelSyntax,
        SyntaxNode,
    )

    names: set[str] = set()
    open_nodes: list[SyntaxNode] = [_parse(verilog_source).root]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, ModuleHeaderSyntax | InstanceNameSyntax | NamedBlockClauseSyntax | NamedLabelSyntax):
            names.add(node.name.valueText)
        elif isinstance(node, FunctionPrototypeSyntax) and isinstance(node.name, IdentifierNameSyntax):
            names.add(node.name.identifier.valueText)
        open_nodes += [child for child in node if isinstance(child, SyntaxNode)]
    return frozenset(names - {""})


def rename_identifier(verilog_source: str, old_name: str, new_name: str) -> str:
    """A source with every occurrence of the identifier `old_name` replaced by `new_name`."""
    return re.sub(rf"(?<![\w$\\]){re.escape(old_name)}(?![\w$])", new_name, verilog_source)


def module_without_content(verilog_source: str, module_name: str) -> str | None:
    """The module `module_name` of a source without its content: parameters and ports only, every output undriven.

    None if the source does not declare it in a form that allows this.
    """
    for declaration in _module_declarations(_parse(verilog_source)):
        if declaration.header.name.valueText == module_name:
            source_parts = [_node_text(verilog_source, declaration.header)]
            source_parts += [
                _node_text(verilog_source, member)
                for member in declaration.members
                if _is_port_or_parameter_declaration(member)
            ]
            text_before = verilog_source.encode()[: declaration.header.sourceRange.start.offset].decode()
            directives = [match[0] for match in _DIRECTIVE.finditer(text_before)]
            return "\n".join([*directives, *source_parts, "endmodule", ""])
    return None


def _parse(verilog_source: str) -> SyntaxTree:
    # Imported late: most commands and the editor's start need no parser.
    import pyslang
    from pyslang.parsing import PreprocessorOptions
    from pyslang.syntax import SyntaxTree

    # What an `include` names may be a pipe.
    parse_options = PreprocessorOptions()
    parse_options.maxIncludeDepth = 0
    return SyntaxTree.fromText(verilog_source, pyslang.SourceManager(), "source", options=pyslang.Bag([parse_options]))


def _module_declarations(tree: SyntaxTree) -> Iterator[ModuleDeclarationSyntax]:
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    top_nodes = tree.root.members if isinstance(tree.root, CompilationUnitSyntax) else [tree.root]
    for top_node in top_nodes:
        if isinstance(top_node, ModuleDeclarationSyntax) and top_node.kind == SyntaxKind.ModuleDeclaration:
            yield top_node


def _module_facts(module_declaration: ModuleDeclarationSyntax) -> VerilogModule:
    from pyslang.syntax import HierarchicalInstanceSyntax, HierarchyInstantiationSyntax, SyntaxNode

    instances: list[tuple[str, str]] = []
    open_nodes: list[SyntaxNode] = [module_declaration]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, HierarchyInstantiationSyntax):
            kind = node.type.valueText
            instances += [
                (kind, instance.decl.name.valueText)
                for instance in node.instances  # With the commas between them.
                if isinstance(instance, HierarchicalInstanceSyntax) and instance.decl is not None
            ]
        open_nodes += [child for child in node if isinstance(child, SyntaxNode)]
    return VerilogModule(module_declaration.header.name.valueText, tuple(instances))


def _is_port_or_parameter_declaration(member_node: SyntaxNode) -> bool:
    from pyslang.syntax import SyntaxKind

    return member_node.kind in {SyntaxKind.PortDeclaration, SyntaxKind.ParameterDeclarationStatement}


def _node_text(verilog_source: str, node: SyntaxNode) -> str:
    # slang counts bytes.
    return verilog_source.encode()[node.sourceRange.start.offset : node.sourceRange.end.offset].decode()
