"""Every question beside its page, as files that its author edits: `items/LABEL/`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from benchwright_exams.items import ExamItem, ExamItems
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.review import markdown
from benchwright_exams.review.page_pictures import PagePictures
from benchwright_exams.review.review_form import EXAM_FILE, FORM_FILE, ExamForm, ReviewForm
from benchwright_exams.structure.ledger import Ledger
from benchwright_exams.structure.text_blocks import Block
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.stage_file import StageFile, StageOutput
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.problem import AnswerKind, digest

ITEMS = "items"
_VERSION = 1
_CHOSEN = re.compile(r"^\W{0,2}([A-Ha-h])(?:\W|$)")
_HOLDS = re.compile(r"^\W{0,2}(true|false)\b", re.IGNORECASE)


class WrittenFileDigests(StageOutput):
    """Form that was written, so that an author's own words are never written over."""

    files: dict[str, str] = Field(default_factory=dict)
    """Each file, below the folder, with the sha256 of what was written."""


class WrittenReviewFiles(NamedTuple):
    """Result for the files."""

    written_count: int
    """Number of files that are new or changed."""
    kept_files: tuple[str, ...] = ()
    """Files that would be written differently now, of questions that an author has edited."""
    vanished_labels: tuple[str, ...] = ()
    """Questions that were there before and are not found any more; their files stay."""


def write_review_files(exam_folder: Path, exam: ReadExam, ledger: Ledger, exam_items: ExamItems) -> WrittenReviewFiles:
    """Write the files of each question.

    Args:
        exam_folder: Has `pages/`; gets `exam.toml` and `items/LABEL/` with `review.toml`, `statement.md`,
            `solution/solution.md`, pictures, and `page-N.png`: the page with the question's places marked.
        exam: The pages.
        ledger: Everything on them.
        exam_items: The questions.
    """
    made_from = digest(
        [exam_items.model_dump(mode="json"), [finding.model_dump(mode="json") for finding in ledger.findings], _VERSION]
    )
    review_file = StageFile(exam_folder / "review.json", WrittenFileDigests)
    last_written = review_file.last_output()
    known_digests = dict(last_written.files) if last_written else {}
    if (
        last_written
        and last_written.made_from == made_from
        and all((exam_folder / name).exists() for name in known_digests)
    ):
        return WrittenReviewFiles(0)
    pages = PagePictures(exam_folder / "pages", exam, ledger)
    findings = (*ledger.findings, *exam_items.findings)
    files_by_label = {"": {EXAM_FILE: _exam_file_content(exam)}}
    for exam_item in exam_items.items:
        says = [finding.says for finding in findings if finding.item == exam_item.label]
        files_by_label[exam_item.label] = {
            f"{ITEMS}/{exam_item.label}/{name}": content for name, content in _files_of_item(exam_item, pages, says)
        }
    written_count, edited = 0, []
    digests_now = {name: sha256 for name, sha256 in known_digests.items() if _label_of_file(name) not in files_by_label}
    vanished_labels = tuple(sorted({_label_of_file(name) for name in digests_now}))
    for label, files in files_by_label.items():
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        label_digests = {name: sha256 for name, sha256 in known_digests.items() if _label_of_file(name) == label}
        if any(
            _is_edited(exam_folder / name, known_digests.get(name), digests.get(name))
            for name in {*label_digests, *digests}
        ):
            # A decision is about the whole question: nothing of it changes any more.
            edited += [name for name, sha256 in digests.items() if known_digests.get(name) != sha256]
            digests_now.update(label_digests)
            continue
        for name in label_digests.keys() - digests.keys():
            (exam_folder / name).unlink(missing_ok=True)
        written_count += sum(_write_if_new_content(exam_folder / name, content) for name, content in files.items())
        digests_now.update(digests)
    review_file.write_output(WrittenFileDigests(made_from=made_from, files=digests_now))
    return WrittenReviewFiles(written_count, tuple(edited), vanished_labels)


def _label_of_file(file_name: str) -> str:
    """The question that a file belongs to."""
    return file_name.split("/")[1] if file_name.startswith(f"{ITEMS}/") else ""


def _is_edited(review_file: Path, last_written_digest: str | None, new_digest: str | None) -> bool:
    """True if a file is neither what was written before nor what is to be written."""
    return review_file.exists() and hashlib.sha256(review_file.read_bytes()).hexdigest() not in (
        last_written_digest,
        new_digest,
    )


def _write_if_new_content(file: Path, new_content: bytes) -> bool:
    """Write a file; false if it has this content already."""
    if file.exists() and file.read_bytes() == new_content:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, new_content, durable=False)
    return True


def _exam_file_content(exam: ReadExam) -> bytes:
    head = ExamForm(title=Path(exam.file).stem, source=exam.file)
    return toml_table_text(head.model_dump(mode="json")).encode()


def _files_of_item(
    exam_item: ExamItem, page_pictures: PagePictures, finding_sentences: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    def figure_markdown(block: Block) -> str:
        return markdown.figure_markdown_link(page_pictures.caption_or_place(block), f"figures/{block.region}.png")

    heading = f"Question {exam_item.label}" + (f": {exam_item.title}" if exam_item.title else "")
    question_markdown = markdown.blocks_markdown((*exam_item.context, *exam_item.body), figure_markdown)
    yield "statement.md", f"# {markdown.escape_paragraph(heading)}\n\n{question_markdown}\n".encode()
    yield "solution/solution.md", f"{markdown.blocks_markdown(exam_item.solution, figure_markdown)}\n".encode()
    for prefix, texts in (("", (*exam_item.context, *exam_item.body)), ("solution/", exam_item.solution)):
        for block in texts:
            if block.region:
                yield f"{prefix}figures/{block.region}.png", page_pictures.figure_png(block.region)
    for number in page_pictures.page_numbers(exam_item.regions):
        yield f"page-{number}.png", page_pictures.marked_page_png(number, exam_item.regions)
    form = ReviewForm(
        findings=tuple(finding_sentences),
        format=exam_item.format,
        answer=closed_answer_or_empty(exam_item),
        points=exam_item.points,
        choices={letter: markdown.escape_paragraph(text) for letter, text in exam_item.choices.items()},
    )
    values = form.model_dump(mode="json", exclude={"rubric"})
    yield FORM_FILE, toml_table_text(values).encode()


def closed_answer_or_empty(exam_item: ExamItem) -> str:
    """The key of a closed question, if its solution begins with it."""
    solution_text = exam_item.solution[0].text if exam_item.solution else ""
    if exam_item.format.answered_by is AnswerKind.CHOICE and (match := _CHOSEN.match(solution_text)):
        letter = match[1].upper()
        return letter if letter in exam_item.choices else ""
    if exam_item.format.answered_by is AnswerKind.TRUTH and (match := _HOLDS.match(solution_text)):
        return match[1].lower()
    return ""
