"""A passage that is a letter, letters, or a truth value as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages import answer_words_pattern
from benchwright_judges.languages.language import AnswerLanguage
from benchwright_judges.reading.quantities import Comparison, compare_quantities, read_quantity
from benchwright_judges.reading.reply import plain_text
from benchwright_judges.reading.words import normalise_short_answer

_EQUAL = (Comparison.SAME, Comparison.UNIT_MISSING)
_LETTER = re.compile(r"[(\[{]?([A-Za-z])[)\]}]?")
_LETTER_FIRST = re.compile(r"[(\[]?([A-Z]|[a-z](?=[)\]]))[)\]]?\s*(?:[.:,=、–—]|-(?=\s))*\s*(\S.*)")
_LETTER_LAST = re.compile(r"(.*\S)\s*[(\[]([A-Z])[)\]]")
_ENDS = " \t.,;:!。，；：！'\"“”„«»「」【】✅✔✓"
_OPENS = " \t'\"“„«「【✅✔✓"


def choice_letter_in(passage: str, choice_by_letter: Mapping[str, str], language: str) -> str | None:
    """The letter of the only option that a passage names: by its letter, its own text, both, or its number.

    Args:
        passage: Plain text in one line.
        choice_by_letter: Upper-case letter → text of each option.
        language: ISO 639 code, for articles and decimal commas.
    """
    passage = _without_leading_answer_noun(passage)
    letters = set(_letter_alone(passage, choice_by_letter))
    spelled = normalise_short_answer(passage, language)
    exact_letters = {letter for letter, text in choice_by_letter.items() if plain_text(text) == passage}
    letters |= exact_letters if len(exact_letters) == 1 else _letters_of_equal_text(spelled, choice_by_letter, language)
    letters |= _letters_with_text(passage, choice_by_letter, language)
    if not letters and (quantity := read_quantity(passage, language)) is not None:
        for letter, text in choice_by_letter.items():
            option_quantity = read_quantity(text, language)
            if option_quantity is not None and compare_quantities(quantity, option_quantity) in _EQUAL:
                letters.add(letter)
    return letters.pop() if len(letters) == 1 else None


def _letters_of_equal_text(choice_words: str, choice_by_letter: Mapping[str, str], language: str) -> set[str]:
    return {
        letter
        for letter, text in choice_by_letter.items()
        if choice_words and normalise_short_answer(text, language) == choice_words
    }


def choice_letters_in(passage: str, choice_by_letter: Mapping[str, str], language: str) -> str | None:
    """The letters of the options that a passage lists, in order; None if it is no list of letters.

    Args:
        passage: Plain text in one line.
        choice_by_letter: Upper-case letter → text of each option.
        language: ISO 639 code, for articles.
    """
    passage = _without_leading_answer_noun(passage)
    if re.fullmatch(r"[A-Z]{2,26}", passage):
        members = list(passage)
    else:
        members = [part for part in _list_separator_pattern(languages.LANGUAGES).split(passage) if part.strip(_ENDS)]
    letters = [choice_letter_in(member, choice_by_letter, language) for member in members]
    if not letters or None in letters or len(set(letters)) < len(letters) or not set(letters) <= set(choice_by_letter):
        return None
    return "".join(sorted(letter for letter in letters if letter is not None))


def truth_value_in(passage: str) -> str | None:
    """`true` or `false` if a passage is a word for it."""
    word = re.sub(r"\A[(\[](.*)[)\]]\Z", r"\1", passage.rstrip(_ENDS).lstrip(_OPENS)).casefold()
    return (
        "true"
        if answer_words_pattern("true").fullmatch(word)
        else "false"
        if answer_words_pattern("false").fullmatch(word)
        else None
    )


def _without_leading_answer_noun(passage: str) -> str:
    passage = passage.rstrip(_ENDS).lstrip(_OPENS)
    match = answer_words_pattern("nouns").match(passage)
    letters = passage[match.end() :].lstrip(" :：") if match else ""
    return letters.strip(_ENDS) if re.match(r"[(]?[A-Za-z]\b", letters) else passage


def _letter_alone(passage: str, choice_by_letter: Mapping[str, str]) -> set[str]:
    match = _LETTER.fullmatch(passage)
    return {match[1].upper()} & set(choice_by_letter) if match else set()


def _letters_with_text(passage: str, choice_by_letter: Mapping[str, str], language: str) -> set[str]:
    """The letter before its own text, or behind it in brackets."""
    pairs = [(match[1].upper(), match[2]) for match in [_LETTER_FIRST.fullmatch(passage)] if match]
    pairs += [(match[2], match[1]) for match in [_LETTER_LAST.fullmatch(passage)] if match]
    letters = {
        letter
        for letter, text in pairs
        if letter in choice_by_letter and _words_identify_option(text, letter, choice_by_letter, language)
    }
    return letters if len(letters) == len({letter for letter, _ in pairs}) else set()


def _words_identify_option(
    passage_words: str, option_letter: str, choice_by_letter: Mapping[str, str], language: str
) -> bool:
    """True if words are those of an option: all of them, or some that no other option has together."""
    passage_words = passage_words[1:-1] if re.fullmatch(r"[(\[][^()\[\]]*[)\]]", passage_words) else passage_words
    exact = [other for other, choice in choice_by_letter.items() if plain_text(choice) == passage_words.strip(_ENDS)]
    if exact:
        return option_letter in exact
    words = normalise_short_answer(passage_words, language)
    whole = _letters_of_equal_text(words, choice_by_letter, language)
    if whole:
        return whole == {option_letter}
    holders = [
        other
        for other, choice in choice_by_letter.items()
        if f" {words} " in f" {normalise_short_answer(choice, language)} "
    ]
    return bool(words) and holders == [option_letter]


@cache
def _list_separator_pattern(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    joins = "|".join(language.words.joins for language in known_languages if language.words.joins)
    return re.compile(rf"\s*(?:[,;、，；&+/]|(?<![a-z])(?:{joins})(?![a-z]))\s*|(?<=[A-Z)])\s+(?=[(A-Z])")
