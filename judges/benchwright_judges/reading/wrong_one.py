"""Questions that ask which choice is wrong: there, "the incorrect statement is B" is an answer, not a denial."""

from __future__ import annotations

import re

from benchwright_judges.reading.answer_extraction import is_denied, sentences
from benchwright_judges.reading.choice_mentions import ANY_MENTION, letter_of
from benchwright_judges.reading.option_lines import option_lines
from benchwright_judges.reading.option_sections import answering_section

_MAX_REPLY = 4_000
_ASKS = re.compile(
    r"\b(?:incorrect|false|wrong|erroneous|inaccurate|untrue|not\s+(?:correct|true|right|accurate|belong)|except|least|"
    r"falsch\w*|unzutreffend\w*|nicht\s+(?:richtig|korrekt|zutreffend|wahr)\w*|"
    r"incorrectes?|faux|fausses?|inexacte?s?|pas\s+(?:correcte?|vraie?|exacte?))\b|不正确|错误|不对|不属于|有误",
    re.IGNORECASE,
)
_MENTION = f"({ANY_MENTION})"
_WRONG = r"(?:incorrect|false|wrong|erroneous|inaccurate|untrue|not\s+(?:correct|true|accurate))"
_LEAST = r"least\s+(?:suitable|appropriate|accurate|correct|likely|plausible|fitting|reasonable)"
_NOUN = r"(?:statement|option|choice|one|answer|description|item|claim|criterion|assertion)"
_NAMES = re.compile(
    rf"\b{_WRONG}\s+{_NOUN}s?\s*(?:is|must\s+be|would\s+be|:)"
    rf"\s*(?:the\s+)?{_MENTION}"
    rf"|^\W*(?:so|therefore|thus|hence|in\s+conclusion)\b[^.;]*?{_MENTION}\s+is\s+(?:the\s+)?{_WRONG}"
    rf"|{_MENTION}\)?\s+is\s+the\s+(?:only\s+)?(?:{_WRONG}\s+{_NOUN}|{_NOUN}\s+(?:that|which)(?:'s|\s+is)\s+{_WRONG}|{_LEAST})\b"
    rf"|\b(?:falsche|unzutreffende|nicht\s+(?:richtige|korrekte|zutreffende))\s+"
    rf"(?:Aussage|Antwort|Option|Behauptung)\s+(?:ist|lautet)\s*:?\s*{_MENTION}"
    rf"|\b(?:affirmation|option|réponse|proposition)\s+(?:incorrecte|fausse|inexacte)\s+est\s*:?\s*(?:la\s+)?{_MENTION}"
    rf"|(?:不正确|错误|不对)的?(?:选项|说法|叙述|描述|一项)?(?:是|为)\s*[:：]?\s*{_MENTION}",
    re.IGNORECASE,
)

_CALLS = re.compile(
    rf"^\W*(?:(?:option|choice|statement|answer)\s+)?{_MENTION}\)?\s+is\s+(?:the\s+)?{_WRONG}\b", re.IGNORECASE
)


def wrong_choice(text: str, statement: str, *, within: int) -> str | None:
    """The choice that a reply ends by calling wrong, if the question asks for that.

    Args:
        text: A reply with its mentions marked.
        statement: The question.
        within: How many sentences are its end.
    """
    if not _ASKS.search(statement):
        return None
    said = [one for _, one in sentences(text[-_MAX_REPLY:]) if re.search(r"\w", one)]
    for sentence in reversed(said[-within:]):
        found = [one for one in _NAMES.finditer(sentence) if not is_denied(sentence, one.start(), one.end())]
        letters = {letter_of(next(filter(None, one.groups()))) for one in found}
        if letters:
            return letters.pop() if len(letters) == 1 else None
    called = {letter_of(call[1]) for one in said if (call := _CALLS.match(one))}
    if any(_CALLS.match(one) for one in said[-within:]):
        return called.pop() if len(called) == 1 else None
    return answering_section(option_lines(text), wrong=True)
