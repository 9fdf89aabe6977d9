"""Number literals of SystemVerilog (IEEE 1800-2023, 5.7.1), and the same value in other radices."""

from __future__ import annotations

import re
from dataclasses import dataclass

LITERAL = re.compile(
    r"(?:(?P<size>[0-9][0-9_]*)\s*)?'(?P<sign>[sS]?)(?P<base>[bodhBODH])\s*(?P<digits>[0-9a-fA-FxXzZ?][0-9a-fA-FxXzZ?_]*)"
    r"|'(?P<fill>[01xXzZ])(?![\w$])"
    r"|(?<![\w$.'])(?P<decimal>[0-9][0-9_]*)(?![\w$.'])(?!\s*'[sSbodhBODH01xXzZ])"
)
"""A whole literal: sized or not, one that fills its context, or a plain decimal one."""

_BITS = {"b": 1, "o": 3, "h": 4}
_WORD = 32
"""From here on a value's leading zeros are left out."""
_MOST_BITS = 1 << 16
"""Wider literals are not computed: nobody reads 20,000 digits."""


@dataclass(frozen=True)
class Number:
    """The value that a literal stands for."""

    text: str
    """As written."""
    width: int
    """In bits; 32 where none is written."""
    is_sized: bool
    is_signed: bool
    bits: str
    """The `width` bits, the most significant first, in `01xz`."""
    is_cut: bool
    """True if digits were lost because they don't fit into the width."""

    @property
    def value(self) -> int | None:
        """The value as an unsigned number; none with x or z in it."""
        return int(self.bits, 2) if set(self.bits) <= {"0", "1"} else None

    @property
    def signed_value(self) -> int | None:
        """The value in two's complement."""
        value = self.value
        return None if value is None else value - (1 << self.width) if self.bits[0] == "1" else value


def literal_at(line: str, column: int) -> re.Match[str] | None:
    """The literal of a line that a column, counted from 0, is in or just behind."""
    return next((match for match in LITERAL.finditer(line) if match.start() <= column <= match.end()), None)


def read_number(literal: str) -> Number | None:
    """The value of a complete literal; None if it has none without a context, such as `'1`, or is too wide to show."""
    match = LITERAL.fullmatch(literal)
    if match is None or match["fill"]:
        return None
    if match["decimal"]:
        value = int(match["decimal"].replace("_", ""))
        width = max(32, value.bit_length() + 1)
        return Number(literal, width, False, True, format(value, "b").zfill(width), False)
    width = int(match["size"].replace("_", "")) if match["size"] else 32
    digits = match["digits"].replace("_", "").lower().replace("?", "z")
    if not 0 < width <= _MOST_BITS or len(digits) > _MOST_BITS:
        return None
    bits = _bits_of_digits(digits, match["base"].lower(), width)
    if bits is None:
        return None
    if not match["size"] and match["base"].lower() != "d":
        width = max(width, len(bits.lstrip("0")))
    filler = bits[0] if bits[0] in "xz" else "0"
    kept_bits = bits.rjust(width, filler)[-width:]
    return Number(
        literal, width, bool(match["size"]), bool(match["sign"]), kept_bits, bool(bits[:-width].strip(filler + "0"))
    )


def _bits_of_digits(digits: str, base_letter: str, width: int) -> str | None:
    if base_letter == "d":
        if digits in ("x", "z"):
            return digits * width
        return format(int(digits), "b") if digits.isdigit() else None
    digit_bits = _BITS[base_letter]
    bits = []
    for digit in digits:
        if digit in "xz":
            bits.append(digit * digit_bits)
        elif int(digit, 16) < 1 << digit_bits:
            bits.append(format(int(digit, 16), "b").zfill(digit_bits))
        else:
            return None
    return "".join(bits)


def number_in_radices(number: Number) -> list[tuple[str, str]]:
    """The value in each radix, by the radix's name."""
    prefix = f"{number.width}'{'s' if number.is_signed and number.is_sized else ''}"
    radix_rows = []
    if number.value is not None:
        radix_rows.append(("decimal", str(number.value)))
        if number.is_signed and number.signed_value != number.value:
            radix_rows[0] = ("decimal", str(number.signed_value))
        elif number.is_sized and number.bits[0] == "1" and number.width > 1:
            radix_rows.append(("decimal, as signed", str(number.signed_value)))
    radix_rows.append(("hexadecimal", f"{prefix}h{_digits_in_radix(number, 4)}"))
    radix_rows.append(("octal", f"{prefix}o{_digits_in_radix(number, 3)}"))
    radix_rows.append(
        ("binary", f"{prefix}b{_underscore_every_four(_without_leading_zeros_if_unsized(number.bits, number))}")
    )
    return radix_rows


def integer_in_radices(value: int, width: int, *, is_signed: bool) -> list[tuple[str, str]]:
    """An elaborated value in each radix, beside its name."""
    bits = format(value & ((1 << width) - 1), "b").zfill(width)
    return number_in_radices(Number("", width, width < _WORD, is_signed, bits, False))


def _digits_in_radix(number: Number, bits_per_digit: int) -> str:
    bits = number.bits
    filler = bits[0] if bits[0] in "xz" else "0"
    bits = bits.rjust(-(-len(bits) // bits_per_digit) * bits_per_digit, filler)
    groups = [bits[index : index + bits_per_digit] for index in range(0, len(bits), bits_per_digit)]
    text = "".join(_hex_or_unknown_digit(group) for group in groups)
    return _underscore_every_four(_without_leading_zeros_if_unsized(text, number))


def _hex_or_unknown_digit(digit_bits: str) -> str:
    if set(digit_bits) <= {"0", "1"}:
        return format(int(digit_bits, 2), "x")
    return digit_bits[0] if len(set(digit_bits)) == 1 else "X" if "x" in digit_bits else "Z"


def _without_leading_zeros_if_unsized(digits: str, number: Number) -> str:
    # The 32 bits of an unsized literal are not what anybody wrote.
    return digits if number.is_sized else digits.lstrip("0") or "0"


def _underscore_every_four(digits: str) -> str:
    first_size = len(digits) % 4
    groups = ([digits[:first_size]] if first_size else []) + [
        digits[index : index + 4] for index in range(first_size, len(digits), 4)
    ]
    return "_".join(groups)
