from __future__ import annotations

import pytest

from benchwright_verilog.language.explanation.numbers import literal_at, number_in_radices, read_number


@pytest.mark.parametrize(
    ("literal", "width", "value", "signed"),
    [
        ("8'hff", 8, 255, -1),
        ("8'shFF", 8, 255, -1),
        ("12", 32, 12, 12),
        ("4_0", 32, 40, 40),
        ("'h1_0000_0000", 33, 1 << 32, -(1 << 32)),
        ("3'd9", 3, 1, 1),
        ("16 'd 255", 16, 255, 255),
    ],
)
def test_the_value_is_that_of_the_language(literal: str, width: int, value: int, signed: int) -> None:
    number = read_number(literal)
    assert number is not None
    assert (number.width, number.value, number.signed_value) == (width, value, signed)


@pytest.mark.parametrize(
    ("literal", "bits"), [("4'bx", "xxxx"), ("8'hz1", "zzzz0001"), ("6'o1?", "001zzz"), ("4'bz01", "zz01")]
)
def test_unknown_bits_fill_to_the_left(literal: str, bits: str) -> None:
    number = read_number(literal)
    assert number is not None
    assert number.bits == bits
    assert number.value is None


@pytest.mark.parametrize("literal", ["'1", "'x", "8'b2", "8'o9", "0'd1", "99999999'h0", "abc", ""])
def test_what_has_no_value_by_itself_is_none(literal: str) -> None:
    assert read_number(literal) is None


def test_lost_digits_are_told() -> None:
    assert read_number("3'd9").is_cut  # type: ignore[union-attr]
    assert not read_number("4'd9").is_cut  # type: ignore[union-attr]


def test_all_radices_are_given() -> None:
    number = read_number("12'hABC")
    assert number is not None
    assert dict(number_in_radices(number)) == {
        "decimal": "2748",
        "decimal, as signed": "-1348",
        "hexadecimal": "12'habc",
        "octal": "12'o5274",
        "binary": "12'b1010_1011_1100",
    }


@pytest.mark.parametrize(
    ("line", "column", "expected_literal"),
    [("a = 8'hff;", 7, "8'hff"), ("a1 = 5", 1, None), ("x = 1.5", 6, None), ("b'0", 0, None), ("3'b101", 0, "3'b101")],
)
def test_only_a_whole_literal_is_found(line: str, column: int, expected_literal: str | None) -> None:
    match = literal_at(line, column)
    assert (match[0] if match is not None else None) == expected_literal
