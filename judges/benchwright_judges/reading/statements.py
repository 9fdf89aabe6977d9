r"""The answer that a reply gives, in the places where it is unmistakable, and nowhere else.

The places are the whole reply, a last line `ANSWER: X`, a last `\boxed{X}`, `<answer>X</answer>` or JSON object, and
a last sentence "The answer is X". What is there has to be a value as a whole, and nothing in the reply may state
another. Anything else is unread: `docs/reference/scoring.md` has the table, and it is the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pydantic import JsonValue

from benchwright_judges import languages
from benchwright_judges.judgement import REFUSAL
from benchwright_judges.languages import answer_words_pattern
from benchwright_judges.languages.language import AnswerLanguage
from benchwright_judges.reading.reply import finished_reply_text_if_not_too_long, plain_text

ANSWER_LABEL = "ANSWER"
"""Begins the line with the answer that prompts ask for, whatever their language."""
_LONGEST_VALUE = 300
_LONGEST_REMARK = 200
_OBJECTS = 20
_ENDS = " \t.,;:!。，；：！\"'}"
_INTRODUCES = (",", "，", ":", "：")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；;])\s*")
_BOX = re.compile(r"\\f?boxed\s{0,3}\{((?:[^{}\n]|\{[^{}\n]{0,200}\}){1,300})\}")


class ExtractionOutcome(StrEnum):
    """Outcome of reading an answer, and the reason if it could not be read. Labels of unreadable answers."""

    READ = "read"
    NOTHING = "nothing"
    """It gives none in a place where one is unmistakable."""
    AMBIGUOUS = "ambiguous"
    """It gives more than one."""
    REFUSAL = REFUSAL
    """It declines to answer."""


@dataclass(frozen=True)
class Extraction:
    """The answer that a solver's text gives."""

    value: str | None = None
    outcome: ExtractionOutcome = ExtractionOutcome.NOTHING


@dataclass(frozen=True)
class _Statement:
    value: str | None
    """None if it is no value."""
    start: int
    end: int
    is_marked: bool = True
    """True if it is marked as the answer: by a label, a box, a tag or a field."""


def read_statement(
    reply: str, value_of_passage: Callable[[str], str | None], *, takes_any_words: bool = False
) -> Extraction:
    """The one value that a reply states.

    Args:
        reply: Hostile text.
        value_of_passage: Reads the value that a passage is as a whole; None if it is none. Passages are plain text in
            one line.
        takes_any_words: True if any words are a value, so that only what is marked can contradict another.
    """
    text = finished_reply_text_if_not_too_long(reply)
    if not text:
        return Extraction()
    reader = _StatementReader(text, value_of_passage, takes_any_words)
    statements = sorted(reader.statements(), key=lambda statement: (statement.end, statement.is_marked))
    if not statements:
        passage = plain_text(text)
        value = value_of_passage(passage) if len(passage) <= _LONGEST_VALUE else None
        if value is not None:
            return Extraction(value, ExtractionOutcome.READ)
        return Extraction(None, reader.unread_outcome())
    last = statements[-1]
    rivals = {
        statement.value
        for statement in statements
        if statement.is_marked or not takes_any_words or (statement.value or "")[:1].isdigit()
    } - {None}
    if len(rivals) > 1:
        return Extraction(None, ExtractionOutcome.AMBIGUOUS)
    if (
        last.value is None
        or reader.continues_with_question()
        or reader.denies_option_of(last.value)
        or not reader.is_last_word(last)
    ):
        return Extraction()
    return Extraction(last.value, ExtractionOutcome.READ)


def declines_to_answer(reply_text: str) -> bool:
    """True if it says that it does not answer."""
    return answer_words_pattern("refusal").search(reply_text.replace("\u2019", "'")) is not None


