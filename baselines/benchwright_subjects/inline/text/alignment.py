"""How far along the reference somebody is after accepting an offer."""

from __future__ import annotations

from benchwright_subjects.inline.policies import matching
from benchwright_subjects.inline.text.similarity import pieces, squeezed


def left_of(rest: str, accepted: str) -> str:
    """What is left of the reference.

    If the accepted text is what the reference begins with, whatever the white space, that is taken off. Otherwise
    lines are: up to the last line that both have, or as many as the accepted text has where they share none.

    Args:
        rest: What the reference had at the cursor.
        accepted: What was put there instead.
    """
    matched = matching(accepted, rest)
    if squeezed(matched) == squeezed(accepted):
        return _after_words(rest, len(pieces(accepted)))
    lines = rest.splitlines(keepends=True)
    offered = [squeezed(line) for line in accepted.splitlines() if line.strip()]
    shared = [number for number, line in enumerate(lines, 1) if squeezed(line) in offered and line.strip()]
    # An accepted line is written once: a like one far below does not take all between with it.
    near = [number for number in shared if number <= _lines_until(lines, 2 * len(offered))]
    left = "".join(lines[max(near, default=_lines_until(lines, len(offered))) :])
    return f"\n{left}" if left.strip() else ""


def next_line(rest: str) -> str:
    """The reference up to the end of its next line that is not blank, without the line's end."""
    start = len(rest) - len(rest.lstrip())
    end = rest.find("\n", start)
    return rest if end < 0 else rest[:end]


def next_character(rest: str) -> str:
    """The next character that is not white space, with the white space before it."""
    return rest[: len(rest) - len(rest.lstrip()) + 1]


def blank(rest: str) -> str:
    """The white space that it begins with."""
    return rest[: len(rest) - len(rest.lstrip())]


def _after_words(rest: str, words: int) -> str:
    place = 0
    for word in pieces(rest)[:words]:
        place = rest.index(word, place) + len(word)
    return rest[place:]


def _lines_until(lines: list[str], filled: int) -> int:
    """The number of lines that hold so many that are not blank."""
    seen = 0
    for number, line in enumerate(lines, 1):
        seen += bool(line.strip())
        if seen == filled:
            return number
    return len(lines)
