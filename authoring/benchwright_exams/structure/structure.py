"""Structure of an exam's pages: the role of each thing on them, by headings, numbering, points and place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from benchwright_exams.reading.page import Box, DrawingKind, ReadExam, ReadPage
from benchwright_exams.structure import numbering
from benchwright_exams.structure.choice_lists import ChoiceLabels, ExamLine, choice_labels_by_line
from benchwright_exams.structure.exam_place import ExamPlace
from benchwright_exams.structure.label_sequence import number_runs_by_form, usual_number_form
from benchwright_exams.structure.layout import PagePiece, are_beside, reading_order
from benchwright_exams.structure.ledger import ExamFinding, Ledger, Region, RegionRole, Segment, require_full_coverage
from benchwright_exams.structure.line_segments import LabelledLine, has_title, last_choice_letter, segments_of_line
from benchwright_judges.models.prompt import escape_hidden_characters
from benchwright_problems.problem import digest

_EDGE_SHARE = 0.09
"""Of the page's height at its top and bottom, where headers and footers are."""
_DEEPER_POINTS = 12.0
_POOR_CONFIDENCE = 90.0
_VERSION = 4
_QUOTED = 80
_LEAST_RUN = 3
"""Numbers that follow each other, and may be those of questions."""


def structure_by_rules(exam: ReadExam) -> Ledger:
    """The ledger of an exam without a model's help."""
    structure_reader = _StructureReader(exam)
    regions = tuple(structure_reader.regions())
    require_full_coverage(regions)
    return Ledger(
        made_from=structure_source_digest(exam),
        regions=regions,
        findings=(*_findings_of_file(exam), *structure_reader.findings),
    )


def structure_source_digest(exam: ReadExam) -> str:
    """The digest by which `structure_by_rules` would say what it was made from."""
    return digest([exam.made_from, _VERSION])


def _findings_of_file(exam: ReadExam) -> Iterator[ExamFinding]:
    for ignored_content in exam.ignored:
        yield ExamFinding(says=f"The file has {ignored_content} besides its pages; nothing was run, opened or read.")
    for page in exam.pages:
        if page.error:
            yield ExamFinding(says=f"The page was not read: {page.error}.", page=page.number)
        elif not page.words and not page.drawings:
            yield ExamFinding(says="The page shows nothing; it may be blank, or damaged.", page=page.number)
        if page.hidden:
            yield ExamFinding(
                says=f"The file has text that the page does not show ({len(page.hidden)} words); it was left out.",
                page=page.number,
            )
        if page.unsure:
            unclear = " ".join(escape_hidden_characters(" ".join(word.text for word in page.unsure)).split())[:_QUOTED]
            yield ExamFinding(
                says=f"{len(page.unsure)} words were too unclear to be taken, such as “{unclear}”.", page=page.number
            )
        if page.confidence is not None and page.confidence < _POOR_CONFIDENCE:
            yield ExamFinding(says="Much of the page was recognised badly: questions may be missing.", page=page.number)
        if page.recognised:
            yield ExamFinding(
                says=f"The text was recognised in a picture (mean confidence {page.confidence:.0f} of 100); compare it"
                " with the page.",
                page=page.number,
            )


