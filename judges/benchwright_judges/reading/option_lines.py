"""The lines of a reply that begin with a choice: an answer, or the choices repeated and discussed one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.reading.answer_extraction import is_denied, sentences, supposes
from benchwright_judges.reading.choice_mentions import ANY_MENTION, MENTION, letter_of
from benchwright_judges.reading.reply_text import NO, YES, lines_of

_LEVEL = re.compile(r"[^#].*", re.DOTALL)


@dataclass(frozen=True)
class Line:
    """A line that is not blank."""

    position: int
    text: str
    mention: str = ""
    """Mention that it begins with; empty if it begins with no choice."""
    style: str = ""
    """Characters that precede and follow it."""
    remainder: str = ""
    """Text that follows."""
    is_listed: bool = False
    """True if it is one of several lines that go through the choices."""
    is_headed: bool = False
    """True if it is the first line, or below a heading that announces the answer."""
    is_last: bool = False


def option_lines(text: str) -> list[Line]:
    """All lines, with what each begins with."""
    lines = [_line(*line_parts) for line_parts in lines_of(text)]
    last_index = len(lines) - 1
    announced = [
        index == 0 or bool(_patterns().announces.fullmatch(lines[index - 1].text)) for index in range(len(lines))
    ]
    for index in range(1, len(lines)):
        # The heading of the whole reply announces what follows.
        announced[index] |= index == 1 and not lines[0].mention and lines[0].text.lstrip().startswith("#")
    listed_indices = _listed(lines)
    return [
        Line(
            line.position, line.text, line.mention, line.style, line.remainder,
            is_listed=index in listed_indices, is_headed=announced[index], is_last=index == last_index,
        )
        for index, line in enumerate(lines)
    ]  # fmt: skip


def answering_lines(lines: Sequence[Line], text: str) -> Iterator[Line]:
    """Lines that are the answer: a choice alone in the first, the last or an announced line, or with its reason."""
    for line in lines:
        if not line.mention or line.is_listed or NO in line.text:
            continue
        if _patterns().dismissed.match(line.remainder) and not _patterns().reasons.match(line.remainder):
            continue
        stands_alone = not line.remainder.strip(f" \t.,:;!)]}}>\"'”’」】。{YES}")
        explained = (line.mention in _letters() or line.style[1:2] == ".") and _patterns().explains.match(
            line.style[1:] + line.remainder
        ) is not None
        if (stands_alone and (line.is_headed or line.is_last)) or (
            line.is_headed and explained and not _mentions_others(line)
        ):
            yield line


def judged_lines(lines: Sequence[Line], offered_letters: tuple[str, ...]) -> str | None:
    """The only choice called right where all others are called wrong, or where it alone has a tick."""
    right_letters, wrong_letters, ticked, seen_letters = set(), set(), set(), set()
    for line in lines:
        letter = letter_of(line.mention) if line.mention else None
        if letter is None:
            continue
        seen_letters.add(letter)
        if YES in line.text:
            ticked.add(letter)
        if NO in line.text or _patterns().dismissed.match(line.remainder):
            wrong_letters.add(letter)
        elif YES in line.text or _patterns().praised.match(line.remainder):
            right_letters.add(letter)
    complete = right_letters | wrong_letters == set(offered_letters) or (
        ticked == right_letters and seen_letters == set(offered_letters)
    )
    return right_letters.pop() if len(right_letters) == 1 and complete else None


def _listed(lines: Sequence[Line]) -> frozenset[int]:
    """The lines that go through the choices in order."""
    listed_indices: set[int] = set()
    list_indices: list[int] = []
    for index, line in enumerate(lines):
        if not line.mention or (line.mention not in _letters() and not _is_next_text(lines, index)):
            continue
        if list_indices and line.mention > lines[list_indices[-1]].mention:
            list_indices.append(index)
        else:
            listed_indices |= _without_answer(list_indices, lines)
            list_indices = [index]
    return frozenset(listed_indices | _without_answer(list_indices, lines))


def _is_next_text(lines: Sequence[Line], index: int) -> bool:
    """True if a line holds only the text of a choice, and a line next to it that of another."""
    texts = [line.mention for line in lines[max(0, index - 1) : index + 2] if line.mention not in _letters()]
    return len({mention for mention in texts if mention}) > 1 and not lines[index].remainder.strip()


def _without_answer(list_indices: list[int], lines: Sequence[Line]) -> set[int]:
    """A list that begins with a line of another style, or not with A, begins with the answer."""
    if len(list_indices) == 1:
        # The first choice under "Let's analyse:" is discussed, not chosen.
        line_before = lines[list_indices[0] - 1].text.rstrip() if list_indices[0] else ""
        introduced = line_before.endswith(":") and not _patterns().announces.fullmatch(line_before)
        return set(list_indices) if introduced and lines[list_indices[0]].remainder.strip(" .") else set()
    if not list_indices:
        return set()
    if letter_of(lines[list_indices[0]].mention) == "A" and (
        _are_headings(lines, list_indices) or _are_bullets(lines, list_indices)
    ):
        return set(list_indices)
    if len(list_indices) == 2 and not any(lines[index].remainder.strip() for index in list_indices):
        return set()
    first_line, second_line = lines[list_indices[0]], lines[list_indices[1]]
    apart = any(
        line.text.rstrip().endswith(":") and not line.mention for line in lines[list_indices[0] + 1 : list_indices[1]]
    )
    opens = (
        list_indices[0] == 0
        or bool(re.match(ANY_MENTION, lines[list_indices[0]].text))
        or bool(_patterns().announces.fullmatch(lines[list_indices[0] - 1].text))
    )
    if opens and (letter_of(first_line.mention) != "A" or first_line.style != second_line.style or apart):
        return set(list_indices[1:]) if len(list_indices) > 2 else set()
    return set(list_indices)


def _are_headings(lines: Sequence[Line], list_indices: Sequence[int]) -> bool:
    """True if they are headings of one level, with something else between them."""
    levels = {_LEVEL.sub("", lines[index].text.lstrip()[:8]) for index in list_indices}
    return len(levels) == 1 and levels != {""} and list_indices[-1] - list_indices[0] >= len(list_indices)


def _are_bullets(lines: Sequence[Line], list_indices: Sequence[int]) -> bool:
    """True if they are three bullets or more: an answer before bullets is none itself."""
    return len(list_indices) > 2 and all(lines[index].style.startswith("-") for index in list_indices)


def _line(position: int, text: str) -> Line:
    match = _patterns().line_start.match(text)
    if not match:
        return Line(position, text)
    bullet = "-" if re.search(r"[-*+•\d]", match[1]) else "#" if "#" in match[1] else ""
    return Line(position, text, match[2], f"{bullet or ' '}{match[3]}", text[match.end() :])


def _mentions_others(line: Line) -> bool:
    """True if a line of reasons calls another choice right, or lists them."""
    return any(mention != line.mention for mention in re.findall(rf"{MENTION}(?=\s*[).:]\s+\S)", line.remainder))


@cache
def _letters() -> frozenset[str]:
    return frozenset(chr(code) for code in range(0xE100, 0xE11A))


@dataclass(frozen=True, eq=False)
class _Patterns:
    line_start: re.Pattern[str]
    announces: re.Pattern[str]
    """A line that announces the answer."""
    explains: re.Pattern[str]
    """Separates a choice from a reason."""
    reasons: re.Pattern[str]
    """Begins a reason."""
    dismissed: re.Pattern[str]
    """Pattern of words that reject the choice that they follow."""
    praised: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    nonword = r"[^\w\ue100-\ue1ff]"
    nouns = joined(known_languages, lambda language: language.choices.nouns)
    copulas = joined(known_languages, lambda language: language.choices.copulas)
    right_words = any_of(word for language in known_languages for word in language.true_false.true)
    wrong_words = any_of(word for language in known_languages for word in language.true_false.false)
    because = joined(known_languages, lambda language: language.choices.because)
    nots = joined(known_languages, lambda language: language.true_false.negations)
    taken_back = joined(known_languages, lambda language: language.discourse.taken_back)
    return _Patterns(
        line_start=re.compile(
            rf"^([\s>#*•+→{YES}{NO}-]{{0,8}}(?:\d{{1,2}}[.)]\s)?[({{\[\"']?)(?:(?:{nouns})\s*)?({ANY_MENTION})([).:;\],、。!\"'”{YES}{NO}]{{1,3}}|\s:|\s[-–—](?=\s)|(?=\s*(?:$|\(|[{YES}{NO}]|[,，]?\s*(?:{because}))))",
            re.IGNORECASE,
        ),
        announces=re.compile(
            rf"{nonword}{{0,8}}(?:\w+\s+){{0,4}}(?:{nouns}){nonword}{{0,3}}(?:(?:{copulas})\s*)?{nonword}{{0,4}}",
            re.IGNORECASE,
        ),
        explains=re.compile(rf"\s*(?:[().:\]、。!,–—-]|(?:{because}))", re.IGNORECASE),
        reasons=re.compile(rf"\s*[,，]?\s*(?:{because})", re.IGNORECASE),
        dismissed=re.compile(
            rf"[\s:.,)–—-]{{0,5}}(?:{wrong_words}|{nots}\s+(?:{right_words}))(?!\w)|[^.;!?。；！？\n]{{0,80}}?(?:{_taken(taken_back)}|:\s*(?:{wrong_words})(?!\w))",
            re.IGNORECASE,
        ),
        praised=re.compile(rf"[\s:.,)–—-]{{0,5}}(?:{right_words})(?!\w)", re.IGNORECASE),
    )


def _taken(pattern: str) -> str:
    """A verbose expression as a plain one."""
    return re.sub(r"\s+", "", pattern)


def answering_section(lines: Sequence[Line], *, asks_for_wrong: bool = False) -> str | None:
    """The only choice below whose heading, or behind it, a reply says that this is the answer.

    As in "### Option B", and then "This is the correct answer.".

    Args:
        lines: Lines from `option_lines`.
        asks_for_wrong: True if the answer is the choice that is called the wrong one.
    """
    answer_pattern = _section_patterns(languages.LANGUAGES)[asks_for_wrong]
    letters: set[str | None] = set()
    letter: str | None = None
    for line in lines:
        if line.mention:
            letter = letter_of(line.mention) if line.is_listed else None
        passage = line.remainder if line.mention else line.text
        if letter is None:
            continue
        for _, sentence in sentences(passage):
            if supposes(sentence):
                continue
            for match in answer_pattern.finditer(sentence):
                if not is_denied(sentence, match.start(), match.end()):
                    letters.add(letter)
    return letters.pop() if len(letters) == 1 else None


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _section_patterns(known_languages: tuple[AnswerLanguage, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(joined(known_languages, lambda language: language.choices.this_is_right), re.IGNORECASE),
        re.compile(joined(known_languages, lambda language: language.choices.this_is_wrong), re.IGNORECASE),
    )
