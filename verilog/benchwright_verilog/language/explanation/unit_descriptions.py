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
    Description,
    bits,
    direction_name,
    kind_of,
    of_owner,
    table,
)
from benchwright_verilog.language.explanation.headers import Formal, Header, header_of_definition, header_of_subroutine
from benchwright_verilog.language.explanation.type_descriptions import type_line
from benchwright_verilog.language.explanation.values import constant_text

if TYPE_CHECKING:
    from pyslang import SourceManager

_PACKAGE_ITEMS = (ParameterSymbol, TypeAliasType, SubroutineSymbol, ClassType, NetSymbol)


def describe_definition(symbol: DefinitionSymbol | InstanceBodySymbol, sources: SourceManager) -> Description:
    """Describe a module, interface or program."""
    definition = symbol if isinstance(symbol, DefinitionSymbol) else symbol.definition
    body = symbol if isinstance(symbol, InstanceBodySymbol) else None
    header = header_of_definition(definition, sources)
    facts = (f"{header.kind} `{header.name}`",)
    return Description(_declaration_of(header), facts, _ports_table(header, body), header.documentation)


def describe_instance(symbol: InstanceSymbol | InstanceArraySymbol, sources: SourceManager) -> Description:
    """Describe an instance, or an array of them by its first."""
    first: Symbol | None = symbol
    while isinstance(first, InstanceArraySymbol):
        first = next(iter(first), None)
    declaration = declaration_of(symbol, sources)
    if not isinstance(first, InstanceSymbol):
        return Description(declaration.text, ("instances",))
    name = f"{symbol.name} {symbol.range}" if isinstance(symbol, InstanceArraySymbol) else symbol.name
    header = header_of_definition(first.definition, sources)
    body = first.body
    facts = [f"instance `{name}` of {header.kind} `{header.name}`"]
    values = [
        f"`{formal.name}` = `{parameter_text}`"
        for formal in header.parameters
        if (parameter_text := _parameter(body, formal))
    ]
    if values:
        facts.append("with " + ", ".join(values))
    documentation = declaration.documentation or header.documentation
    return Description(_declaration_of(header), tuple(facts), _ports_table(header, body), documentation)


def describe_routine(symbol: SubroutineSymbol, sources: SourceManager) -> Description:
    """Describe a function or task."""
    header = header_of_subroutine(symbol, sources)
    facts = [of_owner(header.kind, symbol)]
    if header.result and not symbol.returnType.isVoid:
        facts.append(f"returns {type_line(symbol.returnType)}")
    text = declaration_of(symbol, sources).text or header.one_line
    return Description(text, tuple(facts), "", header.documentation)


def describe_package(symbol: PackageSymbol, sources: SourceManager, detail: Callable[[Symbol], str]) -> Description:
    """Describe a package.

    Args:
        symbol: The package.
        sources: Source files that hold its text.
        detail: Gives a few words on an item.
    """
    declaration = declaration_of(symbol, sources)
    rows = [
        (f"`{member.name}`", detail(member))
        for member in symbol
        if member.name and (isinstance(member, _PACKAGE_ITEMS) or member.kind == SymbolKind.Variable)
    ]
    return Description(
        declaration.text, (f"package `{symbol.name}`",), table(("item", ""), rows), declaration.documentation
    )


def describe_modport(symbol: ModportSymbol, sources: SourceManager) -> Description:
    """Describe a modport."""
    rows = [
        (f"`{member.name}`", direction_name(member.direction), f"`{type_name(member.type)}`")
        for member in symbol
        if isinstance(member, ModportPortSymbol)
    ]
    facts = (of_owner("modport", symbol),)
    documentation = declaration_of(symbol, sources).documentation
    return Description(f"modport {symbol.name}", facts, table(("port", "", "type"), rows), documentation)


def describe_interface_port(symbol: InterfacePortSymbol, sources: SourceManager) -> Description:
    """Describe a port that takes an interface, by what is connected to it."""
    declaration = declaration_of(symbol, sources)
    facts = [f"interface {kind_of(symbol).removeprefix('interface ')}"]
    instance, modport = symbol.connection or (None, None)
    if instance is not None:
        facts.append(f"connected to `{instance.hierarchicalPath}`")
    members: list[Symbol] = []
    if symbol.interfaceDef is not None:
        if modport is not None:
            members = list(modport)
        elif isinstance(instance, InstanceSymbol):
            members = list(instance.body)
    rows = []
    for member in members:
        if isinstance(member, ModportPortSymbol):
            rows.append((f"`{member.name}`", direction_name(member.direction), type_name(member.type)))
        elif isinstance(member, NetSymbol) or (
            isinstance(member, VariableSymbol) and member.kind == SymbolKind.Variable
        ):
            rows.append((f"`{member.name}`", "", type_name(member.type)))
    return Description(declaration.text, tuple(facts), table(("member", "", "type"), rows), declaration.documentation)


def _declaration_of(header: Header) -> str:
    if not header.parameters:
        return f"{header.kind} {header.name}"
    parameters = ",\n".join(f"    {_with_keyword(formal)}" for formal in header.parameters)
    return f"{header.kind} {header.name} #(\n{parameters}\n)"


def _with_keyword(formal: Formal) -> str:
    return formal.text if formal.text.startswith("parameter") else f"parameter {formal.text}"


def _parameter(body: InstanceBodySymbol, formal: Formal) -> str:
    symbol = body.find(formal.name)
    if isinstance(symbol, ParameterSymbol):
        return constant_text(symbol.value)
    return type_name(symbol.targetType.type) if isinstance(symbol, TypeParameterSymbol) else ""


def _ports_table(header: Header, body: InstanceBodySymbol | None) -> str:
    rows = []
    for formal in header.formals:
        symbol = body.findPort(formal.name) if body is not None else None
        direction = "" if formal.direction == "interface" else formal.direction
        comment = (formal.documentation or "").split("\n", 1)[0]
        rows.append((f"`{formal.name}`", direction, _port_type(formal, symbol), comment))
    return table(("port", "", "type", "about"), rows)


def _port_type(formal: Formal, symbol: Symbol | None) -> str:
    """The elaborated type of a port, else as it is written."""
    if isinstance(symbol, PortSymbol):
        name, width = type_name(symbol.type), width_of(symbol.type)
        return f"`{name}`" + (f" · {bits(width)}" if width and width > 1 and "[" not in name else "")
    port_type = formal.text.removeprefix(formal.direction).strip()
    port_type = port_type.removesuffix(formal.name).strip() if port_type.endswith(formal.name) else port_type
    return f"`{port_type.partition('=')[0].strip()}`" if port_type else ""