@dataclass
class _StructureReader:
    exam: ReadExam
    position: ExamPlace = field(default_factory=ExamPlace)
    findings: list[ExamFinding] = field(default_factory=list)

    def __post_init__(self) -> None:
        orders = {page.number: reading_order(page) for page in self.exam.pages if not page.error}
        self._pages = {page.number: (page, orders[page.number].pieces) for page in self.exam.pages if not page.error}
        self.findings += [
            ExamFinding(says="The page may have columns that were read across; compare its questions.", page=number)
            for number, page_order in orders.items()
            if page_order.may_have_columns
        ]
        texts = [piece.text for _, pieces in self._pages.values() for piece in pieces if piece.drawing is None]
        self._headed = any(numbering.number_after_heading_word(text) for text in texts)
        self._form = usual_number_form(texts)
        self.findings += self._findings_of_other_forms(texts)
        self._sections = sum(numbering.section_name(text) is not None for text in texts) > 1
        self._has_titles = self._are_titles_usual()
        self._choice_labels = self._choice_labels_by_piece()
        self._repeated = _repeated_edge_lines(self._pages.values())
        self._known_labels: set[str] = set()
        self._previous_text = ""
        self._next_piece: PagePiece | None = None
        self._shared = ""

    def _findings_of_other_forms(self, line_texts: Sequence[str]) -> Iterator[ExamFinding]:
        """Numbers that follow each other in another form than the questions' do: those of a list, or of questions."""
        headed_count = sum(numbering.number_after_heading_word(text) is not None for text in line_texts)
        for form, numbers in number_runs_by_form(line_texts).items():
            if len(numbers) >= max(_LEAST_RUN, headed_count) and (self._headed or form != self._form):
                yield ExamFinding(
                    says=f"{len(numbers)} lines begin with numbers such as “{form}”, which were taken for text of"
                    " questions that are numbered otherwise."
                )

    def _are_titles_usual(self) -> bool:
        """True if at least half of the headings of questions that say something have titles."""
        is_title_by_heading = []
        for _, pieces in self._pages.values():
            for piece, following_piece in pairwise([*pieces, None]):
                label = (
                    numbering.number_after_heading_word(piece.text)
                    if piece is not None and piece.drawing is None
                    else None
                )
                if piece is None or label is None or not piece.text[label.end :].strip():
                    continue
                heading_line = LabelledLine(
                    piece.text,
                    label.end,
                    RegionRole.QUESTION,
                    "",
                    following_line=following_piece.text if following_piece else "",
                    is_broken=following_piece is not None and piece.is_broken_before(following_piece),
                )
                is_title_by_heading.append(has_title(heading_line))
        return 2 * sum(is_title_by_heading) >= len(is_title_by_heading)

    def _choice_labels_by_piece(self) -> dict[PagePiece, ChoiceLabels]:
        pieces = [
            piece
            for _, pieces in self._pages.values()
            for piece in pieces
            if piece.drawing is None and not piece.listing
        ]
        choice_lines = []
        for piece in pieces:
            label = numbering.number_after_heading_word(piece.text) or (
                None if self._headed else self._usual_number(piece.text)
            )
            begins = bool(label) or numbering.section_name(piece.text) is not None
            choice_lines.append(ExamLine(piece.text, label.end if label else 0, begins))
        return {pieces[index]: line_labels for index, line_labels in choice_labels_by_line(choice_lines).items()}

    def _usual_number(self, line_text: str) -> numbering.LineLabel | None:
        """The number that a line begins with, if it is printed as most questions' are."""
        label = numbering.number_without_heading_word(line_text)
        return label if label and label.form == self._form else None

    def regions(self) -> Iterator[Region]:
        for page in self.exam.pages:
            if page.error:
                yield _region_of_whole_page(page, "1", RegionRole.UNREADABLE)
                continue
            _, pieces = self._pages[page.number]
            lost = _lost_words_by_line(page, pieces)
            page_regions: list[Region] = []
            for number, piece in enumerate(pieces, 1):
                self._previous_text = pieces[number - 2].text if number > 1 else ""
                self._next_piece = pieces[number] if number < len(pieces) else None
                segments = tuple(self._segments(piece, page))
                region = Region(
                    id=f"p{page.number}-{number}",
                    page=page.number,
                    box=piece.box,
                    text=piece.text,
                    segments=segments,
                    size=piece.size,
                    listing=piece.listing,
                    recognised=page.recognised,
                    doubtful=(*piece.doubtful_words, *lost.get(piece, ())),
                )
                page_regions.append(region)
                yield region
            self.findings += _findings_of_figures_beside_several(pieces, page_regions)
            if page.hidden:
                yield _region_of_whole_page(page, "hidden", RegionRole.HIDDEN, " ".join(page.hidden))

    def _segments(self, piece: PagePiece, page: ReadPage) -> Iterator[Segment]:
        text = piece.text
        if piece.drawing is DrawingKind.RULE:
            yield Segment(role=RegionRole.RULE, start=0, end=0)
            return
        if piece.drawing is not None:
            role = RegionRole.TABLE if piece.drawing is DrawingKind.TABLE else RegionRole.FIGURE
            value = "solution" if self.position.is_in_solution else ""
            yield Segment(role=role, start=0, end=len(text), item=self.position.label or self._shared, value=value)
            return
        alone_role = self._find_heading_role_and_move(piece, page)
        if alone_role is not None:
            yield Segment(
                role=alone_role,
                start=0,
                end=len(text),
                item=self._item_label if alone_role is RegionRole.CAPTION else "",
            )
            return
        if not piece.listing and (whole := self._begin_shared_range_if_any(text)):
            yield Segment(role=RegionRole.CONTEXT, start=0, end=len(text), item=whole)
            return
        if not self.position.is_in_solution and (
            text_start := numbering.offset_after_rest_of_points(text, self._previous_text)
        ):
            yield Segment(role=RegionRole.POINTS, start=0, end=text_start, item=self._item_label)
        elif not piece.listing and (text_start := self._begin_items_and_find_offset(piece)):
            yield Segment(role=RegionRole.LABEL, start=0, end=text_start, item=self.position.label)
        else:
            text_start = 0
        line_choices = self._choice_labels.get(piece, ChoiceLabels(()))
        line = LabelledLine(
            text,
            text_start,
            self._text_role,
            self._item_label,
            self.position.choice,
            self._next_piece.text if self._next_piece else "",
            self._has_titles,
            self._next_piece is not None and piece.is_broken_before(self._next_piece),
            line_choices.offsets_and_labels,
        )
        segments = tuple(segments_of_line(line))
        if (
            line_choices.may_be_parts
            and line_choices.offsets_and_labels[0][1].value == "A"
            and self._text_role is RegionRole.QUESTION
        ):
            self.findings.append(
                ExamFinding(
                    says="Its choices may be parts: only their length speaks against it.", item=self._item_label
                )
            )
        self.position = replace(self.position, choice=last_choice_letter(segments) or self.position.choice)
        yield from segments

    @property
    def _item_label(self) -> str:
        return self._shared or self.position.label

    @property
    def _text_role(self) -> RegionRole:
        if self._shared:
            return RegionRole.CONTEXT
        if not self.position.question:
            return RegionRole.SOLUTION if self.position.is_among_solutions else RegionRole.INSTRUCTIONS
        return RegionRole.SOLUTION if self.position.is_in_solution else RegionRole.QUESTION

    def _find_heading_role_and_move(self, piece: PagePiece, page: ReadPage) -> RegionRole | None:
        """The role of a line that is no part of a text; changes the place where it heads something."""
        text = piece.text.strip()
        near_edge = (
            piece.box.bottom_edge < _EDGE_SHARE * page.height or piece.box.top_edge > (1 - _EDGE_SHARE) * page.height
        )
        if piece in self._repeated or (numbering.is_page_edge_line(text) and (near_edge or text[:1].isalpha())):
            return RegionRole.HEADER_FOOTER
        if self.position.question and numbering.says_question_continues(text):
            return RegionRole.SECTION
        if self.position.question and not self.position.is_among_solutions and numbering.begins_own_solution(text):
            self.position = replace(self.position, is_in_solution=True)
            return RegionRole.ANSWER_SPACE
        if numbering.heads_solutions(text):
            self.position, self._shared = ExamPlace(is_in_solution=True, is_among_solutions=True), ""
            return RegionRole.SECTION
        name = numbering.section_name(text)
        if name is not None and not (self._headed and self.position.question and text.lower().startswith("part")):
            self.position = ExamPlace(
                section=name if self._sections else "",
                is_in_solution=self.position.is_among_solutions,
                is_among_solutions=self.position.is_among_solutions,
            )
            self._shared = ""
            return RegionRole.SECTION
        if numbering.captioned_name(text) and len(text) < 200:
            return RegionRole.CAPTION
        if self.position.question and numbering.is_answer_space(text):
            return RegionRole.ANSWER_SPACE
        return None

    def _begin_shared_range_if_any(self, line_text: str) -> str:
        """The questions that a text which starts here is shared by, such as `3..5`."""
        number_range = numbering.shared_question_range(line_text)
        if number_range is None or self.position.is_among_solutions:
            return ""
        prefix = f"{self.position.section}-" if self.position.section else ""
        self._shared = f"{prefix}{number_range[0]}..{number_range[1]}"
        return self._shared

    def _begin_items_and_find_offset(self, piece: PagePiece) -> int:
        """The offset of the words after the labels of a line; the place becomes theirs."""
        text = piece.text
        text_start = self._begin_question_and_find_offset(text, piece.indent)
        if text_start:
            self._shared = ""
        if self.position.question and not self._shared:
            while (
                part := None
                if self._is_choice(piece, text_start)
                else self._place_and_length_of_part(text[text_start:])
            ):
                self.position, length = part
                self._known_labels.add(self.position.label)
                text_start += length
            if not self.position.is_among_solutions and (length := numbering.solution_offset(text[text_start:])):
                self.position = replace(self.position, is_in_solution=True)
                text_start += length
        return text_start

    def _is_choice(self, piece: PagePiece, label_offset: int) -> bool:
        offsets_and_labels = self._choice_labels.get(piece, ChoiceLabels(())).offsets_and_labels
        return not self.position.is_in_solution and any(start == label_offset for start, _ in offsets_and_labels)

    def _place_and_length_of_part(self, line_text: str) -> tuple[ExamPlace, int] | None:
        decimal = numbering.decimal_number(line_text)
        if decimal and decimal[0] == self.position.question and self.position.may_be_next_part_number(decimal[1].value):
            return self.position.at_part(decimal[1].value), decimal[1].end
        name = numbering.section_name(line_text)
        if self._headed and name is not None and name.isalpha() and line_text.lower().startswith("part"):
            part_heading = re.match(r"part\s+\S+?(?:[.:–—-]\s*|\s+|$)", line_text, re.IGNORECASE)
            return (self.position.at_part(name.lower()), part_heading.end()) if part_heading else None
        next_part = self.position.begun_part_and_offset(line_text)
        if next_part is None or (self.position.is_among_solutions and next_part[0].label not in self._known_labels):
            return None
        return next_part

    def _begin_question_and_find_offset(self, line_text: str, indent: float) -> int:
        question_start = numbering.number_after_heading_word(line_text)
        if question_start is None and (not self._headed or self.position.is_among_solutions):
            question_start = (
                numbering.number_without_heading_word(line_text)
                if self.position.is_among_solutions
                else self._usual_number(line_text)
            )
            if question_start is not None and not self._may_begin_question(question_start.value, indent):
                question_start = None
        if question_start is None:
            decimal = (
                numbering.decimal_number(line_text) if not self._headed or self.position.is_among_solutions else None
            )
            if decimal is None or decimal[0] == self.position.question or not self.position.is_next_number(decimal[0]):
                return 0
            # A question that begins with its first part, `2.1 …`.
            self.position = self.position.at_question(decimal[0])
            self._known_labels.add(self.position.label)
            return 0
        self.position = self.position.at_question(question_start.value)
        if not self.position.is_among_solutions and self.position.label in self._known_labels:
            self.findings.append(
                ExamFinding(says=f"Two questions are numbered {self.position.label}.", item=self.position.label)
            )
        self._known_labels.add(self.position.label)
        return question_start.end

    def _may_begin_question(self, question_number: str, indent: float) -> bool:
        if self.position.is_among_solutions:
            return (
                replace(self.position, question=str(int(question_number)), part="", subpart="").label
                in self._known_labels
            )
        return self.position.is_number_soon_after(question_number) and indent < _DEEPER_POINTS


