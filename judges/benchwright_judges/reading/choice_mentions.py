"""Which choices a reply mentions, and where: each mention becomes one character that no text has.

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
    for base in (_LETTER, _TEXT):
        if base <= code < base + 26:
            return chr(code - base + 65)
    return None


@dataclass(frozen=True)
class _Wording:
    letter: str
    text: str
    """Lower case."""
    weak: bool
    """Too short or too common to be found anywhere but behind a letter, a colon or "is"."""


def mark_mentions(text: str, choices: Mapping[str, str], language: str) -> str:
    """A reply in which every mention of a choice, and every list of several, is one character; see `mark_each`."""
    return _patterns("".join(sorted(choices))).list.sub(_several, mark_each(text, choices, language))


def mark_each(text: str, choices: Mapping[str, str], language: str) -> str:
    """A reply in which every mention of a choice is one character; letters of lists stay apart.

    Args:
        text: From `answer_text`.
        choices: Upper-case letter → wording.
        language: ISO 639 code of the wordings.
    """
    offered = "".join(sorted(choices))
    known = _patterns(offered)
    text = re.sub(r"\b(option|choice|answer)_(?=[a-zA-Z]\b)", r"\1 ", text, flags=re.IGNORECASE)
    text = _without_lettered_texts(text, choices)
    text = _mark_texts(text, _wordings(tuple(choices.items()), language, languages.LANGUAGES))
    text = _mark_positions(text, choices, _LETTER, _TEXT)
    text = known.run.sub(SEVERAL, known.short_noun.sub(r"\1: ", text))
    text = known.lower.sub(_upper, text)
    text = known.trailing.sub(lambda found: found[1].upper(), text)
    text = known.letter.sub(_mark_letter, text)
    text = re.sub(r"[*`]+|(?<!\w)_{1,3}|_{1,3}(?!\w)", "", text)
    text = known.aside.sub("", known.labelled.sub(_merge, text))
    return known.explained.sub(lambda found: found[0] if letter_of(found[1]) != letter_of(found[2]) else found[2], text)


def _upper(found: re.Match[str]) -> str:
    letter = next(group for group in reversed(found.groups()) if group)
    return found[0].removesuffix(letter) + letter.upper()


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
    choices: tuple[tuple[str, str], ...], language: str, _known: tuple[AnswerLanguage, ...]
) -> tuple[_Wording, ...]:
    spoken = languages.find_language(language)
    articles = spoken.short_text.articles if spoken else ""
    found: dict[str, set[str]] = {}
    for letter, choice in choices:
        plain = re.sub(r"[*`]+", "", answer_text(choice)).strip(" \t\n.,;:!?。；，").lower()
        bare = re.sub(rf"^(?:{articles})", "", plain) if articles else plain
        for one in {plain, bare, *_abbreviated(choice)}:
            found.setdefault(one, set()).add(letter)
    return tuple(
        _Wording(letter, text, _is_weak(text))
        for text, letters in sorted(found.items(), key=lambda one: -len(one[0]))
        for letter in letters
        # Wording that two choices share names neither, and one that is a letter is taken for the letter.
        if text and len(letters) == 1 and not re.fullmatch(r"[a-z]", text)
    )


def _abbreviated(choice: str) -> Iterator[str]:
    """Term and abbreviation of "direct memory access (DMA)", in lower case."""
    if found := re.fullmatch(r"\s*(.{8,80}?)\s*[(（]([A-Z][A-Z0-9/-]{1,9})[)）][\s.]*", choice):
        yield found[1].lower()
        yield found[2].lower()


def _is_weak(text: str) -> bool:
    return len(text) <= (1 if text[0] > "\u2e80" else 3) or text in _common(languages.LANGUAGES)


@cache
def _common(known: tuple[AnswerLanguage, ...]) -> frozenset[str]:
    words = [one.true_false for one in known]
    return frozenset(word for one in words for word in (*one.true, *one.false, *one.true_alone, *one.false_alone))


def _mark_texts(text: str, wordings: tuple[_Wording, ...]) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        return text
    spans: list[tuple[int, int, str]] = []
    taken = bytearray(len(text))
    for one in wordings:
        size, start = len(one.text), lower.find(one.text)
        while start >= 0:
            end = start + size
            if (
                not any(taken[start:end])
                and _stands_alone(lower, start, end)
                and (not one.weak or _fits(lower, start, end))
            ):
                taken[start:end] = b"\x01" * size
                spans.append((start, end, chr(_TEXT + ord(one.letter) - 65)))
            start = lower.find(one.text, end)
    pieces, done = [], 0
    for start, end, mark in sorted(spans):
        pieces += [text[done:start], mark]
        done = end
    return "".join((*pieces, text[done:]))


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return (
        not (_is_word(before) and _is_word(text[start]))
        and not (_is_word(after) and _is_word(text[end - 1]))
        and not (after in "-^" and text[end + 1 : end + 2].isalnum() if after else False)
    )


def _is_word(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def _fits(text: str, start: int, end: int) -> bool:
    """Whether a short wording is where an answer would be."""
    before = text[max(0, start - 12) : start].rpartition("\n")[2]
    after = text[end : end + 4].lstrip(" *_`\"')")
    ends = (
        not after
        or _patterns("").predicate.match(text, end) is not None
        or after[0] in ".,;:!?)(\n。，；：、"
        or text[end : end + 2] == " ("
    )
    return ends and (
        not before.strip(" *_`\"'(\n>#-\ue010\ue011\ue012")
        or before.rstrip(" *_`\"'(")[-1:] in ")].:=\n"
        or _patterns("").copula.search(before) is not None
    )


def _mark_letter(found: re.Match[str]) -> str:
    letter = next(group for group in found.groups() if group)
    mark = chr(_LETTER + ord(letter.upper()) - 65)
    line = found.string.rfind("\n", 0, found.start()) + 1
    begins = not re.search(r"\w", found.string[line : found.start()][:20])
    # "(B) text" and "**B.** text" begin a line as "B) text" does.
    return f"{mark})" if begins and re.search(r"[)\].:]", found[0]) else mark


def _merge(found: re.Match[str]) -> str:
    """A letter and the wording behind it."""
    letter, text = found[1], found[3]
    if letter_of(letter) == letter_of(text):
        line = found.string.rfind("\n", 0, found.start()) + 1
        begins = not re.search(r"\w", found.string[line : found.start()][:20])
        return (
            f"{letter})"
            if begins and found[2].strip() and found.string[found.end() :][:2].strip(" ").isalnum()
            else letter
        )
    return CLASH if found[2].strip() in (")", ".", ":", "(", "") else found[0]


def _several(found: re.Match[str]) -> str:
    letters = set(re.findall(rf"[{LETTERS}]", found[0]))
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
    run: re.Pattern[str]
    """Several letters and nothing else in a line."""
    letter: re.Pattern[str]
    labelled: re.Pattern[str]
    """A letter and the text behind it."""
    explained: re.Pattern[str]
    """The wording and the letter behind it."""
    list: re.Pattern[str]
    copula: re.Pattern[str]
    predicate: re.Pattern[str]
    """What says something of the choice before it."""


def _patterns(offered: str) -> _Patterns:
    return _compile(offered, languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(offered: str, known: tuple[AnswerLanguage, ...]) -> _Patterns:
    one, either = f"[{offered or 'A'}]", f"[{offered or 'A'}{offered.lower() or 'a'}]"
    small = f"[{offered.lower() or 'a'}]"
    later = f"[{offered[1:].lower() or 'b'}]"  # "A" would be an article.
    nouns = joined(known, lambda language: language.choices.nouns)
    leads = r"\b(?:so|also|donc|gives|makes|thus)\b|所以|故"
    copulas = joined(known, lambda language: language.choices.copulas)
    joins = joined(known, lambda language: language.choices.joins)
    verbs = joined(known, lambda language: language.choices.predicates)
    settled = (
        joined(known, lambda language: language.commitment.certain),
        joined(known, lambda language: language.commitment.praises),
    )
    because = joined(known, lambda language: language.choices.because)
    others = any_of((verbs, joined(known, lambda language: language.choices.adverbials), *settled))
    # "A" before a word is an article, and C before one may be the language of a program.
    no_article = rf"(?!(?:[AI])[ \t]+(?!(?:{verbs}|{joins})\b)[a-zà-ÿ])"
    no_noun = rf"(?![ \t]+(?!(?:{others}|{joins})\b)[a-zà-ÿ])"
    quote = r"[(\[{<\"'“‘„«»「『【《]"
    noun = rf"(?:(?:{nouns})[ \t]*)"
    return _Patterns(
        short_noun=re.compile(
            rf"\b({joined(known, lambda language: language.choices.short_nouns)})\.[ \t]*", re.IGNORECASE
        ),
        aside=re.compile(
            rf"\b(?:{joined(known, lambda language: language.choices.aside)})\s+{noun}?[{LETTERS}{TEXTS}][ \t]?,?",
            re.IGNORECASE,
        ),
        lower=re.compile(
            rf"(?i:(\b(?:{nouns})\b[ \t]{{0,3}}(?:(?:{copulas}|[:=→-])[ \t]{{0,3}}){{0,2}}{noun}?[*_`\"'(\[]{{0,4}}"
            rf"|(?:^|(?<=\ue010))[^\w\n]{{0,8}}(?:{noun})?))(?-i:({small}))"
            rf"(?=[)\]*_`\"'. \t]{{0,5}}(?:[.,;:!?。，；]|$)|[).][ \t]|[ \t]*(?:{because})|(?=[\u2e80-\u9fff]))"
            rf"|(?i:\b(?:it'?s|that'?s|(?:{copulas}))[ \t]+)(?-i:({later}))(?=[?!.,;]|[ \t]+(?:{because}|right)\b|$)",
            re.MULTILINE,
        ),
        trailing=re.compile(rf"(?<=[a-zà-ÿ,:][ ])({small})(?=[.!]?[ \t]*$)", re.MULTILINE),
        run=re.compile(
            rf"(?:^|(?<=\ue010))[^\w\n]{{0,4}}(?:{one}{{2,5}}"
            rf"|{either}(?:[ \t]*(?:[,;/&+、]|(?i:{joins}))[ \t]*(?:(?i:{joins})[ \t]*)?{either}){{1,9}})"
            r"[^\w\n]{0,4}$",
            re.MULTILINE,
        ),
        letter=re.compile(
            rf"(?<![A-Za-z0-9À-ÿ_.)\\])(?<![Nn]/)(?:"
            rf"{quote}\s?(?:(?i:{noun}))?(?:\*\*|`)?({either})(?:\*\*|`)?\s?[)\]}}>\"'”’“»«」』】》](?!\w)"
            rf"|(?:\*{{1,3}}|_{{1,2}}|`)[(\[\"]?({either})[)\].:\"]{{0,2}}(?:\*{{1,3}}|_{{1,2}}|`)(?![A-Za-z0-9])"
            rf"|{no_article}({one}){_END}{no_noun})"
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
        text: From `answer_text`, with the wording of the choices marked.
        choices: Upper-case letter → wording.
        letter: Code of the mark of the letter A.
        wording: Code of the mark of the text of A.
    """
    letters = sorted(choices)
    for together, one in _together(tuple(choices.items()), languages.LANGUAGES):
        text = together.sub(chr(wording + ord(one) - 65), text)
    for known in _compile_positions(languages.LANGUAGES):
        if not known.likely.search(text):
            continue
        places = [*zip(known.places, letters, strict=False)]
        ends = zip((known.last_but_one, known.last), letters[-2:], strict=False) if len(letters) > 1 else ()
        for pattern, one in (*ends, *places):
            text = pattern.sub(chr(letter + ord(one) - 65), text)
    return text


