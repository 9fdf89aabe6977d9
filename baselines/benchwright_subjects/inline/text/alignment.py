"""Position along the reference after an offer has been accepted."""

from __future__ import annotations

from benchwright_subjects.inline.policies import shared_beginning
from benchwright_subjects.inline.text.similarity import code_words, squeeze_spaces


def remaining_reference(reference: str, accepted_text: str) -> str:
    """The rest of the reference after an accepted offer.

    If the accepted text is what the reference begins with, whatever the white space, that is taken off. Otherwise
    lines are: up to the last line that both have, or as many as the accepted text has where they share none.

    Args:
        reference: Text of the reference at the cursor.
        accepted_text: Text that was put there instead.
    """
    matched = shared_beginning(accepted_text, reference)
    if squeeze_spaces(matched) == squeeze_spaces(accepted_text):
        return _text_after_words(reference, len(code_words(accepted_text)))
    lines = reference.splitlines(keepends=True)
    offered_lines = [squeeze_spaces(line) for line in accepted_text.splitlines() if line.strip()]
    shared = [number for number, line in enumerate(lines, 1) if squeeze_spaces(line) in offered_lines and line.strip()]
    # An accepted line is written once: a like one far below does not take all between with it.
    near_numbers = [number for number in shared if number <= _line_count_until(lines, 2 * len(offered_lines))]
    rest_text = "".join(lines[max(near_numbers, default=_line_count_until(lines, len(offered_lines))) :])
    return f"\n{rest_text}" if rest_text.strip() else ""


def next_line(reference: str) -> str:
    """The reference up to the end of its next line that is not blank, without the line's end."""
    start = len(reference) - len(reference.lstrip())
    end = reference.find("\n", start)
    return reference if end < 0 else reference[:end]


def next_character(reference: str) -> str:
    """The next character that is not white space, with the white space before it."""
    return reference[: len(reference) - len(reference.lstrip()) + 1]


def leading_space(reference: str) -> str:
    """The white space that it begins with."""
    return reference[: len(reference) - len(reference.lstrip())]


def _text_after_words(reference: str, word_count: int) -> str:
    offset = 0
    for word in code_words(reference)[:word_count]:
        offset = reference.index(word, offset) + len(word)
    return reference[offset:]


def _line_count_until(lines: list[str], filled_line_count: int) -> int:
    """The number of lines that hold so many that are not blank."""
    filled_count = 0
    for number, line in enumerate(lines, 1):
        filled_count += bool(line.strip())
        if filled_count == filled_line_count:
            return number
    return len(lines)
