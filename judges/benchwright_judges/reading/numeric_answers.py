"""Numbers with units, as people and models write them in every answer language.

A written number can have several readings: `1.024` is a thousand in German and a fraction in English,
`32 KB` is 32 768 bytes to a computer architect (JEDEC 100B.01) and 32 000 to a network engineer (SI). A
quantity keeps all of them, and two quantities are the same where one reading of each agrees.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of

_MAX_TEXT = 200
_MAX_POWER = 4096

_SI = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "m": -3, "u": -6, "n": -9, "p": -12}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
# Capital K, M, G before bit or byte: 1024 in memories, 1000 on wires.
_JEDEC = {"K": 10, "M": 20, "G": 30, "T": 40}

_PREFIXES = {
    **{"kilo": "K", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "u", "nano": "n", "pico": "p"},
    **{"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti"},
}
_TIMES = ("x", "\u00d7", "times", "mal", "-fach", "fach", "fois", "倍")
_SIXTIES = {"min": 60, "h": 3600}


class Dimension(StrEnum):
    """The dimension of a number."""

    NONE = ""
    PERCENT = "%"
    BITS = "bit"
    BIT_RATE = "bit/s"
    SECONDS = "s"
    HERTZ = "Hz"
    WATTS = "W"
    VOLTS = "V"
    JOULES = "J"


class NumberComparison(StrEnum):
    """Result of the comparison of a number with the key's."""

    SAME = "same"
    DIFFERENT = "different"
    UNIT_MISSING = "unit missing"
    """The same number, but one has a unit and the other has none."""
    UNIT_DIFFERS = "unit differs"
    ROUNDED = "rounded"
    """One may be the other, rounded or cut off to the digits that it is written with."""


@dataclass(frozen=True)
class Quantity:
    """A number and its dimension, in all readings of its notation."""

    numbers: frozenset[Fraction]
    """The bare number's readings."""
    factors: frozenset[Fraction]
    """Factors that the unit multiplies it by, to bit, second, hertz ..."""
    dimension: Dimension
    step: Fraction = Fraction(0)
    """The place value of the last digit behind the decimal separator, in the bare number; 0 if there is none."""

    @property
    def values(self) -> frozenset[Fraction]:
        """All readings in the dimension's own unit."""
        return frozenset(number * factor for number in self.numbers for factor in self.factors)


def read_quantity(text: str, language: str = "en") -> Quantity | None:
    """The quantity that a string consists of; None for any other string.

    Read are decimal numbers with the thousands separators of English, German, French and Chinese,
    `1e3`, `1.5 x 10^6`, `2^10`, `2**10`, `3/4`, `0x1F`, `0b101`, `1FH`, and Verilog literals such as `8'hFF`.

    Args:
        text: A short answer; LaTeX and Markdown around it are the caller's to remove.
        language: ISO 639 code; decides whether `1.024` may be a thousand.
    """
    if len(text) > _MAX_TEXT:
        return None
    # NFKC turns full-width digits, superscripts and the two micro signs into plain ones, so powers go first.
    plain_text = re.sub("([0-9])([\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b]+)", r"\1^\2", text)
    plain_text = unicodedata.normalize("NFKC", plain_text)
    plain_text = (
        plain_text.replace("\u2212", "-")
        .replace("\u03bc", "u")
        .replace("\u00b5", "u")
        .rstrip(" \t\r\n.;,!。，；！")
        .lstrip()
    )
    number = _NUMBER.match(plain_text)
    if number is None and (spoken := _number_in_words(plain_text)):
        plain_text = f"{spoken[0]} {plain_text[spoken[1] :]}"
        number = _NUMBER.match(plain_text)
    if number is None:
        return None
    reading = _number(number, language)
    unit = _unit(plain_text[number.end() :].strip(" -"))
    if reading is None or unit is None:
        return None
    numbers, step = reading
    dimension, factors = unit
    return Quantity(numbers, factors, dimension, step)


