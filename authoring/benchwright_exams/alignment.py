"""Whether words stand on a page: letters and signs count, spaces and hyphens at ends of lines do not."""

from __future__ import annotations

import re
import unicodedata

_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n\s*\n")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u00ad", "-"))


def signs(text: str) -> str:
    """A text without what a line's end changes: spaces, and hyphens."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return "".join(sign for sign in plain if not sign.isspace() and sign != "-")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its full stop."""
    return [one.strip() for one in _SENTENCE.split(text) if one.strip()]


def is_on(words: str, page: str) -> bool:
    """Whether the words stand on the page in just this order, without a gap."""
    return signs(words) in signs(page)
