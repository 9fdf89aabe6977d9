"""Structure of an exam's pages: the role of each thing on them, by headings, numbering, points and place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from benchwright_exams.reading.page import Box, DrawingKind, ReadExam, ReadPage
from benchwright_exams.structure import numbering
from benchwright_exams.structure.layout import Piece, pieces_of
from benchwright_exams.structure.ledger import Finding, Ledger, Region, Role, Segment, check_covered
from benchwright_exams.structure.line_segments import Line, last_choice, split_line
from benchwright_exams.structure.place import ExamPlace
from benchwright_judges.models.prompt import visible
from benchwright_problems.problem import digest

_EDGE_SHARE = 0.09
"""Of the page's height at its top and bottom, where headers and footers are."""
_DEEPER_POINTS = 12.0
_POOR_CONFIDENCE = 90.0
_VERSION = 2
_QUOTED = 80


def read_structure(exam: ReadExam) -> Ledger:
    """The ledger of an exam without a model's help."""
    reader = _Reader(exam)
    regions = tuple(reader.regions())
    check_covered(regions)
    return Ledger(
        made_from=structure_digest(exam),
        regions=regions,
        findings=(*_findings_of_file(exam), *reader.findings),
    )


def structure_digest(exam: ReadExam) -> str:
    """The digest by which `read_structure` would say what it was made from."""
    return digest([exam.made_from, _VERSION])


def _findings_of_file(exam: ReadExam) -> Iterator[Finding]:
    for ignored_content in exam.ignored:
        yield Finding(says=f"The file has {ignored_content} besides its pages; nothing was run, opened or read.")
    for page in exam.pages:
        if page.error:
            yield Finding(says=f"The page was not read: {page.error}.", page=page.number)
        elif not page.words and not page.drawings:
            yield Finding(says="The page shows nothing; it may be blank, or damaged.", page=page.number)
        if page.hidden:
            yield Finding(
                says=f"The file has text that the page does not show ({len(page.hidden)} words); it was left out.",
                page=page.number,
            )
        if page.unsure:
            unclear = " ".join(visible(" ".join(word.text for word in page.unsure)).split())[:_QUOTED]
            yield Finding(
                says=f"{len(page.unsure)} words were too unclear to be taken, such as “{unclear}”.", page=page.number
            )
        if page.confidence is not None and page.confidence < _POOR_CONFIDENCE:
            yield Finding(says="Much of the page was recognised badly: questions may be missing.", page=page.number)
        if page.recognised:
            yield Finding(
                says=f"The text was recognised in a picture (mean confidence {page.confidence:.0f} of 100); compare it"
                " with the page.",
                page=page.number,
            )


