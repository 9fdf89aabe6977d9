"""`report.txt` and `composite_report.txt`: the reports of one answer and of several answers per problem, for people."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_harness.cvdp_report.counts import DIFFICULTIES, SCORES, categories_by_name, passed_failed_and_total
from benchwright_harness.cvdp_report.pass_at_k import pass_at_k_statistics
from benchwright_problems.category import Category

_Cell = str | int | float


def heading(report_content: Mapping[str, Any]) -> list[str]:
    """The first lines of a report."""
    metadata = report_content["metadata"]
    lines = ["", "=== Benchmark Report ===", f"Dataset: {metadata['dataset_path']}"]
    lines += [f"Generated: {metadata['timestamp']}", "", "=== Run Configuration ==="]
    lines += ["Golden Mode: No", "Patches Disabled: No", f"Model/Agent: {metadata['model_agent']}"]
    if metadata.get("composite"):
        n, k = metadata["n_samples"], metadata["k_threshold"]
        lines += ["", "=== Composite Report ===", f"Number of samples: {n}"]
        passes = f"A problem passes if it passes in at least {k} out of {n} samples"
        lines.append(f"Pass@{k}, n={n} threshold: {passes}")
    return [*lines, "=======================", ""]


def _counts_and_rates_by_difficulty(category: Mapping[str, Any], counted_noun: str, rate_digits: int) -> list[_Cell]:
    """Counts, then rates, of each difficulty."""
    counts: list[_Cell] = []
    rates: list[_Cell] = []
    for level in DIFFICULTIES:
        passed_count, _, total = passed_failed_and_total([category], counted_noun, (level,))
        counts.append(f"{passed_count}/{total}" if total else "-")
        rates.append(f"{passed_count / total * 100:.{rate_digits}f}%" if total else "-")
    return [*counts, *rates]


def _percent_text(part_count: float, total_count: float) -> str:
    """A share with two digits."""
    return f"{part_count / total_count * 100 if total_count else 0:.2f}%"


def _category_starred_if_scored(category_name: str, counted_noun: str) -> str:
    """A category's name, marked if its problems are scored."""
    return f"{category_name}*" if counted_noun == "Problems" and Category(category_name) in SCORES else category_name


def _footnote_if_scored(categories: Mapping[str, Any]) -> list[str]:
    """The meaning of the mark, if a category has it."""
    note = "* Categories marked with asterisk use score-based scoring (0-1 range) instead of binary pass/fail"
    return [note] if any(Category(name) in SCORES for name in categories) else []


def single_sample_lines(report_content: Mapping[str, Any]) -> list[str]:
    """The report of one answer per problem, after its heading."""
    levels = categories_by_name(report_content)
    lines: list[str] = []
    for unit, rate in (("Tests", "Test Pass Rate"), ("Problems", "Problem Pass Rate")):
        passed_count, failed_count, total = passed_failed_and_total(levels.values(), unit)
        rows: list[list[_Cell]] = [[f"Total {unit}", total], [f"Passed {unit}", passed_count]]
        rows += [[f"Failed {unit}", failed_count], [rate, _percent_text(passed_count, total)]]
        lines += ["", f"=== Overall {unit[:-1]} Statistics ===", *_grid_lines(rows)]
    rows = []
    for level in DIFFICULTIES:
        passed_count, failed_count, total = passed_failed_and_total(levels.values(), "Problems", (level,))
        if total:
            rows.append([level.capitalize(), total, passed_count, failed_count, _percent_text(passed_count, total)])
    if rows:
        lines += ["", "=== Problem Results by Difficulty ==="]
        lines += _grid_lines(rows, ["Difficulty", "Total", "Pass", "Fail", "Rate"])
    for unit in ("Tests", "Problems"):
        rows = []
        for name, category in levels.items():
            passed_count, failed_count, total = passed_failed_and_total([category], unit)
            rows.append(
                [
                    _category_starred_if_scored(name, unit),
                    total,
                    passed_count,
                    failed_count,
                    _percent_text(passed_count, total),
                ]
            )
        lines += [
            "",
            f"=== {unit[:-1]} Results by Category ===",
            *_grid_lines(rows, ["Cat", "Total", "Pass", "Fail", "Rate"]),
        ]
    lines += _footnote_if_scored(levels)
    for unit, digits in (("Tests", 1), ("Problems", 2)):
        rows = [
            [_category_starred_if_scored(name, unit), *_counts_and_rates_by_difficulty(category, unit, digits)]
            for name, category in levels.items()
        ]
        headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%"]
        lines += ["", f"=== {unit[:-1]} Results by Category and Difficulty ===", *_grid_lines(rows, headers)]
    return [*lines, *_footnote_if_scored(levels), *_problem_table_lines(report_content)]


