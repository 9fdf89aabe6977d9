"""Lists of choices: letters that follow each other, in a line or in lines, and that are no parts of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchwright_exams.structure import numbering
from benchwright_exams.structure.numbering import LetterLabel, LineLabel

_SHORT_WORDS = 5
"""Of a choice, on average; a part says what to do and takes more."""
_LEAST_CHOICES = 2
_JOINING = ("and", "or", "und", "oder", "et", "ou", ",", "to", "bis", "–", "-", "/")
"""Between letters that a sentence names."""


@dataclass(frozen=True)
class ExamLine:
    """A line of an exam."""

    text: str
    words_start: int = 0
    """Offset after the number that it begins with."""
    begins_question: bool = False


class ChoiceLabels(NamedTuple):
    """The labels of choices that a line has."""

    offsets_and_labels: tuple[tuple[int, LineLabel], ...]
    """Each with the offset at which it begins; letters are capitals."""
    may_be_parts: bool = False
    """True if nothing but their length tells the choices from parts."""


class _LetterPlace(NamedTuple):
    line_index: int
    label: LetterLabel


def choice_labels_by_line(exam_lines: Sequence[ExamLine]) -> dict[int, ChoiceLabels]:
    """The labels of choices, by the index of their line."""
    choice_labels: dict[int, ChoiceLabels] = {}
    for letter_places in _letter_sequences(exam_lines):
        is_list, may_be_parts = _is_choice_list_and_may_be_parts(exam_lines, letter_places)
        for letter_place in letter_places if is_list else ():
            label = LineLabel(letter_place.label.value.upper(), letter_place.label.end)
            earlier = choice_labels.get(letter_place.line_index, ChoiceLabels(()))
            choice_labels[letter_place.line_index] = ChoiceLabels(
                tuple(sorted((*earlier.offsets_and_labels, (letter_place.label.start, label)))),
                earlier.may_be_parts or may_be_parts,
            )
    return choice_labels


def _letter_sequences(exam_lines: Sequence[ExamLine]) -> Iterator[list[_LetterPlace]]:
    """Letters from the first on, of one form and within one question."""
    open_sequences: dict[str, list[_LetterPlace]] = {}
    for line_index, exam_line in enumerate(exam_lines):
        if exam_line.begins_question:
            yield from _sequences_of_several(open_sequences)
            open_sequences = {}
        line_labels = list(numbering.letter_labels(exam_line.text))
        for index, label in enumerate(line_labels):
            open_sequence = open_sequences.get(label.form, [])
            begins_line = not exam_line.text[exam_line.words_start : label.start].strip()
            is_next = bool(open_sequence) and label.value.upper() == chr(ord(open_sequence[-1].label.value.upper()) + 1)
            if is_next and (begins_line or _sequence_goes_on_in_line(open_sequence, line_index)):
                open_sequence.append(_LetterPlace(line_index, label))
            elif label.value in "aA" and (begins_line or _has_next_letter(label, line_labels[index + 1 :])):
                yield from _sequences_of_several({label.form: open_sequence})
                open_sequences[label.form] = [_LetterPlace(line_index, label)]
    yield from _sequences_of_several(open_sequences)


def _sequence_goes_on_in_line(letters_so_far: Sequence[_LetterPlace], line_index: int) -> bool:
    """True if the last letter is in this line, or in the one before with another: a row that is broken."""
    last_index = letters_so_far[-1].line_index
    return last_index == line_index or (
        last_index == line_index - 1 and len(letters_so_far) > 1 and letters_so_far[-2].line_index == last_index
    )


def _sequences_of_several(places_by_form: dict[str, list[_LetterPlace]]) -> list[list[_LetterPlace]]:
    return [letter_places for letter_places in places_by_form.values() if len(letter_places) >= _LEAST_CHOICES]


def _has_next_letter(letter_label: LetterLabel, later_labels: Sequence[LetterLabel]) -> bool:
    return any(later.form == letter_label.form and later.value in "bB" for later in later_labels)


def _is_choice_list_and_may_be_parts(
    exam_lines: Sequence[ExamLine], letters_in_order: Sequence[_LetterPlace]
) -> tuple[bool, bool]:
    """True if letters begin choices; and true if they may begin parts all the same."""
    texts = [_choice_text(exam_lines, letters_in_order, index) for index in range(len(letters_in_order))]
    is_row = len({letter_place.line_index for letter_place in letters_in_order}) < len(letters_in_order)
    if is_row and any(text in _JOINING or not text for text in texts[:-1]):
        return False, False
    if letters_in_order[0].label.value.isupper():
        return True, False
    if any(numbering.points_offsets_and_labels(text) or text.endswith("?") for text in texts):
        return False, False
    if is_row:
        return True, False
    asks = _question_text_before(exam_lines, letters_in_order[0]).endswith(("?", ":", "…", "..."))
    is_short = sum(len(text.split()) for text in texts) <= _SHORT_WORDS * len(texts)
    if any(text.endswith(".") for text in texts) and not asks:
        return False, False
    return asks or is_short, not asks


def _choice_text(exam_lines: Sequence[ExamLine], letter_places: Sequence[_LetterPlace], place_index: int) -> str:
    """The text of a letter up to the next one or to the end of its line, or in the next line if it ends its own."""
    letter_place = letter_places[place_index]
    next_place = letter_places[place_index + 1] if place_index + 1 < len(letter_places) else None
    for line_index in (letter_place.line_index, letter_place.line_index + 1):
        is_cut = next_place is not None and next_place.line_index == line_index
        start = letter_place.label.end if line_index == letter_place.line_index else 0
        text = exam_lines[line_index].text[start : next_place.label.start if next_place and is_cut else None].strip()
        if text or is_cut or line_index + 1 == len(exam_lines):
            return text
    return ""


def _question_text_before(exam_lines: Sequence[ExamLine], letter_place: _LetterPlace) -> str:
    """The text before a letter without its points: the end of the question that the choices answer."""
    text = exam_lines[letter_place.line_index].text[: letter_place.label.start].strip()
    if not text and letter_place.line_index:
        text = exam_lines[letter_place.line_index - 1].text
    for start, label in reversed(numbering.points_offsets_and_labels(text)):
        text = f"{text[:start]}{text[label.end :]}"
    return text.strip()
