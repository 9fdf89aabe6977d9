"""Observations of a failure, as numbers where there are some."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_LARGEST = 4_000
"""Characters of a message that are read."""
_COMPARED = (
    re.compile(r"\bassert (?P<got>.{1,200}?) == (?P<expected>.{1,200}?)(?:$|\n)"),
    re.compile(
        r"\b(?:expected|wanted|exp)\b[\s:=]*(?P<expected>[\w'.]+).{0,80}?"
        r"\b(?:got|actual|received|found|was|saw)\b[\s:=]*(?P<got>[\w'.]+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"\b(?:got|actual|received|found|saw)\b[\s:=]*(?P<got>[\w'.]+).{0,80}?"
        r"\b(?:expected|wanted|exp)\b[\s:=]*(?P<expected>[\w'.]+)",
        re.IGNORECASE | re.DOTALL,
    ),
)
_ARRAY = re.compile(r"(?:Logic(?:Array)?)\(['\"](?P<bits>[01xXzZuUwWlLhH-]+)['\"]")
_SIZED = re.compile(r"\d*'[sS]?(?P<base>[bodhBODH])(?P<digits>[\w?]+)")
_PREFIXED = re.compile(r"-?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*)")
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_UNKNOWN = re.compile(r"(?:^|[^\w])[01]*[xXzZuU][01xXzZuU]*(?:$|[^\w])")
_TOLD = re.compile(r"\b(?:unresolv|undefined|contains? (?:an )?[xz]\b|[xz] value|non-0/1)", re.IGNORECASE)
_CYCLE = re.compile(r"\bcycle\b[\s:=#]*(\d{1,12})", re.IGNORECASE)


@dataclass(frozen=True)
class FailureEvidence:
    """One failed test or assertion, as far as it may be seen."""

    message: str = ""
    expected_value: str | None = None
    actual_value: str | None = None
    has_unknown_signals: bool = False
    """True if the waveform ends with a signal that is x."""

    @classmethod
    def from_message(
        cls, message: str, expected_value: str | None = None, actual_value: str | None = None
    ) -> FailureEvidence:
        """Read what a message says: `assert 3 == 4` has got 3 and expected 4, `expected 4, got 3` as well."""
        message = message[:_LARGEST]
        if expected_value is None or actual_value is None:
            for pattern in _COMPARED:
                match = pattern.search(message)
                if match is not None:
                    return cls(message, match["expected"].strip(), match["got"].strip())
        return cls(
            message,
            expected_value[:_LARGEST] if expected_value else expected_value,
            actual_value[:_LARGEST] if actual_value else actual_value,
        )

    @cached_property
    def has_unknown_value(self) -> bool:
        """True if X or Z was seen where a number should be."""
        if self.has_unknown_signals:
            return True
        array = _ARRAY.search(self.actual_value or self.message)
        if array is not None:
            return not set(array["bits"]) <= {"0", "1", "l", "L", "h", "H"}
        sized = _SIZED.search(self.actual_value or "")
        if sized is not None:
            return bool(re.search(r"[xXzZ?]", sized["digits"]))
        return bool((self.actual_value and _UNKNOWN.search(self.actual_value)) or _TOLD.search(self.message))

    @cached_property
    def expected_and_actual_numbers(self) -> tuple[int, int] | None:
        """Expected and got; None if one of them is not a number."""
        expected_number, actual = parse_printed_number(self.expected_value), parse_printed_number(self.actual_value)
        return (expected_number, actual) if expected_number is not None and actual is not None else None

    @property
    def is_off_by_one(self) -> bool:
        """True if what was seen is one more or one less than it should be."""
        return (
            self.expected_and_actual_numbers is not None
            and abs(self.expected_and_actual_numbers[0] - self.expected_and_actual_numbers[1]) == 1
        )

    @property
    def is_actual_value_truncated(self) -> bool:
        """True if what was seen is what should be without its upper bits: 4 instead of 20."""
        if self.expected_and_actual_numbers is None:
            return False
        expected_number, actual = self.expected_and_actual_numbers
        return 0 <= actual < expected_number and any(
            actual == expected_number & ((1 << bits) - 1)
            for bits in range(actual.bit_length(), expected_number.bit_length())
        )

    @property
    def cycle_in_message(self) -> int | None:
        """The cycle that the message names."""
        match = _CYCLE.search(self.message)
        return int(match[1]) if match is not None else None


def parse_printed_number(text: str | None) -> int | None:
    """A number as tests print it: `20`, `0x14`, `8'h14`, `LogicArray('00010100', …)`."""
    if text is None:
        return None
    array = _ARRAY.search(text)
    if array is not None:
        return int(array["bits"], 2) if set(array["bits"]) <= {"0", "1"} else None
    sized = _SIZED.search(text)
    try:
        if sized is not None:
            return int(sized["digits"].replace("_", ""), _BASES[sized["base"].lower()])
        plain_number = _PREFIXED.fullmatch(text.strip())
        if plain_number is None:
            return None
        digits = plain_number[0].replace("_", "")
        return int(digits, 0) if digits.lstrip("-")[:2].lower() in ("0x", "0b") else int(digits)
    except ValueError:
        return None
