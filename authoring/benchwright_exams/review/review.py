"""Every question beside its page, as files that its author edits: `items/LABEL/`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from benchwright_exams.items import Item, Items
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.review import markdown
from benchwright_exams.review.page_pictures import PagePictures
from benchwright_exams.review.review_form import EXAM_FILE, FORM_FILE, Exam, Form
from benchwright_exams.structure.ledger import Ledger
from benchwright_exams.structure.text_blocks import Block
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.kept import StageFile, StageOutput
from benchwright_foundation.toml_text import as_toml
from benchwright_problems.problem import AnsweredBy, digest

ITEMS = "items"
_VERSION = 1
_CHOSEN = re.compile(r"^\W{0,2}([A-Ha-h])(?:\W|$)")
_HOLDS = re.compile(r"^\W{0,2}(true|false)\b", re.IGNORECASE)


class WrittenForm(StageOutput):
    """Form that was written, so that an author's own words are never written over."""

    files: dict[str, str] = Field(default_factory=dict)
    """Each file, below the folder, with the sha256 of what was written."""


class Review(NamedTuple):
    """Result for the files."""

    written_count: int
    """Number of files that are new or changed."""
    kept_files: tuple[str, ...] = ()
    """Files that would be written differently now, of questions that an author has edited."""
    gone: tuple[str, ...] = ()
    """Questions that were there before and are not found any more; their files stay."""


def write_review(folder: Path, exam: ReadExam, ledger: Ledger, items: Items) -> Review:
    """Write the files of each question.

    Args:
        folder: Has `pages/`; gets `exam.toml` and `items/LABEL/` with `review.toml`, `statement.md`,
            `solution/solution.md`, pictures, and `page-N.png`: the page with the question's places marked.
        exam: The pages.
        ledger: Everything on them.
        items: The questions.
    """
    made_from = digest(
        [items.model_dump(mode="json"), [finding.model_dump(mode="json") for finding in ledger.findings], _VERSION]
    )
    review_file = StageFile(folder / "review.json", WrittenForm)
    last_written = review_file.last()
    known_digests = dict(last_written.files) if last_written else {}
    if last_written and last_written.made_from == made_from and all((folder / name).exists() for name in known_digests):
        return Review(0)
    pages = PagePictures(folder / "pages", exam, ledger)
    findings = (*ledger.findings, *items.findings)
    groups = {"": {EXAM_FILE: _head(exam)}}
    for item in items.items:
        says = [finding.says for finding in findings if finding.item == item.label]
        groups[item.label] = {f"{ITEMS}/{item.label}/{name}": content for name, content in _files(item, pages, says)}
    written_count, edited = 0, []
    now = {name: sha256 for name, sha256 in known_digests.items() if _label(name) not in groups}
    gone = tuple(sorted({_label(name) for name in now}))
    for label, files in groups.items():
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        label_digests = {name: sha256 for name, sha256 in known_digests.items() if _label(name) == label}
        if any(
            _is_edited(folder / name, known_digests.get(name), digests.get(name)) for name in {*label_digests, *digests}
        ):
            # A decision is about the whole question: nothing of it changes any more.
            edited += [name for name, sha256 in digests.items() if known_digests.get(name) != sha256]
            now.update(label_digests)
            continue
        for name in label_digests.keys() - digests.keys():
            (folder / name).unlink(missing_ok=True)
        written_count += sum(_write(folder / name, content) for name, content in files.items())
        now.update(digests)
    review_file.keep(WrittenForm(made_from=made_from, files=now))
    return Review(written_count, tuple(edited), gone)


def _label(name: str) -> str:
    """The question that a file belongs to."""
    return name.split("/")[1] if name.startswith(f"{ITEMS}/") else ""


def _is_edited(file: Path, known_digest: str | None, new: str | None) -> bool:
    """True if a file is neither what was written before nor what is to be written."""
    return file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() not in (known_digest, new)


def _write(file: Path, content: bytes) -> bool:
    """Write a file; false if it has this content already."""
    if file.exists() and file.read_bytes() == content:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content, durable=False)
    return True


def _head(exam: ReadExam) -> bytes:
    head = Exam(title=Path(exam.file).stem, source=exam.file)
    return as_toml(head.model_dump(mode="json")).encode()


def _files(item: Item, pages: PagePictures, findings: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    def figure_markdown(block: Block) -> str:
        return markdown.figure(pages.caption(block), f"figures/{block.region}.png")

    heading = f"Question {item.label}" + (f": {item.title}" if item.title else "")
    question_markdown = markdown.document((*item.context, *item.body), figure_markdown)
    yield "statement.md", f"# {markdown.escaped(heading)}\n\n{question_markdown}\n".encode()
    yield "solution/solution.md", f"{markdown.document(item.solution, figure_markdown)}\n".encode()
    for prefix, texts in (("", (*item.context, *item.body)), ("solution/", item.solution)):
        for block in texts:
            if block.region:
                yield f"{prefix}figures/{block.region}.png", pages.cut(block.region)
    for number in pages.numbers(item.regions):
        yield f"page-{number}.png", pages.marked(number, item.regions)
    form = Form(
        findings=tuple(findings),
        format=item.format,
        answer=_answer(item),
        points=item.points,
        choices={letter: markdown.escaped(text) for letter, text in item.choices.items()},
    )
    values = form.model_dump(mode="json", exclude={"rubric"})
    yield FORM_FILE, as_toml(values).encode()


def _answer(item: Item) -> str:
    """The key of a closed question, if its solution begins with it."""
    solution_text = item.solution[0].text if item.solution else ""
    if item.format.answered_by is AnsweredBy.CHOICE and (match := _CHOSEN.match(solution_text)):
        letter = match[1].upper()
        return letter if letter in item.choices else ""
    if item.format.answered_by is AnsweredBy.TRUTH and (match := _HOLDS.match(solution_text)):
        return match[1].lower()
    return ""
