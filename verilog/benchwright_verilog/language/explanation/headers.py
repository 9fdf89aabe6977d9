"""The header of a module, function or task: its parameters and its ports or arguments, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyslang.ast import SubroutineKind
from pyslang.syntax import (
    AnsiPortListSyntax,
    DeclaratorSyntax,
    ExplicitAnsiPortSyntax,
    ExplicitNonAnsiPortSyntax,
    ImplicitAnsiPortSyntax,
    ImplicitNonAnsiPortSyntax,
    InterfacePortHeaderSyntax,
    ModuleDeclarationSyntax,
    ParameterDeclarationStatementSyntax,
    ParameterDeclarationSyntax,
    PortDeclarationSyntax,
    TypeAssignmentSyntax,
    TypeParameterDeclarationSyntax,
)

from benchwright_verilog.language.declarations import (
    declaration_around,
    declaration_of,
    own_or_inherited_header,
    text_without_leading_comments,
    type_name,
)
from benchwright_verilog.language.explanation.description import direction_name
from benchwright_verilog.language.explanation.system_tasks import SystemTask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyslang import SourceManager
    from pyslang.ast import DefinitionSymbol, FormalArgumentSymbol, SubroutineSymbol
    from pyslang.syntax import NonAnsiPortListSyntax, ParameterDeclarationBaseSyntax, PortListSyntax, SyntaxNode


@dataclass(frozen=True)
class Formal:
    """One parameter, port or argument."""

    name: str
    declaration_text: str
    """Its declaration on one line, such as `input logic [7:0] d`."""
    direction: str = ""
    """`input`, `output`, `inout`, `ref`, or `interface`; empty for parameters."""
    default: str = ""
    """The expression used if none is given."""
    documentation: str = ""
    is_type: bool = False
    is_optional: bool = False


@dataclass(frozen=True)
class Header:
    """The parameters and ports that a module is instantiated with, or the arguments that a routine is called with."""

    kind: str
    """`module`, `interface`, `program`, `function`, `task` …"""
    name: str
    parameters: tuple[Formal, ...]
    """Those that can be set from outside."""
    formals: tuple[Formal, ...]
    """Ports or arguments."""
    documentation: str
    result_type: str = ""
    """The type of a function's value."""

    @property
    def one_line(self) -> str:
        """The header as it is called, such as `function int sum(input int a, input int b)`."""
        result = f"{self.result_type} " if self.result_type else ""
        return f"{self.kind} {result}{self.name}({', '.join(formal.declaration_text for formal in self.formals)})"


_KINDS = {"InterfaceDeclaration": "interface", "ProgramDeclaration": "program"}


def header_of_definition(definition: DefinitionSymbol, sources: SourceManager) -> Header:
    """The header of a module, interface or program."""
    syntax = definition.syntax
    if not isinstance(syntax, ModuleDeclarationSyntax):
        return Header(definition.getKindString(), definition.name, (), (), "")
    return header_of_syntax(syntax, sources)


def header_of_syntax(syntax: ModuleDeclarationSyntax, sources: SourceManager) -> Header:
    """The header of a module, interface or program, by its declaration."""
    header = syntax.header
    formals: tuple[Formal, ...] = ()
    if isinstance(header.ports, AnsiPortListSyntax):
        formals = tuple(_ansi_ports(header.ports, sources))
    elif header.ports is not None:
        formals = tuple(_non_ansi_ports(syntax, header.ports, sources))
    kind = _KINDS.get(syntax.kind.name, "module")
    comment = declaration_around(syntax, sources).documentation
    return Header(kind, header.name.valueText, tuple(_settable_parameters(syntax, sources)), formals, comment)


def _settable_parameters(syntax: ModuleDeclarationSyntax, sources: SourceManager) -> Iterable[Formal]:
    """The parameters that can be set: of `#(parameter A = 1, B = 2, localparam C = 3)` these are `A` and `B`."""
    parameter_list = syntax.header.parameters
    declarations: list[ParameterDeclarationBaseSyntax]
    if parameter_list is not None:
        declarations = list(parameter_list.declarations)
    else:
        # Without a list in the header, those of the body can be set.
        members = [member for member in syntax.members if isinstance(member, ParameterDeclarationStatementSyntax)]
        declarations = [member.parameter for member in members]
    is_local = False
    for declaration in declarations:
        if not isinstance(declaration, (ParameterDeclarationSyntax, TypeParameterDeclarationSyntax)):
            continue
        keyword = str(declaration.keyword).strip()
        is_local = keyword == "localparam" or (is_local and not keyword)
        if is_local:
            continue
        for declarator in declaration.declarators:
            if isinstance(declarator, (DeclaratorSyntax, TypeAssignmentSyntax)):
                yield _parameter_formal(declarator, sources)


