"""`composite_report.txt`: the report of several answers per problem, for people."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_harness.cvdp_report.counts import DIFFICULTIES, categories_of, totals
from benchwright_harness.cvdp_report.grid import Cell, grid
from benchwright_harness.cvdp_report.pass_at_k import pass_at_k
from benchwright_harness.cvdp_report.text_parts import by_difficulty, footnote, percent, starred


def composite_lines(content: Mapping[str, Any]) -> list[str]:
    """The report after its heading."""
    metadata, samples = content["metadata"], content["samples"]
    n, k = metadata["n_samples"], metadata["k_threshold"]
    results = pass_at_k(samples, k)
    at = f"Pass@{k}, n={n}"
    rows: list[list[Cell]] = []
    rates = []
    for index, sample in enumerate(samples):
        passed, _, total = totals(categories_of(sample).values(), "Problems")
        rates.append(passed / total * 100 if total else 0.0)
        rows.append([index + 1, total, passed, f"{rates[-1]:.2f}%", metadata["sample_prefixes"][index]])
    headers = ["Sample #", "Total Problems", "Passed Problems", "Pass Rate", "Prefix"]
    lines = ["", "=== Sample Statistics ===", *grid(rows, headers)]
    if len(rates) > 1:
        mean, deviation = statistics.mean(rates), statistics.stdev(rates)
        lines += ["", f"Pass Rate Statistics: Mean = {mean:.2f}%, StdDev = {deviation:.2f}%"]
    levels: dict[str, Any] = results["categories"]
    passed, failed, total = totals(levels.values(), "Problems")
    rows = [["Total Problems", total], ["Passed Problems", passed], ["Failed Problems", failed]]
    rows.append(["Problem Pass Rate", percent(passed, total)])
    if len(rates) > 1:
        rows.append(["Pass Rate StdDev", f"{statistics.stdev(rates):.2f}%"])
    lines += ["", f"=== Overall Problem Statistics ({at}) ===", *grid(rows)]
    rows = []
    for level in DIFFICULTIES:
        passed, failed, total = totals(levels.values(), "Problems", (level,))
        if total:
            row: list[Cell] = [level.capitalize(), total, passed, failed, percent(passed, total)]
            rows.append([*row, _deviation(samples, None, level)])
    headers = ["Difficulty", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += ["", f"=== Problem Results by Difficulty ({at}) ===", *grid(rows, headers)]
    rows = []
    for name, category in levels.items():
        passed, failed, total = totals([category], "Problems")
        row = [starred(name, "Problems"), total, passed, failed, percent(passed, total)]
        rows.append([*row, _deviation(samples, name, None)])
    headers = ["Cat", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += ["", f"=== Problem Results by Category ({at}) ===", *grid(rows, headers), *footnote(levels)]
    rows = []
    for name, category in levels.items():
        shown = by_difficulty(category, "Problems", 2)
        deviations = [_deviation(samples, name, level) if level in category else "-" for level in DIFFICULTIES]
        rows.append([starred(name, "Problems"), *shown, *deviations])
    headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%", "Easy SD", "Medium SD", "Hard SD"]
    lines += ["", f"=== Problem Results by Category and Difficulty ({at}) ===", *grid(rows, headers)]
    return [*lines, *footnote(levels), *_distribution(results, n, k)]


def _distribution(results: dict[str, Any], n: int, k: int) -> list[str]:
    problems, metrics = results["problems"], results["metrics"]
    groups: dict[float, list[dict[str, Any]]] = {}
    for problem in problems.values():
        groups.setdefault(round(problem["pass_count"], 1), []).append(problem)
    rows: list[list[Cell]] = [
        [
            f"{count}/{n}",
            len(group),
            percent(len(group), len(problems)),
            f"{100 * sum(float(str(one['pass_probability'])) for one in group) / len(group):.2f}%",
        ]
        for count, group in sorted(groups.items())
    ]
    lines = ["", f"=== Pass@{k} Distribution (n={n}) ==="]
    meaning = f"measures the probability of a problem passing in at least {k} of {n} randomly-selected samples"
    lines.append(f"Pass@{k} {meaning}")
    lines += grid(rows, ["Pass Count", "Problems", "% of Dataset", f"Pass@{k}, n={n} Probability"])
    average = metrics["avg_success_probability"] * 100
    return [*lines, "", f"Overall Pass@{k}, n={n} probability: {average:.2f}%"]


def _deviation(samples: Sequence[Mapping[str, Any]], category: str | None, level: str | None) -> str:
    rates = []
    for sample in samples:
        chosen = [value for name, value in categories_of(sample).items() if category in (None, name)]
        passed, _, total = totals(chosen, "Problems", (level,) if level else DIFFICULTIES)
        if total:
            rates.append(passed / total * 100)
    return f"{statistics.stdev(rates):.2f}%" if len(rates) > 1 else "N/A"
