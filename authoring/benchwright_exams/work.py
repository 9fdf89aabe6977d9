"""From a PDF to forms for its author, in stages; a stage whose input is unchanged is skipped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchwright_exams.items import Items, find_items, items_digest
from benchwright_exams.model.checks import with_incompleteness_findings
from benchwright_exams.model.figures import assign_figures
from benchwright_exams.model.lines import assign_line_roles
from benchwright_exams.model.replies import ExamModel
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.reading.reading import read_exam
from benchwright_exams.review.page_pictures import PagePictures
from benchwright_exams.review.review import ReviewedFiles, write_review
from benchwright_exams.structure.ledger import Ledger
from benchwright_exams.structure.structure import read_structure, structure_digest
from benchwright_foundation.kept import StageFile


@dataclass(frozen=True)
class Extracted:
    """Result of the extraction of an exam."""

    exam: ReadExam
    ledger: Ledger
    exam_items: Items
    review: ReviewedFiles


async def extract_exam(
    file: Path,
    folder: Path,
    *,
    language: str = "eng",
    sandbox: str = "bwrap",
    model: ExamModel | None = None,
    on_begin: Callable[[int], Callable[[], None]],
) -> Extracted:
    """Read an exam, find its questions and write a form for each.

    Args:
        file: The PDF; hostile bytes.
        folder: Gets everything: `pages.json`, `regions.json`, `items.json`, `exam.toml`, `items/`.
        language: Language of pages that are pictures, by Tesseract's name.
        sandbox: Sandbox in which pages are read: `bwrap` or `native`.
        model: Sorts lines and figures, and checks questions; without one, rules do.
        on_begin: Called with the number of pages; what it returns is called after each.

    Raises:
        ExamError: The file can't be read at all.
        ExtraMissingError: The library that reads PDFs is not installed.
        SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
        OutOfBudgetError: The model's budget does not suffice. Its replies are kept: running again goes on there.
    """
    # Solutions are in it.
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    exam = await asyncio.to_thread(read_exam, file, folder, language=language, sandbox=sandbox, on_begin=on_begin)
    by_rules = structure_digest(exam)
    ledger_file = StageFile(folder / "regions.json", Ledger)
    ledger = (ledger_file.find_output(by_rules) if model is None else None) or read_structure(exam)
    if model is not None:
        ledger = await assign_line_roles(ledger, model)
        page_pictures = PagePictures(folder / "pages", exam, ledger)
        ledger = await assign_figures(ledger, find_items(ledger), model, page_pictures.figure_png)
    ledger_file.write_output(ledger)
    kept_items = StageFile(folder / "items.json", Items)
    exam_items = (kept_items.find_output(items_digest(ledger)) if model is None else None) or find_items(ledger)
    if model is not None:
        exam_items = await with_incompleteness_findings(exam_items, model)
    kept_items.write_output(exam_items)
    review = await asyncio.to_thread(write_review, folder, exam, ledger, exam_items)
    return Extracted(exam, ledger, exam_items, review)