@dataclass(frozen=True)
class _StatementReader:
    text: str
    parse: Callable[[str], str | None]
    takes_any_words: bool

    def statements(self) -> Iterator[_Statement]:
        """Everything in the reply that says which answer it gives."""
        yield from self._labelled_statements()
        yield from self._wrapped_statements()
        yield from self._sentence_statements()

    def unread_outcome(self) -> ExtractionOutcome:
        """The label of a reply without a statement: it declines, names several values, or neither."""
        if declines_to_answer(self.text):
            return ExtractionOutcome.REFUSAL
        values = {*map(self.parse, re.findall(r"\w+", plain_text(self.text[:_LONGEST_VALUE])))} - {None}
        is_open = not self.takes_any_words and len(values) > 1
        return ExtractionOutcome.AMBIGUOUS if is_open else ExtractionOutcome.NOTHING

    def continues_with_question(self) -> bool:
        """True if the reply continues with a question of its own, as base models do."""
        lines = [plain_text(line).lstrip("#* ") for line in self.text.split("\n")[1:]]
        headings = filter(None, map(answer_words_pattern("questions").match, lines))
        return any(re.match(r"\s*[:：.]", heading.string[heading.end() :]) for heading in headings)

    def denies_option_of(self, stated_value: str) -> bool:
        """True if the reply says of one of the options that it gives that it is none: "not D"."""
        if self.takes_any_words or self.parse("false") is not None:
            return False
        words = plain_text(self.text)
        named = [
            self.parse(name)
            for match in _denied_letters_pattern(languages.LANGUAGES).finditer(words)
            for name in match.groups()
            if name
        ]
        return any(name in stated_value for name in named if name is not None)

    def is_last_word(self, last_statement: _Statement) -> bool:
        """True if nothing before the last statement gives it to somebody else, and nothing behind it takes it back."""
        text_before, remark = (
            self.text[: last_statement.start],
            plain_text(self.text[last_statement.end :]).strip(" .*_`)]}$\\"),
        )
        is_introduced = text_before.rstrip().endswith(_INTRODUCES)
        if not last_statement.is_marked:
            return not remark and not is_introduced and not self._is_another_value(self.text, last_statement.value)
        is_asked_for = self.text[last_statement.start :].lstrip("*#-【` ").startswith((ANSWER_LABEL, "\\", "<", "{"))
        lines = text_before.rstrip().rsplit("\n", 1)
        same_line = text_before.rpartition("\n")[2][-30:]
        if (
            is_introduced and (not is_asked_for or answer_words_pattern("conditions").search(lines[-1]))
        ) or _has_doubt_or_negation(same_line):
            return False
        sentences = _SENTENCE_END.split(lines[-1])[-2:]
        if declines_to_answer(sentences[-1]):
            return False
        if any(self._picks_another_value(sentence, last_statement.value) for sentence in sentences):
            return False
        return not remark or (
            len(remark) <= _LONGEST_REMARK
            and re.search(r"[?？\d]", remark) is None
            and answer_words_pattern("doubts").search(remark) is None
            and answer_words_pattern("conditions").match(remark) is None
            and truth_words_pattern().search(remark) is None
            and not self._is_another_value(remark, last_statement.value)
        )

    def _is_another_value(self, word: str, stated_value: str | None) -> bool:
        """True if a word is another value."""
        # Not the article in "needs a cache" and "A cache".
        words = [*re.findall(r"\b(?!a\b|A [a-z])\w+", plain_text(word)), *truth_words_pattern().findall(word)]
        return not self.takes_any_words and bool({*map(self.parse, words)} - {None, stated_value})

    def _picks_another_value(self, preceding_sentence: str, stated_value: str | None) -> bool:
        """True if a sentence right before the answer picks another value."""
        if (
            self.takes_any_words
            or answer_words_pattern("doubts").search(preceding_sentence)
            or answer_words_pattern("conditions").search(preceding_sentence)
        ):
            return False
        calls = list(_truth_claim_pattern(languages.LANGUAGES).finditer(preceding_sentence))
        if answer_words_pattern("negations").search(preceding_sentence):
            denied = {self.parse(call["word"]) for call in calls if call["denies"]}
            return stated_value is not None and stated_value in denied
        letters = [
            letter
            for match in _picked_letter_pattern(languages.LANGUAGES).finditer(preceding_sentence)
            for letter in match.groups()
        ]
        called = [call["word"] for call in calls]
        values = {self.parse(word) for word in [*letters, *called] if word} - {None}
        return bool(values) and not any(picked in (stated_value or "") for picked in values if picked)

    def _labelled_statements(self) -> Iterator[_Statement]:
        """Lines that begin with "Answer:"; the value may stand alone in the next line."""
        lines = list(re.finditer(r"[^\n]*\S[^\n]*", self.text))
        for line, next_line in zip(lines, [*lines[1:], None], strict=True):
            words = plain_text(line[0]).lstrip("#-【 ")
            label = answer_words_pattern("answer_labels").match(words)
            if label is None:
                continue
            content, end = words[label.end() :].lstrip(), line.end()
            if content.startswith((":", "：", "=")):
                content = content[1:].strip()
                if not content and next_line is not None:
                    content, end = plain_text(next_line[0]), next_line.end()
                value = None
                if len(content) <= _LONGEST_VALUE:
                    value = (
                        self.parse(content)
                        or self._value_in_sentence(content, must_be_whole=True)
                        or self._value_before_remark(content)
                    )
                yield _Statement(value, line.start(), end)
            elif (
                not self.takes_any_words
                and len(content) <= _LONGEST_VALUE
                and (value := self.parse(content)) is not None
            ):
                yield _Statement(value, line.start(), end)

    def _value_before_remark(self, passage: str) -> str | None:
        """The value before a remark in brackets that leaves it alone, such as "true (by definition)"."""
        match = re.fullmatch(r"([^()（）]+)[(（]([^()（）]{1,60})[)）]\W*", passage)
        if (
            match is None
            or _has_doubt_or_negation(match[2])
            or answer_words_pattern("conditions").search(match[2])
            or "?" in match[2]
        ):
            return None
        value = self.parse(match[1])
        is_another = self.parse(match[2]) not in (None, value) or truth_words_pattern().search(match[2]) is not None
        return None if is_another or self._is_another_value(match[2], value) else value

    def _wrapped_statements(self) -> Iterator[_Statement]:
        for wrapper in (_BOX, _answer_tag_pattern(languages.LANGUAGES)):
            for match in wrapper.finditer(self.text):
                yield _Statement(self.parse(plain_text(match[1])), match.start(), match.end())
        for start, end, members in _json_objects_with_places(self.text):
            values = [value for name, value in members if answer_words_pattern("fields").fullmatch(name.strip())]
            if values:
                is_judged = any(isinstance(value, bool) for _, value in members) and not isinstance(values[0], bool)
                is_one = len(values) == 1 and not is_judged
                yield _Statement(self.parse(_plain_text_of_scalar(values[0])) if is_one else None, start, end)

    def _sentence_statements(self) -> Iterator[_Statement]:
        """Sentences that say which answer is given; one that says it in passing contradicts, and does not answer."""
        for line in re.finditer(r"[^\n]+", self.text):
            start = line.start()
            for sentence in _SENTENCE_END.split(line[0]):
                start = self.text.find(sentence, start)
                words = plain_text(sentence).strip(_ENDS)
                if (
                    len(words) <= _LONGEST_VALUE
                    and (value := self._value_in_sentence(words, must_be_whole=False)) is not None
                ):
                    is_whole = "?" not in sentence and self._value_in_sentence(words, must_be_whole=True) is not None
                    yield _Statement(value, start, start + len(sentence) * is_whole, is_marked=False)
                start += len(sentence)

    def _value_in_sentence(self, sentence: str, *, must_be_whole: bool) -> str | None:
        """The value in a sentence such as "The answer is B"."""
        says = _answer_sentence_pattern(languages.LANGUAGES)
        match = says.fullmatch(sentence.strip(_ENDS)) if must_be_whole else says.search(sentence)
        return self.parse(next(filter(None, match.groups()))) if match else None


