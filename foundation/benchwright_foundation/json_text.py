"""JSON that somebody else wrote: whatever it says, it is a value that can be stored and written again, or refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

DEEPEST = 200
"""Arrays and objects within each other: a fixed number, because how much fits the stack depends on who calls."""
_LARGEST = 2**63 - 1
"""Databases have no larger numbers, and no clock or count needs one."""
_LONGEST_NUMBER = len(str(-_LARGEST))


def parse_untrusted_json(text: str | bytes) -> Any:
    """The value of a JSON text in UTF-8. Strings may have lone surrogates, as those of editors in JavaScript do.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or has a number that is not finite or beyond 64 bits.
    """
    if isinstance(text, bytes):
        text = text.decode()
    try:
        value = _decoder.decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    # Hardly any text has as many brackets.
    if text.count("[") + text.count("{") > DEEPEST and is_nested_deeper_than(value, DEEPEST):
        raise ValueError(_TOO_DEEP)
    return value


def is_nested_deeper_than(value: object, depth: int) -> bool:
    """True if a JSON value has more arrays and objects within each other than this."""
    inner_level = [value]
    for _ in range(depth):
        inner_level = [inner_value for outer_value in inner_level for inner_value in _inner_values(outer_value)]
    return any(isinstance(inner_value, dict | list) for inner_value in inner_level)


def parse_finite_number(number_text: str) -> float:
    """A number of a JSON text with a fraction or an exponent.

    Raises:
        ValueError: It is too large.
    """
    number = float(number_text)
    if not math.isfinite(number):
        raise ValueError(f"the number {number_text[:_LONGEST_NUMBER]} is too large")
    return number


def refuse_nan_and_infinity(constant_name: str) -> float:
    """NaN and Infinity, which JSON does not have.

    Raises:
        ValueError: Always.
    """
    raise ValueError(f"{constant_name} is not JSON")


_TOO_DEEP = f"it has more than {DEEPEST} arrays and objects within each other"


def _parse_64_bit_integer(text: str) -> int:
    # Longer ones take a long time to read.
    if len(text) > _LONGEST_NUMBER or abs(int(text)) > _LARGEST:
        raise ValueError(f"the number {text[:_LONGEST_NUMBER]} is too large")
    return int(text)


def _inner_values(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


_decoder = json.JSONDecoder(
    parse_int=_parse_64_bit_integer, parse_float=parse_finite_number, parse_constant=refuse_nan_and_infinity
)
