"""Descriptions of modules, instances, packages, interfaces and routines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyslang.ast import (
    ClassType,
    DefinitionSymbol,
    InstanceArraySymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    ModportPortSymbol,
    ModportSymbol,
    NetSymbol,
    PackageSymbol,
    ParameterSymbol,
    PortSymbol,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    TypeAliasType,
    TypeParameterSymbol,
    VariableSymbol,
)

from benchwright_verilog.language.declarations import declaration_of, type_name, width_of
from benchwright_verilog.language.explanation.description import (
    NameDescription,
    bits_phrase,
    direction_name,
    kind_and_owner,
    kind_with_owner,
    markdown_table,
)
from benchwright_verilog.language.explanation.headers import Formal, Header, header_of_definition, header_of_subroutine
from benchwright_verilog.language.explanation.type_descriptions import type_line
from benchwright_verilog.language.explanation.values import constant_text

if TYPE_CHECKING:
    from pyslang import SourceManager

_PACKAGE_ITEMS = (ParameterSymbol, TypeAliasType, SubroutineSymbol, ClassType, NetSymbol)


def describe_definition(symbol: DefinitionSymbol | InstanceBodySymbol, sources: SourceManager) -> NameDescription:
    """Describe a module, interface or program."""
    definition = symbol if isinstance(symbol, DefinitionSymbol) else symbol.definition
    body = symbol if isinstance(symbol, InstanceBodySymbol) else None
    header = header_of_definition(definition, sources)
    fact_lines = (f"{header.kind} `{header.name}`",)
    return NameDescription(
        _declaration_without_ports(header), fact_lines, _ports_table(header, body), header.documentation
    )


def describe_instance(symbol: InstanceSymbol | InstanceArraySymbol, sources: SourceManager) -> NameDescription:
    """Describe an instance, or an array of them by its first."""
    first_instance: Symbol | None = symbol
    while isinstance(first_instance, InstanceArraySymbol):
        first_instance = next(iter(first_instance), None)
    declaration = declaration_of(symbol, sources)
    if not isinstance(first_instance, InstanceSymbol):
        return NameDescription(declaration.text, ("instances",))
    name = f"{symbol.name} {symbol.range}" if isinstance(symbol, InstanceArraySymbol) else symbol.name
    header = header_of_definition(first_instance.definition, sources)
    body = first_instance.body
    fact_lines = [f"instance `{name}` of {header.kind} `{header.name}`"]
    values = [
        f"`{formal.name}` = `{parameter_text}`"
        for formal in header.parameters
        if (parameter_text := _parameter_value_or_type(body, formal))
    ]
    if values:
        fact_lines.append("with " + ", ".join(values))
    documentation = declaration.documentation or header.documentation
    return NameDescription(
        _declaration_without_ports(header), tuple(fact_lines), _ports_table(header, body), documentation
    )


def describe_routine(symbol: SubroutineSymbol, sources: SourceManager) -> NameDescription:
    """Describe a function or task."""
    header = header_of_subroutine(symbol, sources)
    fact_lines = [kind_with_owner(header.kind, symbol)]
    if header.result_type and not symbol.returnType.isVoid:
        fact_lines.append(f"returns {type_line(symbol.returnType)}")
    text = declaration_of(symbol, sources).text or header.one_line
    return NameDescription(text, tuple(fact_lines), "", header.documentation)


def describe_package(
    symbol: PackageSymbol, sources: SourceManager, detail_of_item: Callable[[Symbol], str]
) -> NameDescription:
    """Describe a package.

    Args:
        symbol: The package.
        sources: Source files that hold its text.
        detail_of_item: Gives a few words on an item.
    """
    declaration = declaration_of(symbol, sources)
    member_rows = [
        (f"`{package_member.name}`", detail_of_item(package_member))
        for package_member in symbol
        if package_member.name
        and (isinstance(package_member, _PACKAGE_ITEMS) or package_member.kind == SymbolKind.Variable)
    ]
    return NameDescription(
        declaration.text,
        (f"package `{symbol.name}`",),
        markdown_table(("item", ""), member_rows),
        declaration.documentation,
    )


def describe_modport(symbol: ModportSymbol, sources: SourceManager) -> NameDescription:
    """Describe a modport."""
    port_rows = [
        (f"`{modport_member.name}`", direction_name(modport_member.direction), f"`{type_name(modport_member.type)}`")
        for modport_member in symbol
        if isinstance(modport_member, ModportPortSymbol)
    ]
    fact_lines = (kind_with_owner("modport", symbol),)
    documentation = declaration_of(symbol, sources).documentation
    return NameDescription(
        f"modport {symbol.name}", fact_lines, markdown_table(("port", "", "type"), port_rows), documentation
    )


def describe_interface_port(symbol: InterfacePortSymbol, sources: SourceManager) -> NameDescription:
    """Describe a port that takes an interface, by what is connected to it."""
    declaration = declaration_of(symbol, sources)
    fact_lines = [f"interface {kind_and_owner(symbol).removeprefix('interface ')}"]
    instance, modport = symbol.connection or (None, None)
    if instance is not None:
        fact_lines.append(f"connected to `{instance.hierarchicalPath}`")
    interface_members: list[Symbol] = []
    if symbol.interfaceDef is not None:
        if modport is not None:
            interface_members = list(modport)
        elif isinstance(instance, InstanceSymbol):
            interface_members = list(instance.body)
    member_rows = []
    for interface_member in interface_members:
        if isinstance(interface_member, ModportPortSymbol):
            member_rows.append(
                (
                    f"`{interface_member.name}`",
                    direction_name(interface_member.direction),
                    type_name(interface_member.type),
                )
            )
        elif isinstance(interface_member, NetSymbol) or (
            isinstance(interface_member, VariableSymbol) and interface_member.kind == SymbolKind.Variable
        ):
            member_rows.append((f"`{interface_member.name}`", "", type_name(interface_member.type)))
    return NameDescription(
        declaration.text,
        tuple(fact_lines),
        markdown_table(("member", "", "type"), member_rows),
        declaration.documentation,
    )


def _declaration_without_ports(header: Header) -> str:
    if not header.parameters:
        return f"{header.kind} {header.name}"
    parameters = ",\n".join(f"    {_with_parameter_keyword(formal)}" for formal in header.parameters)
    return f"{header.kind} {header.name} #(\n{parameters}\n)"


def _with_parameter_keyword(formal: Formal) -> str:
    return (
        formal.declaration_text
        if formal.declaration_text.startswith("parameter")
        else f"parameter {formal.declaration_text}"
    )


def _parameter_value_or_type(body: InstanceBodySymbol, formal: Formal) -> str:
    symbol = body.find(formal.name)
    if isinstance(symbol, ParameterSymbol):
        return constant_text(symbol.value)
    return type_name(symbol.targetType.type) if isinstance(symbol, TypeParameterSymbol) else ""


def _ports_table(header: Header, body: InstanceBodySymbol | None) -> str:
    port_rows = []
    for formal in header.formals:
        symbol = body.findPort(formal.name) if body is not None else None
        direction = "" if formal.direction == "interface" else formal.direction
        comment = (formal.documentation or "").split("\n", 1)[0]
        port_rows.append((f"`{formal.name}`", direction, _port_type(formal, symbol), comment))
    return markdown_table(("port", "", "type", "about"), port_rows)


def _port_type(formal: Formal, symbol: Symbol | None) -> str:
    """The elaborated type of a port, else as it is written."""
    if isinstance(symbol, PortSymbol):
        name, width = type_name(symbol.type), width_of(symbol.type)
        return f"`{name}`" + (f" · {bits_phrase(width)}" if width and width > 1 and "[" not in name else "")
    port_type = formal.declaration_text.removeprefix(formal.direction).strip()
    port_type = port_type.removesuffix(formal.name).strip() if port_type.endswith(formal.name) else port_type
    return f"`{port_type.partition('=')[0].strip()}`" if port_type else ""
