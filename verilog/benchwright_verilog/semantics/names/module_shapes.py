"""Shapes of a file's modules by its syntax: whether they have ports, and what they instantiate.

In `module tb; counter dut (.*); endmodule`, `tb` has no ports and instantiates `counter`: it is a testbench.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyslang
from pyslang.syntax import (
    AnsiPortListSyntax,
    HierarchyInstantiationSyntax,
    ModuleDeclarationSyntax,
    NonAnsiPortListSyntax,
)

from benchwright_verilog.semantics.compilation.trees import parse_alone
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.syntax.surrogates import encode_text


@dataclass(frozen=True)
class ModuleShape:
    """One module of a file."""

    name: str
    name_start: int
    """Of its name, in bytes, as `end`."""
    name_end: int
    has_ports: bool
    instantiated_modules: frozenset[str]
    """The names of modules."""


def module_shapes(text: str) -> tuple[ModuleShape, ...]:
    """The modules at the top of a file, in their order; conditions are as without macros."""
    sources = pyslang.SourceManager()
    root = parse_alone(encode_text(text).decode(), sources).root
    root_members = [root] if isinstance(root, ModuleDeclarationSyntax) else list(getattr(root, "members", ()))
    units_by_name = {unit.name: unit for unit in Outline(encode_text(text)).units}
    shapes = []
    for root_member in root_members:
        name = root_member.header.name.valueText if isinstance(root_member, ModuleDeclarationSyntax) else ""
        if name in units_by_name and root_member.kind.name == "ModuleDeclaration":
            declared_unit = units_by_name[name]
            shape = ModuleShape(
                name,
                declared_unit.start,
                declared_unit.end,
                _has_ports(root_member),
                _instantiated_modules(root_member),
            )
            shapes.append(shape)
    return tuple(shapes)


def _has_ports(module: ModuleDeclarationSyntax) -> bool:
    port_list = module.header.ports
    if isinstance(port_list, AnsiPortListSyntax | NonAnsiPortListSyntax):
        return len(port_list.ports) > 0
    return port_list is not None


def _instantiated_modules(module: ModuleDeclarationSyntax) -> frozenset[str]:
    module_names: set[str] = set()

    def visit(node: object) -> bool:
        if isinstance(node, HierarchyInstantiationSyntax):
            module_names.add(node.type.valueText)
        return True

    module.visit(visit)
    return frozenset(module_names)
