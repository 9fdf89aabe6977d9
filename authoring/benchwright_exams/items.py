"""The questions of an exam, put together from its ledger; every word of theirs is a page's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pydantic import Field

from benchwright_exams.structure import numbering
from benchwright_exams.structure.doubts import doubt_findings, unasked_text_findings, unclaimed_number_findings
from benchwright_exams.structure.exam_place import parent_labels, part_ordinal, section_and_number
from benchwright_exams.structure.ledger import ExamFinding, Ledger, Region, RegionRole, Segment
from benchwright_exams.structure.text_blocks import Block, blocks_of_lines
from benchwright_foundation.model import Model
from benchwright_foundation.stage_file import StageOutput
from benchwright_problems.problem import QuestionFormat, digest

_VERSION = 4
_BLANK = "___"


class ExamItem(Model):
    """One question, or one part of one."""

    label: str
    """Such as `2b`."""
    title: str = ""
    """Of its question, if it has one."""
    format: QuestionFormat
    context: tuple[Block, ...] = ()
    """Context that it shares with other questions or parts."""
    body: tuple[Block, ...] = ()
    choices: dict[str, str] = Field(default_factory=dict)
    points: float | None = None
    solution: tuple[Block, ...] = ()
    regions: tuple[str, ...] = ()
    """Regions in which all of this stands, by id; figures too."""
    passed_llm_verification: bool | None = None
    """True if a model found it complete, as in QuArch's records; None if no model was asked, or none answered."""
    reasoning: str = ""
    """The reason that the model gives for finding it incomplete."""


class ExamItems(StageOutput):
    """All questions of an exam."""

    items: tuple[ExamItem, ...]
    findings: tuple[ExamFinding, ...] = ()


def items_source_digest(ledger: Ledger) -> str:
    """The digest by which `items_of_ledger` would say what the items of a ledger were made from."""
    return digest([ledger.model_dump(mode="json"), _VERSION])


def items_of_ledger(ledger: Ledger) -> ExamItems:
    """The questions that a ledger has, in the order in which they are asked."""
    exam = _ItemMaker(ledger.regions)
    items = tuple(exam.make_item(label) for label in exam.leaves)
    return ExamItems(made_from=items_source_digest(ledger), items=items, findings=tuple(_exam_findings(exam, items)))


