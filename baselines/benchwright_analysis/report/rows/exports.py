"""The same data for other readers: tables, CVDP's reports, Inspect's logs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from benchwright_analysis.report.rows.codebook import arrow_schema_of, codebook_markdown
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.event_row import EventRow
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.spreadsheet import escape_formulas, with_formula_escaped
from benchwright_analysis.report.section import Section, TableNumber
from benchwright_foundation.atomic import write_atomically
from benchwright_harness.cvdp_report import (
    GradedAnswer,
    composite_report_content,
    raw_result_content,
    report_content,
    report_text,
)
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Reason, Verdict

MOST_SAMPLES = 100
"""Folders of samples that a composite report is made from; CVDP's own runs have 5."""
_COPIED_AT_ONCE = 1 << 20
_LONGEST_NAME = 100
"""Characters of a file's name."""
_REASONS = {"passed": Reason.PASSED, "failed": Reason.TESTS_FAILED, "error": Reason.BAD_HARNESS}


def write_attempts_and_codebook(folder: Path, observations: Sequence[Observation]) -> None:
    """Writes `attempts.parquet`, `attempts.csv` and `codebook.md`."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rows = [observation.model_dump() for observation in observations]
    table = pa.Table.from_pylist(rows, schema=arrow_schema_of(Observation))
    pq.write_table(table, folder / "attempts.parquet", compression="zstd")
    pa.csv.write_csv(escape_formulas(table), folder / "attempts.csv")
    (folder / "codebook.md").write_text(codebook_markdown(), encoding="utf-8")


def move_and_join_event_files(folder: Path, event_files: Sequence[Path]) -> None:
    """Puts `events.parquet` and `events.csv` together from what readers wrote.

    Several parts become a folder called `events.parquet`, which readers of Parquet take for one table: writing
    millions of rows again would take longer than reading them.
    """
    target = folder / "events.parquet"
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    if len(event_files) == 1:
        shutil.move(event_files[0], target)
    else:
        target.mkdir()
        for number, event_file in enumerate(event_files):
            shutil.move(event_file, target / f"part-{number}.parquet")
    with (folder / "events.csv").open("wb") as lines:
        lines.write((",".join(f'"{name}"' for name in arrow_schema_of(EventRow).names) + "\n").encode())
        for event_file in event_files:
            with event_file.with_suffix(".csv").open("rb") as part_file:
                shutil.copyfileobj(part_file, lines, _COPIED_AT_ONCE)


def write_figure_tables(folder: Path, sections: Sequence[Section]) -> None:
    """Writes `tables/ID.csv` for each table that has figures, a line per figure; those of an earlier report go."""
    tables_folder = folder / "tables"
    if tables_folder.is_dir():
        shutil.rmtree(tables_folder)
    names: list[str] = []
    for table in (table for section in sections for table in section.all_tables if table.id):
        stream = io.StringIO()
        csv_writer = csv.writer(stream)
        csv_writer.writerow([field.name for field in dataclasses.fields(TableNumber)])
        csv_writer.writerows(
            [with_formula_escaped(cell) if isinstance(cell, str) else cell for cell in dataclasses.astuple(figure)]
            for figure in table.figures
        )
        tables_folder.mkdir(exist_ok=True)
        # An id may end with a label that a data set has chosen.
        names.append(_unused_name(_safe_file_name(table.id)[:_LONGEST_NAME], names))
        (tables_folder / f"{names[-1]}.csv").write_bytes(stream.getvalue().encode())


def write_cvdp_folders(folder: Path, data: Dataset, made_at: datetime) -> list[str]:
    """Writes a folder of CVDP's files for each group; returns the folders' names.

    Only problems of CVDP's categories have a place in them. The n-th attempt at a problem is sample n.
    """
    names: list[str] = []
    for group in data.groups:
        rows = [
            folded_attempt.observation
            for folded_attempt in data.counted_attempts_in(group)
            if folded_attempt.observation.category and folded_attempt.observation.difficulty
        ]
        if not rows:
            continue
        name = _unused_name(_safe_file_name(group), names)
        names.append(name)
        _write_cvdp_group(folder / name, rows, group, made_at)
    return names


def _safe_file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "group"


def _unused_name(name: str, taken_names: Sequence[str]) -> str:
    number = 2
    unused_name = name
    while unused_name.lower() in (taken_name.lower() for taken_name in taken_names):
        unused_name, number = f"{name}-{number}", number + 1
    return unused_name


def _write_cvdp_group(folder: Path, rows: Sequence[Observation], group: str, made_at: datetime) -> None:
    sample_rows: list[list[Observation]] = []
    counts: dict[str, int] = {}
    for observation in sorted(rows, key=lambda row: (row.started, row.attempt)):
        number = counts[observation.problem] = counts.get(observation.problem, 0) + 1
        if number > len(sample_rows):
            sample_rows.append([])
        sample_rows[number - 1].append(observation)
    # A composite report is of samples that all have every problem.
    whole_samples = [sample for sample in sample_rows if len(sample) == len(counts)][:MOST_SAMPLES] or sample_rows[:1]
    names = [f"sample_{number}" for number in range(1, len(whole_samples) + 1)] if len(whole_samples) > 1 else [""]
    packs = ", ".join(sorted({observation.pack for observation in rows}))
    reports: list[dict[str, JsonValue]] = []
    for name, sample in zip(names, whole_samples, strict=True):
        graded_answers = [_cvdp_graded_answer(observation) for observation in sample]
        (folder / name).mkdir(parents=True, exist_ok=True)
        reports.append(report_content(graded_answers, packs, group, made_at))
        _write_json(folder / name / "raw_result.json", raw_result_content(graded_answers))
        _write_json(folder / name / "report.json", reports[-1])
        (folder / name / "report.txt").write_text(report_text(reports[-1]), encoding="utf-8")
    if len(reports) > 1:
        composite_report = composite_report_content(reports, names, 1, made_at)
        _write_json(folder / "composite_report.json", composite_report)
        (folder / "composite_report.txt").write_text(report_text(composite_report), encoding="utf-8")


def _cvdp_graded_answer(observation: Observation) -> GradedAnswer:
    outcome = "passed" if observation.passed else observation.outcome or "failed"
    verdict = Verdict(
        reason=_REASONS[outcome],
        detail="no verdict: a tool was missing, the run broke off, or a judge has not decided"
        if outcome == "error"
        else "",
        wall_s=observation.clock_s or 0.0,
    )
    return GradedAnswer(
        id=observation.problem.partition("/")[2] or observation.problem,
        category=Category(observation.category),
        difficulty=Difficulty(observation.difficulty),
        verdict=verdict,
        score=observation.score,
    )


def copy_eval_logs(folder: Path, sources: Sequence[Path]) -> list[str]:
    """Copies Inspect's `.eval` logs, each once; returns their names."""
    names: list[str] = []
    copied_files: set[tuple[str, int]] = set()
    for source in sources:
        for file in sorted(source.glob("**/*.eval")) if source.is_dir() else [source]:
            if (file_key := (file.name, file.stat().st_size)) in copied_files:
                continue
            copied_files.add(file_key)
            folder.mkdir(parents=True, exist_ok=True)
            name = _unused_name(file.name, names)
            shutil.copyfile(file, folder / name)
            names.append(name)
    return names


def _write_json(file: Path, content: dict[str, JsonValue]) -> None:
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode(), durable=False)