def read_binary(text: str) -> Quantity | None:
    """The number of an assembler's binary literal, such as `11111111B`; None for any other string.

    The same string may be a number of bytes, so the caller asks only where that is wrong.
    """
    match = re.fullmatch(r"([01]{2,64})\s?[Bb]", text.strip(" .;,。，；"))
    return (
        Quantity(frozenset({Fraction(int(match[1], 2))}), frozenset({Fraction(1)}), Dimension.NONE) if match else None
    )


def is_sloppy_byte(answer_quantity: Quantity, key_quantity: Quantity) -> bool:
    """True if an answer has `b` where the key has `B`, such as `18b` for `18B`, and is the same apart from that."""
    unit_factor = frozenset({Fraction(1)})
    return (
        answer_quantity.dimension is key_quantity.dimension is Dimension.BITS
        and answer_quantity.numbers == key_quantity.numbers
        and answer_quantity.factors == unit_factor
        and key_quantity.factors == frozenset({Fraction(8)})
    )


def names_bits(question: str) -> bool:
    """True if a question speaks of bits, so that `b` may stand for them on purpose."""
    return _patterns().bits.search(question) is not None


def compare(
    answer_quantity: Quantity, key_quantity: Quantity, tolerance: float | None = None, unit: str = ""
) -> NumberComparison:
    """Compare a given quantity with the key's.

    Args:
        answer_quantity: The answer.
        key_quantity: The right value.
        tolerance: Relative, as the key declares it. Without one the numbers have to be equal.
        unit: The unit that the question asks for: a number without one counts in it.
    """
    allowed = Fraction(str(tolerance or 0))
    question_unit = _unit(unit) if unit else None
    answer_quantity, key_quantity = (_in_unit(quantity, question_unit) for quantity in (answer_quantity, key_quantity))
    if answer_quantity.dimension is key_quantity.dimension:
        return _compared(answer_quantity, key_quantity, allowed, rounds=tolerance is None)
    if Dimension.NONE not in (answer_quantity.dimension, key_quantity.dimension):
        # 33 % and 0.33 W: the units are unrelated.
        return NumberComparison.UNIT_DIFFERS
    if Dimension.PERCENT in (answer_quantity.dimension, key_quantity.dimension):
        # 25 % and 0.25 are the same number.
        comparison = _compared(answer_quantity, key_quantity, allowed, rounds=tolerance is None)
        if comparison is not NumberComparison.DIFFERENT:
            return comparison
    if _agree(answer_quantity.numbers, key_quantity.numbers, allowed):
        return NumberComparison.UNIT_MISSING
    return NumberComparison.DIFFERENT


def _compared(
    answer_quantity: Quantity, key_quantity: Quantity, allowed: Fraction, *, rounds: bool
) -> NumberComparison:
    if _agree(answer_quantity.values, key_quantity.values, allowed):
        return NumberComparison.SAME
    step = max(quantity.step * max(quantity.factors) for quantity in (answer_quantity, key_quantity))
    is_near = rounds and any(
        abs(answer_value - key_value) < step
        for answer_value in answer_quantity.values
        for key_value in key_quantity.values
    )
    return NumberComparison.ROUNDED if is_near else NumberComparison.DIFFERENT


def asked_unit(question: str) -> str:
    """The only unit that a question asks for, as in "how many ns"; empty if there is none, or several."""
    units = {match[1] for match in _patterns().unit_request.finditer(question) if _unit(match[1])}
    return units.pop() if len(units) == 1 else ""


def asks_for_unit(question: str, quantity: Quantity) -> bool:
    """True if a question gives the unit of a quantity: behind a blank ("____ bits") or as in "in MB/s"."""
    unit = (quantity.dimension, quantity.factors)
    return any(_unit(match[1]) == unit for match in _patterns().unit_request.finditer(question))


