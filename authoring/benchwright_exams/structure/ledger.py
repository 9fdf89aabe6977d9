"""The ledger of an exam: for each thing that its pages show, what it was taken for."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from benchwright_exams.reading.page import Box
from benchwright_foundation.model import Model
from benchwright_foundation.stage_file import StageOutput


class RegionRole(StrEnum):
    """Role of something in an exam."""

    QUESTION = "question"
    """Text of a question or part that is asked by itself."""
    CONTEXT = "context"
    """Text that several questions or parts share."""
    CHOICE = "choice"
    SOLUTION = "solution"
    LABEL = "label"
    """A number or letter that begins a question, a part, a choice or a solution."""
    POINTS = "points"
    FIGURE = "figure"
    TABLE = "table"
    CAPTION = "caption"
    SECTION = "section"
    """A heading over several questions, or over the solutions."""
    INSTRUCTIONS = "instructions"
    """Text before the first question: the title, rules, room for a name."""
    ANSWER_SPACE = "answer space"
    HEADER_FOOTER = "header or footer"
    RULE = "rule"
    HIDDEN = "hidden"
    """Text that the file has and the page does not show; never part of a question."""
    UNREADABLE = "unreadable"
    NOT_UNDERSTOOD = "not understood"


class Segment(Model):
    """A stretch of a region's text."""

    role: RegionRole
    start: int
    end: int
    """Of the region's text, in characters."""
    item: str = ""
    """The label of the question that it belongs to, such as `2b`."""
    value: str = ""
    """Of points, how many; of a choice, its letter."""


class Region(Model):
    """A line, a figure, a table, or whatever else a page has."""

    id: str
    """Such as `p2-14`: the fourteenth thing on page 2."""
    page: int
    box: Box
    text: str = ""
    segments: tuple[Segment, ...]
    """They cover the text from its start to its end; a drawing has one."""
    size: float = 0.0
    listing: bool = False
    recognised: bool = False
    """True if its page is a picture."""
    doubtful: tuple[str, ...] = ()
    """Words that may have been recognised wrongly, or are missing."""
    by: str = "rules"
    """Author of the decision on its role: `rules`, or the name of a model."""

    @property
    def role(self) -> RegionRole:
        """The role that most of it has."""
        return max(
            self.segments, key=lambda segment: (segment.role is not RegionRole.LABEL, segment.end - segment.start)
        ).role

    @property
    def item(self) -> str:
        """The question that it belongs to; empty if to none."""
        return self.segments[-1].item


class ExamFinding(Model):
    """Something that a person has to check."""

    says: str
    page: int | None = None
    item: str = ""


class Ledger(StageOutput):
    """Every region of every page."""

    regions: tuple[Region, ...]
    findings: tuple[ExamFinding, ...] = ()


def require_full_coverage(regions: Iterable[Region]) -> None:
    """Make sure that nothing of a text is in no segment, or in two.

    Raises:
        ValueError: Names the region.
    """
    for region in regions:
        offset = 0
        for segment in region.segments:
            if segment.start != offset or segment.end < offset:
                raise ValueError(f"region {region.id} is not covered at character {offset}")
            offset = segment.end
        if offset != len(region.text):
            raise ValueError(f"region {region.id} is not covered from character {offset}")
