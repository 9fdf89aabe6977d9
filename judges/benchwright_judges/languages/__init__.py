"""The languages in which questions are asked and answered: each has one module and one line here."""

from __future__ import annotations

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


def find_language(code: str) -> AnswerLanguage | None:
    """The language of an ISO 639 code; None if it is not known here."""
    return next((language for language in LANGUAGES if language.code == code), None)


def wording(code: str) -> LanguageWording:
    """Wording of questions in a language; in English if it is not known here."""
    return (find_language(code) or ENGLISH).wording
