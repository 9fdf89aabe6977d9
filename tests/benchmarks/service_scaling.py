"""Puts what service_load.py has measured into docs/explanation/scaling.md, and what 10,000 students need by it.

.venv/bin/python -m tests.benchmarks.service_load 500 2 --json 500.json
.venv/bin/python -m tests.benchmarks.service_scaling 20.json 100.json 500.json
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "scaling.md"
STUDENTS = 10_000
BUSY = 0.6
"""Share of a core that is planned with for web processes and database: above it, requests wait for each other."""
_EVENTS = "events acknowledged"
_SERVED_MS = 1_000
"""Beyond this 95th percentile, requests queue up, and the processor time is what there was and not what was needed."""
_BLOCK = "<!-- {name}: written by tests/benchmarks/service_scaling.py -->\n"
_END = "<!-- end -->\n"

Results = Mapping[str, Any]


def load_table(load_reports: Sequence[Results]) -> str:
    """What was measured, a column for each size."""
    heads = [f"{_title(load_report)}" for load_report in load_reports]
    labelled_rows: list[tuple[str, list[str]]] = [
        (f"{title}, median / p95, ms", [_percentiles(load_report["times"][title]) for load_report in load_reports])
        for title in load_reports[0]["times"]
    ]
    labelled_rows += [
        ("cores busy by the service", [f"{load_report['cpu']['service']:.2f}" for load_report in load_reports]),
        ("by the database", [f"{load_report['cpu']['database']:.2f}" for load_report in load_reports]),
        ("by the load itself", [f"{load_report['cpu']['load']:.2f}" for load_report in load_reports]),
        ("by everything on the machine", [f"{load_report['cpu']['everything']:.2f}" for load_report in load_reports]),
        (
            "load average at the start / at most",
            [" / ".join(f"{value:.1f}" for value in load_report["load_averages"]) for load_report in load_reports],
        ),
        ("a write is on disk after, ms", [f"{load_report['sync_ms']:.1f}" for load_report in load_reports]),
        (
            "verdicts / superseded / none two minutes after the deadline",
            [
                f"{load_report['verdicts']:,} / {load_report['superseded']:,} / {load_report['undecided_at_end']:,}"
                for load_report in load_reports
            ],
        ),
        ("requests that had to be sent again", [f"{load_report['failed_requests']:,}" for load_report in load_reports]),
        (
            "runs a second after the deadline, of what their processor time allows on all cores",
            [
                f"{load_report['runs_a_second']:.2f} of {load_report['possible_runs_a_second']:.2f}"
                for load_report in load_reports
            ],
        ),
        (
            "longest wait for a verdict, in fair shares",
            [f"{load_report['longest_wait']:.2f}" for load_report in load_reports],
        ),
        ("memory of the service, MiB", [f"{max(load_report['memory_mib'])}" for load_report in load_reports]),
    ]
    lines = [["", *heads], ["---"] * (len(heads) + 1), *([title, *cells] for title, cells in labelled_rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def many_students_table(load_report: Results) -> str:
    """Cores that `STUDENTS` need, by one class that was measured: multiplication and nothing else."""
    factor = STUDENTS / load_report["students"]
    service, database = (load_report["cpu"][name] * factor for name in ("service", "database"))
    core_s_per_run = load_report["cores"] / load_report["possible_runs_a_second"]
    asked_runs = load_report["verdicts"] + load_report["superseded"] + load_report["undecided_at_end"]
    runs_a_second = asked_runs / (60 * load_report["minutes"]) * factor
    table_rows = [
        (
            "web processes",
            f"{load_report['cpu']['service']:.2f} cores × {factor:g} = {service:.1f} cores",
            f"{math.ceil(service / BUSY)}, each busy to {BUSY:.0%}",
        ),
        (
            "PostgreSQL",
            f"{load_report['cpu']['database']:.2f} cores × {factor:g} = {database:.1f} cores",
            f"{math.ceil(database / BUSY)} cores, busy to {BUSY:.0%}",
        ),
        (
            "workers, if every run is to end",
            f"{runs_a_second:.0f} runs a second × {core_s_per_run:.2f} core seconds",
            f"{math.ceil(runs_a_second * core_s_per_run)} cores",
        ),
    ]
    heads = [f"{STUDENTS:,} students, from {load_report['students']}", "computed", "needed"]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, ["---"] * 3, *table_rows))


def page(text: str, load_reports: Sequence[Results]) -> str:
    """The page with both tables in their places; multiplied is the largest class that was served as it came."""
    served_reports = [load_report for load_report in load_reports if load_report["times"][_EVENTS]["p95"] <= _SERVED_MS]
    largest_served = max(served_reports, key=lambda load_report: load_report["students"])
    for name, content in (("load", load_table(load_reports)), ("many-students", many_students_table(largest_served))):
        start_marker = _BLOCK.format(name=name)
        text_before, marker, remainder = text.partition(start_marker)
        _, end_marker, text_after = remainder.partition(_END)
        if not (marker and end_marker):
            raise ValueError(f"{PAGE} has no place for the table {name}")
        text = f"{text_before}{start_marker}\n{content}\n{end_marker}{text_after}"
    return text


def _title(load_report: Results) -> str:
    web = "" if load_report["web"] == 1 else f", {load_report['web']} web processes"
    return f"{load_report['students']} students{web}"


def _percentiles(times: Mapping[str, float]) -> str:
    return f"{times['median']:,.0f} / {times['p95']:,.0f}"


if __name__ == "__main__":
    load_reports = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), load_reports), "utf-8")
