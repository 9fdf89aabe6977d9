"""From a PDF to forms for its author, in stages; a stage whose input is unchanged is skipped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchwright_exams.items import ExamItems, items_of_ledger, items_source_digest
from benchwright_exams.model.checks import with_model_verification
from benchwright_exams.model.figures import with_figures_assigned
from benchwright_exams.model.lines import with_line_roles_by_model
from benchwright_exams.model.replies import ExamModel
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.reading.reading import read_exam
from benchwright_exams.review.page_pictures import PagePictures
from benchwright_exams.review.review import WrittenReviewFiles, write_review_files
from benchwright_exams.structure.ledger import Ledger
from benchwright_exams.structure.structure import structure_by_rules, structure_source_digest
from benchwright_foundation.stage_file import StageFile


@dataclass(frozen=True)
class ExtractedExam:
    """Result of the extraction of an exam."""

    exam: ReadExam
    ledger: Ledger
    exam_items: ExamItems
    review: WrittenReviewFiles


async def extract_exam(
    pdf_file: Path,
    target_folder: Path,
    *,
    language: str = "eng",
    sandbox_name: str = "bwrap",
    model: ExamModel | None = None,
    start_progress: Callable[[int], Callable[[], None]],
) -> ExtractedExam:
    """Read an exam, find its questions and write a form for each.

    Args:
        pdf_file: The PDF; hostile bytes.
        target_folder: Gets everything: `pages.json`, `regions.json`, `items.json`, `exam.toml`, `items/`.
        language: Language of pages that are pictures, by Tesseract's name.
        sandbox_name: Sandbox in which pages are read: `bwrap` or `native`.
        model: Sorts lines and figures, and checks questions; without one, rules do.
        start_progress: Called with the number of pages; what it returns is called after each.

    Raises:
        ExamError: The file can't be read at all.
        ExtraMissingError: The library that reads PDFs is not installed.
        SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
        OutOfBudgetError: The model's budget does not suffice. Its replies are kept: running again goes on there.
    """
    # Solutions are in it.
    target_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    exam = await asyncio.to_thread(
        read_exam, pdf_file, target_folder, language=language, sandbox_name=sandbox_name, start_progress=start_progress
    )
    by_rules = structure_source_digest(exam)
    ledger_file = StageFile(target_folder / "regions.json", Ledger)
    ledger = (ledger_file.output_if_made_from(by_rules) if model is None else None) or structure_by_rules(exam)
    if model is not None:
        ledger = await with_line_roles_by_model(ledger, model)
        page_pictures = PagePictures(target_folder / "pages", exam, ledger)
        ledger = await with_figures_assigned(ledger, items_of_ledger(ledger), model, page_pictures.figure_png)
    ledger_file.write_output(ledger)
    kept_items = StageFile(target_folder / "items.json", ExamItems)
    exam_items = (
        kept_items.output_if_made_from(items_source_digest(ledger)) if model is None else None
    ) or items_of_ledger(ledger)
    if model is not None:
        exam_items = await with_model_verification(exam_items, model)
    kept_items.write_output(exam_items)
    review = await asyncio.to_thread(write_review_files, target_folder, exam, ledger, exam_items)
    return ExtractedExam(exam, ledger, exam_items, review)
