"""Comparing short answers with accepted ones: those that differ only in spelling are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage
from benchwright_judges.reading.quantities import read_unit
from benchwright_judges.reading.reply import plain_text

_LONGEST = 4_000
_PUNCTUATION = " \t\r\n.,;:!?\"'`*_~“”„‘«»「」『』《》【】。、，；：！？"
_WRAPPING = ' \t\r\n.,;"`“”„‘«»「」。，；'
_BLANK = re.compile(r"(?:\\?_){2,}|\[\s*(?:blank)?\s*\d?\s*\]|[(（]\s*\d?\s*[)）]")
_LEAST_AROUND = 8
# Letters, digits, and the marks of sentences and lists: every other sign has a meaning of its own.
_SENTENCE = re.compile(r"[\w\s,;:.、，；：。'\"“”„‘«»「」『』《》【】()（）\u2010\u2011-]*[!?！？]?")
_SIGNS = re.compile(r"\w'(?:\Z|\s*[+*)]|[A-Z])|_[\w{]|\d\s*-\s*\w|\w\(|\A-\s*\w|\s-\s|(?<![^\W\d_]{2})[\w)][!！]\Z")
_ATOM = re.compile(r"(?:(?<![\w)])|(?<=\^)|(?<=/))\((\w+)\)")
# Between two words a hyphen forms a compound; next to a single letter it is a minus.
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011](?=[^\W\d_]{2})")


def normalise_short_answer(answer_text: str, language: str = "en") -> str:
    """A short answer with case, width, surrounding punctuation, articles and spacing normalised.

    Of a formula only white space, wrapping and brackets around single names are: `~a`, `A'B` and `2^(n-1)` are
    something else than `a`, `AB` and `2^n-1`.

    Args:
        answer_text: A short answer.
        language: ISO 639 code, for its articles.
    """
    return _normalised(answer_text[:_LONGEST], language, languages.LANGUAGES)


# Accepted answers and options are the same for every reply.
@lru_cache(maxsize=1024)
def _normalised(answer_text: str, language: str, known_languages: Sequence[AnswerLanguage]) -> str:
    words = plain_text(answer_text)
    if _is_formula(words):
        formula = re.sub(r"_\{(\w)\}", r"_\1", re.sub(r"\s+", "", words.strip(_WRAPPING)))
        formula = formula.replace("{", "(").replace("}", ")").replace("**", "^")
        return _ATOM.sub(r"\1", re.sub(r"_(?=[\d(])", "", formula))
    words = _HYPHEN.sub(" ", words.casefold())
    answer_language = languages.find_language(language)
    if answer_language and answer_language.words.articles:
        words = re.sub(rf"(?<!\w)(?:{answer_language.words.articles})", "", words)
    # A space between a sign and a word, a digit and a letter, or next to a Chinese character is insignificant.
    words = _list_separator_spacing_and_join_patterns(known_languages)[1].sub(r"\1", " ".join(words.split()))
    words = re.sub(r"(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d)", "", words)
    return words.strip(_PUNCTUATION)


def _is_formula(answer_words: str) -> bool:
    """True if there is a sign that is neither one of words nor of a list."""
    bare = answer_words.strip(_WRAPPING)
    return _SENTENCE.fullmatch(bare) is None or _SIGNS.search(bare) is not None


def is_same_apart_from_spelling(answer: str, accepted_answer: str, language: str) -> bool:
    """True if an answer is an accepted one apart from its spelling.

    A list has to have the same members in the same order; only where a word such as "and" joins the accepted ones, the
    order does not matter. The case of a unit is part of it: `mW` is not `MW`.
    """
    if normalise_short_answer(answer, language) == normalise_short_answer(accepted_answer, language) != "":
        return _unit_letters(answer) == _unit_letters(accepted_answer)
    if _is_formula(plain_text(answer)) or _is_formula(plain_text(accepted_answer)):
        return False
    answer_members, accepted_members = _list_members(answer, language), _list_members(accepted_answer, language)
    if len(accepted_members) < 2 or len(answer_members) != len(accepted_members):
        return False
    if _list_separator_spacing_and_join_patterns(languages.LANGUAGES)[2].search(plain_text(accepted_answer)) is None:
        return answer_members == accepted_members
    return sorted(answer_members) == sorted(accepted_members)


def _unit_letters(quantity_text: str) -> str:
    """The letters of a quantity or a unit as they are written; empty for words, whose case says nothing."""
    words = plain_text(quantity_text).strip(_WRAPPING)
    is_unit = re.match(r"[-+\d]", words) or any(read_unit(spelling) for spelling in (words, words.swapcase()) if words)
    return re.sub(r"[\W\d_]", "", words) if is_unit else ""


def without_words_around_blank(answer_passage: str, question_statement: str) -> str:
    """A passage without the words around the question's only blank that it says again: "write-back", "128 sets"."""
    pieces = [plain_text(piece.replace("\n", " ")) for piece in _BLANK.split(question_statement)]
    if len(pieces) != 2:
        return answer_passage
    before, after = pieces[0].strip(" _"), pieces[1].strip(" _")
    whole = re.fullmatch(rf"{re.escape(before)}\s*(.{{1,80}}?)\s*{re.escape(after)}", answer_passage, re.IGNORECASE)
    if whole and len(before + after) >= _LEAST_AROUND:
        return whole[1]
    # A part of a word right before the blank, and the word behind it.
    prefix = re.search(r"[^\s\u2e80-\u9fff]+-\Z", before) if re.search(r"-\s*_", question_statement) else None
    word = re.match(r"[^\W\d_\u2e80-\u9fff]{3,}", after)
    shorter = answer_passage
    if prefix and shorter.casefold().startswith(prefix[0].casefold()):
        shorter = shorter[len(prefix[0]) :]
    if word and shorter.casefold().endswith(f" {word[0].casefold()}"):
        shorter = shorter[: -len(word[0])].rstrip()
    return shorter or answer_passage


def _list_members(answer_text: str, language: str) -> list[str]:
    parts = [
        normalise_short_answer(part, language)
        for part in _list_separator_spacing_and_join_patterns(languages.LANGUAGES)[0].split(plain_text(answer_text))
    ]
    return [part for part in parts if part]


@cache
def _list_separator_spacing_and_join_patterns(
    known_languages: Sequence[AnswerLanguage],
) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What separates the members of a list, what needs no space beside it, and the words that join members."""
    spaced = "|".join(language.words.joins for language in known_languages if not language.unspaced_character_ranges)
    separators = [r"\s*(?:[;；、]|[,，](?=\s|[^\d\s]))\s*", rf"\s+(?:{spaced})\s+"]
    joins = [rf"\s(?:{spaced})\s"]
    scripts = [r"[^\w\s.,;]"]
    for language in known_languages:
        if language.unspaced_character_ranges:
            script = f"[{language.unspaced_character_ranges}]"
            separators.append(rf"(?<={script})(?:{language.words.joins})(?={script})")
            joins.append(separators[-1])
            scripts.append(script)
    return re.compile("|".join(separators)), re.compile(rf" ?({'|'.join(scripts)}) ?"), re.compile("|".join(joins))
