"""The languages in which questions are asked and answered: each has one module and one line here."""

from __future__ import annotations

import re
from functools import cache

from benchwright_judges.languages.chinese import CHINESE
from benchwright_judges.languages.english import ENGLISH
from benchwright_judges.languages.french import FRENCH
from benchwright_judges.languages.german import GERMAN
from benchwright_judges.languages.language import AnswerLanguage, LanguageWording

LANGUAGES: tuple[AnswerLanguage, ...] = (
    ENGLISH,
    FRENCH,
    GERMAN,
    CHINESE,
)


def find_language(language_code: str) -> AnswerLanguage | None:
    """The language of an ISO 639 code; None if it is not known here."""
    return next((language for language in LANGUAGES if language.code == language_code), None)


def wording_of_language(language_code: str) -> LanguageWording:
    """Wording of questions in a language; in English if it is not known here."""
    return (find_language(language_code) or ENGLISH).wording


def answer_words_pattern(words_field: str) -> re.Pattern[str]:
    """One regex of `AnswerWords` in every language: an answer may be in another one than its question."""
    return _cached_answer_words_pattern(words_field, LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _cached_answer_words_pattern(words_field: str, known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    fragments = (getattr(language.words, words_field) for language in known_languages)
    return re.compile("|".join(fragment for fragment in fragments if fragment), re.IGNORECASE)
