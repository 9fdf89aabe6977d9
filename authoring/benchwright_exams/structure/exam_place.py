"""Place of a reader in an exam: section, question, part, and whether in a solution."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from benchwright_exams.structure import numbering

MOST_MISSING = 4
"""Numbers that may be missing before one is taken for the next question's all the same."""

_MOST_MISSING_PARTS = 3


@dataclass(frozen=True)
class ExamPlace:
    """A place in an exam."""

    section: str = ""
    question: str = ""
    part: str = ""
    subpart: str = ""
    choice: str = ""
    """The letter of the last choice."""
    is_in_solution: bool = False
    """True if in a solution."""
    is_among_solutions: bool = False
    """True if among solutions that stand apart from their questions."""

    @property
    def label(self) -> str:
        """The label of an item here, such as `2b`, `2b-ii`, `A-1` or `2-1`; empty before the first question."""
        if not self.question:
            return ""
        head = f"{self.section}-{self.question}" if self.section else self.question
        part_suffix = f"-{self.part}" if self.part[:1].isdigit() or len(self.part) > 1 else self.part
        return f"{head}{part_suffix}{f'-{self.subpart}' if self.subpart else ''}"

    def at_question(self, question_number: str) -> ExamPlace:
        """At a question of this section."""
        return ExamPlace(
            self.section,
            str(int(question_number)),
            is_in_solution=self.is_among_solutions,
            is_among_solutions=self.is_among_solutions,
        )

    def at_part(self, part_label: str) -> ExamPlace:
        """At a part of this question."""
        return replace(self, part=part_label.lower(), subpart="", choice="", is_in_solution=self.is_among_solutions)

    def at_subpart(self, subpart_label: str) -> ExamPlace:
        """At a part of this part."""
        return replace(self, subpart=subpart_label, choice="", is_in_solution=self.is_among_solutions)

    def is_number_soon_after(self, question_number: str) -> bool:
        """True if a number is the next question's, or one of those soon after it."""
        last_number = int(self.question or 0)
        return last_number < int(question_number) <= last_number + 1 + MOST_MISSING

    def is_next_number(self, question_number: str) -> bool:
        """True if a number is exactly the next question's."""
        return int(question_number) == int(self.question or 0) + 1

    def may_be_next_part_number(self, part_number: str) -> bool:
        """True if a number is that of the next part, or soon after it: `2.1`, `2.2`; not a quantity such as 2.5."""
        last_number = int(self.part) if self.part.isdigit() else 0
        return 0 < int(part_number) - last_number <= _MOST_MISSING_PARTS

    def begun_part_and_offset(self, line_text: str) -> tuple[ExamPlace, int] | None:
        """The part that a text begins, and where its words begin; None if it begins none."""
        letter, roman = numbering.lettered_part(line_text), numbering.roman_part(line_text)
        is_letter = letter is not None and self._may_be_next_part(letter.value)
        if roman is not None and not (is_letter and self.part and ord(roman.value[0]) == ord(self.part[0]) + 1):
            if self.part and not _is_roman(self.part) and roman.value == (numbering.next_roman(self.subpart) or "i"):
                return self.at_subpart(roman.value), roman.end
            if not self.subpart and roman.value == (numbering.next_roman(self.part) if self.part else "i"):
                return self.at_part(roman.value), roman.end
        if letter is not None and is_letter:
            return self.at_part(letter.value), letter.end
        return None

    def _may_be_next_part(self, part_letter: str) -> bool:
        if not self.part:
            return part_letter == "a"
        return len(self.part) == 1 and 0 < ord(part_letter) - ord(self.part) <= 3


_SPAN = re.compile(r"^(?:[A-Z]+\d*-)?\d{1,3}\.\.\d{1,3}$")
_LABEL = re.compile(r"^((?:[A-Z]+\d*-)?\d+)(?:-?([a-z]|[ivx]+|\d+))?(?:-([ivx]+))?$")


def parent_labels(question_label: str) -> tuple[str, ...]:
    """The labels above one, the question first: `1a-i` is in `1a`, which is in `1`."""
    match = _LABEL.match(question_label)
    if match is None or match[2] is None:
        return ()
    return (match[1], question_label[: -len(match[3]) - 1]) if match[3] else (match[1],)


def is_label_or_range_or_empty(candidate_label: str) -> bool:
    """True if something can be called so: a question, a part, the questions of a shared context, or nothing."""
    return not candidate_label or bool(_LABEL.match(candidate_label) or _SPAN.match(candidate_label))


def section_and_number(question_label: str) -> tuple[str, int] | None:
    """The section of a question, with its hyphen, and its number; None for a part."""
    match = _LABEL.match(question_label)
    if match is None or match[2] is not None:
        return None
    section, _, number = match[1].rpartition("-")
    return (f"{section}-" if section else "", int(number))


def part_ordinal(part_label: str) -> int:
    """The rank of a label among the parts of its parent, from 1; 0 if it is a question."""
    match = _LABEL.match(part_label)
    if match is None or match[2] is None:
        return 0
    name = match[3] or match[2]
    if name.isdigit():
        return int(name)
    romans = numbering.ROMANS
    is_roman = bool(match[3]) or len(name) > 1 or (name == "i")
    return romans.index(name) + 1 if is_roman and name in romans else ord(name[0]) - ord("a") + 1


def _is_roman(part_label: str) -> bool:
    return part_label == "i" or len(part_label) > 1
