"""Numbers, shares and times as people read them, on pages, in reports and in terminals.

One format everywhere: a decimal point, a minus sign (U+2212) and none before zero, a space before `%` and units, and a
dash for what is not known. Files and JSON have Python's numbers instead.
"""

from __future__ import annotations

UNKNOWN = "\N{EN DASH}"
"""Text of a number that nobody has measured."""

_ENDLESS = 1e6
_MINUTE_S, _HOUR_MIN, _DAY_MIN = 60, 60, 1440
_DAYS_FROM_MIN = 2 * _DAY_MIN


def number(value: float | None, digits: int = 2) -> str:
    """A number with `digits` after the point; from a million on, with two digits and an exponent."""
    if value is None:
        return UNKNOWN
    return _with_minus_sign(f"{value:.2g}" if abs(value) >= _ENDLESS else f"{value:.{digits}f}")


def signed_number(value: float, digits: int = 2) -> str:
    """A difference, always with its sign; zero has none."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and float(text) else text


def four_digit_number(value: float) -> str:
    """A number of any size, with four digits that tell something."""
    size = abs(value)
    digits = 0 if size >= 1_000 else 4 if size < 1 else 4 - len(f"{size:.0f}")
    text = f"{value:,.{digits}f}" if size >= 0.001 or not value else f"{value:.9f}"
    return _with_minus_sign(text.rstrip("0").rstrip(".") if "." in text else text)


def points_without_noun(value: float) -> str:
    """Points, with at most three digits after the point and no zeros at the end."""
    return _with_minus_sign(f"{value:.3f}".rstrip("0").rstrip("."))


def signed_points_with_noun(value: float) -> str:
    """Points that are added or taken away, with their sign and noun."""
    noun = "point" if abs(value) == 1 else "points_without_noun"
    return f"{'+' if value > 0 else ''}{points_without_noun(value)} {noun}"


def counted(amount: int, singular: str, plural: str = "") -> str:
    """An amount with its noun."""
    return f"{amount:,} {singular if amount == 1 else plural or singular + 's'}"


def percent(share: float | None) -> str:
    """A share from 0 to 1 in percent, with one digit after the point where it is not zero."""
    return UNKNOWN if share is None else _with_minus_sign(f"{100 * share:.1f} %".replace(".0 %", " %"))


def minutes_without_unit(time_min: float) -> str:
    """A time in minutes, with as many digits as tell something."""
    return f"{time_min:.2g}" if time_min < 10 else f"{time_min:,.0f}"


def duration(seconds: float) -> str:
    """A duration as people say it, such as `40 s`, `3 min`, `2 h 5 min`, `3 d 4 h`."""
    if round(seconds) < _MINUTE_S:
        return f"{seconds:.0f} s"
    total = round(seconds / _MINUTE_S)
    if total < _HOUR_MIN:
        return f"{total} min"
    if total < _DAYS_FROM_MIN:
        return _two_units(total // _HOUR_MIN, "h", total % _HOUR_MIN, "min")
    return _two_units(total // _DAY_MIN, "d", total % _DAY_MIN // _HOUR_MIN, "h")


def clock_text(seconds: float) -> str:
    """A time on an attempt's clock, such as `03:12` or `1:03:12`."""
    whole_s = max(0, int(seconds))
    minutes_and_seconds = f"{whole_s // 60 % 60:02}:{whole_s % 60:02}"
    return f"{whole_s // 3600}:{minutes_and_seconds}" if whole_s >= 3600 else minutes_and_seconds


def _two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def _with_minus_sign(number_text: str) -> str:
    if not number_text.startswith("-"):
        return number_text
    return number_text[1:] if not number_text.strip("-0. %") else f"\N{MINUS SIGN}{number_text[1:]}"
