"""Statement of a reply that is its answer: the common part of reading a letter and reading true or false.

A reply is cut into statements. A statement names a value or several; it may be denied, supposed, asked or taken back;
and it weighs more the more it is meant as the answer. The heaviest kind decides, from its first statement on, and
what follows has to agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache

from benchwright_judges import languages
from benchwright_judges.judgement import REFUSAL
from benchwright_judges.languages.language import AnswerLanguage, fill, joined

# "I'm not sure, but I'd say B", also without the comma.
_CLAUSE = re.compile(
    r"[,:，：、(→]|\b(?:but\s+(?=(?:I|it|my|if)\b)|aber\s+(?=ich\b)|mais\s+(?=je\b|c'))", re.IGNORECASE
)


class ExtractionOutcome(StrEnum):
    """Outcome of reading an answer, and the reason if it could not be read. Labels of unreadable answers."""

    READ = "read"
    NOTHING = "nothing"
    """It names none of the choices."""
    AMBIGUOUS = "ambiguous"
    """It names more than one."""
    REFUSAL = REFUSAL
    """It declines to answer."""


@dataclass(frozen=True)
class Extraction:
    """The answer that a solver's text gives."""

    value: str | None = None
    outcome: ExtractionOutcome = ExtractionOutcome.NOTHING


AMBIGUOUS = Extraction(None, ExtractionOutcome.AMBIGUOUS)


class Weight(IntEnum):
    """Degree to which a statement is meant as the answer."""

    HOLDS = 0
    """A choice is called right, which may be said of several: "B is correct"."""
    ANSWERS = 1
    """The answer is named: "the answer is B"."""
    CONCLUDES = 2
    """As a conclusion: "so the answer is B"."""
    FINAL = 3
    """As the last word: "final answer: B"."""


@dataclass(frozen=True)
class Statement:
    """One passage that states the answer."""

    value: str | None
    """None if it names several."""
    position: int
    weight: Weight = Weight.ANSWERS


def extraction_of(value: str | None) -> Extraction:
    """The extraction of one value; ambiguous if there is none."""
    return AMBIGUOUS if value is None else Extraction(value, ExtractionOutcome.READ)


def conclude(statements: Sequence[Statement], text: str) -> Extraction:
    """The answer according to all statements of a reply.

    Args:
        statements: Statements in any order.
        text: The reply, to tell a refusal from an answer that says nothing.
    """
    if not statements:
        refusal_match = _patterns().refusal.search(text)
        return Extraction(None, ExtractionOutcome.REFUSAL) if refusal_match else Extraction()
    # "A or C. … So C."
    statements = [statement for statement in statements if statement.value or not _settled(statement, statements)]
    heaviest = max(statement.weight for statement in statements)
    first_position = min(statement.position for statement in statements if statement.weight is heaviest)
    values = {statement.value for statement in statements if statement.position >= first_position}
    return extraction_of(values.pop()) if len(values) == 1 else AMBIGUOUS


def _settled(ambiguous: Statement, statements: Sequence[Statement]) -> bool:
    return any(
        statement.value and statement.position > ambiguous.position and statement.weight >= ambiguous.weight
        for statement in statements
    )


def declines(text: str) -> bool:
    """True if it says that it does not answer."""
    return _patterns().refusal.search(text.replace("\u2019", "'")) is not None


def since_correction(text: str, value_pattern: str) -> str | None:
    """Text after the last "no, wait"; None if there is none.

    Args:
        text: The reply.
        value_pattern: Regex of what an answer names.
    """
    corrections = list(_correction(value_pattern, languages.LANGUAGES).finditer(text))
    return text[corrections[-1].end() :] if corrections else None


def before_next_question(text: str) -> str:
    """Text of a reply before it continues with a question of its own, as base models do; empty if it does not."""
    match = _patterns().next_question.search(text)
    return text[: match.start()].strip() if match else ""


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a reply with their positions; each ends with its mark."""
    for match in re.finditer(r"(?:[^.!?;。！？；…\n]|\.(?=[A-Za-z0-9]))+[.!?;。！？；…]*", text):
        yield match.start(), match[0]


def is_denied(sentence: str, start: int, end: int) -> bool:
    """True if the statement at a place of a sentence is negated, supposed or asked rather than asserted."""
    text_before = sentence[max(0, start - 160) : start]
    clause = _CLAUSE.split(text_before[-80:])[-1]
    if _patterns().denial.search(clause) or _patterns().condition_pattern.search(clause):
        return True
    supposed = text_before + sentence[end : end + 60].split(",")[0]
    if _patterns().unreal.search(sentence[start:end]) and _patterns().condition_pattern.search(supposed):
        return True
    return "?" in sentence[end:] or bool(_patterns().taken_back.match(sentence, end))


def supposes(sentence: str) -> bool:
    """True if a sentence begins with a supposition, such as "if"."""
    return _patterns().condition_pattern.match(sentence.lstrip(" \t\n>*-\"'")) is not None


def weigh(sentence: str, start: int, end: int) -> Weight:
    """Degree to which the statement at a place of a sentence is meant as the answer."""
    passage = sentence[max(0, start - 100) : end]
    if _patterns().final.search(passage):
        return Weight.FINAL
    return Weight.CONCLUDES if _patterns().conclusion.search(passage) else Weight.ANSWERS


def without_forced_conditions(text: str) -> str:
    """A reply without suppositions that suppose nothing: "if I had to choose"."""
    return _patterns().forced.sub("", text)


@dataclass(frozen=True, eq=False)
class _Patterns:
    refusal: re.Pattern[str]
    denial: re.Pattern[str]
    condition_pattern: re.Pattern[str]
    unreal: re.Pattern[str]
    forced: re.Pattern[str]
    taken_back: re.Pattern[str]
    conclusion: re.Pattern[str]
    final: re.Pattern[str]
    next_question: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    next_questions = joined(known_languages, lambda language: language.discourse.next_question)
    return _Patterns(
        refusal=_verbose(joined(known_languages, lambda language: language.discourse.refusal)),
        denial=_verbose(joined(known_languages, lambda language: language.discourse.denial)),
        condition_pattern=_verbose(joined(known_languages, lambda language: language.discourse.condition)),
        unreal=_verbose(joined(known_languages, lambda language: language.discourse.unreal)),
        forced=_verbose(joined(known_languages, lambda language: language.discourse.forced)),
        taken_back=_verbose(
            rf"""[)\]}}"'\s]{{0,6}}(?:{joined(known_languages, lambda language: language.discourse.taken_back)})"""
        ),
        conclusion=_verbose(joined(known_languages, lambda language: language.discourse.conclusion)),
        final=_verbose(rf"\#{{4}}|{joined(known_languages, lambda language: language.discourse.final)}"),
        next_question=_verbose(rf"\n[\s\#*]{{0,8}}(?:{next_questions})\s?\**\s?(?:[:：.)]|$)"),
    )


@cache
def _correction(value_pattern: str, known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    return _verbose(
        fill(joined(known_languages, lambda language: language.discourse.correction), SAID=f"(?:{value_pattern})")
    )


def _verbose(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE | re.MULTILINE)
