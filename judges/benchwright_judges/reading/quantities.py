"""Numbers with units, as people and models write them in every answer language.

A written number can have several readings: `1.024` is a thousand in German and a fraction in English, `32 KB` is
32 768 bytes to a computer architect (JEDEC 100B.01) and 32 000 to a network engineer (SI). A quantity keeps all of
them, and two quantities are the same where one reading of each agrees. General libraries of units read `Gb` as gilbert
and don't know `KB`, so the units of this field are here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage
from benchwright_judges.reading.reply import plain_text

_LONGEST = 80
_LARGEST_POWER = 4096
_ONE = frozenset({Fraction(1)})

_SI = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "m": -3, "u": -6, "n": -9, "p": -12}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
# Capital K, M, G before bit or byte: 1024 in memories, 1000 on wires.
_JEDEC = {"K": 10, "M": 20, "G": 30, "T": 40}
_SPELLED_PREFIXES = {
    **{"kilo": "K", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "u", "nano": "n", "pico": "p"},
    **{"mikro": "u", "méga": "M", "téra": "T"},
    **{"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti"},
}
_SYMBOLS = {"s": "s", "Hz": "Hz", "W": "W", "V": "V", "J": "J"}
_FIXED = {"%": ("%", Fraction(1, 100)), "x": ("", Fraction(1)), "×": ("", Fraction(1))}
_COUNTED = frozenset({"set", "line", "way", "entry", "word", "page", "frame", "cycle", "instruction", "stage"})
_FIXED |= {"min": ("s", Fraction(60)), "h": ("s", Fraction(3600))}


class Comparison(StrEnum):
    """Result of the comparison of a quantity with the key's."""

    SAME = "same"
    DIFFERENT = "different"
    UNIT_MISSING = "unit missing"
    """The same number, but one has a unit and the other has none."""
    UNIT_DIFFERS = "unit differs"
    """One counts something else than the other, such as lines and sets."""
    NEAR = "near"
    """One may be the other, rounded, or with another meaning of its prefix: 32 KB and 32 KiB."""


@dataclass(frozen=True)
class Unit:
    """What a number counts."""

    dimension: str
    """`b` (bit), `b/s`, `s`, `Hz`, `W`, `V`, `J`, `%`, a counted thing such as `set`, or empty."""
    factors: frozenset[Fraction] = _ONE
    """What it multiplies a number by, to bit, second, hertz …; two where a prefix has two meanings."""
    is_small_b: bool = field(default=False, compare=False)
    """True if it is written with a `b`, which may be meant for a `B`."""


@dataclass(frozen=True)
class Quantity:
    """A number and what it counts, in all readings of its notation."""

    numbers: frozenset[Fraction]
    """The bare number's readings."""
    unit: Unit
    step: Fraction = Fraction(0)
    """The place value of the last digit behind the decimal separator, in the bare number; 0 if there is none."""

    @property
    def values_in_base_unit(self) -> frozenset[Fraction]:
        """All readings in the dimension's own unit."""
        return frozenset(number * factor for number in self.numbers for factor in self.unit.factors)


def read_quantity(quantity_text: str, language: str = "en") -> Quantity | None:
    """The quantity that a string consists of; None for any other string.

    Read are decimal numbers with the thousands separators of English, German, French and Chinese, `1e3`,
    `1.5 x 10^6`, `2^10`, `2**10`, `3/4`, `½`, `0x1F`, `0b101`, `1FH`, and Verilog literals such as `8'hFF`.

    Args:
        quantity_text: A short answer.
        language: ISO 639 code; decides whether `1.024` may be a thousand.
    """
    if len(quantity_text) > _LONGEST:
        return None
    passage = plain_text(quantity_text).replace("\u03bc", "u").replace("\u00b5", "u").strip(" ;。，；").rstrip(".,")
    match = _NUMBER.match(passage)
    if match is None:
        return None
    if passage[match.end() :] == "h":
        return None  # An hour, or a hexadecimal number.
    reading, unit = _number_readings_and_step(match, language), read_unit(passage[match.end() :])
    return None if reading is None or unit is None else Quantity(reading[0], unit, reading[1])


