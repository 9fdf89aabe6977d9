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

from benchwright_analysis.report.rows.codebook import codebook, schema_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.event_row import EventRow
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.spreadsheet import without_formula, without_formulas
from benchwright_analysis.report.section import Figure, Section
from benchwright_foundation.atomic import write_atomically
from benchwright_harness.cvdp_report import Graded, composite, raw_result, report, report_text
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Reason, Verdict

MOST_SAMPLES = 100
"""Folders of samples that a composite report is made from; CVDP's own runs have 5."""
_COPIED_AT_ONCE = 1 << 20
_LONGEST_NAME = 100
"""Characters of a file's name."""
_REASONS = {"passed": Reason.PASSED, "failed": Reason.TESTS_FAILED, "error": Reason.BAD_HARNESS}


def write_attempts(folder: Path, observations: Sequence[Observation]) -> None:
    """Writes `attempts.parquet`, `attempts.csv` and `codebook.md`."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rows = [one.model_dump() for one in observations]
    table = pa.Table.from_pylist(rows, schema=schema_of(Observation))
    pq.write_table(table, folder / "attempts.parquet", compression="zstd")
    pa.csv.write_csv(without_formulas(table), folder / "attempts.csv")
    (folder / "codebook.md").write_text(codebook(), encoding="utf-8")


def write_events(folder: Path, parts: Sequence[Path]) -> None:
    """Puts `events.parquet` and `events.csv` together from what readers wrote.

    Several parts become a folder called `events.parquet`, which readers of Parquet take for one table: writing
    millions of rows again would take longer than reading them.
    """
    place = folder / "events.parquet"
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    if len(parts) == 1:
        shutil.move(parts[0], place)
    else:
        place.mkdir()
        for number, part in enumerate(parts):
            shutil.move(part, place / f"part-{number}.parquet")
    with (folder / "events.csv").open("wb") as lines:
        lines.write((",".join(f'"{name}"' for name in schema_of(EventRow).names) + "\n").encode())
        for part in parts:
            with part.with_suffix(".csv").open("rb") as more:
                shutil.copyfileobj(more, lines, _COPIED_AT_ONCE)


def write_tables(folder: Path, sections: Sequence[Section]) -> None:
    """Writes `tables/ID.csv` for each table that has figures, a line per figure; those of an earlier report go."""
    place = folder / "tables"
    if place.is_dir():
        shutil.rmtree(place)
    names: list[str] = []
    for table in (table for section in sections for table in section.all_tables if table.id):
        stream = io.StringIO()
        lines = csv.writer(stream)
        lines.writerow([field.name for field in dataclasses.fields(Figure)])
        lines.writerows(
            [without_formula(one) if isinstance(one, str) else one for one in dataclasses.astuple(figure)]
            for figure in table.figures
        )
        place.mkdir(exist_ok=True)
        # An id may end with a label that a data set has chosen.
        names.append(_unused(_folder_name(table.id)[:_LONGEST_NAME], names))
        (place / f"{names[-1]}.csv").write_bytes(stream.getvalue().encode())


def write_cvdp(folder: Path, data: Dataset, now: datetime) -> list[str]:
    """Writes a folder of CVDP's files for each group; returns the folders' names.

    Only problems of CVDP's categories have a place in them. The n-th attempt at a problem is sample n.
    """
    names: list[str] = []
    for group in data.groups:
        rows = [one.observation for one in data.of(group) if one.observation.category and one.observation.difficulty]
        if not rows:
            continue
        name = _unused(_folder_name(group), names)
        names.append(name)
        _write_group(folder / name, rows, group, now)
    return names


def _folder_name(group: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", group).strip("-.") or "group"


def _unused(name: str, taken: Sequence[str]) -> str:
    number = 2
    found = name
    while found.lower() in (other.lower() for other in taken):
        found, number = f"{name}-{number}", number + 1
    return found


def _write_group(folder: Path, rows: Sequence[Observation], group: str, now: datetime) -> None:
    samples: list[list[Observation]] = []
    seen: dict[str, int] = {}
    for one in sorted(rows, key=lambda row: (row.started, row.attempt)):
        number = seen[one.problem] = seen.get(one.problem, 0) + 1
        if number > len(samples):
            samples.append([])
        samples[number - 1].append(one)
    # A composite report is of samples that all have every problem.
    whole = [sample for sample in samples if len(sample) == len(seen)][:MOST_SAMPLES] or samples[:1]
    names = [f"sample_{number}" for number in range(1, len(whole) + 1)] if len(whole) > 1 else [""]
    packs = ", ".join(sorted({one.pack for one in rows}))
    reports: list[dict[str, JsonValue]] = []
    for name, sample in zip(names, whole, strict=True):
        graded = [_graded(one) for one in sample]
        (folder / name).mkdir(parents=True, exist_ok=True)
        reports.append(report(graded, packs, group, now))
        _write_json(folder / name / "raw_result.json", raw_result(graded))
        _write_json(folder / name / "report.json", reports[-1])
        (folder / name / "report.txt").write_text(report_text(reports[-1]), encoding="utf-8")
    if len(reports) > 1:
        together = composite(reports, names, 1, now)
        _write_json(folder / "composite_report.json", together)
        (folder / "composite_report.txt").write_text(report_text(together), encoding="utf-8")


def _graded(one: Observation) -> Graded:
    outcome = "passed" if one.passed else one.outcome or "failed"
    verdict = Verdict(
        reason=_REASONS[outcome],
        detail="no verdict: a tool was missing, the run broke off, or a judge has not decided"
        if outcome == "error"
        else "",
        wall_s=one.clock_s,
    )
    return Graded(
        id=one.problem.partition("/")[2] or one.problem,
        category=Category(one.category),
        difficulty=Difficulty(one.difficulty),
        verdict=verdict,
        score=one.score,
    )


def copy_logs(folder: Path, sources: Sequence[Path]) -> list[str]:
    """Copies Inspect's `.eval` logs, each once; returns their names."""
    names: list[str] = []
    seen: set[tuple[str, int]] = set()
    for source in sources:
        for file in sorted(source.glob("**/*.eval")) if source.is_dir() else [source]:
            if (known := (file.name, file.stat().st_size)) in seen:
                continue
            seen.add(known)
            folder.mkdir(parents=True, exist_ok=True)
            name = _unused(file.name, names)
            shutil.copyfile(file, folder / name)
            names.append(name)
    return names


def _write_json(file: Path, content: dict[str, JsonValue]) -> None:
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode(), durable=False)
