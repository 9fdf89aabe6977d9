"""Places that may have been read wrongly: unclear words, signs that recognition confuses, what a question lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from benchwright_exams.reading.page import PageWord
from benchwright_exams.structure import numbering
from benchwright_exams.structure.exam_place import parent_labels, section_and_number
from benchwright_exams.structure.ledger import ExamFinding, Region, RegionRole, Segment
from benchwright_exams.structure.text_blocks import Block
from benchwright_judges.models.prompt import escape_hidden_characters

_PRINTED = 100.0
_CLEAR = 80.0
_QUOTED = 80
_MOST = 2 / 3
"""Of the questions, that have what another one lacks."""
_LEAST_QUESTIONS = 3
_GRID_POINTS = 20.0
_COLUMN_POINTS = 100.0
"""A column is wider, and a label is not pushed in as far."""
_LEAST_POINTS = 5.0
"""Width of ink that may be a word."""
_WORD = r"[^\W\d_]+(?:[-–'’/][^\W\d_]+)*"
_NUMBER = r"[+\u2212-]?\d+(?:[.,:/-]\d+)*"
_NAME = r"0[xXbB][0-9a-fA-F]+|[A-Z]+-\d+|\d+-[a-z]+|_{2,}"
_ORDINARY = re.compile(rf"[(\[\"“'‘]*(?:{_WORD}|{_NUMBER}|{_NAME})[%]?(?:[)\]][.,;:?!]?|[.,;:?!]|[\"”'’])*")
_MARK = re.compile(r"[.,;:?!&=+*/–—%-]|\u2212")
_CHOICE = re.compile(
    r"\(\s?[A-H]\s?\)|[A-H]\.(?=[\u3400-\u9fff])"
    r"|(?:^|\s)\W?[A-H][.)](?=\s|[a-z])|(?:^|\t|[.?:] )(?:\([a-h]\)|[a-h]\))(?=\s)|(?<!part) [b-h]\)(?= )"
)
_APART = re.compile(r"\S\t(?P<words>.*)")
_ASKING = re.compile(r"\?\s*$|[\[(]\s*\d{1,3}\s*(?:points?|marks?|punkte?|pts?)", re.IGNORECASE)


_TEXT_ROLES = (
    RegionRole.QUESTION,
    RegionRole.CONTEXT,
    RegionRole.CHOICE,
    RegionRole.INSTRUCTIONS,
    RegionRole.SOLUTION,
    RegionRole.POINTS,
)


class _DoubtfulQuestion(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def body(self) -> tuple[Block, ...]: ...
    @property
    def choices(self) -> dict[str, str]: ...
    @property
    def title(self) -> str: ...
    @property
    def points(self) -> float | None: ...
    @property
    def regions(self) -> tuple[str, ...]: ...


def is_doubtful(word: PageWord) -> bool:
    """True if a word that was recognised in a picture may be another, or none."""
    if word.confidence >= _PRINTED:
        return False
    return word.confidence < _CLEAR or not (_ORDINARY.fullmatch(word.text) or _MARK.fullmatch(word.text))


def _is_numbering(region: Region, doubtful_word: str) -> bool:
    """True if a word is in a label or in points, which would be none if it were another."""
    numbering_segments = (
        segment for segment in region.segments if segment.role in (RegionRole.LABEL, RegionRole.POINTS)
    )
    return any(doubtful_word in region.text[segment.start : segment.end] for segment in numbering_segments)


def _items_with_lost_ink(regions: Sequence[Region]) -> set[str]:
    """Questions with something drawn within lines of a recognised page that may be words."""
    lost_items: set[str] = set()
    recognised_lines = [
        region
        for region in regions
        if region.recognised and region.role not in (RegionRole.RULE, RegionRole.FIGURE, RegionRole.TABLE)
    ]
    for ink in (
        region
        for region in regions
        if region.recognised and region.role is RegionRole.RULE and region.box.width >= _LEAST_POINTS
    ):
        middle = (ink.box.top_edge + ink.box.bottom_edge) / 2
        lines_beside = [
            recognised_line
            for recognised_line in recognised_lines
            if recognised_line.page == ink.page
            and recognised_line.box.top_edge <= middle <= recognised_line.box.bottom_edge
        ]
        lost_items |= {segment.item for recognised_line in lines_beside for segment in recognised_line.segments}
    return lost_items


def doubt_findings(exam_questions: Sequence[_DoubtfulQuestion], regions: Sequence[Region]) -> Iterator[ExamFinding]:
    """Findings about questions, by what was recognised and by what the others have."""
    region_by_id = {region.id: region for region in regions}
    lost = _items_with_lost_ink(regions)
    count_with_points = sum(item.points is not None for item in exam_questions)
    sizes = Counter(len(item.choices) for item in exam_questions if item.choices)
    usual = sizes.most_common(1)[0][0] if sizes else 0
    choice_question_count = sum(sizes.values())
    has_many = len(exam_questions) >= _LEAST_QUESTIONS
    are_titles_usual = all(item.title for item in exam_questions)
    for exam_question in exam_questions:
        own_regions = [region_by_id[name] for name in exam_question.regions]
        words = [word for region in own_regions for word in region.doubtful if not _is_numbering(region, word)]
        if words:
            quoted_words = escape_hidden_characters(" ".join(words))[:_QUOTED]
            yield ExamFinding(
                says=f"These words may have been recognised wrongly: “{quoted_words}”.", item=exam_question.label
            )
        if lost & {segment.item for region in own_regions for segment in region.segments if segment.item}:
            yield ExamFinding(says="Something stands in its lines that was not recognised.", item=exam_question.label)
        letters = Counter(
            segment.value
            for region in own_regions
            for segment in region.segments
            if segment.role is RegionRole.LABEL and segment.item == exam_question.label and segment.value
        )
        if repeated := sorted(letter for letter, count in letters.items() if count > 1):
            yield ExamFinding(
                says=f"It has choice {', '.join(repeated)} more than once: another question may be in it.",
                item=exam_question.label,
            )
        if _has_broken_choices_beside_each_other(own_regions, exam_question.label):
            yield ExamFinding(
                says="Its choices stand beside each other and take several lines; their words may be mixed.",
                item=exam_question.label,
            )
        if _has_choices_in_columns(own_regions, exam_question.label):
            yield ExamFinding(
                says="Its choices stand in two columns of the page; some may be another question's.",
                item=exam_question.label,
            )
        if exam_question.title and not are_titles_usual:
            quoted_title = escape_hidden_characters(exam_question.title)[:_QUOTED]
            yield ExamFinding(
                says=f"“{quoted_title}” was taken for its title, and other questions have none.",
                item=exam_question.label,
            )
        if any(
            _has_words_apart(region, segment)
            for region in own_regions
            for segment in region.segments
            if segment.item == exam_question.label
        ):
            yield ExamFinding(
                says="Words stand far apart in its lines: a table, or text of another question, may be in it.",
                item=exam_question.label,
            )
        text = " ".join((*(block.text for block in exam_question.body), *exam_question.choices.values()))
        if match := _CHOICE.search(numbering.with_ascii_width_signs(text)):
            yield ExamFinding(
                says=f"Its text has “{match[0].strip()}”, which may begin a choice.", item=exam_question.label
            )
        if (exam_question.choices and len(exam_question.choices) != usual) or (
            not exam_question.choices and choice_question_count >= _MOST * len(exam_questions)
        ):
            yield ExamFinding(
                says=f"It has {len(exam_question.choices)} choices; others have {usual}.", item=exam_question.label
            )
        if len(exam_question.choices) == 1:
            yield ExamFinding(says="It has one choice only.", item=exam_question.label)
        if exam_question.points is None and has_many and count_with_points >= _MOST * len(exam_questions):
            yield ExamFinding(
                says="No points were found for it, although other questions have some.", item=exam_question.label
            )
        point_segments = [
            segment
            for region in own_regions
            for segment in region.segments
            if segment.item == exam_question.label and segment.role is RegionRole.POINTS
        ]
        if sum(bool(segment.value) for segment in point_segments) > 1:
            yield ExamFinding(
                says="It has points more than once: another question may be in it.", item=exam_question.label
            )


def _has_broken_choices_beside_each_other(regions: Sequence[Region], question_label: str) -> bool:
    """True if choices stand in a grid, and a line goes on with one of them."""
    choice_lines = [
        region
        for region in regions
        if any(segment.item == question_label and segment.role is RegionRole.CHOICE for segment in region.segments)
    ]
    begun_lists = [region for region in choice_lines if region.segments[0].role is RegionRole.LABEL]
    are_beside = (
        any(sum(segment.role is RegionRole.LABEL for segment in region.segments) > 1 for region in choice_lines)
        or len({round(region.box.left_edge / _GRID_POINTS) for region in begun_lists}) > 1
    )
    return len(begun_lists) > 1 and are_beside and len(begun_lists) < len(choice_lines)


def _has_choices_in_columns(regions: Sequence[Region], question_label: str) -> bool:
    """True if choices begin lines so far from each other that a column is between them."""
    begun_lines = [
        region
        for region in regions
        if [segment.role for segment in region.segments if segment.item == question_label][:2]
        == [RegionRole.LABEL, RegionRole.CHOICE]
    ]
    edges: dict[int, list[float]] = {}
    for region in begun_lines:
        edges.setdefault(region.page, []).append(region.box.left_edge)
    return any(max(page_edges) - min(page_edges) > _COLUMN_POINTS for page_edges in edges.values())


def _has_words_apart(region: Region, segment: Segment) -> bool:
    """True if words that are no points stand far from the others in a line of text."""
    if segment.role not in (RegionRole.QUESTION, RegionRole.CONTEXT, RegionRole.CHOICE) or region.listing:
        return False
    match = _APART.search(region.text[segment.start : segment.end])
    return bool(match and match["words"].strip())


def unclaimed_number_findings(regions: Sequence[Region], known_labels: Iterable[str]) -> Iterator[ExamFinding]:
    """Findings about numbers of questions that were not found and stand in the text of others.

    Args:
        regions: Everything on the pages.
        known_labels: Labels of the questions that were found.
    """
    known_numbers: dict[str, set[int]] = {}
    for label in known_labels:
        if section_number := section_and_number((*parent_labels(label), label)[0]):
            known_numbers.setdefault(section_number[0], set()).add(section_number[1])
    section = ""
    for region in regions:
        for segment in region.segments:
            if section_number := section_and_number((*parent_labels(segment.item), segment.item)[0]):
                section = section_number[0]
            if segment.role not in _TEXT_ROLES or region.listing:
                continue
            numbers = known_numbers.setdefault(section, set())
            for number_label in numbering.number_labels_within(region.text[segment.start : segment.end]):
                number = int(number_label.value)
                if number not in numbers and 0 < number <= max(numbers, default=0) + 2:
                    numbers.add(number)
                    location = f"the text of question {segment.item}" if segment.item else "text that belongs to none"
                    yield ExamFinding(
                        says=f"“{number_label.form}” in {location} may begin question {section}{number}.",
                        page=region.page,
                        item=f"{section}{number}",
                    )
                    if segment.item:
                        yield ExamFinding(says=f"Question {section}{number} may begin in its text.", item=segment.item)


def unasked_text_findings(regions: Sequence[Region]) -> Iterator[ExamFinding]:
    """Findings about text before the first question that may be a question."""
    for region in regions:
        if region.role is RegionRole.INSTRUCTIONS and (
            _ASKING.search(region.text) or numbering.number_without_heading_word(region.text)
        ):
            quoted = escape_hidden_characters(region.text)[:_QUOTED]
            yield ExamFinding(
                says=f"“{quoted}” ({region.id}) belongs to no question, and may be one.", page=region.page
            )
