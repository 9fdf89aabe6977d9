"""Comparing short answers with accepted ones: those that differ only in spelling are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage
from benchwright_judges.reading.reply import plain

_LONGEST = 4_000
_PUNCTUATION = " \t\r\n.,;:!?\"'`*_~“”„‘’«»「」『』《》【】。、，；：！？"
_SUBSCRIPT = re.compile(r"_\{?([A-Za-z0-9+\-]+)\}?")
_POWER = re.compile(r"\s*(?:\^|\*\*)\s*(?:\{([^{}]*)\}|\(([^()]*)\))?")
# Between two words a hyphen forms a compound; next to a single letter it is a minus.
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011](?=[^\W\d_]{2})")
_BLANK = re.compile(r"_{2,}|[(（]\s*[)）]")
_LEAST_AROUND = 8


def normalise(text: str, language: str = "en") -> str:
    """A short answer with case, width, surrounding punctuation, articles and spacing normalised.

    Args:
        text: A short answer.
        language: ISO 639 code, for its articles.
    """
    return _normalised(text[:_LONGEST], language, languages.LANGUAGES)


# Accepted answers and options are the same for every reply.
@lru_cache(maxsize=1024)
def _normalised(text: str, language: str, known_languages: Sequence[AnswerLanguage]) -> str:
    words = plain(text).casefold()
    words = _SUBSCRIPT.sub(r"\1", words)
    words = _POWER.sub(lambda match: f"^{match[1] or match[2] or ''}", words)
    words = _HYPHEN.sub(" ", words)
    answer_language = languages.find_language(language)
    if answer_language and answer_language.words.articles:
        words = re.sub(rf"(?<!\w)(?:{answer_language.words.articles})", "", words)
    # A space between a sign and a word, a digit and a letter, or next to a Chinese character is insignificant.
    words = _patterns(known_languages)[1].sub(r"\1", " ".join(words.split()))
    words = re.sub(r"(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d)", "", words)
    return words.strip(_PUNCTUATION)


def same_words(answer: str, accepted_answer: str, language: str, statement: str) -> bool:
    """True if an answer is an accepted one apart from its spelling.

    A list has to have the same members. Their order counts only if the question has several blanks.
    """
    if normalise(answer, language) == normalise(accepted_answer, language) != "":
        return True
    answer_members, accepted_members = _members(answer, language), _members(accepted_answer, language)
    if len(accepted_members) < 2 or len(answer_members) != len(accepted_members):
        return False
    if len(_BLANK.findall(statement)) > 1:
        return answer_members == accepted_members
    return sorted(answer_members) == sorted(accepted_members)


def without_question(passage: str, statement: str) -> str:
    """A passage without the words around the question's only blank that it says again: "write-back", "128 sets"."""
    pieces = [plain(piece.replace("\n", " ")) for piece in _BLANK.split(statement)]
    if len(pieces) != 2:
        return passage
    before, after = pieces[0].strip(" _"), pieces[1].strip(" _")
    whole = re.fullmatch(rf"{re.escape(before)}\s*(.{{1,80}}?)\s*{re.escape(after)}", passage, re.IGNORECASE)
    if whole and len(before + after) >= _LEAST_AROUND:
        return whole[1]
    # A part of a word right before the blank, and the word behind it.
    prefix = re.search(r"[^\s\u2e80-\u9fff]+-\Z", before) if re.search(r"-\s*_", statement) else None
    word = re.match(r"[^\W\d_\u2e80-\u9fff]{3,}", after)
    shorter = passage
    if prefix and shorter.casefold().startswith(prefix[0].casefold()):
        shorter = shorter[len(prefix[0]) :]
    if word and shorter.casefold().endswith(f" {word[0].casefold()}"):
        shorter = shorter[: -len(word[0])].rstrip()
    return shorter or passage


def _members(text: str, language: str) -> list[str]:
    parts = [normalise(part, language) for part in _patterns(languages.LANGUAGES)[0].split(plain(text))]
    return [part for part in parts if part]


@cache
def _patterns(known_languages: Sequence[AnswerLanguage]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What separates the members of a list, and what needs no space beside it."""
    spaced = "|".join(language.words.joins for language in known_languages if not language.unspaced)
    separators = [r"\s*(?:[;；、]|[,，](?=\s|[^\d\s]))\s*", rf"\s+(?:{spaced}|&)\s+"]
    scripts = [r"[^\w\s.,;]"]
    for language in known_languages:
        if language.unspaced:
            script = f"[{language.unspaced}]"
            separators.append(rf"(?<={script})(?:{language.words.joins})(?={script})")
            scripts.append(script)
    return re.compile("|".join(separators)), re.compile(rf" ?({'|'.join(scripts)}) ?")
