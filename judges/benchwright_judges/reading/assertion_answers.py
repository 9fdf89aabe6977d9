"""Reading true or false from free text, in every answer language.

Each word for true or false becomes one character, with its negation: "not true" is false, "doesn't hold" as well. What
is left is cut into statements, as for choices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

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
    extraction_of,
    is_denied,
    sentences,
    since_correction,
    supposes,
    weigh,
    without_forced_conditions,
)
from benchwright_judges.reading.reply_text import GIVEN, NO, YES, answer_text, lines_of

_TRUE, _FALSE, _BOTH = "\ue020", "\ue021", "\ue022"
_VALUE = f"[{_TRUE}{_FALSE}]"
_ANY = re.compile(f"[{_TRUE}{_FALSE}{_BOTH}]")
_TAKEN_BACK = re.compile(rf"[\s,.:!…-]*{_FALSE}[,.!]+\s*")
_AROUND = " \t\n>#*+_`([{\"'“”„‘’«»「」【】})].,:;!。，；：！→-–—"
_MAX_SENTENCE = 2_000
_MAX_REPLY = 4_000


def read_truth(text: str) -> Extraction:
    """The answer to an assertion question: `true`, `false`, or nothing that can be read."""
    plain_text = answer_text(text)
    if head := before_next_question(plain_text):
        early_extraction = _read(head)
        if early_extraction.outcome is not ExtractionOutcome.NOTHING:
            return early_extraction
    return _read(plain_text)


def _read(plain_text: str) -> Extraction:
    if not plain_text:
        return Extraction()
    _, marker, text_after = plain_text.rpartition(GIVEN)
    if marker:
        content, _, remainder = text_after.partition("\n")
        corrected = since_correction(remainder, _patterns().value_pattern.pattern)
        if corrected is None or not (statements := _statements(_mark(corrected))):
            return _boxed_answer(_mark(content))
        return conclude(statements, remainder)
    marked = _mark(plain_text)
    if (value := _lone_value(marked)) is not None:
        return extraction_of(value)
    # Words such as "no" are part of a correction, so it is looked for first.
    if (corrected := since_correction(plain_text, _patterns().value_pattern.pattern)) is not None:
        marked_correction = _mark(corrected)
        # "True. Wait, no, … False.": the "no" takes back, and what follows answers.
        if (resumed := _TAKEN_BACK.match(marked_correction)) and re.search(_VALUE, marked_correction[resumed.end() :]):
            marked_correction = marked_correction[resumed.end() :]
        if (value := _lone_value(marked_correction)) is not None:
            return extraction_of(value)
        if statements := _statements(marked_correction):
            return conclude(statements, marked_correction)
        if value := _settled_value(marked_correction):
            return extraction_of(value)
        if _ANY.search(marked_correction):
            return AMBIGUOUS
    if _BOTH in marked and not re.search(_VALUE, marked):
        return AMBIGUOUS
    statements, value = _statements(marked), _settled_value(marked)
    if value and not statements:
        return extraction_of(value)
    if value and value not in {
        statement.value for statement in statements
    }:  # "Right, it isn't, so the statement … is wrong."
        statements.append(Statement(value, len(marked), Weight.CONCLUDES))
    return conclude(statements, marked)


def _settled_value(text: str) -> str | None:
    """The value with which clauses of a reply end that states none in a known way: its only one, or a conclusion."""
    patterns = _patterns()
    if len(text) > _MAX_REPLY or _BOTH in text:
        return None
    conclusions: list[tuple[str, bool]] = []
    for _, sentence in sentences(text):
        if supposes(sentence):
            continue
        for value_match in patterns.ending_pattern.finditer(sentence[:_MAX_SENTENCE]):
            text_before = re.split("[,;:=，；：]", sentence[: value_match.start()])[-1]
            possible_starts = (value_match.start(), value_match.start() - len(text_before))
            if not patterns.partial.search(text_before) and not any(
                is_denied(sentence, start, value_match.end()) for start in possible_starts
            ):
                concludes = weigh(sentence, value_match.start(), value_match.end()) > Weight.ANSWERS
                conclusions.append((_name(value_match[1]), concludes))
    values = {value for value, _ in conclusions}
    if len(values) > 1:
        values = {value for value, concludes in conclusions[-1:] if concludes}
    return values.pop() if values and text.rstrip()[-1] not in ",:;-" else None


def _boxed_answer(content: str) -> Extraction:
    if (value := _lone_value(content)) is not None:
        return extraction_of(value)
    if statements := _statements(content):
        return conclude(statements, content)
    return AMBIGUOUS if _ANY.search(content) else Extraction()


def _mark(text: str) -> str:
    """A reply in which every value is one character, with its negation."""
    patterns = _patterns()
    text = without_forced_conditions(text)
    text = re.sub(r"[*`]+|(?<!\w)_{1,3}|_{1,3}(?!\w)", "", text)
    text = patterns.turns.sub("", text)
    text = patterns.denies.sub(f"{_FALSE}, ", patterns.affirms.sub(f"{_TRUE}, ", text))
    text = patterns.fails.sub(f"it is {_FALSE}", text)
    text = patterns.holds.sub(f"it is {_TRUE}", text)
    text = patterns.value_pattern.sub(lambda match: _TRUE if match[0].casefold() in patterns.true else _FALSE, text)
    text = patterns.denied.sub(lambda match: f" {_opposite(match[1])}", text)
    return patterns.joined_pair.sub(_joined_pair, text)


def _joined_pair(match: re.Match[str]) -> str:
    """Two values named together: "true or false", but not "False, false sharing …"."""
    if match[1] != match[2]:
        return _BOTH
    return match[0] if "," in match[0] else match[1]


def _opposite(value: str) -> str:
    return _FALSE if value == _TRUE else _TRUE


def _name(value: str) -> str:
    return "true" if value in (_TRUE, YES) else "false"


def _lone_value(text: str) -> str | None:
    """The value of a passage that is nothing but a verdict."""
    if len(text) > 200:
        return None
    patterns = _patterns()
    plain_text = patterns.label.sub("", text.strip(_AROUND)).strip(_AROUND)
    plain_text = re.sub(rf"^[{YES}{NO}]\s*(?={_VALUE})|(?<={_VALUE})\s*[{YES}{NO}]$", "", plain_text)
    for language in languages.LANGUAGES:
        plain_text = plain_text.removesuffix(language.true_false.value_suffix)
    if plain_text and plain_text in (_TRUE, _FALSE, YES, NO):
        return _name(plain_text)
    word = plain_text.casefold()
    return "true" if word in patterns.true_alone else "false" if word in patterns.false_alone else None


def _statements(text: str) -> list[Statement]:
    return [
        *_line_statements(text),
        *(statement for start, sentence in sentences(text) for statement in _sentence_statements(sentence, start)),
    ]


def _sentence_statements(sentence: str, start: int) -> Iterator[Statement]:
    if not _ANY.search(sentence) or _patterns().cut_off.search(sentence):
        return
    sentence = sentence[:_MAX_SENTENCE]
    for pattern in _patterns().says:
        for match in pattern.finditer(sentence):
            if not is_denied(sentence, match.start(), match.end()):
                yield Statement(_name(match[1]), start + match.start(), weigh(sentence, match.start(), match.end()))


def _line_statements(text: str) -> Iterator[Statement]:
    """A verdict that is the first, the last or an announced line, or begins the reply."""
    lines_with_starts = list(lines_of(text))
    patterns = _patterns()
    for index, (start, line) in enumerate(lines_with_starts):
        headed = index == 0 or bool(patterns.announces.fullmatch(lines_with_starts[index - 1][1]))
        headed |= index == 1 and lines_with_starts[0][1].lstrip().startswith("#")
        if (headed or index == len(lines_with_starts) - 1) and (value := _lone_value(line)) is not None:
            yield Statement(value, start, weigh(line, 0, len(line)))
        elif headed and (led := patterns.leads.match(line)):
            yield Statement(_name(led[1]), start, Weight.ANSWERS)
            if (second_value := _lone_value(line[led.end() :])) is not None:
                yield Statement(second_value, start, Weight.ANSWERS)
        elif index == len(lines_with_starts) - 1:
            # "… True or false? True."
            last_sentences = [sentence for _, sentence in sentences(line)][-1:]
            if last_sentences and (value := _lone_value(last_sentences[0])) is not None:
                yield Statement(value, start, Weight.ANSWERS)


@dataclass(frozen=True, eq=False)
class _Patterns:
    true: frozenset[str]
    true_alone: frozenset[str]
    false_alone: frozenset[str]
    value_pattern: re.Pattern[str]
    """A word for true or false, anywhere."""
    denied: re.Pattern[str]
    """A value with its negation."""
    holds: re.Pattern[str]
    fails: re.Pattern[str]
    joined_pair: re.Pattern[str]
    """Two values named together."""
    label: re.Pattern[str]
    announces: re.Pattern[str]
    affirms: re.Pattern[str]
    denies: re.Pattern[str]
    turns: re.Pattern[str]
    partial: re.Pattern[str]
    ending_pattern: re.Pattern[str]
    """A value at the end of a clause."""
    says: tuple[re.Pattern[str], ...]
    leads: re.Pattern[str]
    """A value that begins an answer."""
    cut_off: re.Pattern[str]
    """A sentence that ends before what it opposes to its beginning."""


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    true_false_words = [language.true_false for language in known_languages]
    clauses = joined(known_languages, lambda language: language.true_false.clause_starts)
    because = joined(known_languages, lambda language: language.true_false.because)
    certain = joined(known_languages, lambda language: language.commitment.certain)
    label = joined(known_languages, lambda language: language.true_false.label)
    stands_for = {
        "VALUE": rf"[\"'(]?({_VALUE})[\"')]?",
        # "No other cache", "the right half": part of a sentence, not its verdict.
        "STOP": rf"(?=\s*(?:[.,;:!\n。，；！)—–{YES}{NO}]|$|-\s|(?:{clauses})\b|[^\x00-\u2e7f]))",
    }
    joiners = joined(known_languages, lambda language: language.true_false.joiners)
    return _Patterns(
        true=frozenset(word for value_words in true_false_words for word in value_words.true),
        true_alone=frozenset(word for value_words in true_false_words for word in value_words.true_alone),
        false_alone=frozenset(word for value_words in true_false_words for word in value_words.false_alone),
        value_pattern=_insensitive(joined(known_languages, _values)),
        denied=_insensitive(
            rf"\s?(?:{joined(known_languages, lambda language: language.true_false.negations)})\s{{0,3}}({_VALUE})"
        ),
        holds=_insensitive(joined(known_languages, lambda language: language.true_false.holds)),
        fails=_insensitive(joined(known_languages, lambda language: language.true_false.fails)),
        joined_pair=_insensitive(rf"({_VALUE})(?:\s*(?:,|/|{joiners})\s*)+({_VALUE})"),
        cut_off=_insensitive(rf"(?:{joined(known_languages, lambda language: language.short_text.contrasts)})\W*\Z"),
        label=_insensitive(rf"\A(?:{label})\s*[:：=-]?\s*"),
        announces=_insensitive(rf"\W{{0,8}}(?:{label})\W{{0,8}}"),
        affirms=_insensitive(
            rf"\A\W{{0,4}}(?:{joined(known_languages, lambda language: language.true_false.affirms)})[,.!]?"
        ),
        turns=_insensitive(rf"\A\W{{0,4}}(?:{joined(known_languages, lambda language: language.true_false.turns)})"),
        denies=_insensitive(
            rf"\A\W{{0,4}}(?:{joined(known_languages, lambda language: language.true_false.denies)})[,.!]?"
        ),
        partial=_insensitive(joined(known_languages, lambda language: language.true_false.partial)),
        ending_pattern=_insensitive(
            rf"({_VALUE})[\"')”’]{{0,2}}的?(?=\s*(?:[.,;!\n。，；！)—–{YES}{NO}]|$|(?:{because})|(?:{certain})))"
        ),
        says=tuple(
            _insensitive(fill(pattern, **stands_for))
            for language in known_languages
            for pattern in language.true_false.says
        ),
        leads=_insensitive(
            rf"[^\w\n{_TRUE}{_FALSE}{_BOTH}]{{0,8}}({_VALUE})[)\"'”]{{0,4}}(?:\s*[.,:;!。，；：！]|\s*[-–—]\s"
            rf"|\s*(?:{because}))"
        ),
    )


def _values(language: AnswerLanguage) -> str:
    """Every word for true and false; the longest first, as where no spaces separate words one may begin another."""
    words = sorted((*language.true_false.true, *language.true_false.false), key=len, reverse=True)
    return any_of(words) if language.unspaced else rf"(?<![A-Za-zÀ-ÿ])(?:{any_of(words)})(?![\w'-])"


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