@lru_cache(maxsize=256)
def _together(
    choices: tuple[tuple[str, str], ...], known: tuple[AnswerLanguage, ...]
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What the only choice says that is "none of them" or "all of them", and its letter."""
    found = []
    for spoken in _compile_positions(known):
        for together in (spoken.none, spoken.every):
            named = [letter for letter, text in choices if together.fullmatch(text.strip(" .。"))]
            found += [(together, named[0])] if len(named) == 1 else []
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Positions:
    likely: re.Pattern[str]
    """Any word for a place; most replies have none."""
    places: tuple[re.Pattern[str], ...]
    last: re.Pattern[str]
    last_but_one: re.Pattern[str]
    none: re.Pattern[str]
    every: re.Pattern[str]


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile_positions(known: tuple[AnswerLanguage, ...]) -> tuple[_Positions, ...]:
    return tuple(_positions(one) for one in known)


def _positions(language: AnswerLanguage) -> _Positions:
    places = language.places
    numbers = (*places.numbers, *("" for _ in places.ordinals[len(places.numbers) :]))
    return _Positions(
        likely=_insensitive(any_of((*places.ordinals, places.last, places.last_but_one, places.counted)) or "(?!)"),
        places=tuple(_place(language, *one) for one in zip(places.ordinals, numbers, strict=True)),
        last=_place(language, places.last, ""),
        last_but_one=_place(language, places.last_but_one, ""),
        # "None of the options A, B or C" leaves D.
        none=_insensitive(rf"(?:{places.none or '(?!)'})(?!\W*[A-H]\b)"),
        every=_insensitive(places.every or "(?!)"),
    )


def _place(language: AnswerLanguage, ordinal: str, number: str) -> re.Pattern[str]:
    places, end = language.places, r"(?=\s*(?:[.,;:!?)。，；！]|$))"
    if not ordinal:
        return re.compile("(?!)")
    if language.unspaced:
        return _insensitive(rf"(?:{ordinal})(?:{places.nouns})(?={places.behind}|{end[3:-1]})")
    word = rf"\b(?:(?:{places.articles})\s+)?\b(?:{ordinal})"
    ways = [
        rf"(?<!my ){word}\s+(?:{places.nouns})\b",
        rf"\b(?:{places.articles})\s+(?:{ordinal}){end}",
        rf"^\W{{0,4}}(?:{ordinal})(?=\W{{0,3}}$)",
    ]
    if number:
        ways.append(rf"\b(?:{places.counted})\s+(?:{number})(?![\w^]|\.\d|\s*[-+*/=:])")
    return _insensitive(any_of(ways))


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
