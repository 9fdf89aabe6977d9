"""The tables of a measured load: what was measured, and what it amounts to for many students."""

from __future__ import annotations

from typing import Any

import pytest

from ...benchmarks.service_load import summary
from ...benchmarks.service_scaling import PAGE, load_table, many_students_table, page

TIMES = {"median": 40.0, "p95": 120.0, "most": 300.0, "number": 9_000}
RESULTS: dict[str, Any] = {
    "students": 500,
    "minutes": 2.0,
    "web": 1,
    "cores": 2,
    "times": {"events acknowledged": TIMES},
    "windows": {},
    "cpu": {"service": 0.6, "database": 0.15, "everything": 1.9, "load": 0.4},
    "verdicts": 900,
    "superseded": 1_000,
    "undecided_at_end": 100,
    "failed_requests": 0,
    "runs_a_second": 3.9,
    "possible_runs_a_second": 4.0,
    "longest_wait": 0.8,
    "memory_mib": [200, 250, 240],
    "load_averages": [0.5, 9.1],
    "sync_ms": 1.2,
}


def test_ten_thousand_students_are_a_multiplication() -> None:
    rows = many_students_table(RESULTS).splitlines()[2:]
    assert rows == [
        "| web processes | 0.60 cores × 20 = 12.0 cores | 20, each busy to 60% |",
        "| PostgreSQL | 0.15 cores × 20 = 3.0 cores | 5 cores, busy to 60% |",
        "| workers, if every run is to end | 333 runs a second × 0.50 core seconds | 167 cores |",
    ]


def test_each_size_has_a_column() -> None:
    lines = load_table([RESULTS, RESULTS | {"students": 20, "web": 2}]).splitlines()
    assert lines[0] == "|  | 500 students | 20 students, 2 web processes |"
    assert lines[2] == "| events acknowledged, median / p95, ms | 40 / 120 | 40 / 120 |"


def test_tables_are_written_where_the_page_has_places_for_them() -> None:
    text = page(PAGE.read_text(encoding="utf-8"), [RESULTS])
    assert load_table([RESULTS]) in text
    assert page(text, [RESULTS]) == text
    with pytest.raises(ValueError, match="no place for the table load"):
        page("# Scaling\n", [RESULTS])


def test_what_a_class_that_had_to_wait_took_is_not_multiplied() -> None:
    late = RESULTS | {"students": 1_000, "times": {"events acknowledged": TIMES | {"p95": 5_000.0}}}
    assert many_students_table(RESULTS) in page(PAGE.read_text(encoding="utf-8"), [RESULTS, late])


def test_durations_that_nothing_took_are_none() -> None:
    assert summary([]) == {"median": 0.0, "p95": 0.0, "most": 0.0, "number": 0}
    assert summary([0.1, 0.2, 0.3])["median"] == 200.0
