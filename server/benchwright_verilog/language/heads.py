"""What a module, function or task takes: its parameters and its ports or arguments, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_verilog.language.declarations import inherited_header, part, source_of, type_name, written, written_at
from benchwright_verilog.language.system_tasks import SystemTask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyslang import SourceManager
    from pyslang.ast import DefinitionSymbol, SubroutineSymbol, Symbol, Type
    from pyslang.syntax import SyntaxNode


@dataclass(frozen=True)
class Formal:
    """One parameter, port or argument."""

    name: str
    text: str
    """Its declaration on one line, such as `input logic [7:0] d`."""
    direction: str = ""
    """`input`, `output`, `inout`, `ref`, or `interface`; empty for parameters."""
    default: str = ""
    """The expression taken where none is given."""
    documentation: str = ""
    is_type: bool = False
    is_optional: bool = False


@dataclass(frozen=True)
class Head:
    """What something takes."""

    kind: str
    """`module`, `interface`, `program`, `function`, `task` …"""
    name: str
    parameters: tuple[Formal, ...]
    """Those that can be set from outside."""
    formals: tuple[Formal, ...]
    """Ports or arguments."""
    documentation: str
    result: str = ""
    """The type of a function's value."""


_KINDS = {"InterfaceDeclaration": "interface", "ProgramDeclaration": "program"}
_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


def head_of_definition(definition: DefinitionSymbol, sources: SourceManager) -> Head:
    """The head of a module, interface or program."""
    syntax = definition.syntax
    if syntax is None or not hasattr(syntax, "header"):
        return Head(str(definition.getKindString()), definition.name, (), (), "")
    return head_of_syntax(syntax, sources)


def head_of_syntax(syntax: SyntaxNode, sources: SourceManager) -> Head:
    """The head of a module, interface or program, by its declaration."""
    header = part(syntax, "header")
    listed = getattr(header, "ports", None)
    formals: tuple[Formal, ...] = ()
    if listed is not None and listed.kind.name == "AnsiPortList":
        formals = tuple(_ansi_ports(listed, sources))
    elif listed is not None:
        formals = tuple(_declared_ports(syntax, listed, sources))
    kind = _KINDS.get(syntax.kind.name, "module")
    said = written_at(syntax, sources).documentation
    return Head(kind, header.name.valueText, tuple(_parameters(syntax, header, sources)), formals, said)


def _parameters(syntax: SyntaxNode, header: SyntaxNode, sources: SourceManager) -> Iterable[Formal]:
    listed = getattr(header, "parameters", None)
    is_local = False
    if listed is not None:
        declarations = list(part(listed, "declarations"))
    else:
        # Without a list in the head, those of the body can be set.
        members = part(syntax, "members")
        declarations = [one.parameter for one in members if one.kind.name == "ParameterDeclarationStatement"]
    for declaration in declarations:
        if not hasattr(declaration, "declarators"):
            continue
        keyword = str(declaration.keyword).strip()
        is_local = keyword == "localparam" or (is_local and not keyword)
        if is_local:
            continue
        is_type = declaration.kind.name == "TypeParameterDeclaration"
        for declarator in declaration.declarators:
            if not hasattr(declarator, "name"):
                continue
            said = written_at(declarator, sources)
            text = _line(said.text).removeprefix("parameter ").rstrip(";")
            default = declarator.assignment if is_type else declarator.initializer
            value = _line(source_of(default, sources)).removeprefix("=").strip() if default is not None else ""
            yield Formal(declarator.name.valueText, text, "", value, said.documentation, is_type, bool(value))


def _ansi_ports(listed: SyntaxNode, sources: SourceManager) -> Iterable[Formal]:
    last_direction = "inout"
    for port in part(listed, "ports"):
        if port.kind.name == "ExplicitAnsiPort":
            direction = str(port.direction).strip() or last_direction
            yield Formal(port.name.valueText, _line(source_of(port, sources)), direction)
            continue
        if port.kind.name != "ImplicitAnsiPort" or not port.declarator.name.valueText:
            continue
        said = written_at(port, sources)
        header = inherited_header(port)
        if header.kind.name == "InterfacePortHeader":
            direction = "interface"
        else:
            direction = str(getattr(header, "direction", "")).strip().rpartition("\n")[2].strip() or last_direction
            direction = direction if direction in ("input", "output", "inout", "ref") else last_direction
            last_direction = direction
        default = port.declarator.initializer
        value = _line(source_of(default, sources)).removeprefix("=").strip() if default is not None else ""
        text = _line(said.text)
        yield Formal(port.declarator.name.valueText, text, direction, value, said.documentation, False, bool(value))


def _declared_ports(syntax: SyntaxNode, listed: SyntaxNode, sources: SourceManager) -> Iterable[Formal]:
    """The ports of a head that only names them."""
    declared: dict[str, tuple[str, str, str]] = {}
    for member in part(syntax, "members"):
        if member.kind.name != "PortDeclaration":
            continue
        direction = str(getattr(member.header, "direction", "")).strip().rpartition("\n")[2].strip()
        for declarator in member.declarators:
            if hasattr(declarator, "name"):
                said = written_at(declarator, sources)
                declared[declarator.name.valueText] = _line(said.text).rstrip(";"), direction, said.documentation
    for port in getattr(listed, "ports", ()):
        if not hasattr(port, "kind") or port.kind.name not in ("ImplicitNonAnsiPort", "ExplicitNonAnsiPort"):
            continue
        name = port.name.valueText if hasattr(port, "name") else source_of(port, sources)
        text, direction, said = declared.get(name, (name, "", ""))
        yield Formal(name, text, direction, "", said)


def head_of_subroutine(routine: SubroutineSymbol, sources: SourceManager) -> Head:
    """The head of a function or task."""
    is_task = routine.subroutineKind.name == "Task"
    formals = tuple(_arguments(routine.arguments, sources))
    result = "" if is_task else type_name(routine.returnType)
    said = written(routine, sources).documentation
    return Head("task" if is_task else "function", routine.name, (), formals, said, result)


def _arguments(arguments: Iterable[Symbol], sources: SourceManager) -> Iterable[Formal]:
    for argument in arguments:
        direction = _DIRECTIONS.get(argument.direction.name, "input")  # type: ignore[attr-defined]
        kind: Type = argument.type  # type: ignore[attr-defined]
        declarator = argument.syntax
        initial = getattr(declarator, "initializer", None)
        value = _line(source_of(initial, sources)).removeprefix("=").strip() if initial is not None else ""
        text = f"{direction} {type_name(kind)} {argument.name}" + (f" = {value}" if value else "")
        said = written(argument, sources).documentation
        yield Formal(argument.name, text, direction, value, said, False, bool(value))


def head_of_system_task(task: SystemTask) -> Head:
    """The head of a system task or function."""
    formals = tuple(Formal(name.strip("[]…"), name, is_optional=name.startswith("[")) for name in task.parameters)
    return Head("function" if task.is_function else "task", task.name, (), formals, task.about, task.result)


def head_of_macro(name: str, parameters: Iterable[str], body: str) -> Head:
    """The head of a macro with arguments."""
    formals = tuple(Formal(text.partition("=")[0].strip(), text.strip()) for text in parameters)
    return Head("macro", f"`{name}", (), formals, f"```systemverilog\n{body.strip()}\n```" if body.strip() else "")


def _line(text: str) -> str:
    return " ".join(text.split())
