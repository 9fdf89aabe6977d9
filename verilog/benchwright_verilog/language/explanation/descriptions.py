"""Descriptions of declared things, as Markdown for a hover or beside a completion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyslang.ast import (
    ClassType,
    DefinitionSymbol,
    EnumType,
    EnumValueSymbol,
    FieldSymbol,
    FormalArgumentSymbol,
    InstanceArraySymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    ModportPortSymbol,
    ModportSymbol,
    NetSymbol,
    PackageSymbol,
    PackedStructType,
    ParameterSymbol,
    PortSymbol,
    SpecparamSymbol,
    SubroutineKind,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    TransparentMemberSymbol,
    TypeAliasType,
    TypeParameterSymbol,
    UnpackedStructType,
    ValueSymbol,
)
from pyslang.syntax import IdentifierNameSyntax

from benchwright_verilog.language.declarations import declaration_of, type_name, width_of
from benchwright_verilog.language.explanation.description import (
    NameDescription,
    bits_phrase,
    direction_name,
    kind_and_owner,
    kind_name,
    kind_with_owner,
    owner_path,
    shortened_code_line,
)
from benchwright_verilog.language.explanation.type_descriptions import (
    bit_range,
    describe_type,
    members_table,
    type_line,
)
from benchwright_verilog.language.explanation.unit_descriptions import (
    describe_definition,
    describe_instance,
    describe_interface_port,
    describe_modport,
    describe_package,
    describe_routine,
)
from benchwright_verilog.language.explanation.values import constant_text, value_lines
from benchwright_verilog.separate_results import log_failure

if TYPE_CHECKING:
    from pyslang import SourceManager

_MOST_DRIVERS = 4


def describe(symbol: Symbol, sources: SourceManager, driver_lines: Sequence[str] = ()) -> NameDescription:
    """Describe a symbol; by its declaration alone if slang fails over its type or value.

    Args:
        symbol: The symbol to describe.
        sources: Source files that hold its text.
        driver_lines: Lines of code that drive it.
    """
    try:
        return _describe_by_kind(symbol, sources, driver_lines)
    except Exception as error:
        log_failure(error)
        return _describe_declaration(symbol, sources)


def _describe_by_kind(symbol: Symbol, sources: SourceManager, driver_lines: Sequence[str]) -> NameDescription:
    match symbol:
        case TransparentMemberSymbol():
            return _describe_by_kind(symbol.wrapped, sources, driver_lines)
        case DefinitionSymbol() | InstanceBodySymbol():
            return describe_definition(symbol, sources)
        case InstanceSymbol() | InstanceArraySymbol():
            return describe_instance(symbol, sources)
        case SubroutineSymbol():
            return describe_routine(symbol, sources)
        case ParameterSymbol() | EnumValueSymbol() | SpecparamSymbol():
            return _describe_constant(symbol, sources)
        case (
            TypeAliasType()
            | TypeParameterSymbol()
            | EnumType()
            | PackedStructType()
            | UnpackedStructType()
            | ClassType()
        ):
            return describe_type(symbol, sources)
        case PackageSymbol():
            return describe_package(symbol, sources, short_detail)
        case ModportSymbol():
            return describe_modport(symbol, sources)
        case InterfacePortSymbol():
            return describe_interface_port(symbol, sources)
        case ValueSymbol() | PortSymbol():
            return _describe_signal(symbol, sources, driver_lines)
    return _describe_declaration(symbol, sources)


def _describe_declaration(symbol: Symbol, sources: SourceManager) -> NameDescription:
    declaration = declaration_of(symbol, sources)
    return NameDescription(declaration.text.split("\n", 1)[0], (kind_and_owner(symbol),), "", declaration.documentation)


def _describe_signal(
    symbol: ValueSymbol | PortSymbol, sources: SourceManager, driver_lines: Sequence[str]
) -> NameDescription:
    declaration = declaration_of(symbol, sources)
    fact_lines = [kind_and_owner(symbol), type_line(symbol.type)]
    if isinstance(symbol, NetSymbol) and symbol.netType is not None and symbol.isImplicit:
        fact_lines.insert(1, f"not declared, so an implicit `{symbol.netType.name}`")
    port = port_with_inner_symbol(symbol)
    if port is not None:
        fact_lines[0] = f"{direction_name(port.direction)} {kind_and_owner(port)}".strip()
        fact_lines += connection_phrases(port)
    if isinstance(symbol, (FormalArgumentSymbol, ModportPortSymbol)):
        fact_lines[0] = f"{direction_name(symbol.direction)} {fact_lines[0]}".strip()
    if isinstance(symbol, FieldSymbol) and (bits := bit_range(symbol)):
        fact_lines.append(f"bits {bits}" if ":" in bits else f"bit {bits}")
    if driver_lines:
        shown_drivers = [f"`{shortened_code_line(line)}`" for line in driver_lines[:_MOST_DRIVERS]]
        hidden_count = len(driver_lines) - len(shown_drivers)
        fact_lines.append(
            "driven by " + ", ".join(shown_drivers) + (f" and {hidden_count} more" if hidden_count > 0 else "")
        )
    return NameDescription(
        declaration.text or symbol.name, tuple(fact_lines), members_table(symbol.type), declaration.documentation
    )


def port_with_inner_symbol(symbol: Symbol) -> PortSymbol | None:
    """The port that a symbol is, or is the inside of: the net `a` of `module m (input a);`."""
    if isinstance(symbol, PortSymbol):
        return symbol
    scope = symbol.parentScope
    if symbol.kind not in (SymbolKind.Net, SymbolKind.Variable) or scope is None:
        return None
    body = scope.containingInstance
    if body is None or scope != body:
        return None
    port = body.findPort(symbol.name)
    return port if isinstance(port, PortSymbol) else None


def connection_phrases(port: PortSymbol) -> Iterator[str]:
    """Yield what an instance connects to a port."""
    body = port.parentScope.containingInstance if port.parentScope is not None else None
    instance = body.parentInstance if body is not None else None
    if instance is None or instance.syntax is None:
        return
    connected = instance.getPortConnection(port)
    expression = connected.expression if connected is not None else None
    if expression is None or expression.syntax is None:
        return
    text = shortened_code_line(str(expression.syntax))
    if text:
        yield f"connected to `{text}` in `{instance.hierarchicalPath}`"


def _describe_constant(
    symbol: ParameterSymbol | EnumValueSymbol | SpecparamSymbol, sources: SourceManager
) -> NameDescription:
    declaration = declaration_of(symbol, sources)
    first_fact = f"value of `{type_name(symbol.type)}`"
    if isinstance(symbol, ParameterSymbol):
        first_fact = kind_with_owner("localparam" if symbol.isLocalParam else "parameter", symbol)
        if isinstance(symbol.syntax, IdentifierNameSyntax):
            first_fact = f"genvar of `{owner_path(symbol)}`"
    fact_lines = [first_fact, type_line(symbol.type), *value_lines(symbol.value, symbol.type)]
    if isinstance(symbol, ParameterSymbol) and symbol.isOverridden:
        fact_lines.append("set by the instance")
    return NameDescription(declaration.text or symbol.name, tuple(fact_lines), "", declaration.documentation)


def short_detail(symbol: Symbol) -> str:
    """A few words on a symbol, on one line."""
    match symbol:
        case TransparentMemberSymbol():
            return short_detail(symbol.wrapped)
        case ParameterSymbol() | EnumValueSymbol():
            value = constant_text(symbol.value)
            return f"{type_name(symbol.type)}{' = ' + value if value else ''}"
        case TypeAliasType():
            canonical, width = symbol.canonicalType, width_of(symbol)
            if canonical.isEnum or canonical.isStruct:
                return f"{'enum' if canonical.isEnum else 'struct'}{', ' + bits_phrase(width) if width else ''}"
            return type_name(canonical)
        case SubroutineSymbol():
            arguments = ", ".join(argument.name for argument in symbol.arguments)
            is_task = symbol.subroutineKind == SubroutineKind.Task
            return f"{'task' if is_task else type_name(symbol.returnType)}({arguments})"
        case InstanceSymbol():
            return symbol.definition.name
        case InterfacePortSymbol():
            return symbol.interfaceDef.name if symbol.interfaceDef is not None else "interface"
        case DefinitionSymbol():
            return symbol.getKindString()
        case ValueSymbol() | PortSymbol():
            return type_name(symbol.type)
    return kind_name(symbol)
