"""Measures of what is found of the exams in `exam_papers`.

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

from benchwright_exams.extraction import ExtractedExam, extract_exam
from benchwright_exams.items import ExamItem
from benchwright_exams.model.lines import text_without_spaces_and_hyphens
from benchwright_exams.structure.exam_place import parent_labels
from benchwright_exams.structure.text_blocks import Block

from .exam_papers import ExpectedQuestion, Paper, papers, scan

_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n\s*\n")


@dataclass(frozen=True)
class MeasuredExam:
    """One exam, found and asked."""

    paper: Paper
    extraction: ExtractedExam
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
        question_count = len(self.paper.questions)
        solved = sum(bool(question.solution or question.key) for question in self.paper.questions)
        findings = len((*self.extraction.ledger.findings, *self.extraction.exam_items.findings))
        cells = [
            self.paper.name,
            f"{self.right} of {question_count}",
            f"{self.figures} of {self.paper.figures}" if self.paper.figures else "–",
            f"{self.solutions} of {solved}" if solved else "–",
            str(len(self.invented)),
            str(findings),
        ]
        return f"| {' | '.join(cells)} |"


def sentences(page_text: str) -> list[str]:
    """The sentences of a text, each with its full stop."""
    return [sentence.strip() for sentence in _SENTENCE.split(page_text) if sentence.strip()]


def words_of(blocks: tuple[Block, ...]) -> str:
    return " ".join(block.text for block in blocks if not block.region)


def is_right(item: ExamItem | None, question: ExpectedQuestion) -> bool:
    """True if a question was found as it was meant."""
    if item is None:
        return False
    figures = {block.region for block in (*item.context, *item.body) if block.region}
    return (
        text_without_spaces_and_hyphens(question.says) in text_without_spaces_and_hyphens(words_of(item.body))
        and text_without_spaces_and_hyphens(question.context) in text_without_spaces_and_hyphens(words_of(item.context))
        and item.points == question.points
        and len(figures) == question.figures
        and tuple(item.choices.values()) == question.choices
        and has_solution(item, question)
    )


def has_solution(item: ExamItem, question: ExpectedQuestion) -> bool:
    solution_text = words_of(item.solution)
    return (
        text_without_spaces_and_hyphens(question.solution) in text_without_spaces_and_hyphens(solution_text)
        if question.solution
        else solution_text == question.key
    )


def texts_of_pages(paper: Paper, extraction: ExtractedExam) -> str:
    """The words of a PDF by another way than the reader's: pdfium's own order, or those recognised."""
    import pypdfium2

    whole = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(paper.pdf))
    recognised = " ".join(word.text for page in extraction.exam.pages for word in page.words if page.recognised)
    return f"{whole} {recognised}".replace("\x02", "-").replace("\ufffe", "-")


def measure(paper: Paper, folder: Path) -> MeasuredExam:
    """Read one exam by rules alone, and compare."""
    file = folder / "exam.pdf"
    file.write_bytes(paper.pdf)
    extraction = asyncio.run(extract_exam(file, folder / "exam", start_progress=lambda _: lambda: None))
    items = {item.label: item for item in extraction.exam_items.items}
    labels = [question.label for question in paper.questions]
    findings = (*extraction.ledger.findings, *extraction.exam_items.findings)
    faulty_items = {finding.item for finding in findings}
    bad_page = any("may be missing" in finding.says for finding in findings)
    right = [question.label for question in paper.questions if is_right(items.get(question.label), question)]
    drawn = {region.id for region in extraction.ledger.regions if region.role in ("figure", "table") and region.item}
    page = text_without_spaces_and_hyphens(texts_of_pages(paper, extraction))
    item_sentences = [
        sentence
        for item in items.values()
        for text in (
            *(block.text for block in (*item.context, *item.body, *item.solution) if not block.region),
            *item.choices.values(),
        )
        for sentence in sentences(text)
    ]
    return MeasuredExam(
        paper=paper,
        extraction=extraction,
        right=len(right),
        extra=tuple(label for label in items if label not in labels),
        figures=len(drawn),
        solutions=sum(
            has_solution(items[question.label], question)
            for question in paper.questions
            if (question.solution or question.key) and question.label in items
        ),
        invented=tuple(
            sentence for sentence in item_sentences if text_without_spaces_and_hyphens(sentence) not in page
        ),
        missed=tuple(
            label
            for label in labels
            if label not in right
            and not faulty_items.intersection((label, *parent_labels(label)))
            and not (bad_page and label not in items)
        ),
        alarms=tuple(label for label in right if label in faulty_items),
    )


if __name__ == "__main__":
    chosen = papers()
    if "--scanned" in sys.argv:
        whole = [paper for paper in chosen if paper.name not in ("scanned", "broken", "hostile")]
        chosen = tuple(replace(paper, pdf=scan(paper.pdf)) for paper in whole)
    for exam in chosen:
        with tempfile.TemporaryDirectory() as exam_folder:
            print(measure(exam, Path(exam_folder)).row)