def read_unit(unit_text: str) -> Unit | None:
    """The unit that a string is; None for words that are no unit. Empty text is the unit of a bare number."""
    words = _per_second_pattern(languages.LANGUAGES).sub("/s", " ".join(unit_text.strip(" -").split()))
    spelled_units = _symbols_by_unit_word(languages.LANGUAGES)
    name, _, per = words.partition("/")
    prefix = next((spelled for spelled in _SPELLED_PREFIXES if name.casefold().startswith(spelled)), "")
    symbol = spelled_units.get(name.casefold()[len(prefix) :])
    if symbol is not None:
        words = f"{_SPELLED_PREFIXES.get(prefix, '')}{symbol}{'/' if per else ''}{per}"
    if not words:
        return Unit("")
    if words in _COUNTED:
        return Unit(words)
    if words in _FIXED:
        dimension, factor = _FIXED[words]
        return Unit(dimension, frozenset({factor}))
    symbol, _, per = words.partition("/")
    if (factors := _possible_bits_per_unit(symbol.strip())) and per in ("", "s"):
        # Data rates count in thousands (SI), storage possibly in multiples of 1024.
        is_small_b = symbol.strip().endswith("b")
        return Unit("b/s", frozenset({min(factors)}), is_small_b) if per else Unit("b", factors, is_small_b)
    for name, dimension in _SYMBOLS.items():
        prefix = words.removesuffix(name)
        if prefix != words and prefix in _SI:
            return Unit(dimension, frozenset({Fraction(10) ** _SI[prefix]}))
    return None


def compare_quantities(
    answer_quantity: Quantity, key_quantity: Quantity, tolerance: float | None = None, asked_unit: Unit | None = None
) -> Comparison:
    """Compare a given quantity with the key's.

    Args:
        answer_quantity: The answer.
        key_quantity: The right value.
        tolerance: Relative, as the key declares it. Without one the numbers have to be equal.
        asked_unit: The unit that the question asks for: a number without one counts in it.
    """
    allowed = Fraction(str(tolerance or 0))
    if asked_unit is not None and asked_unit.dimension == "%" and not answer_quantity.unit.dimension:
        # 0.05 may be 5 %.
        hundredths = frozenset(number / 100 for number in key_quantity.numbers)
        if answer_quantity.numbers != key_quantity.numbers and _any_within_tolerance(
            answer_quantity.numbers, hundredths, allowed
        ):
            return Comparison.NEAR
    if asked_unit is not None:
        answer_quantity, key_quantity = (
            quantity if quantity.unit.dimension else Quantity(quantity.numbers, asked_unit, quantity.step)
            for quantity in (answer_quantity, key_quantity)
        )
    dimensions = {answer_quantity.unit.dimension, key_quantity.unit.dimension}
    if len(dimensions) == 1:
        return _compare_same_dimension(answer_quantity, key_quantity, allowed, accepts_rounding=tolerance is None)
    if "" not in dimensions:
        return Comparison.UNIT_DIFFERS
    if "%" in dimensions and (
        comparison := _compare_same_dimension(
            answer_quantity, key_quantity, allowed, accepts_rounding=tolerance is None
        )
    ) in (
        Comparison.SAME,
        Comparison.NEAR,
    ):
        return comparison  # 25 % and 0.25 are the same number.
    bare, with_unit = (
        (answer_quantity, key_quantity) if not answer_quantity.unit.dimension else (key_quantity, answer_quantity)
    )
    base_values = (
        with_unit.numbers | with_unit.values_in_base_unit | {value / 8 for value in with_unit.values_in_base_unit}
    )
    return (
        Comparison.UNIT_MISSING if _any_within_tolerance(bare.numbers, base_values, allowed) else Comparison.DIFFERENT
    )


def find_asked_unit(question_text: str) -> Unit | None:
    """The only unit that a question asks for: behind a blank ("____ sets") or as in "in MB/s"; None without one."""
    units = {
        unit
        for match in _asked_unit_pattern(languages.LANGUAGES).finditer(question_text)
        if (unit := read_unit(match[1])) is not None
    }
    return units.pop() if len(units) == 1 else None


