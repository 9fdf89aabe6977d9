"""Elaborated values as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyslang import SVInt

from benchwright_verilog.language.explanation.numbers import integer_in_radices

if TYPE_CHECKING:
    from pyslang import ConstantValue
    from pyslang.ast import Type

_WIDEST_VALUE = 256
"""In bits: wider values are shown as slang writes them, shortened, in one radix."""


def value_lines(constant: ConstantValue, type_: Type) -> list[str]:
    """A value; an integer in each radix."""
    text = constant_text(constant)
    if not text:
        return []
    integer = _known_integer(constant)
    if integer is None or integer.bitWidth > _WIDEST_VALUE:
        return [f"value `{text}`"]
    if type_.canonicalType.isScalar and integer.bitWidth == 1:
        return [f"value `{_signed_integer(integer)}`"]
    by_radix = dict(integer_in_radices(_signed_integer(integer), integer.bitWidth, is_signed=bool(integer.isSigned)))
    return [f"value `{by_radix.pop('decimal')}` · `{by_radix['hexadecimal']}` · `{by_radix['binary']}`"]


def constant_text(constant: ConstantValue | None) -> str:
    """A value as slang writes it, an integer that is not too wide in decimal; empty if there is none."""
    if constant is None or not bool(constant):
        return ""
    integer = _known_integer(constant)
    if integer is None or integer.bitWidth > _WIDEST_VALUE:
        return str(constant)
    return str(_signed_integer(integer))


def binary_literal(constant: ConstantValue) -> str:
    """An integer as a sized literal, such as `2'b01`; empty for other values, and for wide ones."""
    integer = _known_integer(constant)
    if integer is None or integer.bitWidth > _WIDEST_VALUE:
        return ""
    width = integer.bitWidth
    return f"{width}'b{_signed_integer(integer) & ((1 << width) - 1):0{width}b}"


def _known_integer(constant: ConstantValue) -> SVInt | None:
    value = constant.value
    return value if isinstance(value, SVInt) and not value.hasUnknown else None


def _signed_integer(integer: SVInt) -> int:
    return int(integer)
