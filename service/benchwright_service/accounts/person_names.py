"""Names as people give them, made fit for a list that others read."""

from __future__ import annotations

import unicodedata

LONGEST = 200
NAMELESS = "somebody without a name"
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters of Unicode's bidirectional algorithm, which show a text in another order than it has."""


def displayable_name(name: str) -> str:
    """A name in one line, in the order in which it is read, that can be typed again.

    Control characters, line ends and runs of spaces become one space. What joins letters of a script stays.
    """
    kept_letters = "".join(
        " " if _is_control_or_line_break(letter) else letter for letter in name if letter not in _TURNING
    )
    return " ".join(kept_letters.split())[:LONGEST].rstrip() or NAMELESS


def _is_control_or_line_break(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
