r"""Numbers with units, as they are written in four languages."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.quantities import (
    Comparison,
    Unit,
    compare_quantities,
    find_asked_unit,
    read_quantity,
    read_unit,
)

READ: list[tuple[str, str, set[Fraction], str]] = [
    ("52", "en", {Fraction(52)}, ""),
    ("-5", "en", {Fraction(-5)}, ""),
    ("\u22125", "en", {Fraction(-5)}, ""),
    ("\uff15\uff12", "zh", {Fraction(52)}, ""),
    ("1,024", "en", {Fraction(1024)}, ""),
    ("1,024", "zh", {Fraction(1024)}, ""),
    ("1,024", "de", {Fraction(1024, 1000)}, ""),
    ("1.024", "en", {Fraction(1024, 1000)}, ""),
    ("1.024", "de", {Fraction(1024), Fraction(1024, 1000)}, ""),
    ("1 024", "fr", {Fraction(1024)}, ""),
    ("1\u202f024\u202f000", "fr", {Fraction(1_024_000)}, ""),
    ("1.234.567,89", "de", {Fraction(123_456_789, 100)}, ""),
    ("1,234,567.89", "en", {Fraction(123_456_789, 100)}, ""),
    ("2,5", "fr", {Fraction(5, 2)}, ""),
    ("0,125", "en", {Fraction(1, 8)}, ""),
    ("2^10", "en", {Fraction(1024)}, ""),
    ("2**10", "en", {Fraction(1024)}, ""),
    ("2^{10}", "en", {Fraction(1024)}, ""),
    ("2\u00b9\u2070", "en", {Fraction(1024)}, ""),
    ("10^-9 s", "en", {Fraction(1, 10**9)}, "s"),
    ("1e3", "en", {Fraction(1000)}, ""),
    ("1.5 x 10^6 Hz", "en", {Fraction(1_500_000)}, "Hz"),
    ("1.5\u00d710^6", "en", {Fraction(1_500_000)}, ""),
    ("3/4", "en", {Fraction(3, 4)}, ""),
    ("0xFF", "en", {Fraction(255)}, ""),
    ("0b1010", "en", {Fraction(10)}, ""),
    ("16'hFF", "en", {Fraction(255)}, ""),
    ("8'b1010_1010", "en", {Fraction(170)}, ""),
    ("4'd9", "en", {Fraction(9)}, ""),
    ("'o17", "en", {Fraction(15)}, ""),
    ("35301H", "zh", {Fraction(0x35301)}, ""),
    ("8000 0004H", "zh", {Fraction(0x80000004)}, ""),
    ("32 KiB", "en", {Fraction(32 * 1024 * 8)}, "b"),
    ("32KB", "en", {Fraction(32 * 1024 * 8), Fraction(32_000 * 8)}, "b"),
    ("32 kB", "en", {Fraction(32_000 * 8)}, "b"),
    ("32 Ko", "fr", {Fraction(32 * 1024 * 8), Fraction(32_000 * 8)}, "b"),
    ("4 Mbit", "en", {Fraction(4_000_000), Fraction(4 * 2**20)}, "b"),
    ("128\u4f4d", "zh", {Fraction(128)}, "b"),
    ("16\u5b57\u8282", "zh", {Fraction(128)}, "b"),
    ("32 kb/s", "en", {Fraction(32_000)}, "b/s"),
    ("32kbit/s", "de", {Fraction(32_000)}, "b/s"),
    ("32 Kbps", "en", {Fraction(32_000)}, "b/s"),
    ("100 MB/s", "en", {Fraction(800_000_000)}, "b/s"),
    ("8 megabits per second", "en", {Fraction(8_000_000)}, "b/s"),
    ("10 ns", "en", {Fraction(1, 10**8)}, "s"),
    ("10 \u00b5s", "en", {Fraction(1, 10**5)}, "s"),
    ("10 \u03bcs", "en", {Fraction(1, 10**5)}, "s"),
    ("10 us", "en", {Fraction(1, 10**5)}, "s"),
    ("5\u6beb\u79d2", "zh", {Fraction(5, 1000)}, "s"),
    ("2 min", "en", {Fraction(120)}, "s"),
    ("3.2 GHz", "en", {Fraction(3_200_000_000)}, "Hz"),
    ("25%", "en", {Fraction(1, 4)}, "%"),
    ("25 Prozent", "de", {Fraction(1, 4)}, "%"),
    ("24-bit", "en", {Fraction(24)}, "b"),
    (".5", "en", {Fraction(1, 2)}, ""),
    ("2x", "en", {Fraction(2)}, ""),
]


@pytest.mark.parametrize(("text", "language", "values", "dimension"), READ)
def test_a_number_is_read_in_all_its_readings(text: str, language: str, values: set[Fraction], dimension: str) -> None:
    quantity = read_quantity(text, language)
    assert quantity is not None
    assert (set(quantity.values_in_base_unit), quantity.unit.dimension) == (values, dimension)


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
        "5 apples",
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
        ("24", "24", Comparison.SAME),
        ("0x18", "24", Comparison.SAME),
        ("25", "24", Comparison.DIFFERENT),
        ("24.1", "24", Comparison.DIFFERENT),
        ("32 KB", "32 KiB", Comparison.SAME),
        ("32 kB", "32 KiB", Comparison.NEAR),
        ("32768 B", "32 KiB", Comparison.SAME),
        ("32 MB", "32 Mbit", Comparison.DIFFERENT),
        ("4 MB", "32 Mbit", Comparison.SAME),
        ("32 KB/s", "32 kb/s", Comparison.DIFFERENT),
        ("32 kb/s", "32 KB/s", Comparison.NEAR),
        ("32 kbit/s", "32 KB/s", Comparison.DIFFERENT),
        ("25.6 GiB/s", "25.6 GB/s", Comparison.NEAR),
        ("500 ns", "0.5 us", Comparison.SAME),
        ("504 ns", "0.5 us", Comparison.NEAR),
        ("620 ns", "0.5 us", Comparison.DIFFERENT),
        ("500 ms", "0.5 us", Comparison.DIFFERENT),
        ("0.33", "1/3", Comparison.NEAR),
        ("0.35", "1/3", Comparison.DIFFERENT),
        ("33.3%", "1/3", Comparison.NEAR),
        ("0.25", "25%", Comparison.SAME),
        ("25", "25%", Comparison.UNIT_MISSING),
        ("32", "32 kb/s", Comparison.UNIT_MISSING),
        ("33", "32 kb/s", Comparison.DIFFERENT),
        ("6 bits", "6", Comparison.UNIT_MISSING),
        ("6 s", "6 bits", Comparison.UNIT_DIFFERS),
        ("128 lines", "128 sets", Comparison.UNIT_DIFFERS),
        ("25.6 GB s^-1", "25.6 GB/s", Comparison.SAME),
        ("\u00bd ns", "500 ps", Comparison.SAME),
        ("32 GB", "32 KB", Comparison.DIFFERENT),
    ],
)
def test_two_numbers_are_compared_by_value_and_unit(answer: str, key: str, comparison: Comparison) -> None:
    answer_quantity, key_quantity = read_quantity(answer), read_quantity(key)
    assert answer_quantity
    assert key_quantity
    assert compare_quantities(answer_quantity, key_quantity) is comparison


def test_a_declared_tolerance_and_unit_count() -> None:
    quantity, key_quantity = read_quantity("102"), read_quantity("100 ns")
    assert quantity
    assert key_quantity
    assert compare_quantities(quantity, key_quantity, tolerance=0.02, asked_unit=read_unit("ns")) is Comparison.SAME
    assert (
        compare_quantities(quantity, key_quantity, tolerance=0.01, asked_unit=read_unit("ns")) is Comparison.DIFFERENT
    )
    assert (
        compare_quantities(quantity, key_quantity, tolerance=0.02, asked_unit=read_unit("us")) is Comparison.DIFFERENT
    )


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("The tag has at least ____ bits.", Unit("b")),
        ("At least () bits are needed.", Unit("b")),
        ("\u81f3\u5c11\u9700\u8981\uff08\uff09\u4f4d\u3002", Unit("b")),
        ("The cache has ____ sets.", Unit("set")),
        ("Der Cache hat ____ Zeilen.", Unit("line")),
        ("What is the rate in b/s?", Unit("b/s")),
        ("It has lines of 64 bytes. What is the rate in ns?", read_unit("ns")),
        ("A cache has lines of 64 bytes. How big is it?", None),
        ("It's late. How long?", None),
        ("____ bits, or ____ bytes?", None),
    ],
)
def test_a_question_gives_a_unit_behind_its_blank_or_as_in_unit(question: str, unit: Unit | None) -> None:
    assert find_asked_unit(question) == unit


@given(number=st.integers(-(10**9), 10**9), unit=st.sampled_from(["", " ns", " KiB", "%", " MHz", " Mbit/s"]))
def test_a_whole_number_is_the_same_in_every_writing(number: int, unit: str) -> None:
    key_quantity = read_quantity(f"{number}{unit}")
    assert key_quantity
    for writing in (f"{number:,}{unit}", f"{number:,}".replace(",", " ") + unit, f"{number}.0{unit}"):
        quantity = read_quantity(writing)
        assert quantity
        assert compare_quantities(quantity, key_quantity) is Comparison.SAME


@given(text=st.text(max_size=40))
def test_any_text_is_a_number_or_none(text: str) -> None:
    quantity = read_quantity(text)
    assert quantity is None or quantity.values_in_base_unit
