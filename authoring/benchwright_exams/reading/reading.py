"""Reading a PDF: each page in a process of its own, so that a hostile page costs that page only."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from benchwright_exams.errors import ExamError
from benchwright_exams.reading.page import ReadExam, ReadPage
from benchwright_exams.reading.reader_process import ReaderAnswer, ReaderProcess
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import ExtraMissingError
from benchwright_foundation.model import Model
from benchwright_foundation.stage_file import StageFile
from benchwright_judges.models.prompt import escape_hidden_characters
from benchwright_problems.problem import digest

MOST_PAGES = 200
MOST_BYTES = 256 << 20
_FORMAT = 2
"""Of what is kept; a new number reads every exam again."""


def read_exam(
    pdf_file: Path,
    target_folder: Path,
    *,
    language: str = "eng",
    sandbox_name: str = "bwrap",
    start_progress: Callable[[int], Callable[[], None]] = lambda _: _do_nothing,
) -> ReadExam:
    """Read all pages; what was read before is not read again.

    Args:
        pdf_file: The PDF; hostile bytes.
        target_folder: Gets `pages.json` and `pages/NUMBER.png`, at 144 dpi.
        language: Language of pages that are pictures, by Tesseract's name, such as `eng` or `deu+eng`.
        sandbox_name: Sandbox in which pages are read: `bwrap` or `native`.
        start_progress: Called with the number of pages; what it returns is called after each.

    Raises:
        ExamError: The file can't be read at all. A page that can't be has an `error`.
        ExtraMissingError: The library that reads PDFs is not installed.
        SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
    """
    if importlib.util.find_spec("pypdfium2") is None or importlib.util.find_spec("PIL") is None:
        raise ExtraMissingError("Reading exams", "exams")
    sha256 = _sha256_unless_too_large(pdf_file)
    made_from = digest([sha256, language, _FORMAT])
    pages_file = StageFile(target_folder / "pages.json", ReadExam)
    pictures = target_folder / "pages"
    known_exam = pages_file.output_if_made_from(made_from)
    if known_exam is not None and all(
        (pictures / f"{page.number}.png").exists() or page.error for page in known_exam.pages
    ):
        return known_exam
    reader_process = ReaderProcess(sandbox_name)
    reader_process.check()
    document = _document_summary(reader_process, pdf_file)
    if document.pages > MOST_PAGES:
        raise ExamError(
            f"{pdf_file.name} has {document.pages} pages; at most {MOST_PAGES} are read. Split it, or save the pages "
            "of the exam alone."
        )
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    program = reader_process.tesseract_path_or_empty()
    on_page_done = start_progress(document.pages)

    def page(number: int) -> ReadPage:
        read_page = _read_page_and_write_picture(
            reader_process.run_reader(pdf_file, ["page", str(number), program, language]), pdf_file, number, pictures
        )
        on_page_done()
        return read_page

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        pages = tuple(pool.map(page, range(1, document.pages + 1)))
    return pages_file.write_output(
        ReadExam(made_from=made_from, file=pdf_file.name, sha256=sha256, ignored=document.ignored, pages=pages)
    )


class _DocumentSummary(Model):
    pages: int = Field(ge=0)
    ignored: tuple[str, ...]


def _document_summary(reader_process: ReaderProcess, pdf_file: Path) -> _DocumentSummary:
    reply = reader_process.run_reader(pdf_file, ["about"]).reply
    try:
        return _DocumentSummary.model_validate(reply)
    except ValidationError as error:
        reason = str(reply.get("error") or "the library failed on it")
        raise ExamError(f"{pdf_file.name} can't be read: {escape_hidden_characters(reason)}.") from error


def _do_nothing() -> None:
    pass


def _sha256_unless_too_large(pdf_file: Path) -> str:
    try:
        size = pdf_file.stat().st_size
        if size > MOST_BYTES:
            raise ExamError(
                f"{pdf_file} is larger than {MOST_BYTES >> 20} MiB. Split it, or save it with smaller pictures."
            )
        return hashlib.sha256(pdf_file.read_bytes()).hexdigest()
    except OSError as error:
        raise ExamError(f"{pdf_file} can't be read: {error.strerror}.") from error


def _read_page_and_write_picture(
    page_answer: ReaderAnswer, pdf_file: Path, page_number: int, pictures_folder: Path
) -> ReadPage:
    if page_answer.reply.get("needs") == "tesseract":
        raise ExamError(
            f"Page {page_number} of {pdf_file.name} is a picture; reading its text takes Tesseract. Install it (on"
            " Debian and Ubuntu: apt-get install tesseract-ocr), and run the command again."
        )
    unread = ReadPage(number=page_number, width=0, height=0, error="the page gave no readable result")
    size = page_answer.reply.pop("picture", None)
    try:
        page = ReadPage.model_validate({"width": 0, "height": 0} | page_answer.reply | {"number": page_number})
    except ValidationError:
        return unread
    if not page.error:
        try:
            _write_picture(size, page_answer.pixels, pictures_folder / f"{page_number}.png")
        except (TypeError, ValueError):
            return unread
    return page


def _write_picture(width_and_height: Any, pixels: bytes, picture_file: Path) -> None:
    """Write a page's picture. No decoder ever sees what a hostile page made: these are plain pixels.

    Raises:
        TypeError: The size is none.
        ValueError: The size is not that of the pixels.
    """
    from PIL import Image

    width, height = (int(side) for side in width_and_height)
    if min(width, height) < 1 or width * height * 3 != len(pixels):
        raise ValueError("a picture has other pixels than it says")
    packed = BytesIO()
    Image.frombytes("RGB", (width, height), pixels).save(packed, "PNG", optimize=True)
    write_atomically(picture_file, packed.getvalue(), durable=False)
