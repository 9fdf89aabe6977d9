"""PDFs that are made to do harm: each ends with a sentence, within limits, and costs its own page only."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright_exams.errors import ExamError
from benchwright_exams.extraction import extract_exam
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.reading.reading import read_exam

from ..support.packs.exam_papers import (
    deep_nesting,
    huge_picture,
    many_objects,
    many_pages,
    papers,
    skip_without_tesseract,
)


def read(pdf: bytes, folder: Path) -> ReadExam:
    file = folder / "exam.pdf"
    file.write_bytes(pdf)
    return read_exam(file, folder / "exam")


def test_thousands_of_pages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExamError, match=r"has 5000 pages; at most 200"):
        read(many_pages(), tmp_path)


@pytest.mark.parametrize("pdf", [b"", b"%PDF-1.7\nnothing", b"\x89PNG\r\n\x1a\n" * 9])
def test_what_is_no_pdf_is_refused(pdf: bytes, tmp_path: Path) -> None:
    with pytest.raises(ExamError, match="is no PDF, or is damaged"):
        read(pdf, tmp_path)


def test_a_page_that_draws_very_much_is_named(tmp_path: Path) -> None:
    (page,) = read(many_objects(), tmp_path).pages
    assert "draws more than" in page.error


@pytest.mark.parametrize("make", [huge_picture, deep_nesting])
def test_a_bomb_gives_no_words(make: Callable[[], bytes], tmp_path: Path) -> None:
    if make is huge_picture:
        skip_without_tesseract()
    (page,) = read(make(), tmp_path).pages
    assert page.words == ()


def test_markup_of_an_exam_is_shown_as_text(tmp_path: Path) -> None:
    (paper,) = (paper for paper in papers() if paper.name == "hostile")
    (tmp_path / "exam.pdf").write_bytes(paper.pdf)
    asyncio.run(extract_exam(tmp_path / "exam.pdf", tmp_path / "exam", start_progress=lambda _: lambda: None))
    statement = (tmp_path / "exam/items/2b/statement.md").read_text()
    assert r"\!\[x\](" in statement
    assert r"\[a\](command:x)" in statement
    assert "<img" not in (tmp_path / "exam/items/2a/statement.md").read_text().replace(r"\<img", "")
    assert tomllib.loads((tmp_path / "exam/items/2b/review.toml").read_text())["decision"] == "open"


def test_only_the_author_can_look_into_the_folder(tmp_path: Path) -> None:
    (paper,) = (paper for paper in papers() if paper.name == "solutions inside")
    (tmp_path / "exam.pdf").write_bytes(paper.pdf)
    asyncio.run(extract_exam(tmp_path / "exam.pdf", tmp_path / "exam", start_progress=lambda _: lambda: None))
    assert (tmp_path / "exam").stat().st_mode & 0o077 == 0