class _ItemMaker:
    def __init__(self, regions: Sequence[Region]) -> None:
        self.regions = regions
        self.parts_by_label: dict[str, list[tuple[Region, Segment]]] = defaultdict(list)
        for region in regions:
            for segment in region.segments:
                if segment.item:
                    self.parts_by_label[segment.item].append((region, segment))
        self.labels = [label for label in self.parts_by_label if ".." not in label]
        self.leaves = [
            label
            for label in self.labels
            if not any(label in parent_labels(other_label) for other_label in self.labels)
            and self._has_asking_text(label)
        ]
        self.captions = dict(self._regions_by_caption())

    def _has_asking_text(self, question_label: str) -> bool:
        return any(
            segment.role in (RegionRole.QUESTION, RegionRole.CHOICE, RegionRole.POINTS)
            and (segment.end > segment.start)
            for _, segment in self.parts_by_label[question_label]
        )

    def _regions_by_caption(self) -> Iterator[tuple[str, Region]]:
        """Figures and tables by the names that their captions give them: those beside the caption."""
        for previous_region, next_region in pairwise(self.regions):
            for caption, drawn_region in ((next_region, previous_region), (previous_region, next_region)):
                name = numbering.captioned_name(caption.text) if caption.role is RegionRole.CAPTION else None
                if (
                    name
                    and drawn_region.role in (RegionRole.FIGURE, RegionRole.TABLE)
                    and drawn_region.page == caption.page
                ):
                    yield name, drawn_region

    def context_labels(self, question_label: str) -> list[str]:
        """The labels of what a question shares its context with, the widest first."""
        head = (*parent_labels(question_label), question_label)[0]
        number = section_and_number(head)
        shared = [name for name in self.parts_by_label if number and _shared_context_covers(name, *number)]
        return [*shared, *parent_labels(question_label)]

    def make_item(self, question_label: str) -> ExamItem:
        context_parts = [part for name in self.context_labels(question_label) for part in self.parts_by_label[name]]
        own_parts = self.parts_by_label[question_label]
        question_context, question_body = (
            _asking_or_solving_parts(context_parts, selects_asking=True),
            _asking_or_solving_parts(own_parts, selects_asking=True),
        )
        named_parts = self._named_drawings([*question_context, *question_body], question_label)
        choices: dict[str, str] = defaultdict(str)
        for region, segment in own_parts:
            if segment.role is RegionRole.CHOICE:
                choices[segment.value] = f"{choices[segment.value]} {region.text[segment.start : segment.end]}".strip()
        solution = (
            _asking_or_solving_parts(context_parts, selects_asking=False),
            _asking_or_solving_parts(own_parts, selects_asking=False),
        )
        region_ids = tuple(dict.fromkeys(region.id for region, _ in (*context_parts, *own_parts, *named_parts)))
        statement = " ".join(region.text[segment.start : segment.end] for region, segment in question_body)
        return ExamItem(
            label=question_label,
            title=next(
                (text for name in (*parent_labels(question_label), question_label) if (text := self._title(name))), ""
            ),
            format=_question_format(statement, choices),
            context=blocks_of_lines([*question_context, *named_parts]),
            body=blocks_of_lines(question_body),
            choices=dict(choices),
            points=self.points(question_label),
            solution=blocks_of_lines([*solution[0], *solution[1]]),
            regions=region_ids,
        )

    def _named_drawings(
        self, text_segments: Iterable[tuple[Region, Segment]], question_label: str
    ) -> list[tuple[Region, Segment]]:
        """Figures and tables that a text names and that belong to another question."""
        taken_ids = {
            region.id
            for name in (*self.context_labels(question_label), question_label)
            for region, _ in self.parts_by_label[name]
        }
        names = dict.fromkeys(
            name
            for region, segment in text_segments
            if segment.role in (RegionRole.QUESTION, RegionRole.CONTEXT)
            for name in numbering.mentioned_drawing_names(region.text)
        )
        drawn_regions = [self.captions[name] for name in names if name in self.captions]
        return [(region, region.segments[0]) for region in drawn_regions if region.id not in taken_ids]

    def _title(self, question_label: str) -> str:
        return " ".join(
            region.text[segment.start : segment.end].strip()
            for region, segment in self.parts_by_label[question_label]
            if segment.value == "title"
        )

    def points(self, question_label: str) -> float | None:
        """The points of a question or part, as printed."""
        printed_points = [
            segment.value
            for _, segment in self.parts_by_label[question_label]
            if segment.role is RegionRole.POINTS and segment.value
        ]
        return float(printed_points[0]) if printed_points else None


def _asking_or_solving_parts(
    question_segments: Iterable[tuple[Region, Segment]], *, selects_asking: bool
) -> list[tuple[Region, Segment]]:
    """The parts that ask, or those of the solution; figures stay with the one that they stand in."""
    return [
        part for part in question_segments if _is_outside_solution(part[1]) is selects_asking and _is_content(part[1])
    ]


def _is_content(segment: Segment) -> bool:
    return (
        segment.role
        in (RegionRole.QUESTION, RegionRole.CONTEXT, RegionRole.SOLUTION, RegionRole.FIGURE, RegionRole.TABLE)
        and segment.value != "title"
    )


def _is_outside_solution(segment: Segment) -> bool:
    return segment.role is not RegionRole.SOLUTION and segment.value != "solution"


def _shared_context_covers(shared_range: str, question_section: str, question_number: int) -> bool:
    """True if a shared context such as `3..5` is for a question."""
    first_number, dots, last_number = shared_range.removeprefix(question_section).partition("..")
    return (
        bool(dots)
        and first_number.isdigit()
        and shared_range.startswith(question_section)
        and int(first_number) <= question_number <= int(last_number)
    )


