"""Twelve exams of our own, read by rules with the real pdfium and the real Tesseract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright_exams.extraction import ExtractedExam
from benchwright_exams.reading.page import ReadExam
from benchwright_exams.structure.ledger import Region, require_full_coverage

from ..support.packs.exam_measures import MeasuredExam, measure
from ..support.packs.exam_papers import papers, scan, skip_without_tesseract

PAPERS = {paper.name: paper for paper in papers()}
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "questions-from-an-exam.md"


@pytest.fixture(scope="module", params=PAPERS)
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> MeasuredExam:
    if request.param == "scanned":
        skip_without_tesseract()
    return measure(PAPERS[request.param], tmp_path_factory.mktemp("exam"))


SCANNED = [name for name in PAPERS if name not in ("scanned", "broken", "hostile")]
QUICK = "multiple choice"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == QUICK else pytest.mark.nightly) for name in SCANNED]
)
def test_what_a_scan_loses_is_named(name: str, tmp_path: Path) -> None:
    skip_without_tesseract()
    paper = PAPERS[name]
    scanned = measure(replace(paper, pdf=scan(paper.pdf)), tmp_path)
    assert scanned.missed == ()
    assert scanned.extra == ()


def words(extraction: ExtractedExam) -> Iterator[str]:
    for exam_item in extraction.exam_items.items:
        yield exam_item.title
        yield from exam_item.choices.values()
        yield from (block.text for block in (*exam_item.context, *exam_item.body, *exam_item.solution))


@pytest.mark.sampled
def test_every_question_is_found_or_named(measured: MeasuredExam) -> None:
    assert measured.missed == ()
    assert measured.extra == ()
    assert measured.right == len(measured.paper.questions)


def test_every_figure_and_table_belongs_to_a_question(measured: MeasuredExam) -> None:
    assert measured.figures == measured.paper.figures


def test_no_sentence_is_invented(measured: MeasuredExam) -> None:
    assert measured.invented == ()


def test_what_is_no_question_is_in_none(measured: MeasuredExam) -> None:
    assert [word for word in measured.paper.never for text in words(measured.extraction) if word in text] == []


def test_what_was_not_found_is_named(measured: MeasuredExam) -> None:
    finding_text = " ".join(
        finding.says for finding in (*measured.extraction.ledger.findings, *measured.extraction.exam_items.findings)
    )
    assert [word for word in measured.paper.finding_words if word not in finding_text] == []


def placed(exam: ReadExam) -> dict[int, list[str]]:
    return {page.number: sorted("".join(word.text for word in page.words)) for page in exam.pages}


def test_the_ledger_has_every_sign_of_every_page_once(measured: MeasuredExam) -> None:
    regions = measured.extraction.ledger.regions
    require_full_coverage(regions)
    by_page: dict[int, list[Region]] = {}
    for region in regions:
        by_page.setdefault(region.page, []).append(region)
    for page, signs in placed(measured.extraction.exam).items():
        page_text = "".join(region.text for region in by_page.get(page, []) if not region.id.endswith("hidden"))
        assert sorted("".join(page_text.split())) == signs


def test_the_page_has_the_table_that_is_measured(measured: MeasuredExam) -> None:
    assert measured.row in PAGE.read_text(encoding="utf-8")
