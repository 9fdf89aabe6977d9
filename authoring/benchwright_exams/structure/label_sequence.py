"""Labels that follow each other: the form in which an exam numbers its questions, and the order of columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchwright_exams.structure import numbering
from benchwright_exams.structure.exam_place import MOST_MISSING


def label_order_score(lines_in_reading_order: Iterable[str]) -> int:
    """The number of labels that follow the one before, less those that don't, if lines are read in this order."""
    score = 0
    last_number = 0
    last_letter = ""
    for line in lines_in_reading_order:
        label = numbering.number_after_heading_word(line) or numbering.number_without_heading_word(line)
        offset = label.end if label else 0
        if label:
            number = int(label.value)
            score += 1 if last_number == 0 or number == last_number + 1 else -1 if number <= last_number else 0
            last_number, last_letter = number, ""
        for letter_label in numbering.letter_labels(line):
            letter = letter_label.value.upper()
            begins_line = not line[offset : letter_label.start].strip()
            if letter == _next_letter(last_letter):
                score += 1
                last_letter = letter
            elif letter == "A":
                # Choices of a question that stand right of another's seem to go on in its line.
                score += -1 if last_letter else int(begins_line)
                last_letter = letter
            elif begins_line:
                score -= 1
                last_letter = letter
    return score


def number_runs_by_form(lines_in_reading_order: Sequence[str]) -> dict[str, list[int]]:
    """The numbers that follow each other at the beginnings of lines, by the form in which they are printed.

    Lines among the solutions don't count; after the heading of a section numbers begin anew.
    """
    numbers_by_form: dict[str, list[int]] = {}
    expected: dict[str, int] = {}
    for line in lines_in_reading_order:
        if numbering.heads_solutions(line):
            break
        if numbering.section_name(line) is not None:
            expected.clear()
            continue
        label = numbering.number_without_heading_word(line)
        if label is None:
            continue
        number = int(label.value)
        if 0 <= number - expected.get(label.form, 1) <= MOST_MISSING:
            numbers_by_form.setdefault(label.form, []).append(number)
            expected[label.form] = number + 1
    return numbers_by_form


def usual_number_form(lines_in_reading_order: Sequence[str]) -> str:
    """The form in which most questions are numbered that begin with a number alone; empty if none does."""
    numbers_by_form = number_runs_by_form(lines_in_reading_order)
    return max(numbers_by_form, key=lambda form: len(numbers_by_form[form]), default="")


def _next_letter(label_letter: str) -> str:
    return chr(ord(label_letter) + 1) if label_letter else "A"
