"""What a reply says below the heading of a choice: "### Option B", and then "This is the correct answer."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, joined
from benchwright_judges.reading.answer_extraction import is_denied, sentences, supposes
from benchwright_judges.reading.choice_mentions import letter_of
from benchwright_judges.reading.option_lines import Line


def answering_section(lines: Sequence[Line], *, wrong: bool = False) -> str | None:
    """The only choice below whose heading, or behind it, a reply says that this is the answer.

    Args:
        lines: From `option_lines`.
        wrong: Whether the answer is the choice that is called the wrong one.
    """
    answer = _patterns(languages.LANGUAGES)[wrong]
    found: set[str | None] = set()
    letter: str | None = None
    for line in lines:
        if line.mention:
            letter = letter_of(line.mention) if line.is_listed else None
        said = line.rest if line.mention else line.text
        if letter is None:
            continue
        for _, sentence in sentences(said):
            if supposes(sentence):
                continue
            for one in answer.finditer(sentence):
                if not is_denied(sentence, one.start(), one.end()):
                    found.add(letter)
    return found.pop() if len(found) == 1 else None


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _patterns(known: tuple[AnswerLanguage, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(joined(known, lambda one: one.choices.this_is_right), re.IGNORECASE),
        re.compile(joined(known, lambda one: one.choices.this_is_wrong), re.IGNORECASE),
    )