@dataclass
class _Reader:
    exam: ReadExam
    position: ExamPlace = field(default_factory=ExamPlace)
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._pages = {page.number: (page, pieces_of(page)) for page in self.exam.pages if not page.error}
        texts = [piece.text for _, pieces in self._pages.values() for piece in pieces if piece.drawing is None]
        self._headed = any(numbering.headed(text) for text in texts)
        self._sections = sum(numbering.section(text) is not None for text in texts) > 1
        self._repeated = _repeated(self._pages.values())
        self._known_labels: set[str] = set()
        self._previous_text = self._next_text = ""
        self._shared = ""

    def regions(self) -> Iterator[Region]:
        for page in self.exam.pages:
            if page.error:
                yield _whole(page, "1", Role.UNREADABLE)
                continue
            _, pieces = self._pages[page.number]
            left = _left_edges(pieces)
            lost = _lost(page, pieces)
            for number, piece in enumerate(pieces, 1):
                self._previous_text, self._next_text = (
                    pieces[index].text if 0 <= index < len(pieces) else "" for index in (number - 2, number)
                )
                segments = tuple(self._segments(piece, page, piece.box.left - left[piece]))
                yield Region(
                    id=f"p{page.number}-{number}",
                    page=page.number,
                    box=piece.box,
                    text=piece.text,
                    segments=segments,
                    size=piece.size,
                    listing=piece.listing,
                    recognised=page.recognised,
                    doubtful=(*piece.doubtful, *lost.get(piece, ())),
                )
            if page.hidden:
                yield _whole(page, "hidden", Role.HIDDEN, " ".join(page.hidden))

    def _segments(self, piece: Piece, page: ReadPage, indent: float) -> Iterator[Segment]:
        text = piece.text
        if piece.drawing is DrawingKind.RULE:
            yield Segment(role=Role.RULE, start=0, end=0)
            return
        if piece.drawing is not None:
            role = Role.TABLE if piece.drawing is DrawingKind.TABLE else Role.FIGURE
            value = "solution" if self.position.solving else ""
            yield Segment(role=role, start=0, end=len(text), item=self.position.label or self._shared, value=value)
            return
        alone = self._alone(piece, page)
        if alone is not None:
            yield Segment(role=alone, start=0, end=len(text), item=self._item if alone is Role.CAPTION else "")
            return
        if not piece.listing and (whole := self._shared_by(text)):
            yield Segment(role=Role.CONTEXT, start=0, end=len(text), item=whole)
            return
        if not self.position.solving and (text_start := numbering.rest_of_points(text, self._previous_text)):
            yield Segment(role=Role.POINTS, start=0, end=text_start, item=self._item)
        elif not piece.listing and (text_start := self._begun(text, indent)):
            yield Segment(role=Role.LABEL, start=0, end=text_start, item=self.position.label)
        else:
            text_start = 0
        line = Line(text, text_start, self._role, self._item, self.position.choice, self._next_text)
        segments = tuple(split_line(line))
        self.position = replace(self.position, choice=last_choice(segments) or self.position.choice)
        yield from segments

    @property
    def _item(self) -> str:
        return self._shared or self.position.label

    @property
    def _role(self) -> Role:
        if self._shared:
            return Role.CONTEXT
        if not self.position.question:
            return Role.SOLUTION if self.position.apart else Role.INSTRUCTIONS
        return Role.SOLUTION if self.position.solving else Role.QUESTION

    def _alone(self, piece: Piece, page: ReadPage) -> Role | None:
        """The role of a line that is no part of a text; changes the place where it heads something."""
        text = piece.text.strip()
        near_edge = piece.box.bottom < _EDGE_SHARE * page.height or piece.box.top > (1 - _EDGE_SHARE) * page.height
        if piece in self._repeated or (numbering.is_edge(text) and (near_edge or text[:1].isalpha())):
            return Role.HEADER_FOOTER
        if self.position.question and numbering.is_continued(text):
            return Role.SECTION
        if numbering.heads_solutions(text):
            self.position, self._shared = ExamPlace(solving=True, apart=True), ""
            return Role.SECTION
        name = numbering.section(text)
        if name is not None and not (self._headed and self.position.question and text.lower().startswith("part")):
            self.position = ExamPlace(
                section=name if self._sections else "", solving=self.position.apart, apart=self.position.apart
            )
            self._shared = ""
            return Role.SECTION
        if numbering.caption(text) and len(text) < 200:
            return Role.CAPTION
        if self.position.question and numbering.is_answer_space(text):
            return Role.ANSWER_SPACE
        return None

    def _shared_by(self, text: str) -> str:
        """The questions that a text which starts here is shared by, such as `3..5`."""
        number_range = numbering.shared(text)
        if number_range is None or self.position.apart:
            return ""
        prefix = f"{self.position.section}-" if self.position.section else ""
        self._shared = f"{prefix}{number_range[0]}..{number_range[1]}"
        return self._shared

    def _begun(self, text: str, indent: float) -> int:
        """The offset of the words after the labels of a line; the place becomes theirs."""
        text_start = self._question(text, indent)
        if text_start:
            self._shared = ""
        if self.position.question and not self._shared:
            while part := self._part(text[text_start:]):
                self.position, length = part
                self._known_labels.add(self.position.label)
                text_start += length
            if not self.position.apart and (length := numbering.solution(text[text_start:])):
                self.position = replace(self.position, solving=True)
                text_start += length
        return text_start

    def _part(self, text: str) -> tuple[ExamPlace, int] | None:
        decimal = numbering.decimal(text)
        if decimal and decimal[0] == self.position.question:
            return self.position.at_part(decimal[1].value), decimal[1].end
        name = numbering.section(text)
        if self._headed and name is not None and name.isalpha() and text.lower().startswith("part"):
            head = re.match(r"part\s+\S+?(?:[.:–—-]\s*|\s+|$)", text, re.IGNORECASE)
            return (self.position.at_part(name.lower()), head.end()) if head else None
        part = self.position.next_part(text)
        if part is None or (self.position.apart and part[0].label not in self._known_labels):
            return None
        return part

    def _question(self, text: str, indent: float) -> int:
        start = numbering.headed(text)
        if start is None and (not self._headed or self.position.apart):
            start = numbering.bare(text)
            if start is not None and not self._is_question(start.value, indent):
                start = None
        if start is None:
            decimal = numbering.decimal(text) if not self._headed or self.position.apart else None
            if decimal is None or decimal[0] == self.position.question or not self.position.is_next(decimal[0]):
                return 0
            # A question that begins with its first part, `2.1 …`.
            self.position = self.position.at_question(decimal[0])
            self._known_labels.add(self.position.label)
            return 0
        self.position = self.position.at_question(start.value)
        if not self.position.apart and self.position.label in self._known_labels:
            self.findings.append(
                Finding(says=f"Two questions are numbered {self.position.label}.", item=self.position.label)
            )
        self._known_labels.add(self.position.label)
        return start.end

    def _is_question(self, number: str, indent: float) -> bool:
        if self.position.apart:
            return replace(self.position, question=str(int(number)), part="", deep="").label in self._known_labels
        return self.position.follows(number) and indent < _DEEPER_POINTS


