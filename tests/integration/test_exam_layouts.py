"""Exams drawn by seeds and laid out by three engines: each question is found as it was meant or named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ..support.packs.exam_layouts import (
    DrawnExam,
    FoundExam,
    by_chromium,
    by_reportlab,
    by_typst,
    drawn_chinese_exam,
    drawn_exam,
    find,
    read_pages,
    read_scan,
)
from ..support.packs.exam_papers import skip_without_tesseract

QUICK_SEEDS = range(6)
NIGHTLY_SEEDS = range(400)
NIGHTLY_PRINTED_SEEDS = range(160)
NIGHTLY_CHINESE_SEEDS = range(160)
NIGHTLY_SCANNED_SEEDS = range(8)
LEAST_CHINESE_RIGHT = 0.9
LEAST_RIGHT = 0.95
"""Of the questions; the others are named."""


def found_exams(exams: Sequence[DrawnExam], pdfs: Sequence[bytes]) -> list[FoundExam]:
    return [find(exam, read_pages(pdf)) for exam, pdf in zip(exams, pdfs, strict=True)]


def require_nothing_lost(read_exams: Sequence[FoundExam]) -> None:
    assert [(exam.exam.seed, exam.lost) for exam in read_exams if exam.lost] == []
    question_count = sum(len(exam.exam.questions) for exam in read_exams)
    assert sum(len(exam.right) for exam in read_exams) >= LEAST_RIGHT * question_count


@pytest.mark.parametrize(
    "seeds", [QUICK_SEEDS, pytest.param(NIGHTLY_SEEDS, marks=pytest.mark.nightly)], ids=["quick", "many"]
)
def test_questions_laid_out_by_reportlab_are_found_or_named(seeds: range) -> None:
    exams = [drawn_exam(seed) for seed in seeds]
    require_nothing_lost(found_exams(exams, [by_reportlab(exam) for exam in exams]))


@pytest.mark.parametrize(
    "seeds", [QUICK_SEEDS, pytest.param(NIGHTLY_PRINTED_SEEDS, marks=pytest.mark.nightly)], ids=["quick", "many"]
)
def test_questions_printed_by_a_browser_are_found_or_named(seeds: range) -> None:
    exams = [drawn_exam(seed) for seed in seeds]
    require_nothing_lost(found_exams(exams, by_chromium(exams)))


@pytest.mark.parametrize(
    "seeds", [QUICK_SEEDS, pytest.param(NIGHTLY_SEEDS, marks=pytest.mark.nightly)], ids=["quick", "many"]
)
def test_questions_typeset_by_typst_are_found_or_named(seeds: range) -> None:
    exams = [drawn_exam(seed) for seed in seeds]
    require_nothing_lost(found_exams(exams, [by_typst(exam) for exam in exams]))


@pytest.mark.parametrize("lay_out", [by_reportlab, by_typst])
@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(NIGHTLY_CHINESE_SEEDS, marks=pytest.mark.nightly)], ids=["quick", "many"]
)
def test_chinese_questions_are_found_or_named(seeds: range, lay_out: Callable[[DrawnExam], bytes]) -> None:
    exams = [drawn_chinese_exam(seed) for seed in seeds]
    read_exams = found_exams(exams, [lay_out(exam) for exam in exams])
    assert [(exam.exam.seed, exam.lost) for exam in read_exams if exam.lost] == []
    question_count = sum(len(exam.exam.questions) for exam in read_exams)
    assert sum(len(exam.right) for exam in read_exams) >= LEAST_CHINESE_RIGHT * question_count


@pytest.mark.nightly
@pytest.mark.parametrize("dpi", [150, 200, 300])
@pytest.mark.parametrize(("draw", "language"), [(drawn_exam, "eng"), (drawn_chinese_exam, "chi_sim")])
def test_what_a_scan_of_a_layout_loses_is_named(
    draw: Callable[[int], DrawnExam], language: str, dpi: int, tmp_path: Path
) -> None:
    skip_without_tesseract(language)
    exams = [draw(seed) for seed in NIGHTLY_SCANNED_SEEDS]
    read_exams = [
        find(exam, read_scan(by_reportlab(exam), tmp_path, dpi=dpi, seed=exam.seed, language=language))
        for exam in exams
    ]
    assert [(exam.exam.seed, exam.lost) for exam in read_exams if exam.lost] == []
