"""Position along the reference after an offer has been accepted."""

from __future__ import annotations

from benchwright_subjects.inline.policies import shared_beginning
from benchwright_subjects.inline.text.similarity import code_words, squeeze_spaces


def remaining_reference(reference_rest: str, accepted_text: str) -> str:
    """The rest of the reference after an accepted offer.

    If the accepted text is what the reference begins with, whatever the white space, that is taken off. Otherwise
    lines are: up to the last line that both have, or as many as the accepted text has where they share none.

    Args:
        reference_rest: Text of the reference at the cursor.
        accepted_text: Text that was put there instead.
    """
    matched = shared_beginning(accepted_text, reference_rest)
    if squeeze_spaces(matched) == squeeze_spaces(accepted_text):
        return _text_after_words(reference_rest, len(code_words(accepted_text)))
    lines = reference_rest.splitlines(keepends=True)
    offered_lines = [squeeze_spaces(line) for line in accepted_text.splitlines() if line.strip()]
    shared = [number for number, line in enumerate(lines, 1) if squeeze_spaces(line) in offered_lines and line.strip()]
    # An accepted line is written once: a like one far below does not take all between with it.
    near_numbers = [number for number in shared if number <= _line_count_until(lines, 2 * len(offered_lines))]
    rest_text = "".join(lines[max(near_numbers, default=_line_count_until(lines, len(offered_lines))) :])
    return f"\n{rest_text}" if rest_text.strip() else ""


def next_line(reference_rest: str) -> str:
    """The reference up to the end of its next line that is not blank, without the line's end."""
    start = len(reference_rest) - len(reference_rest.lstrip())
    end = reference_rest.find("\n", start)
    return reference_rest if end < 0 else reference_rest[:end]


def next_character(reference_rest: str) -> str:
    """The next character that is not white space, with the white space before it."""
    return reference_rest[: len(reference_rest) - len(reference_rest.lstrip()) + 1]


def leading_space(reference_rest: str) -> str:
    """The white space that it begins with."""
    return reference_rest[: len(reference_rest) - len(reference_rest.lstrip())]


def _text_after_words(reference_rest: str, word_count: int) -> str:
    offset = 0
    for word in code_words(reference_rest)[:word_count]:
        offset = reference_rest.index(word, offset) + len(word)
    return reference_rest[offset:]


def _line_count_until(lines: list[str], filled_line_count: int) -> int:
    """The number of lines that hold so many that are not blank."""
    filled_count = 0
    for number, line in enumerate(lines, 1):
        filled_count += bool(line.strip())
        if filled_count == filled_line_count:
            return number
    return len(lines)
