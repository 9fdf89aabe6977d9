"""The choice that a reply settles on where none of its sentences states the answer in a known way.

What a reply says of the choices is taken clause by clause: a choice may be affirmed, denied, supposed, asked or only
discussed. It is the answer if it alone is affirmed and a clause ends with it or praises it ("put me down for B",
"B makes sense"), if the last sentence concludes with it, or if all others are ruled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.reading.answer_extraction import Weight, is_denied, sentences, supposes, weigh
from benchwright_judges.reading.choice_mentions import CLASH, LETTERS, SEVERAL, TEXTS, letter_of, mark_each
from benchwright_judges.reading.option_lines import option_lines

_MAX_REPLY = 4_000
_MAX_SENTENCE = 2_000
_MAX_MENTIONS = 50
_MAX_OPENING = 300
# Replies in languages that are not known deny, too; these words are all that is known of such languages.
_DENIES = re.compile(
    r"\b(?:no(?!\s+(?:doubt|question))|non|n[ãa]o|nie|nem|niet|geen|ikke|inte|ei|не|ни|нет|değil|bukan|tidak)\b",
    re.IGNORECASE,
)
_MENTION = re.compile(f"[{LETTERS}{TEXTS}{SEVERAL}{CLASH}]")


@dataclass(frozen=True)
class _Affirmed:
    letter: str | None
    """None for several."""
    sentence: int
    """Offset at which its sentence begins."""
    commits: bool
    concludes: bool
    praised: bool
    by_letter: bool


def committed_choice(text: str) -> str | None:
    """The letter that a reply affirms, and no other; None if it affirms none or several.

    Args:
        text: A reply with its mentions marked.
    """
    if len(text) > _MAX_REPLY:
        text = text[-_MAX_REPLY:]
    if _patterns().asks.match(text.lstrip(" >*-\"'")) and "?" in text and "\n" not in text:
        return None
    affirmed = list(_affirmed(text))
    letters = {affirmation.letter for affirmation in affirmed}
    if (
        len({affirmation.letter for affirmation in affirmed if affirmation.praised}) > 2
    ):  # Each is said to be something.
        return None
    if len(letters) > 1:
        last_affirmations = [affirmation for affirmation in affirmed if affirmation.sentence == affirmed[-1].sentence]
        earlier_affirmations = affirmed[: -len(last_affirmations)]
        affirmed = [affirmation for affirmation in last_affirmations if affirmation.concludes]
        letters = {affirmation.letter for affirmation in affirmed}
        decided_letters = {
            affirmation.letter for affirmation in earlier_affirmations if affirmation.commits and affirmation.by_letter
        } - letters
        if (decided_letters or len({affirmation.letter for affirmation in last_affirmations}) > 1) and not any(
            affirmation.praised for affirmation in affirmed
        ):
            return None
    if len(letters) == 1 and any(affirmation.commits for affirmation in affirmed):
        return letters.pop()
    return None


def restated_choice(text: str, statement: str) -> str | None:
    """The only choice in a reply of one sentence that says the question again as a statement.

    Args:
        text: A reply with its mentions marked.
        statement: The question.
    """
    sentence_texts = [sentence for _, sentence in sentences(text[:_MAX_REPLY]) if sentence.strip()]
    mentions = set(_MENTION.findall(text[:_MAX_REPLY]))
    if len(sentence_texts) != 1 or len(mentions) != 1 or "?" in text or not _patterns().finished_pattern.search(text):
        return None
    match = _MENTION.search(sentence_texts[0])
    if (
        not match
        or is_denied(sentence_texts[0], match.start(), match.end())
        or _patterns().others_view.search(sentence_texts[0])
    ):
        return None
    words, asked_words = _words(text), _words(statement)
    return letter_of(mentions.pop()) if words and len(words & asked_words) >= 0.6 * len(words) else None


def _words(text: str) -> set[str]:
    """Words that carry meaning, and Chinese characters."""
    return set(re.findall(r"[\u2e80-\u9fff]|[^\W\d_\u2e80-\u9fff\ue000-\uf8ff]{4,}", text.casefold()))


def remaining_choice(text: str, choices: Mapping[str, str], language: str) -> str | None:
    """The only choice that a reply does not rule out, if it rules out all others, of which there are two or more.

    Args:
        text: Text from `answer_text`.
        choices: Upper-case letter → wording.
        language: ISO 639 code of the wordings.
    """
    if len(text) > _MAX_REPLY or "?" in text:
        return None
    excluded_letters: set[str | None] = set()
    for _, sentence in sentences(mark_each(text, choices, language)):
        for clause in re.split(r";", sentence):
            named_letters = {letter_of(mark) for mark in re.findall(f"[{LETTERS}{TEXTS}]", clause)}
            if re.search(rf"[{LETTERS}{TEXTS}]\s+[{LETTERS}{TEXTS}]", clause):
                # "not A B": the second may be what is meant instead.
                return None
            if named_letters and _patterns().rules_out.search(clause):
                excluded_letters |= named_letters
            elif named_letters:
                return None
    remaining_letters = set(choices) - excluded_letters
    if len(excluded_letters) < 2 or len(remaining_letters) != 1:
        return None
    return None if re.search(rf"\b{(last := remaining_letters.pop())}\b", text) else last


def _affirmed(text: str) -> Iterator[_Affirmed]:
    patterns = _patterns()
    listed_spans = [(line.position, line.position + len(line.text)) for line in option_lines(text) if line.is_listed]
    passages = [(start, passage) for start, passage in sentences(text) if passage.strip()]
    for start, sentence in passages:
        if any(begin <= start < end for begin, end in listed_spans) or supposes(sentence):
            continue
        # A doubtful answer is one: "B?".
        assertion = sentence.replace("?", ".") if len(passages) == 1 or len(text.split()) <= 6 else sentence
        for match in islice(_MENTION.finditer(assertion[:_MAX_SENTENCE]), _MAX_MENTIONS):
            opening = assertion[max(0, match.start() - _MAX_OPENING) : match.start()]
            text_before = re.split(r"[,;:，；：]", opening)[-1]
            possible_starts = (match.start(), match.start() - len(text_before))
            if any(is_denied(assertion, statement_start, match.end()) for statement_start in possible_starts) or (
                patterns.supposed.match(assertion, match.end()) or patterns.taken_back.search(assertion, match.end())
            ):
                continue
            if _MENTION.fullmatch(assertion.strip(" .:)*")) and patterns.dismissed.match(text, start + len(sentence)):
                continue
            if (
                patterns.discussed.search(text_before)
                or patterns.others_view.search(opening)
                or _DENIES.search(text_before)
            ):
                continue
            closes, praised = (
                bool(pattern.match(assertion, match.end())) for pattern in (patterns.ending_pattern, patterns.praises)
            )
            praised |= bool(patterns.singles.search(opening))
            by_letter = re.match(f"[{LETTERS}]", match[0]) is not None
            if by_letter and patterns.other_nouns.search(opening):
                closes = praised = False
            closes &= not (opening.rstrip()[-1:] == "=" and text.count("=") > 1)
            yield _Affirmed(
                letter_of(match[0]),
                start,
                closes or praised,
                praised
                or weigh(assertion, match.start(), match.end()) > Weight.ANSWERS
                or (start == passages[-1][0] and closes and by_letter),
                praised or weigh(assertion, match.start(), match.end()) > Weight.ANSWERS,
                by_letter,
            )


@dataclass(frozen=True, eq=False)
class _Patterns:
    asks: re.Pattern[str]
    finished_pattern: re.Pattern[str]
    discussed: re.Pattern[str]
    singles: re.Pattern[str]
    other_nouns: re.Pattern[str]
    dismissed: re.Pattern[str]
    taken_back: re.Pattern[str]
    others_view: re.Pattern[str]
    supposed: re.Pattern[str]
    ending_pattern: re.Pattern[str]
    praises: re.Pattern[str]
    rules_out: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    certain = joined(known_languages, lambda language: language.commitment.certain)
    because = joined(known_languages, lambda language: language.choices.because)
    unreal = re.sub(r"\s+(?=\|)|\n\s*", "", joined(known_languages, lambda language: language.discourse.unreal))
    wrong_words = any_of(word for language in known_languages for word in language.true_false.false)
    close = r"[\"'”’»)\]]{0,3}"
    return _Patterns(
        asks=_insensitive(joined(known_languages, lambda language: language.commitment.asks)),
        finished_pattern=re.compile(r"[.!。！]\W*\Z"),
        discussed=_insensitive(joined(known_languages, lambda language: language.commitment.discussed)),
        other_nouns=_insensitive(joined(known_languages, lambda language: language.commitment.other_nouns)),
        taken_back=_insensitive(
            r"(?:\b(?:but|though|although|aber|doch|mais|但)\b|但)[^.;]{0,20}(?:n't|\bno\b|\bnot\b|\bnicht\b|\bnein\b|\bpas\b|\bnon\b|不)"
        ),
        dismissed=_insensitive(rf"[^.!?。！？\n]{{0,60}}\b(?:{wrong_words})\b"),
        singles=_insensitive(joined(known_languages, lambda language: language.commitment.singles)),
        others_view=_insensitive(joined(known_languages, lambda language: language.commitment.others_view)),
        supposed=_insensitive(rf"{close}\s+(?:{unreal})(?!\s+do\b)"),
        ending_pattern=_insensitive(
            rf"{close}(?:\s*,?\s*(?:{certain}))*\s*{close}(?:[.,;!。，；！…\n→]|$|\s[-–—]+(?!\s*(?:{wrong_words}))(?=\s*\S)|\s+(?:{because})\b)"
        ),
        praises=_insensitive(rf"{close}\s*(?:{joined(known_languages, lambda language: language.commitment.praises)})"),
        rules_out=_insensitive(joined(known_languages, lambda language: language.commitment.rules_out)),
    )


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