def _has_doubt_or_negation(passage: str) -> bool:
    return (
        answer_words_pattern("doubts").search(passage) is not None
        or answer_words_pattern("negations").search(passage) is not None
    )


def _json_objects_with_places(reply_text: str) -> Iterator[tuple[int, int, list[tuple[str, JsonValue]]]]:
    """The JSON objects of a reply, with their places; of nested ones the outer."""
    decoder, start = json.JSONDecoder(object_pairs_hook=_Members), 0
    for _ in range(_OBJECTS):
        start = reply_text.find("{", start)
        if start < 0:
            return
        try:
            members, end = decoder.raw_decode(reply_text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield start, end, members
        start = end


class _Members(list[tuple[str, JsonValue]]):
    """The members of an object, with names that are there twice."""


def _plain_text_of_scalar(json_scalar: JsonValue) -> str:
    if isinstance(json_scalar, bool):
        return "true" if json_scalar else "false"
    if isinstance(json_scalar, list):
        return "" if isinstance(json_scalar, _Members) else ", ".join(map(_plain_text_of_scalar, json_scalar))
    return plain_text(str(json_scalar)) if isinstance(json_scalar, str | int | float) else ""


@cache
def _answer_sentence_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    sentences = [sentence for language in known_languages for sentence in language.words.sentences]
    return re.compile("|".join(f"(?:{sentence.replace('<X>', '(.+)')})" for sentence in sentences), re.IGNORECASE)


@cache
def _answer_tag_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    names = "|".join(language.words.fields for language in known_languages if language.words.fields)
    return re.compile(rf"<(?:{names})>([^<>]{{1,300}})</\w+>", re.IGNORECASE)


@cache
def _picked_letter_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    """A letter that is picked, or called the right answer."""
    picks = "|".join(language.words.picks for language in known_languages if language.words.picks)
    answer_labels = "|".join(language.words.answer_labels for language in known_languages)
    true = "|".join(language.words.true for language in known_languages)
    return re.compile(
        f"(?i:{picks})".replace("<X>", r"(?-i:\b([A-Z])\b)")
        + rf"|(?i:{answer_labels})\s+([A-Z])\b[^.A-Z]{{0,30}}(?i:(?:{true})(?<=\w\w))(?![^\W\u2e80-\u9fff])"
    )


@cache
def _denied_letters_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    negations = "|".join(language.words.negations for language in known_languages if language.words.negations)
    return re.compile(rf"(?i:{negations})\W{{0,2}}\b([A-Z]+)\b")


@cache
def _truth_claim_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    """A word that calls something true or false, and before it a word that denies it, such as "is not true"."""
    words = "|".join(f"{language.words.false}|{language.words.true}" for language in known_languages)
    negations = "|".join(language.words.negations for language in known_languages if language.words.negations)
    return re.compile(
        rf"(?:\b(?:is|ist|est)\b|是|(?P<denies>{negations}))\W{{0,3}}(?P<word>(?:{words})(?<=\w\w))(?![^\W\u2e80-\u9fff])",
        re.IGNORECASE,
    )


def truth_words_pattern() -> re.Pattern[str]:
    """A word for true or false, not inside another word."""
    return _cached_truth_words_pattern(languages.LANGUAGES)


@cache
def _cached_truth_words_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    """A word of two letters and more for true or false."""
    words = "|".join(f"{language.words.false}|{language.words.true}" for language in known_languages)
    return re.compile(rf"(?<![^\W\u2e80-\u9fff])(?:{words})(?<=\w\w)(?![^\W\u2e80-\u9fff])", re.IGNORECASE)