_GROUPED = r"\d{1,3}(?:[,.' \u00a0\u202f\u2009]\d{3})+(?!\d)"
_NUMBER = re.compile(
    rf"""(?ix) (?P<sign>[-+]?)\s*
    (?: (?P<width>\d*)'s?(?P<radix>[bodh])(?P<literal>[0-9a-f_]+)
      | 0x(?P<hex>[0-9a-f_]+) | 0b(?P<binary>[01_]+)
      | (?P<suffixed>[0-9a-f]{{1,8}}(?:\s[0-9a-f]{{4}})*)(?-i:H)(?![a-z])
      | (?P<base>\d{{1,6}})\s*(?:\^|\*\*)\s*[({{]?(?P<power>[-+]?\d{{1,4}})[)}}]?(?![\d.])
      | (?P<numerator>\d{{1,12}})\s*/\s*(?P<denominator>\d{{1,12}})(?![\d.])
      | (?P<digits>{_GROUPED}(?:[.,]\d+)? | \d+(?:[.,]\d+)? | [.,]\d+)
        (?: (?:\s*[x*\u00d7\u22c5\u00b7]\s*10\s*(?:\^|\*\*)\s*[({{]?|e)(?P<exponent>[-+]?\d{{1,4}})[)}}]? )?
    ) (?![\d^']|(?<=\b0)x) """
)
_RADIX = {"b": 2, "o": 8, "d": 10, "h": 16}


def _number(match: re.Match[str], language: str) -> tuple[frozenset[Fraction], Fraction] | None:
    sign = -1 if match["sign"] == "-" else 1
    try:
        if match["literal"]:
            integer = int(match["literal"].replace("_", ""), _RADIX[match["radix"].lower()])
        elif match["hex"] or match["suffixed"]:
            integer = int((match["hex"] or match["suffixed"]).replace("_", "").replace(" ", ""), 16)
        elif match["binary"]:
            integer = int(match["binary"].replace("_", ""), 2)
        elif match["base"]:
            if abs(int(match["power"])) > _MAX_POWER:
                return None
            power = Fraction(int(match["base"])) ** int(match["power"])
            return frozenset({sign * power}), Fraction(0)
        elif match["numerator"]:
            return frozenset({sign * Fraction(int(match["numerator"]), int(match["denominator"]))}), Fraction(0)
        else:
            return _decimal(match, sign, language)
    except (ValueError, ZeroDivisionError):
        return None
    return frozenset({Fraction(sign * integer)}), Fraction(0)


def _decimal(match: re.Match[str], sign: int, language: str) -> tuple[frozenset[Fraction], Fraction] | None:
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > _MAX_POWER:
        return None
    digits = re.sub(r"[' \u00a0\u202f\u2009]", "", match["digits"])
    separators = re.findall(r"[.,]", digits)
    readings = set()
    if len(set(separators)) == 2 or len(separators) > 1:
        # Two kinds: the last one is the decimal separator. One kind, repeatedly: thousands.
        decimal = separators[-1] if len(set(separators)) == 2 else ""
        if decimal and separators.count(decimal) > 1:
            return None
        plain_digits = "".join("." if c == decimal else "" if c in ".," else c for c in digits)
        readings.add(Fraction(plain_digits))
    elif separators:
        integer_part, fraction_part = digits.split(separators[0])
        thousands = len(fraction_part) == 3 and integer_part not in ("", "0") and len(integer_part) <= 3
        answer_language = languages.find_language(language)
        comma_is_decimal = answer_language is not None and answer_language.numbers.comma_is_decimal
        if thousands and separators[0] == ("." if comma_is_decimal else ","):
            readings.add(Fraction(integer_part + fraction_part))
        # In English, a comma before three digits is not a decimal separator; in German, a point there may be one.
        if not thousands or separators[0] == "." or comma_is_decimal:
            readings.add(Fraction(f"{integer_part or 0}.{fraction_part}"))
    else:
        readings.add(Fraction(digits))
    scale = Fraction(10) ** exponent
    values = frozenset(sign * reading * scale for reading in readings)
    decimals = re.search(r"[.,](\d+)$", digits)
    # 1,024 is written as a whole number where it can be one.
    is_whole = any(reading.denominator == 1 for reading in readings)
    return values, scale / 10 ** len(decimals[1]) if decimals and not is_whole else Fraction(0)


