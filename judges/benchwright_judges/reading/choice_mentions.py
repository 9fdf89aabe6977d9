"""Choices that a reply mentions, and their places: each mention becomes one character that no text has.

`B) DRAM`, `(B)`, "option b" and "DRAM (B)" are one mention of B; DRAM alone is a mention of B's text. What is left
holds no text of a choice, so that the letters in `B) RISC` or `A B-tree` are not read as choices.

Choices named by their place or together are mentions too: "the second option", "die letzte", "none of them". A place
counts with a noun behind it ("the first option"), or at the end of a clause ("I take the first"): "the first step"
names no choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.reading.reply_text import answer_text

_LETTER, _TEXT = 0xE100, 0xE140
SEVERAL = "\ue1f0"
"""A list of several choices."""
CLASH = "\ue1f1"
"""A letter with the text of another choice."""
LETTERS = r"\ue100-\ue119"
MENTION = rf"[{LETTERS}\ue1f0\ue1f1]"
"""Regex: a mention by letter."""
TEXTS = r"\ue140-\ue159"
ANY_MENTION = rf"[{LETTERS}{TEXTS}\ue1f0\ue1f1]"
"""Regex: a mention by letter or by text alone."""
# Not a letter of a word, a B-tree, C++, C#, an element A[i] or call A(i), or D'abord.
_END = r"(?![A-Za-z0-9À-ÿ_]|'[A-Za-zÀ-ÿ]|[-+][A-Za-z0-9+À-ÿ]|[#\[]|\([A-Za-z0-9_]|\.[A-Za-z0-9]|\s?[=<>≤≥+*^×]\s?\w)"


def letter_of(mention: str) -> str | None:
    """The letter that a mention stands for; None for several."""
    code = ord(mention)
    for first_code in (_LETTER, _TEXT):
        if first_code <= code < first_code + 26:
            return chr(code - first_code + 65)
    return None


@dataclass(frozen=True)
class _MentionWording:
    letter: str
    text: str
    """Lower case."""
    weak: bool
    """Too short or too common to be found anywhere but behind a letter, a colon or "is"."""


def mark_mentions(text: str, choices: Mapping[str, str], language: str) -> str:
    """A reply in which every mention of a choice, and every list of several, is one character; see `mark_each`."""
    return _patterns("".join(sorted(choices))).list.sub(_merge_letters, mark_each(text, choices, language))


def mark_each(text: str, choices: Mapping[str, str], language: str) -> str:
    """A reply in which every mention of a choice is one character; letters of lists stay apart.

    Args:
        text: Text from `answer_text`.
        choices: Upper-case letter → wording.
        language: ISO 639 code of the wordings.
    """
    offered_letters = "".join(sorted(choices))
    patterns = _patterns(offered_letters)
    text = re.sub(r"\b(option|choice|answer)_(?=[a-zA-Z]\b)", r"\1 ", text, flags=re.IGNORECASE)
    text = _without_lettered_texts(text, choices)
    text = _mark_texts(text, _wordings(tuple(choices.items()), language, languages.LANGUAGES))
    text = _mark_positions(text, choices, _LETTER, _TEXT)
    text = patterns.letter_run.sub(SEVERAL, patterns.short_noun.sub(r"\1: ", text))
    text = patterns.lower.sub(_upper, text)
    text = patterns.trailing.sub(lambda match: match[1].upper(), text)
    text = patterns.letter.sub(_mark_letter, text)
    text = re.sub(r"[*`]+|(?<!\w)_{1,3}|_{1,3}(?!\w)", "", text)
    text = patterns.aside.sub("", patterns.labelled.sub(_merge, text))
    return patterns.explained.sub(
        lambda match: match[0] if letter_of(match[1]) != letter_of(match[2]) else match[2], text
    )


def _upper(match: re.Match[str]) -> str:
    letter = next(group for group in reversed(match.groups()) if group)
    return match[0].removesuffix(letter) + letter.upper()


def _without_lettered_texts(text: str, choices: Mapping[str, str]) -> str:
    """A reply in which "A) C" and "A (C)" are A where the text of A is C."""
    for letter, wording in choices.items():
        if re.fullmatch(r"[A-Z]", wording.strip()) and wording.strip() != letter:
            text = re.sub(
                rf"\b{letter}(\*{{0,2}})(?:[).:]|\s(?=\())\s?[(`\"*]{{0,3}}{wording.strip()}\b[)`\"*]{{0,3}}",
                rf"{letter}\1",
                text,
            )
    return text


@lru_cache(maxsize=256)
def _wordings(
    choices: tuple[tuple[str, str], ...], language: str, _known_languages: tuple[AnswerLanguage, ...]
) -> tuple[_MentionWording, ...]:
    spoken = languages.find_language(language)
    articles = spoken.short_text.articles if spoken else ""
    letters_by_wording: dict[str, set[str]] = {}
    for letter, choice in choices:
        plain_wording = re.sub(r"[*`]+", "", answer_text(choice)).strip(" \t\n.,;:!?。；，").lower()
        bare = re.sub(rf"^(?:{articles})", "", plain_wording) if articles else plain_wording
        for wording in {plain_wording, bare, *_abbreviated(choice)}:
            letters_by_wording.setdefault(wording, set()).add(letter)
    return tuple(
        _MentionWording(letter, text, _is_weak(text))
        for text, letters in sorted(letters_by_wording.items(), key=lambda wording_letters: -len(wording_letters[0]))
        for letter in letters
        # Wording that two choices share names neither, and one that is a letter is taken for the letter.
        if text and len(letters) == 1 and not re.fullmatch(r"[a-z]", text)
    )


def _abbreviated(choice: str) -> Iterator[str]:
    """Term and abbreviation of "direct memory access (DMA)", in lower case."""
    if match := re.fullmatch(r"\s*(.{8,80}?)\s*[(（]([A-Z][A-Z0-9/-]{1,9})[)）][\s.]*", choice):
        yield match[1].lower()
        yield match[2].lower()


def _is_weak(text: str) -> bool:
    return len(text) <= (1 if text[0] > "\u2e80" else 3) or text in _truth_words(languages.LANGUAGES)


@cache
def _truth_words(known_languages: tuple[AnswerLanguage, ...]) -> frozenset[str]:
    true_false_words = [language.true_false for language in known_languages]
    return frozenset(
        word
        for value_words in true_false_words
        for word in (*value_words.true, *value_words.false, *value_words.true_alone, *value_words.false_alone)
    )


def _mark_texts(text: str, wordings: tuple[_MentionWording, ...]) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        return text
    spans: list[tuple[int, int, str]] = []
    taken_mask = bytearray(len(text))
    for wording in wordings:
        size, start = len(wording.text), lower.find(wording.text)
        while start >= 0:
            end = start + size
            if (
                not any(taken_mask[start:end])
                and _stands_alone(lower, start, end)
                and (not wording.weak or _fits(lower, start, end))
            ):
                taken_mask[start:end] = b"\x01" * size
                spans.append((start, end, chr(_TEXT + ord(wording.letter) - 65)))
            start = lower.find(wording.text, end)
    pieces, copied_end = [], 0
    for start, end, mark in sorted(spans):
        pieces += [text[copied_end:start], mark]
        copied_end = end
    return "".join((*pieces, text[copied_end:]))


def _stands_alone(text: str, start: int, end: int) -> bool:
    char_before, char_after = text[start - 1 : start], text[end : end + 1]
    return (
        not (_is_word(char_before) and _is_word(text[start]))
        and not (_is_word(char_after) and _is_word(text[end - 1]))
        and not (char_after in "-^" and text[end + 1 : end + 2].isalnum() if char_after else False)
    )


def _is_word(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def _fits(text: str, start: int, end: int) -> bool:
    """True if a short wording is where an answer would be."""
    text_before = text[max(0, start - 12) : start].rpartition("\n")[2]
    text_after = text[end : end + 4].lstrip(" *_`\"')")
    ends_clause = (
        not text_after
        or _patterns("").predicate.match(text, end) is not None
        or text_after[0] in ".,;:!?)(\n。，；：、"
        or text[end : end + 2] == " ("
    )
    return ends_clause and (
        not text_before.strip(" *_`\"'(\n>#-\ue010\ue011\ue012")
        or text_before.rstrip(" *_`\"'(")[-1:] in ")].:=\n"
        or _patterns("").copula.search(text_before) is not None
    )


def _mark_letter(match: re.Match[str]) -> str:
    letter = next(group for group in match.groups() if group)
    mark = chr(_LETTER + ord(letter.upper()) - 65)
    line = match.string.rfind("\n", 0, match.start()) + 1
    begins_line = not re.search(r"\w", match.string[line : match.start()][:20])
    # "(B) text" and "**B.** text" begin a line as "B) text" does.
    return f"{mark})" if begins_line and re.search(r"[)\].:]", match[0]) else mark


def _merge(match: re.Match[str]) -> str:
    """A letter and the wording behind it."""
    letter, text = match[1], match[3]
    if letter_of(letter) == letter_of(text):
        line = match.string.rfind("\n", 0, match.start()) + 1
        begins_line = not re.search(r"\w", match.string[line : match.start()][:20])
        return (
            f"{letter})"
            if begins_line and match[2].strip() and match.string[match.end() :][:2].strip(" ").isalnum()
            else letter
        )
    return CLASH if match[2].strip() in (")", ".", ":", "(", "") else match[0]


def _merge_letters(match: re.Match[str]) -> str:
    letters = set(re.findall(rf"[{LETTERS}]", match[0]))
    return letters.pop() if len(letters) == 1 else SEVERAL


@dataclass(frozen=True, eq=False)
class _Patterns:
    lower: re.Pattern[str]
    """A lower-case letter where only an answer can be."""
    short_noun: re.Pattern[str]
    aside: re.Pattern[str]
    """A choice that only another is compared with."""
    trailing: re.Pattern[str]
    """A lower-case letter that ends a line of words."""
    letter_run: re.Pattern[str]
    """Several letters and nothing else in a line."""
    letter: re.Pattern[str]
    labelled: re.Pattern[str]
    """A letter and the text behind it."""
    explained: re.Pattern[str]
    """The wording and the letter behind it."""
    list: re.Pattern[str]
    copula: re.Pattern[str]
    predicate: re.Pattern[str]
    """Pattern of words that say something of the choice before them."""


def _patterns(offered_letters: str) -> _Patterns:
    return _compile(offered_letters, languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(offered_letters: str, known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    capital, either_case = f"[{offered_letters or 'A'}]", f"[{offered_letters or 'A'}{offered_letters.lower() or 'a'}]"
    small = f"[{offered_letters.lower() or 'a'}]"
    later_letters = f"[{offered_letters[1:].lower() or 'b'}]"  # "A" would be an article.
    nouns = joined(known_languages, lambda language: language.choices.nouns)
    leads = r"\b(?:so|also|donc|gives|makes|thus)\b|所以|故"
    copulas = joined(known_languages, lambda language: language.choices.copulas)
    joins = joined(known_languages, lambda language: language.choices.joins)
    verbs = joined(known_languages, lambda language: language.choices.predicates)
    settled = (
        joined(known_languages, lambda language: language.commitment.certain),
        joined(known_languages, lambda language: language.commitment.praises),
    )
    because = joined(known_languages, lambda language: language.choices.because)
    followers = any_of((verbs, joined(known_languages, lambda language: language.choices.adverbials), *settled))
    # "A" before a word is an article, and C before one may be the language of a program.
    no_article = rf"(?!(?:[AI])[ \t]+(?!(?:{verbs}|{joins})\b)[a-zà-ÿ])"
    no_noun = rf"(?![ \t]+(?!(?:{followers}|{joins})\b)[a-zà-ÿ])"
    quote = r"[(\[{<\"'“‘„«»「『【《]"
    noun = rf"(?:(?:{nouns})[ \t]*)"
    asides = joined(known_languages, lambda language: language.choices.aside)
    return _Patterns(
        short_noun=re.compile(
            rf"\b({joined(known_languages, lambda language: language.choices.short_nouns)})\.[ \t]*", re.IGNORECASE
        ),
        aside=re.compile(
            rf"\b(?:{asides})\s+{noun}?[{LETTERS}{TEXTS}][ \t]?,?",
            re.IGNORECASE,
        ),
        lower=re.compile(
            rf"(?i:(\b(?:{nouns})\b[ \t]{{0,3}}(?:(?:{copulas}|[:=→-])[ \t]{{0,3}}){{0,2}}{noun}?[*_`\"'(\[]{{0,4}}"
            rf"|(?:^|(?<=\ue010))[^\w\n]{{0,8}}(?:{noun})?))(?-i:({small}))"
            rf"(?=[)\]*_`\"'. \t]{{0,5}}(?:[.,;:!?。，；]|$)|[).][ \t]|[ \t]*(?:{because})|(?=[\u2e80-\u9fff]))"
            rf"|(?i:\b(?:it'?s|that'?s|(?:{copulas}))[ \t]+)"
            rf"(?-i:({later_letters}))(?=[?!.,;]|[ \t]+(?:{because}|right)\b|$)",
            re.MULTILINE,
        ),
        trailing=re.compile(rf"(?<=[a-zà-ÿ,:][ ])({small})(?=[.!]?[ \t]*$)", re.MULTILINE),
        letter_run=re.compile(
            rf"(?:^|(?<=\ue010))[^\w\n]{{0,4}}(?:{capital}{{2,5}}"
            rf"|{either_case}(?:[ \t]*(?:[,;/&+、]|(?i:{joins}))[ \t]*(?:(?i:{joins})[ \t]*)?{either_case}){{1,9}})"
            r"[^\w\n]{0,4}$",
            re.MULTILINE,
        ),
        letter=re.compile(
            rf"(?<![A-Za-z0-9À-ÿ_.)\\])(?<![Nn]/)(?:"
            rf"{quote}\s?(?:(?i:{noun}))?(?:\*\*|`)?({either_case})(?:\*\*|`)?\s?[)\]}}>\"'”’“»«」』】》](?!\w)"
            rf"|(?:\*{{1,3}}|_{{1,2}}|`)[(\[\"]?({either_case})[)\].:\"]{{0,2}}(?:\*{{1,3}}|_{{1,2}}|`)(?![A-Za-z0-9])"
            rf"|{no_article}({capital}){_END}{no_noun})"
        ),
        labelled=re.compile(
            rf"([{LETTERS}])([ \t]?[).:\]\-–—,=\"'/、]{{0,3}}[ \t]*[(\"“'「]?[ \t]*)"
            rf"(?:i\.e\.,?|namely)?[ \t]*([{TEXTS}])(?:[)\"”'」](?!\w))?"
        ),
        explained=re.compile(
            rf"([{TEXTS}])[\"'”]?[ \t]?[,(\[–—-]{{0,2}}[ \t]?(?i:{noun})?\(?([{LETTERS}])(?:[ \t]?[)\]])?"
        ),
        list=re.compile(
            rf"[{LETTERS}][)\]]?"
            rf"(?:[ \t]*(?:,[ \t]*(?i:{joins})?|[/&+、|]|\b(?i:{joins})\b\.?|(?i:{joins})(?=[{LETTERS}]))?"
            rf"[ \t]*(?i:{noun})?[{LETTERS}][)\]]?)+"
        ),
        copula=re.compile(rf"(?:{copulas}|{leads})[ \t]*[*_`\"'(]*$", re.IGNORECASE),
        predicate=re.compile(rf"[ \t]+(?:{copulas})\b", re.IGNORECASE),
    )


def _mark_positions(text: str, choices: Mapping[str, str], letter: int, wording: int) -> str:
    """A reply in which places and "none of them" are marks.

    Args:
        text: Text from `answer_text`, with the wording of the choices marked.
        choices: Upper-case letter → wording.
        letter: Code of the mark of the letter A.
        wording: Code of the mark of the text of A.
    """
    letters = sorted(choices)
    for group_pattern, choice_letter in _group_patterns(tuple(choices.items()), languages.LANGUAGES):
        text = group_pattern.sub(chr(wording + ord(choice_letter) - 65), text)
    for positions in _compile_positions(languages.LANGUAGES):
        if not positions.likely.search(text):
            continue
        place_patterns = [*zip(positions.ordinal_patterns, letters, strict=False)]
        end_patterns = (
            zip((positions.last_but_one, positions.last_pattern), letters[-2:], strict=False)
            if len(letters) > 1
            else ()
        )
        for pattern, choice_letter in (*end_patterns, *place_patterns):
            text = pattern.sub(chr(letter + ord(choice_letter) - 65), text)
    return text


@lru_cache(maxsize=256)
def _group_patterns(
    choices: tuple[tuple[str, str], ...], known_languages: tuple[AnswerLanguage, ...]
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Patterns of the only choice that is "none of them" or "all of them", and its letter."""
    pattern_letters = []
    for spoken in _compile_positions(known_languages):
        for group_pattern in (spoken.none_phrase, spoken.all_phrase):
            named_letters = [letter for letter, text in choices if group_pattern.fullmatch(text.strip(" .。"))]
            pattern_letters += [(group_pattern, named_letters[0])] if len(named_letters) == 1 else []
    return tuple(pattern_letters)


