"""Dates as far as they are known: a day, or the month alone."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

_FORM = r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"


def require_partial_date(date_text: str) -> str:
    """The text as it is.

    Raises:
        ValueError: The text is no date, or not in this form.
    """
    try:
        if re.fullmatch(_FORM, date_text):
            date.fromisoformat(date_text if len(date_text) > len("2026-01") else f"{date_text}-01")
            return date_text
    except ValueError:
        pass
    raise ValueError(f"{date_text!r} is not a date. Write YYYY-MM-DD, or YYYY-MM if the day is unknown")


def may_be_before_or_equal(date: str, other_date: str) -> bool:
    """True if one date can be the same as another one, or earlier, as far as both are known."""
    shared_length = min(len(date), len(other_date))
    return date[:shared_length] <= other_date[:shared_length]


def _iso_text_if_date(value: object) -> object:
    # TOML and YAML read a date without quotes as more than text.
    return value.isoformat() if type(value) is date else value


PartialDate = Annotated[
    str,
    BeforeValidator(_iso_text_if_date),
    AfterValidator(require_partial_date),
    WithJsonSchema({"type": "string", "pattern": _FORM}),
]
"""`YYYY-MM-DD`, or `YYYY-MM` if the day is unknown."""
