"""What is worth knowing of a declared thing, as Markdown for a hover or beside a completion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchwright_verilog.language.declarations import source_of, type_name, width_of, written
from benchwright_verilog.language.heads import Formal, Head, head_of_definition, head_of_subroutine
from benchwright_verilog.language.numbers import radices_of

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.ast import Symbol, Type

_MOST_ROWS = 40
_MOST_DRIVERS = 4
_WIDEST_BINARY = 16
"""Wider values of an enumeration are not written out in binary."""
_WIDEST_VALUE = 256
"""Wider values are not shown in each radix."""


@dataclass(frozen=True)
class Description:
    """What is known of one thing, in parts."""

    declaration: str
    facts: tuple[str, ...]
    """One line each, Markdown."""
    table: str = ""
    documentation: str = ""

    @property
    def markdown(self) -> str:
        """Everything, in the order one wants to read it."""
        parts = [f"```systemverilog\n{self.declaration}\n```"] if self.declaration else []
        if self.facts:
            parts.append("  \n".join(self.facts))
        if self.documentation:
            parts.append(self.documentation)
        if self.table:
            parts.append(self.table)
        return "\n\n".join(parts)


def describe(symbol: Symbol, sources: SourceManager, drivers: Sequence[str] = ()) -> Description:
    """Describe a symbol.

    Args:
        symbol: What.
        sources: Where its text is.
        drivers: Lines of code that give it its value.
    """
    kind = symbol.kind.name
    form: Any = symbol
    if kind == "TransparentMember":
        return describe(form.wrapped, sources, drivers)
    if kind in ("Definition", "InstanceBody", "Instance", "InstanceArray"):
        return _instance_or_module(form, sources)
    if kind == "Subroutine":
        return _routine(form, sources)
    if kind in ("Parameter", "EnumValue", "Specparam"):
        return _constant(form, sources)
    if kind in ("TypeAlias", "TypeParameter", "EnumType", "PackedStructType", "UnpackedStructType", "ClassType"):
        return _type(form, sources)
    if kind == "Package":
        return _package(form, sources)
    if kind == "Modport":
        return _modport(form, sources)
    if kind == "InterfacePort":
        return _interface_port(form, sources)
    if form.isValue or kind in ("Port", "ModportPort"):
        return _value(form, sources, drivers)
    said = written(symbol, sources)
    first = said.text.split("\n", 1)[0]
    return Description(first, (_kind_of(form),), "", said.documentation)


_KINDS = {
    "Net": "net",
    "Variable": "variable",
    "Port": "port",
    "ModportPort": "modport port",
    "FormalArgument": "argument",
    "Field": "member",
    "ClassProperty": "property",
    "Genvar": "genvar",
    "GenerateBlock": "generate block",
    "GenerateBlockArray": "generate loop",
    "StatementBlock": "block",
    "Iterator": "iterator",
    "ClockingBlock": "clocking block",
    "ClockVar": "clocking variable",
    "LetDecl": "let",
}
_LAST_STEP = re.compile(r"(?:\.|::)[^.:]*\Z")
_SCOPE_KIND = re.compile(r"Scope\(SymbolKind\.(\w+)")
_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


def _kind_of(symbol: Any) -> str:
    name = _KINDS.get(symbol.kind.name) or "".join(
        f" {letter.lower()}" if letter.isupper() else letter for letter in symbol.kind.name
    )
    owner = _owner(symbol)
    return f"{name.strip()} of `{owner}`" if owner else name.strip()


def _owner(symbol: Any) -> str:
    """What a symbol is declared in: `module`, `module.block`, `package::function`."""
    return _LAST_STEP.sub("", symbol.lexicalPath) if _LAST_STEP.search(symbol.lexicalPath) else ""


def _scope_kind(scope: object) -> str:
    # slang's binding gives scopes without the symbol they are; only their description tells.
    found = _SCOPE_KIND.match(repr(scope))
    return found[1] if found else ""


def type_line(kind: Type) -> str:
    """A type, and its width."""
    name = f"`{type_name(kind)}`"
    canonical = kind.canonicalType
    parts = [name]
    if canonical is not kind and not canonical.isEnum and not canonical.isStruct and not canonical.isClass:
        resolved = type_name(canonical)
        if f"`{resolved}`" != name:
            parts.append(f"that is `{resolved}`")
    width = width_of(kind)
    if width is not None:
        parts.append(bits(width))
    if canonical.isIntegral and canonical.isSigned:
        parts.append("signed")
    if canonical.isIntegral and not canonical.isFourState:
        parts.append("two-state")
    return " · ".join(parts)


def bits(width: int) -> str:
    """A number of bits in words."""
    return "1 bit" if width == 1 else f"{width} bits"


def _value(symbol: Any, sources: SourceManager, drivers: Sequence[str]) -> Description:
    said = written(symbol, sources)
    kind: Type = symbol.type
    facts = [_kind_of(symbol), type_line(kind)]
    if symbol.kind.name == "Net" and symbol.netType is not None and getattr(symbol, "isImplicit", False):
        facts.insert(1, f"not declared, so an implicit `{symbol.netType.name}`")
    port = port_of(symbol)
    if port is not None:
        facts[0] = f"{_DIRECTIONS.get(port.direction.name, '')} {_kind_of(port)}".strip()
        facts += connection_of(port)
    if symbol.kind.name in ("FormalArgument", "ModportPort"):
        facts[0] = f"{_DIRECTIONS.get(symbol.direction.name, '')} {facts[0]}".strip()
    if symbol.kind.name == "Field":
        facts += _place_in(symbol)
    if drivers:
        shown = [f"`{_inline(line)}`" for line in drivers[:_MOST_DRIVERS]]
        more = len(drivers) - len(shown)
        facts.append("driven by " + ", ".join(shown) + (f" and {more} more" if more > 0 else ""))
    table = _members_table(kind)
    return Description(said.text or symbol.name, tuple(facts), table, said.documentation)


def _inline(code: str) -> str:
    line = " ".join(code.split()).replace("`", "'")
    return line if len(line) <= 100 else line[:99] + "…"


def port_of(symbol: Any) -> Any | None:
    """The port that a symbol is, or is the inside of."""
    if symbol.kind.name == "Port":
        return symbol
    scope = symbol.parentScope
    if symbol.kind.name not in ("Net", "Variable") or _scope_kind(scope) != "InstanceBody":
        return None
    found = scope.containingInstance.findPort(symbol.name)
    return found if found is not None and found.kind.name == "Port" else None


def connection_of(port: Any) -> Iterable[str]:
    """What an instance connects to a port."""
    body = port.parentScope.containingInstance if port.parentScope is not None else None
    instance = getattr(body, "parentInstance", None)
    if instance is None or instance.syntax is None:
        return
    connected = instance.getPortConnection(port)
    expression = connected.expression if connected is not None else None
    if expression is None or expression.syntax is None:
        return
    text = _inline(str(expression.syntax))
    if text:
        yield f"connected to `{text}` in `{instance.hierarchicalPath}`"


def _place_in(field: Any) -> Iterable[str]:
    width = width_of(field.type)
    if _scope_kind(field.parentScope).startswith("Packed") and width:
        low = field.bitOffset
        yield f"bits {low + width - 1}:{low}" if width > 1 else f"bit {low}"


def _constant(symbol: Any, sources: SourceManager) -> Description:
    said = written(symbol, sources)
    if symbol.kind.name == "Parameter":
        kind = "localparam" if symbol.isLocalParam else "parameter"
        owner = _owner(symbol)
        first = f"{kind} of `{owner}`" if owner else kind
        if symbol.syntax is not None and symbol.syntax.kind.name == "IdentifierName":
            first = f"genvar of `{owner}`"
    else:
        owner = type_name(symbol.type)
        first = f"value of `{owner}`"
    facts = [first, type_line(symbol.type)]
    facts += value_lines(symbol.value, symbol.type)
    if symbol.kind.name == "Parameter" and symbol.isOverridden:
        facts.append("set by the instance")
    return Description(said.text or symbol.name, tuple(facts), "", said.documentation)


def value_lines(constant: Any, kind: Type) -> list[str]:
    """An elaborated value: in each radix where it is an integer."""
    text = constant_text(constant)
    if not text:
        return []
    inner = constant.value
    number = _plain_integer(inner)
    if number is None:
        return [f"value `{text}`"]
    width = inner.bitWidth
    if width > _WIDEST_VALUE:
        return [f"value `{text}`"]
    shown = dict(radices_of(number, width, is_signed=bool(inner.isSigned)))
    if kind.canonicalType.isScalar and width == 1:
        return [f"value `{number}`"]
    return [f"value `{shown.pop('decimal')}` · `{shown['hexadecimal']}` · `{shown['binary']}`"]


def constant_text(constant: Any) -> str:
    """A value as slang writes it; empty where there is none."""
    if constant is None or not bool(constant):
        return ""
    inner = constant.value
    number = _plain_integer(inner)
    if number is not None:
        return str(number)
    return str(constant)


def _plain_integer(value: object) -> int | None:
    """An SVInt without unknown bits as a number."""
    if not hasattr(value, "hasUnknown") or value.hasUnknown or not hasattr(value, "bitWidth"):
        return None
    return int(value)  # type: ignore[call-overload,no-any-return]


def _type(symbol: Any, sources: SourceManager) -> Description:
    said = written(symbol, sources)
    if symbol.kind.name == "TypeParameter":
        target: Type = symbol.targetType.type
        first = f"type parameter of `{_owner(symbol)}`"
    else:
        target = symbol
        owner = _owner(symbol)
        first = ("class" if symbol.kind.name == "ClassType" else "type") + (f" of `{owner}`" if owner else "")
    facts = [first]
    if symbol.kind.name != "ClassType":
        facts.append(type_line(target))
    text = said.text if len(said.text.splitlines()) <= 20 else "\n".join([*said.text.splitlines()[:20], "…"])
    return Description(text, tuple(facts), _members_table(target), said.documentation)


def _members_table(kind: Type) -> str:
    canonical: Any = kind.canonicalType
    while canonical.isPackedArray or canonical.isUnpackedArray:
        element = canonical.arrayElementType
        if element is None:
            return ""
        canonical = element.canonicalType
    if canonical.isEnum:
        rows = [(f"`{value.name}`", f"`{constant_text(value.value)}`", _based(value.value)) for value in canonical]
        return _table(("name", "value", ""), rows)
    if canonical.isStruct or canonical.kind.name in ("PackedUnionType", "UnpackedUnionType"):
        rows = []
        for member in canonical:
            if member.kind.name != "Field":
                continue
            width = width_of(member.type)
            place = next(iter(_place_in(member)), "").rpartition(" ")[2]
            rows.append((f"`{member.name}`", f"`{type_name(member.type)}`", place or (bits(width) if width else "")))
        head = "bits" if canonical.kind.name.startswith("Packed") else "width"
        return _table(("member", "type", head), rows)
    return ""


def _based(constant: Any) -> str:
    inner = constant.value
    number = _plain_integer(inner)
    return (
        f"`{inner.bitWidth}'b{number & ((1 << inner.bitWidth) - 1):0{inner.bitWidth}b}`" if number is not None else ""
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    shown = [list(row) for row in rows[:_MOST_ROWS]]
    if len(rows) > len(shown):
        shown.append([f"… {len(rows) - len(shown)} more", *([""] * (len(head) - 1))])
    kept = [at for at in range(len(head)) if any(row[at] for row in shown)]
    lines = [[head[at] for at in kept], ["---"] * len(kept), *([row[at] for at in kept] for row in shown)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _instance_or_module(symbol: Any, sources: SourceManager) -> Description:
    body = None
    instance = ""
    if symbol.kind.name == "InstanceArray":
        first = next(iter(symbol), None)
        while first is not None and first.kind.name == "InstanceArray":
            first = next(iter(first), None)
        if first is None or first.kind.name != "Instance":
            return Description(written(symbol, sources).text, ("instances",))
        body, instance = first.body, f"{symbol.name} {symbol.range}" if hasattr(symbol, "range") else symbol.name
        definition = first.definition
    elif symbol.kind.name == "Instance":
        body, definition, instance = symbol.body, symbol.definition, symbol.name
    elif symbol.kind.name == "InstanceBody":
        body, definition = symbol, symbol.definition
    else:
        definition = symbol
    head = head_of_definition(definition, sources)
    facts = [f"{head.kind} `{head.name}`"]
    if instance:
        facts = [f"instance `{instance}` of {head.kind} `{head.name}`"]
        said = written(symbol, sources).documentation
        head = Head(head.kind, head.name, head.parameters, head.formals, said or head.documentation)
    if body is not None and instance:
        values = [f"`{formal.name}` = `{shown}`" for formal in head.parameters if (shown := _parameter(body, formal))]
        if values:
            facts.append("with " + ", ".join(values))
    first_line = _declaration_of(head)
    return Description(first_line, tuple(facts), _ports_table(head, body), head.documentation)


def _declaration_of(head: Head) -> str:
    if not head.parameters:
        return f"{head.kind} {head.name}"
    parameters = ",\n".join(f"    {_keyworded(formal)}" for formal in head.parameters)
    return f"{head.kind} {head.name} #(\n{parameters}\n)"


def _keyworded(formal: Formal) -> str:
    return formal.text if formal.text.startswith("parameter") else f"parameter {formal.text}"


def _parameter(body: Any, formal: Formal) -> str:
    symbol = body.find(formal.name)
    if symbol is None:
        return ""
    if symbol.kind.name == "Parameter":
        return constant_text(symbol.value)
    return type_name(symbol.targetType.type) if symbol.kind.name == "TypeParameter" else ""


def _ports_table(head: Head, body: Any) -> str:
    rows = []
    for formal in head.formals:
        shown = formal.text.removeprefix(formal.direction).strip()
        shown = shown.removesuffix(formal.name).strip() if shown.endswith(formal.name) else shown
        symbol = body.findPort(formal.name) if body is not None else None
        if symbol is not None and symbol.kind.name == "Port":
            shown = type_name(symbol.type)
            width = width_of(symbol.type)
            shown, about = f"`{shown}`", formal.documentation or ""
            if width and width > 1 and "[" not in shown:
                shown += f" · {bits(width)}"
        else:
            shown, about = f"`{shown.partition('=')[0].strip()}`" if shown else "", formal.documentation
        direction = "" if formal.direction == "interface" else formal.direction
        rows.append((f"`{formal.name}`", direction, shown, about.split("\n", 1)[0]))
    return _table(("port", "", "type", "about"), rows)


def _routine(symbol: Any, sources: SourceManager) -> Description:
    head = head_of_subroutine(symbol, sources)
    said = written(symbol, sources)
    owner = _owner(symbol)
    facts = [f"{head.kind} of `{owner}`" if owner else head.kind]
    if head.result and not symbol.returnType.isVoid:
        facts.append(f"gives {type_line(symbol.returnType)}")
    return Description(said.text or signature_of(head), tuple(facts), "", head.documentation)


def signature_of(head: Head) -> str:
    """How something is called, on one line."""
    result = f"{head.result} " if head.result else ""
    return f"{head.kind} {result}{head.name}({', '.join(formal.text for formal in head.formals)})"


def _package(symbol: Any, sources: SourceManager) -> Description:
    said = written(symbol, sources)
    rows = []
    for member in symbol:
        if member.name and member.kind.name in ("Parameter", "TypeAlias", "Subroutine", "ClassType", "Variable", "Net"):
            rows.append((f"`{member.name}`", short_detail(member)))
    return Description(said.text, (f"package `{symbol.name}`",), _table(("item", ""), rows), said.documentation)


def short_detail(symbol: Any) -> str:
    """A few words on a symbol, on one line."""
    kind = symbol.kind.name
    if kind == "TransparentMember":
        return short_detail(symbol.wrapped)
    if kind in ("Parameter", "EnumValue"):
        value = constant_text(symbol.value)
        return f"{type_name(symbol.type)}{' = ' + value if value else ''}"
    if kind == "TypeAlias":
        canonical = symbol.canonicalType
        width = width_of(symbol)
        if canonical.isEnum or canonical.isStruct:
            return f"{'enum' if canonical.isEnum else 'struct'}{', ' + bits(width) if width else ''}"
        return type_name(canonical)
    if kind == "Subroutine":
        arguments = ", ".join(argument.name for argument in symbol.arguments)
        return f"{'task' if symbol.subroutineKind.name == 'Task' else type_name(symbol.returnType)}({arguments})"
    if kind == "Instance":
        return str(symbol.definition.name)
    if kind == "InterfacePort":
        return str(symbol.interfaceDef.name) if symbol.interfaceDef is not None else "interface"
    if kind in ("Definition",):
        return str(symbol.getKindString())
    if symbol.isValue or kind in ("Port", "ModportPort"):
        return type_name(symbol.type)
    return str(_KINDS.get(kind, kind.lower()))


def _modport(symbol: Any, sources: SourceManager) -> Description:
    rows = [
        (f"`{member.name}`", _DIRECTIONS.get(member.direction.name, ""), f"`{type_name(member.type)}`")
        for member in symbol
        if member.kind.name == "ModportPort"
    ]
    said = written(symbol, sources)
    facts = (f"modport of `{_owner(symbol)}`",)
    return Description(f"modport {symbol.name}", facts, _table(("port", "", "type"), rows), said.documentation)


def _interface_port(symbol: Any, sources: SourceManager) -> Description:
    said = written(symbol, sources)
    facts = [f"interface {_kind_of(symbol).removeprefix('interface ')}"]
    connected = symbol.connection
    if connected is not None and connected[0] is not None:
        facts.append(f"connected to `{connected[0].hierarchicalPath}`")
    rows = []
    if symbol.interfaceDef is not None:
        scope = connected[1] if connected is not None and connected[1] is not None else None
        if scope is None and connected is not None and connected[0] is not None:
            scope = getattr(connected[0], "body", None)
        for member in scope or ():
            if member.kind.name == "ModportPort":
                rows.append((f"`{member.name}`", _DIRECTIONS.get(member.direction.name, ""), type_name(member.type)))
            elif member.kind.name in ("Net", "Variable"):
                rows.append((f"`{member.name}`", "", type_name(member.type)))
    return Description(said.text, tuple(facts), _table(("member", "", "type"), rows), said.documentation)


def source_text(node: Any, sources: SourceManager) -> str:
    """A node of the syntax on one line."""
    return _inline(source_of(node, sources))
