"""Writes the report of runs of inline-completion servers: a page and the same numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from benchwright_analysis.completion.played_runs import read_played_runs, site_groups
from benchwright_analysis.completion.sections import completion_sections
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.section import Section, json_value
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.distribution import version

FORMAT = 1
_FILES = "The same numbers are in `completion.json`. Intervals are 95 % and hold for other problems."


@dataclass(frozen=True)
class CompletionReport:
    """A report."""

    sections: Sequence[Section]
    sources: dict[str, str]
    made_at: datetime

    @property
    def json_content(self) -> JsonValue:
        """For `completion.json`."""
        section_contents: JsonValue = {
            section.id: {"title": section.title, "says": list(section.lead), "numbers": json_value(section.numbers)}
            for section in self.sections
        }
        return {
            "format": FORMAT,
            "made": self.made_at.isoformat(),
            "sources": dict(self.sources),
            "sections": section_contents,
        }


def make_completion_report(run_folders: Sequence[Path], made_at: datetime, *, seed: int = 1) -> CompletionReport:
    """The report on the runs of some folders.

    Raises:
        EvaluationError: A folder holds no run, or is damaged.
    """
    runs = read_played_runs(run_folders)
    sources = {"Benchwright": version(), "seed of the intervals": str(seed)}
    for run in runs:
        sources[run.label] = f"configuration {run.settings.configuration}"
    return CompletionReport(completion_sections(runs, site_groups(runs), seed=seed), sources, made_at)


def write_page_and_json(report: CompletionReport, folder: Path) -> Path:
    """Write it; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report.json_content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(folder / "completion.json", text.encode(), durable=False)
    subtitle = f"Benchwright report of {report.made_at:%Y-%m-%d %H:%M} UTC"
    skips = (("answer", "the answer"), ("passed", "hidden tests passed"))
    page_html = report_page(
        "Inline completion", subtitle, report.sections, report.sources, skip_links=skips, files_note=_FILES
    )
    write_atomically(folder / "completion.html", page_html.encode(), durable=False)
    return folder / "completion.html"
