r"""Reading the letter of a choice from free text, in every answer language.

People write `B`, `(b)` or "The answer is (C)."; models also write JSON, `\boxed{C}`, or the wording of a choice, and
discuss all choices before they settle on one. There is no guessing if a reply names no choice, or two: a letter is read
only if a statement says that it is the answer, never merely because it occurs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, fill, joined
from benchwright_judges.reading.answer_extraction import (
    AMBIGUOUS,
    Extraction,
    ExtractionOutcome,
    Statement,
    Weight,
    before_next_question,
    conclude,
    declines,
    extraction_of,
    is_denied,
    sentences,
    since_correction,
    weigh,
    without_forced_conditions,
)
from benchwright_judges.reading.assertion_answers import read_truth
from benchwright_judges.reading.choice_mentions import (
    ANY_MENTION,
    CLASH,
    LETTERS,
    MENTION,
    SEVERAL,
    TEXTS,
    letter_of,
    mark_mentions,
)
from benchwright_judges.reading.commitments import committed_choice, remaining_choice, restated_choice
from benchwright_judges.reading.option_lines import Line, answering_lines, answering_section, judged_lines, option_lines
from benchwright_judges.reading.reply_text import GIVEN, YES, answer_text
from benchwright_judges.reading.short_answers import normalise

_MAX_SENTENCE = 2_000
# "A → B → C" is a chain of things, not a conclusion.
_ARROW = rf"(?<!{ANY_MENTION}\s)(?<!{ANY_MENTION})→\s*<A>(?!\s*→)<STOP>"
_PARTS = re.compile(r"[\u2e80-\u9fff]{2,}|[^\W\d_\u2e80-\u9fff]{4,}")

_MAX_REPLY = 4_000
# Where a question asks which choice is wrong, "the incorrect statement is B" is an answer, not a denial.
_ASKS_FOR_WRONG = re.compile(
    r"\b(?:incorrect|false|wrong|erroneous|inaccurate|untrue|not\s+(?:correct|true|right|accurate|belong)|except|least|"
    r"falsch\w*|unzutreffend\w*|nicht\s+(?:richtig|korrekt|zutreffend|wahr)\w*|"
    r"incorrectes?|faux|fausses?|inexacte?s?|pas\s+(?:correcte?|vraie?|exacte?))\b|不正确|错误|不对|不属于|有误",
    re.IGNORECASE,
)
_MENTION = f"({ANY_MENTION})"
_WRONG = r"(?:incorrect|false|wrong|erroneous|inaccurate|untrue|not\s+(?:correct|true|accurate))"
_LEAST = r"least\s+(?:suitable|appropriate|accurate|correct|likely|plausible|fitting|reasonable)"
_NOUN = r"(?:statement|option|choice|one|answer|description|item|claim|criterion|assertion)"
_NAMES_WRONG = re.compile(
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

_CALLS_WRONG = re.compile(
    rf"^\W*(?:(?:option|choice|statement|answer)\s+)?{_MENTION}\)?\s+is\s+(?:the\s+)?{_WRONG}\b", re.IGNORECASE
)


def read_choice(text: str, choices: Mapping[str, str], language: str = "en", *, statement: str = "") -> Extraction:
    """The letter that an answer to a multiple-choice question names.

    Args:
        text: The whole answer.
        choices: Upper-case letter → wording of each choice. The wording is a way of naming its letter.
        language: ISO 639 code of the choices' language.
        statement: The question. An answer that says it again with a choice in it is read only if it is known.
    """
    plain_text = answer_text(text)
    if (head := before_next_question(plain_text)) and (
        early := _read(head, choices, language)
    ).outcome is not ExtractionOutcome.NOTHING:
        return early
    extraction = _read(plain_text, choices, language)
    if extraction.outcome is ExtractionOutcome.NOTHING and (truths := _truths(choices)):
        return extraction_of(truths[value]) if (value := read_truth(text).value) else extraction
    if statement and extraction.outcome is not ExtractionOutcome.REFUSAL:
        marked = mark_mentions(plain_text, choices, language)
        # Its last sentence counts more than ticks and crosses, which say there what is true of each choice.
        letter = _wrong_choice(marked, statement, sentence_count=2 if extraction.value is None else 1)
        if letter is None and extraction.outcome is ExtractionOutcome.NOTHING:
            letter = restated_choice(marked, statement)
        return extraction_of(letter) if letter else extraction
    return extraction


def _truths(choices: Mapping[str, str]) -> dict[str, str]:
    """`true` and `false` → letter, if these are the two choices; else empty."""
    letters_by_truth = {
        name: letter
        for letter, text in choices.items()
        for language in languages.LANGUAGES
        for name, words in (("true", language.true_false.true), ("false", language.true_false.false))
        if text.strip(" .").casefold() in words
    }
    return letters_by_truth if len(choices) == len(letters_by_truth) == 2 else {}


def _read(plain_text: str, choices: Mapping[str, str], language: str) -> Extraction:
    if not plain_text:
        return Extraction()
    if matching_letters := _worded_letters(plain_text, choices, language):
        return extraction_of(matching_letters[0] if len(matching_letters) == 1 else None)
    marked = without_forced_conditions(mark_mentions(plain_text, choices, language))
    _, marker, text_after = marked.rpartition(GIVEN)
    if marker:
        content, _, remainder = text_after.partition("\n")
        corrected = since_correction(remainder, ANY_MENTION)
        if corrected is None or not (statements := _statements(corrected, choices)):
            return _boxed_answer(content, choices, language)
        return conclude(statements, remainder)
    marked = _settle(marked)
    corrected = since_correction(marked, ANY_MENTION)
    if corrected is not None:
        if statements := [*_statements(corrected, choices), *_bare(corrected)]:
            return conclude(statements, corrected)
        if letter := committed_choice(corrected):
            return extraction_of(letter)
        if re.search(MENTION, corrected):
            return AMBIGUOUS
    if statements := _statements(marked, choices):
        return conclude(statements, marked)
    return _committed_extraction(marked, plain_text, choices, language)


def _committed_extraction(marked: str, plain_text: str, choices: Mapping[str, str], language: str) -> Extraction:
    """Extraction from a reply without a statement of the answer."""
    if declines(plain_text):
        return conclude((), plain_text)
    if letter := committed_choice(marked):
        return extraction_of(letter)
    if letter := remaining_choice(plain_text, choices, language):
        return extraction_of(letter)
    return AMBIGUOUS if any(_lists_choices(sentence) for _, sentence in sentences(marked)) else Extraction()


def _lists_choices(sentence: str) -> bool:
    """True if a sentence names several choices and does not deny them."""
    match = re.search(f"[{SEVERAL}{CLASH}]", sentence)
    return match is not None and not is_denied(sentence, match.start(), match.end())


def _worded_letters(text: str, choices: Mapping[str, str], language: str) -> list[str]:
    """The choices whose wording is the whole text; its spelling, including its article, does not matter."""
    if len(text) > 4 * max(map(len, choices.values()), default=0) + 20:
        return []
    normal_text = normalise(text.removeprefix(GIVEN), language)
    spelled = _spelled(tuple(choices.items()), language, languages.LANGUAGES)
    letters = [letter for letter, wording in spelled if wording and wording == normal_text]
    if letters:
        return letters
    for matches_wording in (_is_number_with_unit, _is_mistyped):
        if len(letters := [letter for letter, wording in spelled if matches_wording(normal_text, wording)]) == 1:
            return letters
    return (
        []
        if declines(text) or is_denied(f"{text}.", len(text), len(text))
        else _partly_named_letters(normal_text, spelled)
    )


def _partly_named_letters(phrase: str, spelled: Sequence[tuple[str, str]]) -> list[str]:
    """The choice of which a few words name a part that no other choice has: "flash" for "NAND flash"."""
    phrase_words = set(re.findall(r"[\u2e80-\u9fff]{2,}|[^\W\d_\u2e80-\u9fff]+", phrase))
    parts_by_letter = {
        letter: set(_PARTS.findall(wording)) if len(wording.split()) < 4 else set() for letter, wording in spelled
    }
    common = Counter(part for choice_parts in parts_by_letter.values() for part in choice_parts)
    if any(word.upper() in parts_by_letter or (word > "\u2e80" and len(word) > 6) for word in phrase_words):
        return []  # A letter may be meant, or this is a sentence.
    named_letters = [
        letter
        for letter, choice_parts in parts_by_letter.items()
        if phrase_words & {part for part in choice_parts if common[part] == 1}
    ]
    other_words = phrase_words - set(_PARTS.findall(" ".join(wording for _, wording in spelled)))
    return named_letters if len(named_letters) == 1 and len(other_words) < 2 else []


def _is_number_with_unit(phrase: str, wording: str) -> bool:
    """True if it is the number that is the choice, with a unit: "6 bits"."""
    return wording.isdigit() and re.fullmatch(rf"{wording}\s?[^\W\d_]+", phrase) is not None


def _is_mistyped(phrase: str, wording: str) -> bool:
    """True if it is the wording with two letters exchanged, or one left out, added or replaced inside a word."""
    if abs(len(phrase) - len(wording)) > 1 or min(len(phrase), len(wording)) < (6 if phrase[:1] > "\u2e80" else 8):
        return False
    common_start, end = _common_length(phrase, wording), _common_length(phrase[::-1], wording[::-1])
    phrase_rest, wording_rest = (text[common_start : max(common_start, len(text) - end)] for text in (phrase, wording))
    word = common_start > 1 and phrase[common_start - 1].isalpha() and (phrase_rest + wording_rest).isalpha()
    return word and (
        (len(phrase_rest) < 2 and len(wording_rest) < 2)
        or (len(phrase_rest) == 2 and phrase_rest == wording_rest[::-1])
    )


def _common_length(first_wording: str, second_wording: str) -> int:
    """Number of characters that two wordings begin with alike."""
    return next(
        (index for index, (a, b) in enumerate(zip(first_wording, second_wording, strict=False)) if a != b),
        min(len(first_wording), len(second_wording)),
    )


@lru_cache(maxsize=256)
def _spelled(
    choices: tuple[tuple[str, str], ...], language: str, _known_languages: tuple[AnswerLanguage, ...]
) -> tuple[tuple[str, str], ...]:
    return tuple((letter, normalise(choice, language)) for letter, choice in choices)


def _boxed_answer(content: str, choices: Mapping[str, str], language: str) -> Extraction:
    """Extraction from the content of a box, a tag or a field."""
    if matching_letters := _worded_letters(content.strip(), choices, language):
        return extraction_of(matching_letters[0] if len(matching_letters) == 1 else None)
    letters = {letter_of(mark) for mark in re.findall(MENTION, content)}
    if not letters:
        letters = {letter_of(mark) for mark in re.findall(f"[{TEXTS}]", content)}
    if not letters:
        return Extraction()
    if len(letters) > 1 and (statements := _statements(content, choices)):
        return conclude(statements, content)
    mention = re.search(ANY_MENTION, content)
    if len(letters) == 1 and mention and not is_denied(content, mention.start(), mention.end()):
        return extraction_of(letters.pop())
    return AMBIGUOUS if len(letters) > 1 else Extraction()


def _settle(text: str) -> str:
    """A reply in which "not A but B", "B, not A" and "A? No." name what they affirm, and nothing else."""
    patterns = _patterns()
    text = patterns.asked_no.sub(" ", patterns.asked_yes.sub(r"\1 is correct.", text))
    return patterns.first_of.sub(_first, patterns.second_of.sub(_last, text))


def _first(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _last(match: re.Match[str]) -> str:
    return [group for group in match.groups() if group][-1]


def _statements(text: str, choices: Mapping[str, str]) -> list[Statement]:
    lines = option_lines(text)
    statements = [
        Statement(letter_of(line.mention), line.position, weigh(line.text, 0, len(line.text)))
        for line in answering_lines(lines, text)
    ]
    statements += _lone_choices(text)
    listed_starts = _listed(lines)
    for start, sentence in sentences(text):
        if re.search(ANY_MENTION, sentence):
            statements += _sentence_statements(sentence[:_MAX_SENTENCE], start, listed_starts)
    if not statements and (letter := judged_lines(lines, tuple(choices)) or answering_section(lines)):
        statements.append(Statement(letter, 0, Weight.HOLDS))
    return statements


def _lone_choices(text: str) -> Iterator[Statement]:
    """A choice that is the whole last sentence of a line of several."""
    nonempty_sentences = [(start, passage) for start, passage in sentences(text) if passage.strip()]
    for start, sentence in nonempty_sentences[-1:]:
        begins_line = start == 0 or text[start - 1] == "\n"
        list_match = re.search(rf"{ANY_MENTION}[^\w\n]{{0,4}}[;；]\s*$", text[:start])
        if (
            not begins_line
            and not list_match
            and (match := _patterns().corrected.fullmatch(sentence.rstrip(" .!。\"')")))
        ):
            yield Statement(letter_of(match[1]), start)


def _listed(lines: Sequence[Line]) -> frozenset[int]:
    """Lines in which choices are listed: what is said in such a line is said of its choice."""
    return frozenset(line.position for line in lines if line.is_listed)


def _sentence_statements(sentence: str, start: int, listed_starts: frozenset[int]) -> Iterator[Statement]:
    patterns = _patterns()
    for pattern in patterns.says:
        for match in pattern.finditer(sentence):
            if not is_denied(sentence, match.start(), match.end()):
                yield _statement(match, start, weigh(sentence, match.start(), match.end()))
    for pattern in patterns.holds:
        for match in pattern.finditer(sentence):
            if start + match.start() not in listed_starts and not is_denied(sentence, match.start(), match.end()):
                weight = weigh(sentence, match.start(), match.end())
                yield _statement(match, start, Weight.HOLDS if weight is Weight.ANSWERS else weight)


def _statement(match: re.Match[str], start: int, weight: Weight) -> Statement:
    group = match.lastindex or 0
    return Statement(letter_of(match[group]), start + match.start(group), weight)


def _bare(text: str) -> Iterator[Statement]:
    """The letter right after a correction: "no wait, C"."""
    if (match := _patterns().corrected.match(text)) and not is_denied(text, match.start(1), match.end(1)):
        yield Statement(letter_of(match[1]), match.start(1))


@dataclass(frozen=True, eq=False)
class _Patterns:
    says: tuple[re.Pattern[str], ...]
    holds: tuple[re.Pattern[str], ...]
    first_of: re.Pattern[str]
    second_of: re.Pattern[str]
    asked_yes: re.Pattern[str]
    asked_no: re.Pattern[str]
    corrected: re.Pattern[str]
    """The letter right after a correction."""


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    because = joined(known_languages, lambda language: language.choices.because)
    joins = joined(known_languages, lambda language: language.choices.joins)
    yes = any_of(word for language in known_languages for word in language.true_false.true)
    no = any_of(word for language in known_languages for word in language.true_false.false)

    def compiled(patterns: Iterator[tuple[AnswerLanguage, str]]) -> Iterator[re.Pattern[str]]:
        for language, pattern in patterns:
            stands_for = {
                "M": rf"({MENTION})\)?",
                "A": rf"({ANY_MENTION})[)\"”’»]{{0,2}}",
                "N": language.choices.nouns,
                "STOP": (
                    rf"(?=[\s\"')\]]{{0,4}}(?:[.,;:!\n—–。，；！、)→{YES}]|$|-\s|\((?!\s*(?:{joins})\b)[^()\n]{{1,200}}\)[.!]?\s*(?:$|\n)|(?:{because})))"
                ),
            }
            yield re.compile(fill(pattern, **stands_for), re.IGNORECASE)

    def whole(patterns: Iterator[tuple[AnswerLanguage, str]]) -> re.Pattern[str]:
        return re.compile(any_of(pattern.pattern for pattern in compiled(patterns)) or "(?!)", re.IGNORECASE)

    return _Patterns(
        says=(
            *compiled((language, pattern) for language in known_languages for pattern in language.choices.says),
            *compiled((known_languages[0], pattern) for pattern in (_ARROW, rf"{YES}\s{{0,3}}<M>")),
        ),
        holds=tuple(
            compiled((language, pattern) for language in known_languages for pattern in language.choices.holds)
        ),
        first_of=whole((language, pattern) for language in known_languages for pattern in language.choices.first_of),
        second_of=whole((language, pattern) for language in known_languages for pattern in language.choices.second_of),
        asked_yes=re.compile(rf"([{LETTERS}])\s?\?\s*(?:{yes})(?!\w)[.!]?", re.IGNORECASE),
        asked_no=re.compile(rf"[{LETTERS}]\s?\?\s*(?:{no})(?=\s*(?:[.!?;\n]|$))[.!]?", re.IGNORECASE),
        corrected=re.compile(
            rf"[^\w{LETTERS}{TEXTS}\n]{{0,8}}({ANY_MENTION})(?=[\s\"')\]]{{0,4}}(?:[.,;:!\n。，；！]|$))"
        ),
    )


def _wrong_choice(text: str, statement: str, *, sentence_count: int) -> str | None:
    """The choice that a reply ends by calling wrong, if the question asks for that.

    Args:
        text: A reply with its mentions marked.
        statement: The question.
        sentence_count: Number of sentences that are its end.
    """
    if not _ASKS_FOR_WRONG.search(statement):
        return None
    sentence_texts = [passage for _, passage in sentences(text[-_MAX_REPLY:]) if re.search(r"\w", passage)]
    for sentence in reversed(sentence_texts[-sentence_count:]):
        matches = [
            match for match in _NAMES_WRONG.finditer(sentence) if not is_denied(sentence, match.start(), match.end())
        ]
        letters = {letter_of(next(filter(None, match.groups()))) for match in matches}
        if letters:
            return letters.pop() if len(letters) == 1 else None
    wrong_letters = {letter_of(call[1]) for passage in sentence_texts if (call := _CALLS_WRONG.match(passage))}
    if any(_CALLS_WRONG.match(passage) for passage in sentence_texts[-sentence_count:]):
        return wrong_letters.pop() if len(wrong_letters) == 1 else None
    return answering_section(option_lines(text), asks_for_wrong=True)
