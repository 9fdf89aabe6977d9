"""The process that reads an exam for its author: `python -m benchwright_service.questions.exam_process`.

The first line on stdin is JSON, the PDF follows. Each line on stdout is JSON: the number of pages, each page that is
read, and in the end the questions or a failure. Nothing is left on the disk.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchwright_authoring.written_question import LETTERS
from benchwright_exams.errors import ExamError
from benchwright_exams.extraction import ExtractedExam, extract_exam
from benchwright_exams.items import ExamItem
from benchwright_exams.review.markdown import blocks_markdown, escape_paragraph
from benchwright_exams.review.review import closed_answer_or_empty
from benchwright_exams.structure.ledger import ExamFinding
from benchwright_exams.structure.text_blocks import Block
from benchwright_foundation.errors import BenchwrightError, ExtraMissingError
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_service.content_free_log import log_without_contents
from benchwright_service.runs.niceness import lower_own_priority

_ON_OWN_MACHINE = (
    "Whoever operates it can change that; or read the exam on your machine, with `benchwright questions from-exam`."
)


def _read_exam_from_stdin() -> None:
    settings = json.loads(sys.stdin.buffer.readline())
    with tempfile.TemporaryDirectory(prefix="benchwright-exam-") as temporary:
        pdf_file = Path(temporary) / "exam.pdf"
        pdf_file.write_bytes(sys.stdin.buffer.read())
        try:
            extracted = asyncio.run(
                extract_exam(
                    pdf_file,
                    Path(temporary) / "exam",
                    language=settings["language"],
                    start_progress=_write_page_count,
                )
            )
        except (SandboxUnavailableError, ExtraMissingError):
            _write_line({"failure": f"This service can't read PDFs in a sandbox. {_ON_OWN_MACHINE}"})
        except ExamError as error:
            _write_line({"failure": str(error).replace(str(pdf_file), "The file").replace(pdf_file.name, "The file")})
        except BenchwrightError as error:
            _write_line({"failure": f"The exam could not be read ({type(error).__name__}). {_ON_OWN_MACHINE}"})
        else:
            _write_line(_reading_of_exam(extracted))


def _write_page_count(page_count: int) -> Callable[[], None]:
    _write_line({"pages": page_count})
    return lambda: _write_line({"page": True})


def _write_line(reply: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(reply)}\n")
    sys.stdout.flush()


def _reading_of_exam(extracted: ExtractedExam) -> dict[str, Any]:
    pages_by_region = {region.id: region.page for region in extracted.ledger.regions}
    items = extracted.exam_items.items
    exam_findings = [*extracted.ledger.findings, *extracted.exam_items.findings]
    exam_findings += [finding for exam_item in items for finding in _form_findings(exam_item)]
    first_pages = {
        exam_item.label: min((pages_by_region[name] for name in exam_item.regions), default=None) for exam_item in items
    }
    unclaimed_roles = Counter(region.role.value for region in extracted.ledger.regions if not region.item)
    return {
        "questions": [_question_of_item(exam_item) for exam_item in items],
        "findings": [
            {
                "page": finding.page or first_pages.get(finding.item),
                "item": finding.item,
                "says": _storable(finding.says),
            }
            for finding in exam_findings
        ],
        "unclaimed": ", ".join(f"{count} {role}" for role, count in unclaimed_roles.most_common()),
    }


def _question_of_item(exam_item: ExamItem) -> dict[str, Any]:
    heading = f"Question {exam_item.label}" + (f": {exam_item.title}" if exam_item.title else "")
    choices = {letter: escape_paragraph(text) for letter, text in exam_item.choices.items()}
    more_choices = [f"{letter}. {text}" for letter, text in [*choices.items()][len(LETTERS) :]]
    statement = _markdown([*exam_item.context, *exam_item.body])
    answer = closed_answer_or_empty(exam_item)
    if answer in choices:
        position = [*choices].index(answer)
        answer = LETTERS[position] if position < len(LETTERS) else ""
    return {
        "label": exam_item.label,
        "format": exam_item.format.value,
        "points": exam_item.points,
        "title": _storable(heading),
        "statement": _storable("\n\n".join(filter(None, (statement, *more_choices)))),
        "choices": [_storable(text) for text in [*choices.values()][: len(LETTERS)]],
        "answer": answer,
        "explanation": _storable(_markdown(exam_item.solution)),
    }


def _markdown(blocks: Sequence[Block]) -> str:
    # A picture is no part of a form that is kept: its finding says so.
    return blocks_markdown([block for block in blocks if not block.region], lambda _: "")


def _form_findings(exam_item: ExamItem) -> Iterator[ExamFinding]:
    figure_count = len(
        {block.region for block in (*exam_item.context, *exam_item.body, *exam_item.solution) if block.region}
    )
    if figure_count:
        yield ExamFinding(
            says=f"Figures and tables are not taken over, and it has {figure_count}: add them as pictures.",
            item=exam_item.label,
        )
    if exam_item.choices and len(exam_item.choices) != len(LETTERS):
        where = "; those after the fourth are at the end of its text" if len(exam_item.choices) > len(LETTERS) else ""
        yield ExamFinding(
            says=f"It has {len(exam_item.choices)} choices, and a form has {len(LETTERS)}{where}.", item=exam_item.label
        )


def _storable(text: str) -> str:
    """A text that every database and page takes, whatever bytes a PDF had."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


if __name__ == "__main__":
    log_without_contents()
    # Students come first.
    lower_own_priority()
    _read_exam_from_stdin()