def _compare_same_dimension(
    answer_quantity: Quantity, key_quantity: Quantity, relative_tolerance: Fraction, *, accepts_rounding: bool
) -> Comparison:
    if _any_within_tolerance(answer_quantity.values_in_base_unit, key_quantity.values_in_base_unit, relative_tolerance):
        return Comparison.SAME
    distance = min(
        abs(value - key_value)
        for value in answer_quantity.values_in_base_unit
        for key_value in key_quantity.values_in_base_unit
    )
    step = (
        max(quantity.step * max(quantity.unit.factors) for quantity in (answer_quantity, key_quantity))
        if accepts_rounding
        else Fraction(0)
    )
    has_prefixes = answer_quantity.unit.factors != key_quantity.unit.factors and answer_quantity.unit.dimension in (
        "b",
        "b/s",
    )
    # 2^40 is a tenth more than 10^12; a byte written as b is an eighth.
    is_near_prefix = has_prefixes and distance <= Fraction(1, 10) * max(map(abs, key_quantity.values_in_base_unit))
    is_sloppy_byte = answer_quantity.numbers & key_quantity.numbers and _may_write_bits_for_bytes(
        answer_quantity.unit, key_quantity.unit
    )
    return Comparison.NEAR if distance < step or is_near_prefix or is_sloppy_byte else Comparison.DIFFERENT


def _may_write_bits_for_bytes(answer_unit: Unit, key_unit: Unit) -> bool:
    """True if an answer may have `b` where `B` is meant."""
    return answer_unit.is_small_b and key_unit.factors == frozenset(8 * factor for factor in answer_unit.factors)


def _any_within_tolerance(
    answer_values: frozenset[Fraction], key_values: frozenset[Fraction], relative_tolerance: Fraction
) -> bool:
    return any(
        abs(value - key_value) <= relative_tolerance * abs(key_value)
        for value in answer_values
        for key_value in key_values
    )


_NUMBER = re.compile(
    r"""(?ix) (?P<sign>[-+]?)\s*
    (?: (?P<width>\d{0,4})'s?(?P<radix>[bodh])(?P<literal>[0-9a-f_]+)
      | 0x(?P<hex>[0-9a-f_]+) | 0b(?P<binary>[01_]+)
      | (?P<suffixed>[0-9a-f]{1,8}(?:\s[0-9a-f]{4})*)(?-i:H)(?![a-z])
      | (?P<base>\d{1,6})\s*(?:\^|\*\*)\s*[({]?(?P<power>[-+]?\d{1,4})[)}]?(?![\d.])
      | (?P<numerator>\d{1,12})\s*/\s*(?P<denominator>\d{1,12})(?![\d.])
      | (?P<digits>\d{1,3}(?:[,.' \u00a0\u202f\u2009]\d{3})+(?!\d)(?:[.,]\d+)? | \d+(?:[.,]\d+)? | [.,]\d+)
        (?: (?:\s*[x*\u00d7\u22c5\u00b7]\s*10\s*(?:\^|\*\*)\s*[({]?|e)(?P<exponent>[-+]?\d{1,4})[)}]? )?
    ) (?![\d^']|(?<=\b0)x) """
)
_RADIX = {"b": 2, "o": 8, "d": 10, "h": 16}


def _number_readings_and_step(
    number_match: re.Match[str], language: str
) -> tuple[frozenset[Fraction], Fraction] | None:
    """All readings of a number, and its step."""
    sign = -1 if number_match["sign"] == "-" else 1
    try:
        if number_match["literal"]:
            number = Fraction(int(number_match["literal"].replace("_", ""), _RADIX[number_match["radix"].lower()]))
        elif number_match["hex"] or number_match["suffixed"]:
            number = Fraction(
                int((number_match["hex"] or number_match["suffixed"]).replace("_", "").replace(" ", ""), 16)
            )
        elif number_match["binary"]:
            number = Fraction(int(number_match["binary"].replace("_", ""), 2))
        elif number_match["base"]:
            if abs(int(number_match["power"])) > _LARGEST_POWER:
                return None
            number = Fraction(int(number_match["base"])) ** int(number_match["power"])
        elif number_match["numerator"]:
            number = Fraction(int(number_match["numerator"]), int(number_match["denominator"]))
        else:
            return _decimal_readings_and_step(number_match, sign, language)
    except (ValueError, ZeroDivisionError):
        return None
    return frozenset({sign * number}), Fraction(0)