def _unit(text: str) -> tuple[Dimension, frozenset[Fraction]] | None:
    """Dimension that a unit counts and the factors it may stand for; None for words that are not units."""
    text = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).replace("\u03bc", "u").replace("\u00b5", "u")
    if not text:
        return Dimension.NONE, frozenset({Fraction(1)})
    patterns = _patterns()
    text = patterns.per_second.sub("/s", text)
    if spelled := patterns.spelled.fullmatch(text):
        text = _PREFIXES[spelled[1].lower()] + patterns.prefixed_units[spelled[2].lower()] + spelled[3]
    text = patterns.unit_words.get(text, text)
    if text in _TIMES:
        return Dimension.NONE, frozenset({Fraction(1)})
    if text == "%":
        return Dimension.PERCENT, frozenset({Fraction(1, 100)})
    rate = patterns.rate.fullmatch(text)
    if rate and (amount := _information(rate[1])):
        # Data rates count in thousands (SI), storage possibly in multiples of 1024.
        return Dimension.BIT_RATE, frozenset({min(amount)})
    if amount := _information(text):
        return Dimension.BITS, amount
    if text in _SIXTIES:
        return Dimension.SECONDS, frozenset({Fraction(_SIXTIES[text])})
    for symbol, dimension in _PREFIXED.items():
        prefix = text.removesuffix(symbol)
        if prefix != text and (power := _SI.get("k" if prefix == "K" else prefix)) is not None:
            return dimension, frozenset({Fraction(10) ** power})
    return None


_PREFIXED = {
    "Hz": Dimension.HERTZ,
    "s": Dimension.SECONDS,
    "W": Dimension.WATTS,
    "V": Dimension.VOLTS,
    "J": Dimension.JOULES,
}


def _information(text: str) -> frozenset[Fraction] | None:
    """Bits in a unit of information; two factors if storage and data rates differ."""
    patterns = _patterns()
    match = patterns.information.fullmatch(text)
    if match is None or text in patterns.byte_symbols:
        return None
    prefix, word = match.groups()
    bits = 8 if word in patterns.bytes else 1
    if prefix.endswith("i"):
        return frozenset({Fraction(bits * 2 ** _BINARY[prefix.capitalize()])})
    factors = {Fraction(bits * 10 ** _SI["k" if prefix == "K" else prefix])}
    if prefix in _JEDEC:
        factors.add(Fraction(bits * 2 ** _JEDEC[prefix]))
    return frozenset(factors)


def _in_unit(quantity: Quantity, question_unit: tuple[Dimension, frozenset[Fraction]] | None) -> Quantity:
    if question_unit is None or quantity.dimension is not Dimension.NONE:
        return quantity
    return Quantity(quantity.numbers, question_unit[1], question_unit[0], quantity.step)


def _agree(answer_values: frozenset[Fraction], key_values: frozenset[Fraction], allowed: Fraction) -> bool:
    return any(
        abs(answer_value - key_value) <= allowed * abs(key_value)
        for answer_value in answer_values
        for key_value in key_values
    )