def _whole(page: ReadPage, name: str, role: Role, text: str = "") -> Region:
    return Region(
        id=f"p{page.number}-{name}",
        page=page.number,
        box=Box(0, 0, page.width, page.height),
        text=text,
        segments=(Segment(role=role, start=0, end=len(text)),),
    )


def _lost(page: ReadPage, pieces: Sequence[Piece]) -> dict[Piece, list[str]]:
    """Words that were too unclear to be taken, with the line beside each."""
    lines = [piece for piece in pieces if piece.drawing is None]
    lost: dict[Piece, list[str]] = {}
    for word in page.unsure:
        is_drawn = any(piece.is_picture and piece.box.has_centre_of(word.box) for piece in pieces)
        if lines and not is_drawn and any(sign.isalnum() for sign in word.text):
            nearest_line = min(
                lines, key=lambda line: abs(line.box.top + line.box.bottom - word.box.top - word.box.bottom)
            )
            lost.setdefault(nearest_line, []).append(word.text)
    return lost


def _left_edges(pieces: Sequence[Piece]) -> dict[Piece, float]:
    """For each line, where the column that it stands in begins."""
    lines = [piece for piece in pieces if piece.drawing is None]
    edges = {}
    for piece in pieces:
        left_edges = [
            line.box.left for line in lines if line.box.left < piece.box.right and piece.box.left < line.box.right
        ]
        edges[piece] = min(left_edges, default=piece.box.left)
    return edges


def _repeated(pages: Iterable[tuple[ReadPage, list[Piece]]]) -> set[Piece]:
    """Lines at the same edge of several pages with the same words but for numbers."""
    keys: dict[Piece, tuple[str, int]] = {}
    for page, pieces in pages:
        for piece in pieces:
            near_edge = piece.box.bottom < _EDGE_SHARE * page.height or piece.box.top > (1 - _EDGE_SHARE) * page.height
            if piece.drawing is None and near_edge:
                keys[piece] = (re.sub(r"\d+", "#", piece.text.casefold()), round(piece.box.top / 5))
    counts = Counter(keys.values())
    return {piece for piece, key in keys.items() if counts[key] > 1}