def _parameter_formal(declarator: DeclaratorSyntax | TypeAssignmentSyntax, sources: SourceManager) -> Formal:
    is_type = isinstance(declarator, TypeAssignmentSyntax)
    declaration = declaration_around(declarator, sources)
    text = _on_one_line(declaration.text).removeprefix("parameter ").rstrip(";")
    default = declarator.assignment if isinstance(declarator, TypeAssignmentSyntax) else declarator.initializer
    value = _initial_value_text(default, sources)
    return Formal(declarator.name.valueText, text, "", value, declaration.documentation, is_type, bool(value))


def _ansi_ports(port_list: AnsiPortListSyntax, sources: SourceManager) -> Iterable[Formal]:
    """The ports of `(input a, b, output logic c)`; `b` is an input like `a`."""
    last_direction = "inout"
    for port in port_list.ports:
        if isinstance(port, ExplicitAnsiPortSyntax):
            direction = str(port.direction).strip() or last_direction
            yield Formal(port.name.valueText, _on_one_line(text_without_leading_comments(port, sources)), direction)
            continue
        if not isinstance(port, ImplicitAnsiPortSyntax) or not port.declarator.name.valueText:
            continue
        declaration = declaration_around(port, sources)
        header = own_or_inherited_header(port)
        if isinstance(header, InterfacePortHeaderSyntax):
            direction = "interface"
        else:
            direction = _port_direction(header)
            direction = direction if direction in ("input", "output", "inout", "ref") else last_direction
            last_direction = direction
        value = _initial_value_text(port.declarator.initializer, sources)
        text = _on_one_line(declaration.text)
        yield Formal(
            port.declarator.name.valueText, text, direction, value, declaration.documentation, False, bool(value)
        )


def _non_ansi_ports(
    syntax: ModuleDeclarationSyntax, port_list: PortListSyntax | NonAnsiPortListSyntax, sources: SourceManager
) -> Iterable[Formal]:
    """The ports of `module m (a, b); input a; output b;`, whose header only names them."""
    declared_ports: dict[str, tuple[str, str, str]] = {}
    for member in syntax.members:
        if not isinstance(member, PortDeclarationSyntax):
            continue
        direction = _port_direction(member.header)
        for declarator in member.declarators:
            if isinstance(declarator, DeclaratorSyntax):
                declaration = declaration_around(declarator, sources)
                declared_ports[declarator.name.valueText] = (
                    _on_one_line(declaration.text).rstrip(";"),
                    direction,
                    declaration.documentation,
                )
    for port in getattr(port_list, "ports", ()):
        if isinstance(port, ExplicitNonAnsiPortSyntax):
            name = port.name.valueText
        elif isinstance(port, ImplicitNonAnsiPortSyntax):
            name = text_without_leading_comments(port, sources)
        else:
            continue
        text, direction, documentation = declared_ports.get(name, (name, "", ""))
        yield Formal(name, text, direction, "", documentation)


def _port_direction(header: SyntaxNode) -> str:
    # The token has the comments and lines before it, too.
    return str(getattr(header, "direction", "")).strip().rpartition("\n")[2].strip()


def _initial_value_text(initializer: SyntaxNode | None, sources: SourceManager) -> str:
    """The expression of `= expression`; empty if there is none."""
    return (
        _on_one_line(text_without_leading_comments(initializer, sources)).removeprefix("=").strip()
        if initializer is not None
        else ""
    )


def header_of_subroutine(routine: SubroutineSymbol, sources: SourceManager) -> Header:
    """The header of a function or task."""
    is_task = routine.subroutineKind == SubroutineKind.Task
    formals = tuple(_argument_formals(routine.arguments, sources))
    result = "" if is_task else type_name(routine.returnType)
    comment = declaration_of(routine, sources).documentation
    return Header("task" if is_task else "function", routine.name, (), formals, comment, result)


def _argument_formals(argument_symbols: Iterable[FormalArgumentSymbol], sources: SourceManager) -> Iterable[Formal]:
    for argument in argument_symbols:
        direction = direction_name(argument.direction) or "input"
        declarator = argument.syntax
        value = _initial_value_text(
            declarator.initializer if isinstance(declarator, DeclaratorSyntax) else None, sources
        )
        text = f"{direction} {type_name(argument.type)} {argument.name}" + (f" = {value}" if value else "")
        comment = declaration_of(argument, sources).documentation
        yield Formal(argument.name, text, direction, value, comment, False, bool(value))


def header_of_system_task(system_task: SystemTask) -> Header:
    """The header of a system task or function."""
    formals = tuple(
        Formal(name.strip("[]…"), name, is_optional=name.startswith("[")) for name in system_task.parameters
    )
    return Header(
        "function" if system_task.is_function else "task",
        system_task.name,
        (),
        formals,
        system_task.description,
        system_task.result_type,
    )


def header_of_macro(name: str, parameters: Iterable[str], body: str) -> Header:
    """The header of a macro with arguments."""
    formals = tuple(Formal(text.partition("=")[0].strip(), text.strip()) for text in parameters)
    return Header("macro", f"`{name}", (), formals, f"```systemverilog\n{body.strip()}\n```" if body.strip() else "")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