@dataclass(frozen=True, eq=False)
class _Patterns:
    bits: re.Pattern[str]
    """A word for bits."""
    unit_request: re.Pattern[str]
    """A unit that a question asks for."""
    per_second: re.Pattern[str]
    spelled: re.Pattern[str]
    """A spelled-out prefix and unit."""
    prefixed_units: Mapping[str, str]
    unit_words: Mapping[str, str]
    rate: re.Pattern[str]
    information: re.Pattern[str]
    bytes: frozenset[str]
    byte_symbols: frozenset[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    all_numbers = [language.numbers for language in known_languages]
    prefixed = {
        unit: symbol for language_numbers in all_numbers for unit, symbol in language_numbers.prefixed_units.items()
    }
    symbols = [symbol for language_numbers in all_numbers for symbol in language_numbers.byte_symbols]
    in_bytes = ["B", *symbols, *(word for language_numbers in all_numbers for word in language_numbers.byte_words)]
    in_bits = ["b", *(word for language_numbers in all_numbers for word in language_numbers.bit_words)]
    per = any_of(word for language_numbers in all_numbers for word in language_numbers.per)
    seconds = any_of(("s", *(word for language_numbers in all_numbers for word in language_numbers.seconds)))
    slashed = any_of(
        ("/s", *(f"/{word}" for language_numbers in all_numbers for word in language_numbers.seconds_behind_slash))
    )
    plurals = any_of(ending for language_numbers in all_numbers for ending in language_numbers.unit_plurals)
    return _Patterns(
        bits=re.compile(
            any_of(re.escape(word) for language_numbers in all_numbers for word in language_numbers.bit_words),
            re.IGNORECASE,
        ),
        unit_request=re.compile(
            rf"(?:[(\uff08]\s*[)\uff09]|_{{2,}}|{any_of(words.asks_in for words in all_numbers)})[\s*_`(]{{0,4}}"
            r"(%|[^\W\d_]{1,12}(?:/s)?)(?![^\W_\u2e80-\u9fff])"
        ),
        per_second=re.compile(rf"(?:{per})(?:{seconds})$", re.IGNORECASE),
        spelled=re.compile(rf"({any_of(_PREFIXES)})({any_of(prefixed)})(?:{plurals})?((?:/s)?)", re.IGNORECASE),
        prefixed_units=prefixed,
        unit_words={
            word: symbol for language_numbers in all_numbers for word, symbol in language_numbers.unit_words.items()
        },
        rate=re.compile(rf"(.+?)(?:{slashed}|ps)"),
        information=re.compile(rf"(|[KMGTP]i|ki|[kKMGT])-?({any_of((*in_bytes, *in_bits))})"),
        bytes=frozenset(in_bytes),
        byte_symbols=frozenset(symbols),
    )


def _number_in_words(text: str) -> tuple[str, int] | None:
    """The number whose words begin a short answer, as decimal digits, and where the words end; None if none do.

    As in "five hundred and twelve", „tausendvierundzwanzig“, « quatre-vingt-dix », 五百一十二.

    Args:
        text: A short answer. Words that stand for a number only in some places, such as articles, are not read.
    """
    pattern, word_pattern = _compile_number_words(languages.LANGUAGES)
    match = pattern.match(text)
    if not match:
        return None
    total = section = unit_sum = 0.0
    for word in word_pattern.findall(match[0].casefold()):
        value = _values(languages.LANGUAGES)[word]
        if value >= 1000:
            total += (section + unit_sum or 1) * value
            section = unit_sum = 0
        elif value >= 100 or (value == 10 and word > "\u2e80"):
            section += (unit_sum or 1) * value
            unit_sum = 0
        else:
            unit_sum += value
    return f"{total + section + unit_sum:.10g}", match.end()


@cache
def _values(known_languages: tuple[AnswerLanguage, ...]) -> dict[str, float]:
    return {word: value for language in known_languages for word, value in language.numbers.number_words.items()}


@cache
def _compile_number_words(known_languages: tuple[AnswerLanguage, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    longest = sorted(_values(known_languages), key=len, reverse=True)
    word = "|".join(map(re.escape, longest))
    separator = r"(?:[\s-]*(?:and|und|et)[\s-]*(?=(?:" + word + r"))|[\s-]+(?=(?:" + word + r")))?"
    return (
        re.compile(rf"(?:(?:{word}){separator})+(?![A-Za-zÀ-ÿ'’-])", re.IGNORECASE),
        re.compile(word),
    )