def _decimal_readings_and_step(
    number_match: re.Match[str], sign: int, language: str
) -> tuple[frozenset[Fraction], Fraction] | None:
    exponent = int(number_match["exponent"] or 0)
    if abs(exponent) > _LARGEST_POWER:
        return None
    digits = re.sub(r"[' \u00a0\u202f\u2009]", "", number_match["digits"])
    separators = re.findall(r"[.,]", digits)
    readings = set()
    if len(separators) > 1:
        # Two kinds: the last one is the decimal separator. One kind, repeatedly: thousands.
        decimal = separators[-1] if len(set(separators)) == 2 else ""
        if decimal and separators.count(decimal) > 1:
            return None
        readings.add(Fraction("".join("." if c == decimal else "" if c in ".," else c for c in digits)))
    elif separators:
        integer_part, fraction_part = digits.split(separators[0])
        is_grouped = len(fraction_part) == 3 and integer_part not in ("", "0") and len(integer_part) <= 3
        answer_language = languages.find_language(language)
        comma_is_decimal = answer_language is not None and answer_language.comma_is_decimal
        if is_grouped and separators[0] == ("." if comma_is_decimal else ","):
            readings.add(Fraction(integer_part + fraction_part))
        # In English, a comma before three digits is not a decimal separator; in German, a point there may be one.
        if not is_grouped or separators[0] == "." or comma_is_decimal:
            readings.add(Fraction(f"{integer_part or 0}.{fraction_part}"))
    else:
        readings.add(Fraction(digits))
    scale = Fraction(10) ** exponent
    decimals = re.search(r"[.,](\d+)$", digits)
    # 1,024 is written as a whole number where it can be one.
    is_whole = any(reading.denominator == 1 for reading in readings)
    step = scale / 10 ** len(decimals[1]) if decimals and not is_whole else Fraction(0)
    return frozenset(sign * reading * scale for reading in readings), step


def _possible_bits_per_unit(unit_symbol: str) -> frozenset[Fraction] | None:
    """Bits in a unit of information: two factors if storage and data rates differ."""
    match = re.fullmatch(r"(|[KMGTP]i|ki|[kKMGTP])-?([bBo]|[Bb]it|[Bb]its|[Bb]yte|[Bb]ytes)", unit_symbol)
    if match is None or unit_symbol == "o":
        return None
    prefix, bits = (
        match[1],
        1 if (match[2][0] == "b" and not match[2].startswith("byte")) or match[2][:3] == "Bit" else 8,
    )
    if prefix.endswith("i"):
        return frozenset({Fraction(bits * 2 ** _BINARY[prefix.capitalize()])})
    factors = {Fraction(bits * 10 ** _SI[prefix])}
    if prefix in _JEDEC:
        factors.add(Fraction(bits * 2 ** _JEDEC[prefix]))
    return frozenset(factors)


@cache
def _symbols_by_unit_word(known_languages: tuple[AnswerLanguage, ...]) -> dict[str, str]:
    """Words for units, lower case → symbol or counted thing."""
    return {
        word: symbol
        for language in known_languages
        for symbol, words in language.units.items()
        for word in words.split("|")
    }


@cache
def _per_second_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    seconds = "|".join(
        ("s", *(word for word, symbol in _symbols_by_unit_word(known_languages).items() if symbol == "s"))
    )
    return re.compile(
        rf"\s*(?:/\s*(?:{seconds})|·?s\^\{{?-1\}}?|(?<=[bB])ps|(?:per|pro|par|每)\s*(?:{seconds}))\Z", re.IGNORECASE
    )


@cache
def _asked_unit_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    asks_in = "|".join(language.words.asks_in for language in known_languages if language.words.asks_in)
    return re.compile(
        rf"(?:[(（]\s*[)）]|_{{2,}}|{asks_in})[\s*_`(]{{0,4}}(%|[^\W\d_]{{1,14}}(?:/s)?)(?![^\W_\u2e80-\u9fff])"
    )