def _question_format(statement: str, choice_by_letter: dict[str, str]) -> QuestionFormat:
    words = statement.casefold()
    if len(choice_by_letter) > 1:
        return QuestionFormat.MULTIPLE_CHOICE
    if "true or false" in words or "true/false" in words or "(t/f)" in words:
        return QuestionFormat.ASSERTION
    return QuestionFormat.FILL_IN_THE_BLANK if _BLANK in words else QuestionFormat.FREE_RESPONSE


def _exam_findings(item_maker: _ItemMaker, items: Sequence[ExamItem]) -> Iterator[ExamFinding]:
    if not items:
        yield ExamFinding(says="No question was found: no line begins with a number such as “1.” or “Problem 1”.")
    yield from _missing_question_findings(item_maker)
    yield from unclaimed_number_findings(item_maker.regions, item_maker.labels)
    yield from unasked_text_findings(item_maker.regions)
    for label in item_maker.labels:
        part_labels = [other_label for other_label in item_maker.labels if parent_labels(other_label)[-1:] == (label,)]
        points = [item_maker.points(part_label) for part_label in part_labels]
        whole_points, known_points = (
            item_maker.points(label),
            [part_points for part_points in points if part_points is not None],
        )
        if (
            whole_points is not None
            and known_points
            and len(known_points) == len(part_labels)
            and sum(known_points) != whole_points
        ):
            yield ExamFinding(
                says=f"Its parts have {sum(known_points):g} points together, and it says {whole_points:g}.", item=label
            )
    has_solutions = any(item.solution for item in items)
    for exam_item in items:
        if not exam_item.body and not exam_item.choices:
            yield ExamFinding(says="It has no text of its own.", item=exam_item.label)
        if has_solutions and not exam_item.solution:
            yield ExamFinding(
                says="No solution was found for it, although other questions have one.", item=exam_item.label
            )
        names = {
            name
            for block in (*exam_item.context, *exam_item.body)
            for name in numbering.mentioned_drawing_names(block.text)
        }
        for name in sorted(names - item_maker.captions.keys()):
            yield ExamFinding(says=f"Its text names {name}, of which no caption was found.", item=exam_item.label)
    yield from doubt_findings(items, item_maker.regions)
    for region in item_maker.regions:
        if region.role in (RegionRole.FIGURE, RegionRole.TABLE) and not region.item:
            yield ExamFinding(says=f"The {region.role} {region.id} belongs to no question.", page=region.page)
        if region.role is RegionRole.NOT_UNDERSTOOD or (region.role is RegionRole.SOLUTION and not region.item):
            yield ExamFinding(
                says=f"It is not clear what this line is: “{region.text[:80]}” ({region.id}).", page=region.page
            )


def _missing_question_findings(item_maker: _ItemMaker) -> Iterator[ExamFinding]:
    """Numbers and letters between others that were not found."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for label in item_maker.labels:
        if section_number := section_and_number((*parent_labels(label), label)[0]):
            numbers[section_number[0]].add(section_number[1])
    for section, found_numbers in numbers.items():
        for number in sorted(set(range(1, max(found_numbers))) - found_numbers):
            yield ExamFinding(says=f"Question {section}{number} was not found.", item=f"{section}{number}")
    part_ordinals: dict[str, set[int]] = defaultdict(set)
    for label in item_maker.labels:
        if outer_labels := parent_labels(label):
            part_ordinals[outer_labels[-1]].add(part_ordinal(label))
    for label, have in part_ordinals.items():
        if have == {1}:
            yield ExamFinding(says="It has one part only: its letter may be a word of the text.", item=label)
        missing = sorted(set(range(1, max(have))) - have)
        if missing:
            missing_list = ", ".join(map(str, missing))
            yield ExamFinding(says=f"Of its parts, number {missing_list} (from the first) was not found.", item=label)