def _problem_table_lines(report_content: Mapping[str, Any]) -> list[str]:
    details = report_content["test_details"]
    lines: list[str] = []
    for heading, key, column, last_heading in (
        ("Failing", "failing_tests", "Failed Tests", "Log/Error"),
        ("Passing", "passing_tests", "Passed Tests", "Log/Status"),
    ):
        lines += ["", f"=== {heading} Problems ==="]
        rows: list[list[_Cell]] = []
        for number, test in enumerate(sorted(details[key], key=lambda test: str(test["test_id"])), 1):
            rows.append([number, test["test_id"], f"{test['category']} ({test['difficulty']})", 1, ""])
            rows.append(["", f"   ↳ Test 1: {test['test_id']}", "", "", "Log: Not Available"])
            if error := test.get("error_msg"):
                rows.append(["", "      Error: ", "", "", error])
        if rows:
            lines += _grid_lines(rows, ["#", "Problem ID", "Category", column, last_heading])
        else:
            lines.append(f"No {heading.lower()} problems found.")
    return lines


def composite_lines(report_content: Mapping[str, Any]) -> list[str]:
    """The report of several answers per problem, after its heading."""
    metadata, samples = report_content["metadata"], report_content["samples"]
    n, k = metadata["n_samples"], metadata["k_threshold"]
    pass_statistics = pass_at_k_statistics(samples, k)
    pass_label = f"Pass@{k}, n={n}"
    rows: list[list[_Cell]] = []
    rates = []
    for index, sample in enumerate(samples):
        passed_count, _, total = passed_failed_and_total(categories_by_name(sample).values(), "Problems")
        rates.append(passed_count / total * 100 if total else 0.0)
        rows.append([index + 1, total, passed_count, f"{rates[-1]:.2f}%", metadata["sample_prefixes"][index]])
    headers = ["Sample #", "Total Problems", "Passed Problems", "Pass Rate", "Prefix"]
    lines = ["", "=== Sample Statistics ===", *_grid_lines(rows, headers)]
    if len(rates) > 1:
        mean, deviation = statistics.mean(rates), statistics.stdev(rates)
        lines += ["", f"Pass Rate Statistics: Mean = {mean:.2f}%, StdDev = {deviation:.2f}%"]
    levels: dict[str, Any] = pass_statistics["categories"]
    passed_count, failed_count, total = passed_failed_and_total(levels.values(), "Problems")
    rows = [["Total Problems", total], ["Passed Problems", passed_count], ["Failed Problems", failed_count]]
    rows.append(["Problem Pass Rate", _percent_text(passed_count, total)])
    if len(rates) > 1:
        rows.append(["Pass Rate StdDev", f"{statistics.stdev(rates):.2f}%"])
    lines += ["", f"=== Overall Problem Statistics ({pass_label}) ===", *_grid_lines(rows)]
    rows = []
    for level in DIFFICULTIES:
        passed_count, failed_count, total = passed_failed_and_total(levels.values(), "Problems", (level,))
        if total:
            row: list[_Cell] = [
                level.capitalize(),
                total,
                passed_count,
                failed_count,
                _percent_text(passed_count, total),
            ]
            rows.append([*row, _rate_deviation_text(samples, None, level)])
    headers = ["Difficulty", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += ["", f"=== Problem Results by Difficulty ({pass_label}) ===", *_grid_lines(rows, headers)]
    rows = []
    for name, category in levels.items():
        passed_count, failed_count, total = passed_failed_and_total([category], "Problems")
        row = [
            _category_starred_if_scored(name, "Problems"),
            total,
            passed_count,
            failed_count,
            _percent_text(passed_count, total),
        ]
        rows.append([*row, _rate_deviation_text(samples, name, None)])
    headers = ["Cat", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += [
        "",
        f"=== Problem Results by Category ({pass_label}) ===",
        *_grid_lines(rows, headers),
        *_footnote_if_scored(levels),
    ]
    rows = []
    for name, category in levels.items():
        difficulty_cells = _counts_and_rates_by_difficulty(category, "Problems", 2)
        deviations = [
            _rate_deviation_text(samples, name, level) if level in category else "-" for level in DIFFICULTIES
        ]
        rows.append([_category_starred_if_scored(name, "Problems"), *difficulty_cells, *deviations])
    headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%", "Easy SD", "Medium SD", "Hard SD"]
    lines += ["", f"=== Problem Results by Category and Difficulty ({pass_label}) ===", *_grid_lines(rows, headers)]
    return [*lines, *_footnote_if_scored(levels), *_distribution_lines(pass_statistics, n, k)]


def _distribution_lines(pass_statistics: dict[str, Any], sample_count: int, k: int) -> list[str]:
    problems, metrics = pass_statistics["problems"], pass_statistics["metrics"]
    problems_by_count: dict[float, list[dict[str, Any]]] = {}
    for problem in problems.values():
        problems_by_count.setdefault(round(problem["pass_count"], 1), []).append(problem)
    rows: list[list[_Cell]] = [
        [
            f"{count}/{sample_count}",
            len(equal_problems),
            _percent_text(len(equal_problems), len(problems)),
            f"{100 * sum(float(str(row['pass_probability'])) for row in equal_problems) / len(equal_problems):.2f}%",
        ]
        for count, equal_problems in sorted(problems_by_count.items())
    ]
    lines = ["", f"=== Pass@{k} Distribution (n={sample_count}) ==="]
    meaning = (
        f"measures the probability of a problem passing in at least {k} of {sample_count} randomly-selected samples"
    )
    lines.append(f"Pass@{k} {meaning}")
    lines += _grid_lines(rows, ["Pass Count", "Problems", "% of Dataset", f"Pass@{k}, n={sample_count} Probability"])
    average = metrics["avg_success_probability"] * 100
    return [*lines, "", f"Overall Pass@{k}, n={sample_count} probability: {average:.2f}%"]


def _rate_deviation_text(
    sample_reports: Sequence[Mapping[str, Any]], category_name: str | None, level: str | None
) -> str:
    rates = []
    for sample in sample_reports:
        chosen_categories = [
            value for name, value in categories_by_name(sample).items() if category_name in (None, name)
        ]
        passed_count, _, total = passed_failed_and_total(
            chosen_categories, "Problems", (level,) if level else DIFFICULTIES
        )
        if total:
            rates.append(passed_count / total * 100)
    return f"{statistics.stdev(rates):.2f}%" if len(rates) > 1 else "N/A"


def _grid_lines(table_rows: Sequence[Sequence[_Cell]], headers: Sequence[str] = ()) -> list[str]:
    """A table with lines around every cell; columns of numbers are right-aligned."""
    cell_texts = [
        [str(cell) for cell in row] for row in ([list(headers)] if headers else []) + [list(row) for row in table_rows]
    ]
    if not cell_texts:
        return []
    widths = [max(len(row[column]) for row in cell_texts) for column in range(len(cell_texts[0]))]
    numeric = [all(isinstance(row[column], int | float) for row in table_rows) for column in range(len(widths))]

    def rule(mark: str) -> str:
        return "+" + "+".join(mark * (width + 2) for width in widths) + "+"

    lines = [rule("-")]
    for number, row in enumerate(cell_texts):
        cells = [
            cell.rjust(width) if is_right_aligned else cell.ljust(width)
            for cell, width, is_right_aligned in zip(row, widths, numeric, strict=True)
        ]
        lines += [f"| {' | '.join(cells)} |", rule("=" if headers and number == 0 else "-")]
    return lines
