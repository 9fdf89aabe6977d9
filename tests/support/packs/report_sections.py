"""Fixtures and helpers of the tests of report sections."""

from __future__ import annotations

import json

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.section import Section, json_value

from .report_codebook import observation


def attempt(participant: str, problem: str, condition: str, *, seconds: object, **changes: object) -> FoldedAttempt:
    """A person's attempt that passed; `seconds` on the clock."""
    row = {
        "attempt": f"{participant}-{problem}-{condition}",
        "participant": participant,
        "problem": problem,
        "family": problem,
        "condition": condition,
        "solver": "human" if condition == "alone" else "human+copilot",
        "time_source": "clock",
        "clock_s": seconds,
        "time_s": seconds,
        "passed": True,
        "score": 1.0,
    }
    measurement = observation(
        **(row | dict.fromkeys(("active_60_s", "active_120_s", "active_300_s", "active_s"), seconds) | changes)
    )
    is_scored = measurement.time_s is not None and measurement.score is not None
    return FoldedAttempt(
        measurement, ((measurement.time_s or 0.0, measurement.score or 0.0),) if is_scored else (), {}, ""
    )


def words(section: Section) -> str:
    """All that a section says, as a reader of the page or of `report.json` meets it."""
    json.dumps(json_value(section.numbers), allow_nan=False)
    tables = [*(picture.table for picture in section.pictures), *section.tables]
    cells = [str(cell) for table in tables for row in table.rows for cell in row]
    return "\n".join([*section.lead, *(f"{table.note}\n{table.columns}" for table in tables), *cells])
