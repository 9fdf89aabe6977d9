"""A toy figure of the report, registered as `docs/how-to/extend.md` describes: on the page and in `report.json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_analysis.report import charts
from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable
from benchwright_analysis.report.sections.registry import SECTIONS
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Started, Submitted
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies.conduct.study_log import StudyLog


def runs_by_group(data: Dataset) -> Section:
    """Attempts of each group, as a figure."""
    counts = {group: len(data.counted_attempts_in(group)) for group in data.groups}
    table = SortableTable("Attempts, by group", ("group", "attempts"), list(counts.items()))
    rows: list[charts.Row] = [
        {"x": 50, "value": amount, "kind": "attempts", "group": group} for group, amount in counts.items()
    ]
    svg = charts.stacked_share_bars(rows, ["attempts"], list(counts), x_title="", y_title="attempts")
    picture = SectionPicture("toy", "A toy figure", f"Bars: {counts}.", svg, table)
    return Section("toy", "A toy section", ["It counts."], [picture], (), {"counts": counts})


def test_a_new_figure_is_on_the_page_and_in_the_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright_analysis.report.report.SECTIONS", [*SECTIONS, runs_by_group])
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")})
    with StudyLog(tmp_path / "log.sqlite") as log:
        attempt = Attempts(log).create("p/q", "d", tmp_path, {}).id
        for event in (Started(actor=Actor.PERSON), Submitted()):
            log.append_blocking(attempt, event)
        report_files = write_report(log, Store(home), ReportOptions(tmp_path / "out", events=False))
    page = report_files.page.read_text(encoding="utf-8")
    assert '<figure id="picture-toy">' in page
    assert "A toy figure" in page
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["sections"]["toy"]["numbers"] == {"counts": {"human": 1}}
    assert [picture["id"] for picture in report["sections"]["toy"]["pictures"]] == ["toy"]
