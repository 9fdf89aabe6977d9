"""A page as it was read: words where they stand, and what is drawn. Lengths are in points, from the top left."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from benchwright_foundation.model import Model
from benchwright_foundation.stage_file import StageOutput


class Box(NamedTuple):
    """A rectangle on a page."""

    left_edge: float
    top_edge: float
    right_edge: float
    bottom_edge: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right_edge - self.left_edge

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom_edge - self.top_edge

    def union(self, box: Box) -> Box:
        """The smallest box that holds both."""
        return Box(
            min(self.left_edge, box.left_edge),
            min(self.top_edge, box.top_edge),
            max(self.right_edge, box.right_edge),
            max(self.bottom_edge, box.bottom_edge),
        )

    def grown(self, margin_x: float, margin_y: float) -> Box:
        """This box with margins."""
        return Box(
            self.left_edge - margin_x, self.top_edge - margin_y, self.right_edge + margin_x, self.bottom_edge + margin_y
        )

    def has_centre_of(self, box: Box) -> bool:
        """True if the middle of the other box is inside."""
        middle_x, middle_y = (box.left_edge + box.right_edge) / 2, (box.top_edge + box.bottom_edge) / 2
        return self.left_edge <= middle_x <= self.right_edge and self.top_edge <= middle_y <= self.bottom_edge

    def meets(self, box: Box) -> bool:
        """True if the boxes share a point."""
        return (
            self.left_edge <= box.right_edge
            and box.left_edge <= self.right_edge
            and self.top_edge <= box.bottom_edge
            and box.top_edge <= self.bottom_edge
        )


class PageWord(NamedTuple):
    """A word and where it stands."""

    text: str
    box: Box
    size: float
    """Of its letters, in points."""
    fixed: bool = False
    """True if its letters are of one width, as in a listing."""
    confidence: float = 100.0
    """That it is this word, 0 to 100; less than 100 only where it was recognised in a picture."""


class DrawingKind(StrEnum):
    """Appearance of something that is drawn."""

    FIGURE = "figure"
    TABLE = "table"
    RULE = "rule"
    """A line, an underline, or a frame around most of the page."""


class Drawing(Model):
    """Something on a page that is no text."""

    kind: DrawingKind
    box: Box


class ReadPage(Model):
    """One page."""

    number: int
    """From 1."""
    width: float
    height: float
    words: tuple[PageWord, ...] = ()
    """Words that the page shows, in the order of the file."""
    hidden: tuple[str, ...] = ()
    """Text that the file has and the page does not show."""
    drawings: tuple[Drawing, ...] = ()
    specks: int = 0
    """Spots that are too small to be anything."""
    recognised: bool = False
    """True if the words were recognised in a picture."""
    unsure: tuple[PageWord, ...] = ()
    """Words that were recognised too unclearly to be taken."""
    confidence: float | None = None
    """Mean confidence of the recognition, 0 to 100."""
    error: str = ""
    """Reason for which it could not be read."""


class ReadExam(StageOutput):
    """All pages of a PDF."""

    file: str
    """Its name."""
    sha256: str
    ignored: tuple[str, ...] = ()
    """Contents of the file besides pages, such as scripts, which nothing ran."""
    pages: tuple[ReadPage, ...]
