"""Types as a reader wants to see them: name, width, and a table of their members."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyslang.ast import (
    ClassType,
    EnumType,
    EnumValueSymbol,
    FieldSymbol,
    PackedStructType,
    PackedUnionType,
    TypeAliasType,
    TypeParameterSymbol,
    UnpackedStructType,
    UnpackedUnionType,
)

from benchwright_verilog.language.completion.names_in_scope import innermost_element_type
from benchwright_verilog.language.declarations import declaration_of, type_name, width_of
from benchwright_verilog.language.explanation.description import (
    NameDescription,
    bits_phrase,
    kind_with_owner,
    markdown_table,
    owner_path,
)
from benchwright_verilog.language.explanation.values import binary_literal, constant_text

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.ast import Type

_MOST_LINES = 20
_SCOPE_KIND = re.compile(r"Scope\(SymbolKind\.(\w+)")


def describe_type(symbol: Type | TypeParameterSymbol, sources: SourceManager) -> NameDescription:
    """Describe a `typedef`, class, enumeration, structure or type parameter."""
    # A parameter that an instance sets has no syntax of its own.
    alias = symbol.typeAlias if isinstance(symbol, TypeParameterSymbol) else symbol
    declaration = declaration_of(alias if alias.syntax is not None else symbol, sources)
    target_type = symbol.targetType.type if isinstance(symbol, TypeParameterSymbol) else symbol
    if isinstance(symbol, TypeParameterSymbol) or _is_type_parameter(symbol):
        first_fact = f"type parameter of `{owner_path(symbol)}`"
    else:
        first_fact = kind_with_owner("class" if isinstance(symbol, ClassType) else "type", symbol)
    fact_lines = [first_fact] if isinstance(symbol, ClassType) else [first_fact, type_line(target_type)]
    lines = declaration.text.splitlines()
    text = declaration.text if len(lines) <= _MOST_LINES else "\n".join([*lines[:_MOST_LINES], "…"])
    return NameDescription(text, tuple(fact_lines), members_table(target_type), declaration.documentation)


def type_line(type_: Type) -> str:
    """A type and its width: `` `word_t` · that is `logic [7:0]` · 8 bits · signed``."""
    name = f"`{type_name(type_)}`"
    canonical = type_.canonicalType
    type_parts = [name]
    element = type_
    while (element.isPackedArray or element.isUnpackedArray) and not isinstance(element, TypeAliasType):
        element = element.arrayElementType
    if isinstance(element, TypeAliasType) and _is_type_parameter(element):
        target = f"`{type_name(element.targetType.type)}`"
        type_parts.append(f"that is {target}" if element is type_ else f"`{element.name}` is {target}")
    if (
        canonical is not type_
        and not canonical.isError
        and not canonical.isEnum
        and not canonical.isStruct
        and not canonical.isClass
    ):
        resolved = f"`{type_name(canonical)}`"
        if resolved != name and f"that is {resolved}" not in type_parts:
            type_parts.append(f"that is {resolved}")
    width = width_of(type_)
    if width is not None:
        type_parts.append(bits_phrase(width))
    if canonical.isIntegral and canonical.isSigned:
        type_parts.append("signed")
    if canonical.isIntegral and not canonical.isFourState:
        type_parts.append("two-state")
    return " · ".join(type_parts)


def _is_type_parameter(symbol: Type) -> bool:
    return symbol.syntax is not None and symbol.syntax.kind.name == "TypeAssignment"


def members_table(type_: Type) -> str:
    """The members of a structure, union or enumeration, also of an array of them."""
    element = innermost_element_type(type_)
    if isinstance(element, EnumType):
        enum_values = [value for value in element if isinstance(value, EnumValueSymbol)]
        return markdown_table(("name", "value", ""), [_enum_row(value) for value in enum_values])
    if isinstance(element, (PackedStructType, PackedUnionType, UnpackedStructType, UnpackedUnionType)):
        struct_fields = [member for member in element if isinstance(member, FieldSymbol)]
        is_packed = isinstance(element, (PackedStructType, PackedUnionType))
        return markdown_table(
            ("member", "type", "bits" if is_packed else "width"), [_field_row(field) for field in struct_fields]
        )
    return ""


def bit_range(field: FieldSymbol) -> str:
    """The bits of a packed structure that a field takes, such as `7:4`; empty if it is not packed."""
    width = width_of(field.type)
    # slang's binding gives the scope without the symbol that it is; only its description names the kind.
    match = _SCOPE_KIND.match(repr(field.parentScope))
    if match is None or not match[1].startswith("Packed") or not width:
        return ""
    low = field.bitOffset
    return f"{low + width - 1}:{low}" if width > 1 else str(low)


def _enum_row(enum_value: EnumValueSymbol) -> tuple[str, str, str]:
    binary = binary_literal(enum_value.value)
    return f"`{enum_value.name}`", f"`{constant_text(enum_value.value)}`", f"`{binary}`" if binary else ""


def _field_row(field: FieldSymbol) -> tuple[str, str, str]:
    width = width_of(field.type)
    return f"`{field.name}`", f"`{type_name(field.type)}`", bit_range(field) or (bits_phrase(width) if width else "")
