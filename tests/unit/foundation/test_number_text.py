from __future__ import annotations

import pytest

from benchwright_foundation.number_text import clock_text, duration, number, percent, points_without_noun, signed_number


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        (number(1.005), "1.00"),
        (number(-0.5), "\N{MINUS SIGN}0.50"),
        (number(-0.001), "0.00"),
        (number(None), "–"),
        (number(2.5e9), "2.5e+09"),
        (signed_number(0.25), "+0.25"),
        (signed_number(-0.25), "\N{MINUS SIGN}0.25"),
        (signed_number(0.001), "0.00"),
        (signed_number(-3, 0), "\N{MINUS SIGN}3"),
        (points_without_noun(3.0), "3"),
        (points_without_noun(-2.5), "\N{MINUS SIGN}2.5"),
        (percent(0.455), "45.5 %"),
        (percent(-0.5), "\N{MINUS SIGN}50 %"),
        (percent(-0.00001), "0 %"),
        (percent(None), "–"),
    ],
)
def test_numbers_have_one_format(text: str, expected_text: str) -> None:
    assert text == expected_text


@pytest.mark.parametrize(
    ("seconds", "expected_text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3599, "1 h"),
        (7500, "2 h 5 min"),
        (2 * 86_400, "2 d"),
        (2 * 86_400 + 3 * 3600, "2 d 3 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, expected_text: str) -> None:
    assert duration(seconds) == expected_text


@pytest.mark.parametrize(
    ("seconds", "expected_text"), [(0, "00:00"), (192.9, "03:12"), (3792, "1:03:12"), (-1, "00:00")]
)
def test_a_clock_shows_hours_once_there_are_some(seconds: float, expected_text: str) -> None:
    assert clock_text(seconds) == expected_text
