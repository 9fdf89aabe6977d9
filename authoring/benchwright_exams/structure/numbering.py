"""Forms in which exams number questions, parts and choices, and write points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii")
_WORDS = (
    r"(?i:question|problem|exercise|task|aufgabe|frage|übung|exercice|problème|pregunta|ejercicio|problema|esercizio"
    r"|domanda|opgave|vraag|q)"
)
_HAN = r"\u3400-\u9fff"
_HAN_WORDS = "(?:题目?|題目?|问题|問題|习题|练习)"
_HEADED = re.compile(
    rf"^(?:{_WORDS}\.?\s*#?(\d{{1,3}})(?:[.:)]|(?=\s*[(\[–—-])|(?=\s*$)|\s+(?=[A-ZÀ-ÖØ-Þ“„«]))\s*[–—-]?\s*"
    rf"|第\s*(\d{{1,3}})\s*[题題][.:]?\s*|{_HAN_WORDS}\s*(\d{{1,3}})(?:[.:)]\s*|\s+|$))"
)
_BARE_BY_FORM = {
    form: re.compile(rf"^{pattern}")
    for form, pattern in {
        "1.": r"(\d{1,3})\.(?:\s+|(?=[(A-ZÀ-ÖØ-Þ\u3400-\u9fff])|$)",
        "1)": r"(\d{1,3})\)(?:\s+|(?=[(A-ZÀ-ÖØ-Þ\u3400-\u9fff])|$)",
        "1": r"(\d{1,3})(?:\t(?=[A-ZÀ-ÖØ-Þ(])|\s+(?=\(a\)))",
        "(1)": r"\((\d{1,3})\)(?:\s+(?=\S)|(?=[\u3400-\u9fff]))",
        "[1]": r"\[(\d{1,3})\](?:\s+(?=\S)|(?=[\u3400-\u9fff]))",
        "1:": r"(\d{1,3}):(?:\s+(?=\S)|(?=[\u3400-\u9fff]))",
    }.items()
}
_NUMBER_WITHIN = re.compile(
    rf"(?:^|(?<=\s))(?:{_WORDS}\s*#?(\d{{1,3}})\b(?=[.:)]?\s+[^\W\d_a-z]|[.:)]|\s*$)|(\d{{1,3}})[.):]\s+(?=[A-ZÀ-ÖØ-Þ])"
    r"|[(\[](\d{1,3})[)\]]\s+(?=[A-ZÀ-ÖØ-Þ])|(?<=\t)(\d{1,3})[.):](?=\s)"
    rf"|(?:^|(?<=\s))(\d{{1,3}})[.)](?=[{_HAN}])|第\s*(\d{{1,3}})\s*[题題]"
    rf"|{_HAN_WORDS}\s*(\d{{1,3}})(?=[.:)\s]|$))"
)
_DECIMAL = re.compile(r"^(\d{1,3})\.(\d{1,2})[.)]?\s+(?=\S)")
_LETTER = re.compile(rf"^(?:\(([a-z])\)|([a-z])[.)](?=[\s{_HAN}]))\s*")
_ROMAN = re.compile(r"^(?:\((x?(?:ix|iv|v?i{1,3}|v)|x)\)|(x?(?:ix|iv|v?i{1,3}|v)|x)[.)](?=\s))\s*")
_CHOICE = re.compile(rf"(?:^|(?<=\s))(?:\(([A-H])\)\s*|([A-H])[.)](?:\s+|(?=[{_HAN}])))")
_LETTER_LABEL = re.compile(rf"(?:^|(?<=\s))(?:\(([A-Ha-h])\)\s*|([A-Ha-h])([.)])(?:\s+|$|(?=[{_HAN}])))")
_POINTS = re.compile(
    r"[\[(]\s*(\d{1,3}(?:\.\d{1,2})?)\s*(?:points?|pts?\.?|marks?|p\.?|punkte?|pkt\.?|puntos?|punti|分|%)(?:\s+(?:each|total))?\s*[\])]"
    r"|(?<=[–—:-] )(\d{1,3})\s+(?:points|marks|pts)\s*$"
    r"|(?<=\t)\[(\d{1,3})\]$",
    re.IGNORECASE,
)
_BROKEN_POINTS = re.compile(r"[\[(]\s*(\d{1,3})\s*$")
_REST_OF_POINTS = re.compile(r"^\s*(?:points?|pts?\.?|marks?|punkte?|分)\s*[\])]", re.IGNORECASE)
_SECTION = re.compile(
    r"^(?:section|part|teil|abschnitt|partie)\s+([A-Z]|[IVX]{1,4}|\d)\b(?:\s*[.:–—-].*|\s*\(.*)?$", re.IGNORECASE
)
_SOLUTIONS = re.compile(
    r"^(?:(?:sample |model )?(?:solutions?|answers?)(?: key)?|answer key|marking scheme|lösungen"
    r"|musterlösung|corrigé|参考答案|答案|解答)"
    r"(?:\s+(?:to|for|of)\b.{0,60})?\s*:?$",
    re.IGNORECASE,
)
_SOLUTION = re.compile(
    r"^(?:sample |model )?(?:solution|answer|ans|答案|解答|答|解)\s*(?:[.:]\s*|[–—-]\s+)(?=[^\s_.])", re.IGNORECASE
)
_OWN_SOLUTION = re.compile(
    r"^(?:(?:sample |model )?(?:answer|solution)|antwort|lösung|réponse|corrigé)\s*:$", re.IGNORECASE
)
_SPACE = re.compile(r"^(?:(?:answer|ans|solution)\s*[.:]?\s*)?[_.\s…]*$", re.IGNORECASE)
_SHARED = re.compile(
    r"^(?:questions?|problems?)\s+(\d{1,3})\s*(?:-|–|—|to|through|and)\s*(\d{1,3})\b(?=.*(?:refer|follow|use|concern|about|share))",
    re.IGNORECASE,
)
_CONTINUED = re.compile(rf"^(?:{_WORDS}\s*)?\d{{1,3}}[.):]?\s*[(\[–—,-]?\s*(?i:continued|cont['’.]?d?)\.?[)\]]?$")
_CAPTION = re.compile(r"^(?:figure|fig\.?|table|abbildung|tabelle)\s*(\d{1,2})\s*(?:[.:–—-]|$)", re.IGNORECASE)
_MENTION = re.compile(r"\b(fig|table)(?:ures?|s)?\.?\s*(\d{1,2})\b", re.IGNORECASE)
_EDGE = re.compile(
    r"^(?:page\s+\S{1,4}(?:\s+of\s+\S{1,4})?|[-–—]?\s*\d{1,3}\s*[-–—]?|\d{1,3}\s*/\s*\d{1,3}"
    r"|(?:please )?turn over\b.{0,20}|end of (?:the )?(?:exam|examination|paper|test|quiz)\b.{0,20}"
    r"|(?:this page (?:is )?(?:intentionally )?left )?blank(?: page)?\.?)$",
    re.IGNORECASE,
)


_NARROW = {0xFF01 + index: chr(0x21 + index) for index in range(94)} | {
    ord("、"): ".",
    ord("【"): "[",
    ord("】"): "]",
    0x3000: " ",
}
"""Signs of full width, which Chinese exams set labels and points in; one for one, so that offsets stay."""


def with_ascii_width_signs(line_text: str) -> str:
    """A text with signs of full width as those of ASCII, and as long as before."""
    return line_text.translate(_NARROW)


class LineLabel(NamedTuple):
    """The label of a question, part, choice or number of points in a line."""

    value: str
    """The number or letter."""
    end: int
    """Offset in the line at which the text after the label begins."""
    form: str = ""
    """The form of a number that stands alone, as it is printed for question 1: `1.`, `(1)`."""


class LetterLabel(NamedTuple):
    """A letter in a line that may begin a part or a choice."""

    value: str
    start: int
    end: int
    form: str
    """As it is printed for the first: `a)`, `(A)`."""


def number_after_heading_word(line_text: str) -> LineLabel | None:
    """`Problem 3: …`, `Q3`, `Question 3 (5 points)`."""
    return _number_label(_HEADED.match(with_ascii_width_signs(line_text)))


def number_without_heading_word(line_text: str) -> LineLabel | None:
    """`3. …`, `3) …`, `(3) …`, `[3] …`, `3: …`, `3 (a) …`, and `3` far to the left of its text."""
    for form, pattern in _BARE_BY_FORM.items():
        if match := pattern.match(with_ascii_width_signs(line_text)):
            return LineLabel(match[1], match.end(), form)
    return None


def letter_labels(line_text: str) -> Iterator[LetterLabel]:
    """Letters of a line that may begin parts or choices, wherever they stand."""
    for match in _LETTER_LABEL.finditer(with_ascii_width_signs(line_text)):
        letter = match[1] or match[2]
        first_letter = "A" if letter.isupper() else "a"
        form = f"({first_letter})" if match[1] else f"{first_letter}{match[3]}"
        yield LetterLabel(letter, match.start(), match.end(), form)


def decimal_number(line_text: str) -> tuple[str, LineLabel] | None:
    """`2.1 …`: the question's number, and its part's."""
    match = _DECIMAL.match(with_ascii_width_signs(line_text))
    return (match[1], LineLabel(match[2], match.end())) if match else None


def lettered_part(line_text: str) -> LineLabel | None:
    """`(a) …`, `a) …`, `a. …`."""
    return _number_label(_LETTER.match(with_ascii_width_signs(line_text)))


def roman_part(line_text: str) -> LineLabel | None:
    """`(ii) …`."""
    return _number_label(_ROMAN.match(with_ascii_width_signs(line_text)))


def choice_offsets_and_labels(line_text: str, expected_letter: str) -> list[tuple[int, LineLabel]]:
    """Choices that begin in a line, each with the offset at which its label begins: `A. …`, `(A) … (B) …`.

    Args:
        line_text: The line.
        expected_letter: The letter of the next choice. The first of all has to begin the line.
    """
    choice_labels: list[tuple[int, LineLabel]] = []
    for match in _CHOICE.finditer(with_ascii_width_signs(line_text)):
        letter = match[1] or match[2]
        if letter == expected_letter and (
            choice_labels or not line_text[: match.start()].strip() or expected_letter != "A"
        ):
            choice_labels.append((match.start(), LineLabel(letter, match.end())))
            expected_letter = chr(ord(letter) + 1)
    return choice_labels


def points_offsets_and_labels(line_text: str) -> list[tuple[int, LineLabel]]:
    """Points, each with where they begin: `[6 points]`, `(5 marks)`, `– 10 points`."""
    return [
        (match.start(), LineLabel(next(filter(None, match.groups())), match.end()))
        for match in _POINTS.finditer(with_ascii_width_signs(line_text))
    ]


def broken_points_offset_and_label(line: str, following_line: str) -> tuple[int, LineLabel] | None:
    """Points that a line begins at its end, and the following line goes on with: `(2`, `points)`."""
    match = _BROKEN_POINTS.search(with_ascii_width_signs(line))
    return (
        (match.start(), LineLabel(match[1], match.end()))
        if match and _REST_OF_POINTS.match(with_ascii_width_signs(following_line))
        else None
    )


def offset_after_rest_of_points(line: str, previous_line: str) -> int:
    """The offset of the words of a line whose points began in the line before; 0 if none did."""
    match = _REST_OF_POINTS.match(with_ascii_width_signs(line))
    return match.end() if match and _BROKEN_POINTS.search(with_ascii_width_signs(previous_line)) else 0


def section_name(line_text: str) -> str | None:
    """The name of a section that a line heads, such as `A`, or `S2` for a number."""
    match = _SECTION.match(with_ascii_width_signs(line_text))
    return (f"S{match[1]}" if match[1].isdigit() else match[1].upper()) if match else None


def heads_solutions(line_text: str) -> bool:
    """True if a line heads the solutions of all questions."""
    return bool(_SOLUTIONS.match(with_ascii_width_signs(line_text)))


def begins_own_solution(line_text: str) -> bool:
    """True if a line says no more than that the solution of its question, or room for it, follows: `Answer:`."""
    return bool(_OWN_SOLUTION.match(with_ascii_width_signs(line_text)))


def solution_offset(line_text: str) -> int:
    """The offset at which a solution begins in a line that says so, `Solution: …`; 0 if it does not."""
    match = _SOLUTION.match(with_ascii_width_signs(line_text))
    return match.end() if match else 0


def is_answer_space(line_text: str) -> bool:
    """True if a line is room for an answer."""
    return bool(_SPACE.match(with_ascii_width_signs(line_text)))


def says_question_continues(line_text: str) -> bool:
    """True if a line says that a question goes on: `2. (continued)`."""
    return bool(_CONTINUED.match(with_ascii_width_signs(line_text)))


def number_labels_within(line_text: str) -> Iterator[LineLabel]:
    """Numbers in a line, at its start or not, that look as if they begin a question."""
    for match in _NUMBER_WITHIN.finditer(with_ascii_width_signs(line_text)):
        yield LineLabel(next(filter(None, match.groups())), match.end(), match[0].strip())


def shared_question_range(line_text: str) -> tuple[int, int] | None:
    """The first and last question that a text is about: `Questions 3–5 refer to …`."""
    match = _SHARED.match(with_ascii_width_signs(line_text))
    return (int(match[1]), int(match[2])) if match else None


def captioned_name(line_text: str) -> str | None:
    """The name that a caption gives its figure or table, such as `figure 2`."""
    match = _CAPTION.match(with_ascii_width_signs(line_text))
    return f"{_table_or_figure_word(line_text)} {match[1]}" if match else None


def mentioned_drawing_names(line_text: str) -> list[str]:
    """Figures and tables that a text names, as captions call them."""
    return [
        f"{_table_or_figure_word(match[1])} {match[2]}"
        for match in _MENTION.finditer(with_ascii_width_signs(line_text))
    ]


def is_page_edge_line(line_text: str) -> bool:
    """True if a line is a page number, or says that the page or the exam ends."""
    return bool(_EDGE.match(with_ascii_width_signs(line_text.strip())))


def next_roman(roman_number: str) -> str:
    """The Roman number after one from `i` to `xiii`."""
    return ROMANS[ROMANS.index(roman_number) + 1] if roman_number in ROMANS[:-1] else ""


def _table_or_figure_word(drawing_word: str) -> str:
    return "table" if drawing_word.lower().startswith("tab") else "figure"


def _number_label(label_match: re.Match[str] | None) -> LineLabel | None:
    return LineLabel(next(filter(None, label_match.groups())), label_match.end()) if label_match else None