def _findings_of_figures_beside_several(
    pieces: Sequence[PagePiece], page_regions: Sequence[Region]
) -> Iterator[ExamFinding]:
    """Figures and tables with lines of more than one question beside them."""
    for drawn_piece, region in zip(pieces, page_regions, strict=True):
        if not drawn_piece.is_picture:
            continue
        beside_labels = dict.fromkeys(
            line_region.item
            for line, line_region in zip(pieces, page_regions, strict=True)
            if line.drawing is None and line_region.item and are_beside(drawn_piece, line)
        )
        if len(beside_labels) > 1 or any(label != region.item for label in beside_labels):
            for label in {**beside_labels, region.item: None}:
                yield ExamFinding(
                    says=f"The {region.role} {region.id} stands beside several questions, and was given to"
                    f" {region.item or 'none'}.",
                    item=label,
                    page=region.page,
                )


def _region_of_whole_page(page: ReadPage, region_name: str, role: RegionRole, text: str = "") -> Region:
    return Region(
        id=f"p{page.number}-{region_name}",
        page=page.number,
        box=Box(0, 0, page.width, page.height),
        text=text,
        segments=(Segment(role=role, start=0, end=len(text)),),
    )


def _lost_words_by_line(page: ReadPage, pieces: Sequence[PagePiece]) -> dict[PagePiece, list[str]]:
    """Words that were too unclear to be taken, with the line beside each."""
    text_lines = [piece for piece in pieces if piece.drawing is None]
    lost: dict[PagePiece, list[str]] = {}
    for word in page.unsure:
        is_drawn = any(piece.is_picture and piece.box.has_centre_of(word.box) for piece in pieces)
        if text_lines and not is_drawn and any(sign.isalnum() for sign in word.text):
            nearest_line = min(
                text_lines,
                key=lambda line: abs(
                    line.box.top_edge + line.box.bottom_edge - word.box.top_edge - word.box.bottom_edge
                ),
            )
            lost.setdefault(nearest_line, []).append(word.text)
    return lost


def _repeated_edge_lines(page_pieces: Iterable[tuple[ReadPage, list[PagePiece]]]) -> set[PagePiece]:
    """Lines at the same edge of several pages with the same words but for numbers."""
    piece_keys: dict[PagePiece, tuple[str, int]] = {}
    begun_numbers: dict[tuple[str, int], set[str]] = defaultdict(set)
    for page, pieces in page_pieces:
        for piece in pieces:
            near_edge = (
                piece.box.bottom_edge < _EDGE_SHARE * page.height
                or piece.box.top_edge > (1 - _EDGE_SHARE) * page.height
            )
            if piece.drawing is None and near_edge:
                edge_key = (re.sub(r"\d+", "#", piece.text.casefold()), round(piece.box.top_edge / 5))
                piece_keys[piece] = edge_key
                if label := numbering.number_after_heading_word(piece.text) or numbering.number_without_heading_word(
                    piece.text
                ):
                    begun_numbers[edge_key].add(label.value)
    key_counts = Counter(piece_keys.values())
    # Headings of different questions at the top of their pages are alike but for their numbers, too.
    return {piece for piece, key in piece_keys.items() if key_counts[key] > 1 and len(begun_numbers[key]) < 2}
