"""Facts that Benchwright needs about a language to ask questions in it and to read the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False, kw_only=True)
class LanguageWording:
    """Wording of requests for replies. `{line}` stands for the line that a reply has to end with."""

    system: str
    """The system message of an examination."""
    choose: str
    """Says that X is the letter of the only right option."""
    choose_several: str
    """Says that X are the letters of all right options."""
    decide: str
    """Says that X is true or false."""
    fill: str
    """Says that X is what fills the blank."""
    explain: str
    """Asks for an open answer."""
    answer: str
    """Asks for the line and nothing else."""
    steps_request: str
    """Asks for steps before the line."""
    true: str
    false: str


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerWords:
    """Regexes of words around an answer; they match without regard to case and hold no groups, and may be empty."""

    answer_labels: str
    """The beginning of the line with an answer, before a colon, such as "final answer"."""
    sentences: tuple[str, ...]
    """Whole sentences that say which answer is given; `<X>` stands for it."""
    picks: str = ""
    """Words before a letter that is taken in passing; where the reply ends with another, it is unread."""
    nouns: str = ""
    """Words before a letter, such as "option"."""
    true: str
    """Whole answers that call a statement true."""
    false: str
    """Whole answers that call it false."""
    negations: str = ""
    """Words that deny what is beside them, such as "not"."""
    doubts: str = ""
    """Words by which what is beside an answer may question or replace it, such as "wait"."""
    conditions: str = ""
    """Words of a supposition, such as "if"."""
    refusal: str = ""
    """The solver will not or cannot answer."""
    questions: str = ""
    """The heading of a question, such as "Question 2": a reply that continues with one answers another, too."""
    fields: str = ""
    """Names of fields of JSON objects, and of tags, that hold an answer."""
    articles: str = ""
    """An article with the space behind it. Used for questions in this language only."""
    joins: str = ""
    """Words between the last two members of a list."""
    asks_in: str = ""
    """In a question, words before the unit that it asks for, such as "how many"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerLanguage:
    """One language in which questions are asked and answered."""

    code: str
    """ISO 639."""
    name: str
    """Name in English, as a translator is asked for it."""
    unspaced_character_ranges: str = ""
    """Regex character ranges of a script that puts no spaces between words; empty for others."""
    comma_is_decimal: bool = False
    """True if `1,5` is one and a half and `1.024` may be a thousand. Used for questions in this language only."""
    wording: LanguageWording
    words: AnswerWords
    units: Mapping[str, str] = field(default_factory=dict)
    """Symbol of a unit, or name of a counted thing (`set`, `cycle`, …) → its words, lower case, separated by `|`."""
