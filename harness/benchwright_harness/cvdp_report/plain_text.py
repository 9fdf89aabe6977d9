"""`report.txt`: the report of one answer per problem, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright_harness.cvdp_report.counts import DIFFICULTIES, categories_of, totals
from benchwright_harness.cvdp_report.grid import Cell, grid
from benchwright_harness.cvdp_report.text_parts import by_difficulty, footnote, percent, starred


def plain_lines(content: Mapping[str, Any]) -> list[str]:
    """The report after its heading."""
    levels = categories_of(content)
    lines: list[str] = []
    for what, rate in (("Tests", "Test Pass Rate"), ("Problems", "Problem Pass Rate")):
        passed, failed, total = totals(levels.values(), what)
        rows: list[list[Cell]] = [[f"Total {what}", total], [f"Passed {what}", passed]]
        rows += [[f"Failed {what}", failed], [rate, percent(passed, total)]]
        lines += ["", f"=== Overall {what[:-1]} Statistics ===", *grid(rows)]
    rows = []
    for level in DIFFICULTIES:
        passed, failed, total = totals(levels.values(), "Problems", (level,))
        if total:
            rows.append([level.capitalize(), total, passed, failed, percent(passed, total)])
    if rows:
        lines += ["", "=== Problem Results by Difficulty ==="]
        lines += grid(rows, ["Difficulty", "Total", "Pass", "Fail", "Rate"])
    for what in ("Tests", "Problems"):
        rows = []
        for name, category in levels.items():
            passed, failed, total = totals([category], what)
            rows.append([starred(name, what), total, passed, failed, percent(passed, total)])
        lines += [
            "",
            f"=== {what[:-1]} Results by Category ===",
            *grid(rows, ["Cat", "Total", "Pass", "Fail", "Rate"]),
        ]
    lines += footnote(levels)
    for what, digits in (("Tests", 1), ("Problems", 2)):
        rows = [[starred(name, what), *by_difficulty(category, what, digits)] for name, category in levels.items()]
        headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%"]
        lines += ["", f"=== {what[:-1]} Results by Category and Difficulty ===", *grid(rows, headers)]
    return [*lines, *footnote(levels), *_problems(content)]


def _problems(content: Mapping[str, Any]) -> list[str]:
    details = content["test_details"]
    lines: list[str] = []
    for heading, key, column, last in (
        ("Failing", "failing_tests", "Failed Tests", "Log/Error"),
        ("Passing", "passing_tests", "Passed Tests", "Log/Status"),
    ):
        lines += ["", f"=== {heading} Problems ==="]
        rows: list[list[Cell]] = []
        for number, test in enumerate(sorted(details[key], key=lambda test: str(test["test_id"])), 1):
            rows.append([number, test["test_id"], f"{test['category']} ({test['difficulty']})", 1, ""])
            rows.append(["", f"   ↳ Test 1: {test['test_id']}", "", "", "Log: Not Available"])
            if error := test.get("error_msg"):
                rows.append(["", "      Error: ", "", "", error])
        if rows:
            lines += grid(rows, ["#", "Problem ID", "Category", column, last])
        else:
            lines.append(f"No {heading.lower()} problems found.")
    return lines