@dataclass(frozen=True, eq=False)
class _Positions:
    likely: re.Pattern[str]
    """Any word for a place; most replies have none."""
    ordinal_patterns: tuple[re.Pattern[str], ...]
    last_pattern: re.Pattern[str]
    last_but_one: re.Pattern[str]
    none_phrase: re.Pattern[str]
    all_phrase: re.Pattern[str]


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile_positions(known_languages: tuple[AnswerLanguage, ...]) -> tuple[_Positions, ...]:
    return tuple(_positions(language) for language in known_languages)


def _positions(language: AnswerLanguage) -> _Positions:
    place_words = language.places
    numbers = (*place_words.numbers, *("" for _ in place_words.ordinals[len(place_words.numbers) :]))
    return _Positions(
        likely=_insensitive(
            any_of((*place_words.ordinals, place_words.last_place, place_words.last_but_one, place_words.number_nouns))
            or "(?!)"
        ),
        ordinal_patterns=tuple(
            _position_pattern(language, *ordinal_forms)
            for ordinal_forms in zip(place_words.ordinals, numbers, strict=True)
        ),
        last_pattern=_position_pattern(language, place_words.last_place, ""),
        last_but_one=_position_pattern(language, place_words.last_but_one, ""),
        # "None of the options A, B or C" leaves D.
        none_phrase=_insensitive(rf"(?:{place_words.none_phrases or '(?!)'})(?!\W*[A-H]\b)"),
        all_phrase=_insensitive(place_words.all_phrases or "(?!)"),
    )


def _position_pattern(language: AnswerLanguage, ordinal: str, number: str) -> re.Pattern[str]:
    place_words, clause_end = language.places, r"(?=\s*(?:[.,;:!?)。，；！]|$))"
    if not ordinal:
        return re.compile("(?!)")
    if language.unspaced:
        return _insensitive(rf"(?:{ordinal})(?:{place_words.nouns})(?={place_words.suffixes}|{clause_end[3:-1]})")
    word = rf"\b(?:(?:{place_words.articles})\s+)?\b(?:{ordinal})"
    pattern_texts = [
        rf"(?<!my ){word}\s+(?:{place_words.nouns})\b",
        rf"\b(?:{place_words.articles})\s+(?:{ordinal}){clause_end}",
        rf"^\W{{0,4}}(?:{ordinal})(?=\W{{0,3}}$)",
    ]
    if number:
        pattern_texts.append(rf"\b(?:{place_words.number_nouns})\s+(?:{number})(?![\w^]|\.\d|\s*[-+*/=:])")
    return _insensitive(any_of(pattern_texts))


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
