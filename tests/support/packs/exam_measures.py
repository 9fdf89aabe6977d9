"""What is found of the exams in `exam_papers`.

`python -m tests.support.packs.exam_measures` prints the table of the docs, with `--scanned` that of
scans of the others.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from benchwright_exams.items import Item
from benchwright_exams.model.lines import signs
from benchwright_exams.structure.place import parents
from benchwright_exams.structure.text_blocks import Block
from benchwright_exams.work import Extracted, extract

from .exam_papers import Asked, Paper, papers, scan

_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n\s*\n")


@dataclass(frozen=True)
class Measured:
    """One exam, found and asked."""

    paper: Paper
    found: Extracted
    right: int
    """Questions with their words, points, context, choices and solution."""
    extra: tuple[str, ...]
    """Questions that nobody asked."""
    figures: int
    solutions: int
    invented: tuple[str, ...]
    """Sentences that no page has."""
    missed: tuple[str, ...]
    """Questions that were not found right and that no finding names."""
    alarms: tuple[str, ...]
    """Questions that were found right and that a finding names all the same."""

    @property
    def row(self) -> str:
        """Of the table."""
        asked = len(self.paper.asked)
        solved = sum(bool(one.solution or one.key) for one in self.paper.asked)
        findings = len((*self.found.ledger.findings, *self.found.items.findings))
        cells = [
            self.paper.name,
            f"{self.right} of {asked}",
            f"{self.figures} of {self.paper.figures}" if self.paper.figures else "–",
            f"{self.solutions} of {solved}" if solved else "–",
            str(len(self.invented)),
            str(findings),
        ]
        return f"| {' | '.join(cells)} |"


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its full stop."""
    return [one.strip() for one in _SENTENCE.split(text) if one.strip()]


def words_of(blocks: tuple[Block, ...]) -> str:
    return " ".join(block.text for block in blocks if not block.region)


def is_right(item: Item | None, asked: Asked) -> bool:
    """Whether a question was found as it was meant."""
    if item is None:
        return False
    figures = {block.region for block in (*item.context, *item.body) if block.region}
    return (
        signs(asked.says) in signs(words_of(item.body))
        and signs(asked.context) in signs(words_of(item.context))
        and item.points == asked.points
        and len(figures) == asked.figures
        and tuple(item.choices.values()) == asked.choices
        and has_solution(item, asked)
    )


def has_solution(item: Item, asked: Asked) -> bool:
    said = words_of(item.solution)
    return signs(asked.solution) in signs(said) if asked.solution else said == asked.key


def texts_of_pages(paper: Paper, found: Extracted) -> str:
    """The words of a PDF by another way than the reader's: pdfium's own order, or those recognised."""
    import pypdfium2

    whole = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(paper.pdf))
    recognised = " ".join(word.text for page in found.exam.pages for word in page.words if page.recognised)
    return f"{whole} {recognised}".replace("\x02", "-").replace("\ufffe", "-")


def measure(paper: Paper, folder: Path) -> Measured:
    """Read one exam by rules alone, and compare."""
    file = folder / "exam.pdf"
    file.write_bytes(paper.pdf)
    found = asyncio.run(extract(file, folder / "exam", began=lambda _: lambda: None))
    items = {item.label: item for item in found.items.items}
    labels = [asked.label for asked in paper.asked]
    findings = (*found.ledger.findings, *found.items.findings)
    named = {one.item for one in findings}
    bad_page = any("may be missing" in one.says for one in findings)
    right = [asked.label for asked in paper.asked if is_right(items.get(asked.label), asked)]
    drawn = {region.id for region in found.ledger.regions if region.role in ("figure", "table") and region.item}
    page = signs(texts_of_pages(paper, found))
    said = [
        sentence
        for item in items.values()
        for text in (
            *(block.text for block in (*item.context, *item.body, *item.solution) if not block.region),
            *item.choices.values(),
        )
        for sentence in sentences(text)
    ]
    return Measured(
        paper=paper,
        found=found,
        right=len(right),
        extra=tuple(label for label in items if label not in labels),
        figures=len(drawn),
        solutions=sum(
            has_solution(items[one.label], one)
            for one in paper.asked
            if (one.solution or one.key) and one.label in items
        ),
        invented=tuple(sentence for sentence in said if signs(sentence) not in page),
        missed=tuple(
            label
            for label in labels
            if label not in right
            and not named.intersection((label, *parents(label)))
            and not (bad_page and label not in items)
        ),
        alarms=tuple(label for label in right if label in named),
    )


if __name__ == "__main__":
    chosen = papers()
    if "--scanned" in sys.argv:
        whole = [one for one in chosen if one.name not in ("scanned", "broken", "hostile")]
        chosen = tuple(replace(one, pdf=scan(one.pdf)) for one in whole)
    for one in chosen:
        with tempfile.TemporaryDirectory() as place:
            print(measure(one, Path(place)).row)
