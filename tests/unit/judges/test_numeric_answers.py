r"""Numbers with units, as they are written in four languages."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.numeric_answers import (
    Dimension,
    NumberComparison,
    asks_for_unit,
    compare,
    read_quantity,
)

READ: list[tuple[str, str, set[Fraction], Dimension]] = [
    ("52", "en", {Fraction(52)}, Dimension.NONE),
    ("-5", "en", {Fraction(-5)}, Dimension.NONE),
    ("\u22125", "en", {Fraction(-5)}, Dimension.NONE),
    ("\uff15\uff12", "zh", {Fraction(52)}, Dimension.NONE),
    ("1,024", "en", {Fraction(1024)}, Dimension.NONE),
    ("1,024", "zh", {Fraction(1024)}, Dimension.NONE),
    ("1,024", "de", {Fraction(1024, 1000)}, Dimension.NONE),
    ("1.024", "en", {Fraction(1024, 1000)}, Dimension.NONE),
    ("1.024", "de", {Fraction(1024), Fraction(1024, 1000)}, Dimension.NONE),
    ("1 024", "fr", {Fraction(1024)}, Dimension.NONE),
    ("1\u202f024\u202f000", "fr", {Fraction(1_024_000)}, Dimension.NONE),
    ("1.234.567,89", "de", {Fraction(123_456_789, 100)}, Dimension.NONE),
    ("1,234,567.89", "en", {Fraction(123_456_789, 100)}, Dimension.NONE),
    ("2,5", "fr", {Fraction(5, 2)}, Dimension.NONE),
    ("0,125", "en", {Fraction(1, 8)}, Dimension.NONE),
    ("2^10", "en", {Fraction(1024)}, Dimension.NONE),
    ("2**10", "en", {Fraction(1024)}, Dimension.NONE),
    ("2^{10}", "en", {Fraction(1024)}, Dimension.NONE),
    ("2\u00b9\u2070", "en", {Fraction(1024)}, Dimension.NONE),
    ("10^-9 s", "en", {Fraction(1, 10**9)}, Dimension.SECONDS),
    ("1e3", "en", {Fraction(1000)}, Dimension.NONE),
    ("1.5 x 10^6 Hz", "en", {Fraction(1_500_000)}, Dimension.HERTZ),
    ("1.5\u00d710^6", "en", {Fraction(1_500_000)}, Dimension.NONE),
    ("3/4", "en", {Fraction(3, 4)}, Dimension.NONE),
    ("0xFF", "en", {Fraction(255)}, Dimension.NONE),
    ("0b1010", "en", {Fraction(10)}, Dimension.NONE),
    ("16'hFF", "en", {Fraction(255)}, Dimension.NONE),
    ("8'b1010_1010", "en", {Fraction(170)}, Dimension.NONE),
    ("4'd9", "en", {Fraction(9)}, Dimension.NONE),
    ("'o17", "en", {Fraction(15)}, Dimension.NONE),
    ("35301H", "zh", {Fraction(0x35301)}, Dimension.NONE),
    ("8000 0004H", "zh", {Fraction(0x80000004)}, Dimension.NONE),
    ("32 KiB", "en", {Fraction(32 * 1024 * 8)}, Dimension.BITS),
    ("32KB", "en", {Fraction(32 * 1024 * 8), Fraction(32_000 * 8)}, Dimension.BITS),
    ("32 kB", "en", {Fraction(32_000 * 8)}, Dimension.BITS),
    ("32 Ko", "fr", {Fraction(32 * 1024 * 8), Fraction(32_000 * 8)}, Dimension.BITS),
    ("4 Mbit", "en", {Fraction(4_000_000), Fraction(4 * 2**20)}, Dimension.BITS),
    ("128\u4f4d", "zh", {Fraction(128)}, Dimension.BITS),
    ("16\u5b57\u8282", "zh", {Fraction(128)}, Dimension.BITS),
    ("32 kb/s", "en", {Fraction(32_000)}, Dimension.BIT_RATE),
    ("32kbit/s", "de", {Fraction(32_000)}, Dimension.BIT_RATE),
    ("32 Kbps", "en", {Fraction(32_000)}, Dimension.BIT_RATE),
    ("100 MB/s", "en", {Fraction(800_000_000)}, Dimension.BIT_RATE),
    ("8 megabits per second", "en", {Fraction(8_000_000)}, Dimension.BIT_RATE),
    ("10 ns", "en", {Fraction(1, 10**8)}, Dimension.SECONDS),
    ("10 \u00b5s", "en", {Fraction(1, 10**5)}, Dimension.SECONDS),
    ("10 \u03bcs", "en", {Fraction(1, 10**5)}, Dimension.SECONDS),
    ("10 us", "en", {Fraction(1, 10**5)}, Dimension.SECONDS),
    ("5\u6beb\u79d2", "zh", {Fraction(5, 1000)}, Dimension.SECONDS),
    ("2 min", "en", {Fraction(120)}, Dimension.SECONDS),
    ("3.2 GHz", "en", {Fraction(3_200_000_000)}, Dimension.HERTZ),
    ("25%", "en", {Fraction(1, 4)}, Dimension.PERCENT),
    ("25 Prozent", "de", {Fraction(1, 4)}, Dimension.PERCENT),
    ("24-bit", "en", {Fraction(24)}, Dimension.BITS),
    (".5", "en", {Fraction(1, 2)}, Dimension.NONE),
    ("2x", "en", {Fraction(2)}, Dimension.NONE),
    ("five hundred and twelve", "en", {Fraction(512)}, Dimension.NONE),
    ("sixty-four bytes", "en", {Fraction(512)}, Dimension.BITS),
    ("tausendvierundzwanzig", "de", {Fraction(1024)}, Dimension.NONE),
    ("zweieinhalb", "de", {Fraction(5, 2)}, Dimension.NONE),
    ("cinq cent douze", "fr", {Fraction(512)}, Dimension.NONE),
    ("quatre-vingt-dix-huit", "fr", {Fraction(98)}, Dimension.NONE),
    ("\u4e8c\u5341\u4f4d", "zh", {Fraction(20)}, Dimension.BITS),
]


@pytest.mark.parametrize(("text", "language", "values", "dimension"), READ)
def test_a_number_is_read_in_all_its_readings(
    text: str, language: str, values: set[Fraction], dimension: Dimension
) -> None:
    quantity = read_quantity(text, language)
    assert quantity is not None
    assert (set(quantity.values), quantity.dimension) == (values, dimension)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "five or six",
        "five hundred and",
        "O(1)",
        "52 or 53",
        "10 10",
        "1.2.3",
        "5 cycles",
        "n+1",
        "1/0",
        "2^99999",
        "1e99999",
        "0x",
        "8'hG1",
    ],
)
def test_what_is_more_or_less_than_a_number_is_none(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize("text", ["12'34", "A2A3", "--5", "9" * 500, "PC", ".", "%"])
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("answer", "key", "comparison"),
    [
        ("24", "24", NumberComparison.SAME),
        ("0x18", "24", NumberComparison.SAME),
        ("25", "24", NumberComparison.DIFFERENT),
        ("24.1", "24", NumberComparison.DIFFERENT),
        ("32 KB", "32 KiB", NumberComparison.SAME),
        ("32 kB", "32 KiB", NumberComparison.DIFFERENT),
        ("32768 B", "32 KiB", NumberComparison.SAME),
        ("32 MB", "32 Mbit", NumberComparison.DIFFERENT),
        ("4 MB", "32 Mbit", NumberComparison.SAME),
        ("32 KB/s", "32 kb/s", NumberComparison.DIFFERENT),
        ("25.6 GiB/s", "25.6 GB/s", NumberComparison.DIFFERENT),
        ("500 ns", "0.5 us", NumberComparison.SAME),
        ("504 ns", "0.5 us", NumberComparison.ROUNDED),
        ("620 ns", "0.5 us", NumberComparison.DIFFERENT),
        ("500 ms", "0.5 us", NumberComparison.DIFFERENT),
        ("0.33", "1/3", NumberComparison.ROUNDED),
        ("0.35", "1/3", NumberComparison.DIFFERENT),
        ("33.3%", "1/3", NumberComparison.ROUNDED),
        ("0.25", "25%", NumberComparison.SAME),
        ("25", "25%", NumberComparison.UNIT_MISSING),
        ("32", "32 kb/s", NumberComparison.UNIT_MISSING),
        ("33", "32 kb/s", NumberComparison.DIFFERENT),
        ("6 bits", "6", NumberComparison.UNIT_MISSING),
        ("6 s", "6 bits", NumberComparison.UNIT_DIFFERS),
    ],
)
def test_two_numbers_are_compared_by_value_and_unit(answer: str, key: str, comparison: NumberComparison) -> None:
    answer_quantity, key_quantity = read_quantity(answer), read_quantity(key)
    assert answer_quantity
    assert key_quantity
    assert compare(answer_quantity, key_quantity) is comparison


def test_a_declared_tolerance_and_unit_count() -> None:
    quantity, key_quantity = read_quantity("102"), read_quantity("100 ns")
    assert quantity
    assert key_quantity
    assert compare(quantity, key_quantity, tolerance=0.02, unit="ns") is NumberComparison.SAME
    assert compare(quantity, key_quantity, tolerance=0.01, unit="ns") is NumberComparison.DIFFERENT
    assert compare(quantity, key_quantity, tolerance=0.02, unit="us") is NumberComparison.DIFFERENT


@pytest.mark.parametrize(
    ("question", "quantity", "asks"),
    [
        ("The tag has at least ____ bits.", "24 bits", True),
        ("At least () bits are needed.", "6 bits", True),
        ("\u81f3\u5c11\u9700\u8981\uff08\uff09\u4f4d\u3002", "6 bits", True),
        ("What is the rate in kb/s?", "32 kb/s", True),
        ("The share is ____ %.", "3%", True),
        ("A cache has lines of 64 bytes. How many?", "24 bytes", False),
        ("It's late. How long?", "5 s", False),
    ],
)
def test_a_question_gives_a_unit_behind_its_blank_or_as_in_unit(question: str, quantity: str, asks: bool) -> None:
    parsed_quantity = read_quantity(quantity)
    assert parsed_quantity
    assert asks_for_unit(question, parsed_quantity) is asks


@given(number=st.integers(-(10**9), 10**9), unit=st.sampled_from(["", " ns", " KiB", "%", " MHz", " Mbit/s"]))
def test_a_whole_number_is_the_same_in_every_writing(number: int, unit: str) -> None:
    key_quantity = read_quantity(f"{number}{unit}")
    assert key_quantity
    for writing in (f"{number:,}{unit}", f"{number:,}".replace(",", " ") + unit, f"{number}.0{unit}"):
        quantity = read_quantity(writing)
        assert quantity
        assert compare(quantity, key_quantity) is NumberComparison.SAME


@given(text=st.text(max_size=40))
def test_any_text_is_a_number_or_none(text: str) -> None:
    quantity = read_quantity(text)
    assert quantity is None or quantity.values
