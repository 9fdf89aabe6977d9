"""Results in the formats of CVDP's own benchmark, so that its readers' tools take them.

`raw_result.json`, `report.json`, `report.txt` and `composite_report.json` as NVlabs/cvdp_benchmark 1.1 writes and reads
them (src/report.py, run_samples.py, run_reporter.py). `docs/reference/cvdp-reports.md` lists their fields.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Model, Outcome, Verdict

_Json = dict[str, Any]
Cell = str | int | float

# Scored from 0 to 1 instead of passed or failed, and the field that holds it.
_SCORES = {
    Category.RTL_CORRESPONDENCE: "bleu_score",
    Category.TESTBENCH_CORRESPONDENCE: "bleu_score",
    Category.RTL_QUESTION: "llm_score",
    Category.TESTBENCH_QUESTION: "llm_score",
}
_DIFFICULTIES = ("easy", "medium", "hard")
_SECTIONS = ("metadata", "test_details", "sample_index")
_COUNTS = ("Passed", "Failed", "Total")


class Graded(Model):
    """One answer to one problem."""

    id: str
    category: Category
    difficulty: Difficulty
    verdict: Verdict
    score: float | None = None
    """From 0 to 1, where the category is scored so."""


def raw_result(graded: Sequence[Graded]) -> dict[str, JsonValue]:
    """The content of `raw_result.json`: problem → its tests."""
    return {one.id: _raw(one) for one in graded}


def _raw(one: Graded) -> _Json:
    passed = one.verdict.outcome is Outcome.PASSED
    test: _Json = {
        "result": 0 if passed else 1,
        "log": None,
        "error_msg": None if one.verdict.outcome is not Outcome.ERROR else one.verdict.detail,
        "execution": one.verdict.wall_s,
    }
    if one.category in _SCORES:
        test[_SCORES[one.category]] = one.score
    return {
        "category": one.category.value,
        "difficulty": one.difficulty.value,
        "tests": [test],
        "errors": test["result"],
    }


def report(graded: Sequence[Graded], dataset: str, solver: str, now: datetime) -> dict[str, JsonValue]:
    """The content of `report.json`: counts per category and difficulty, and every test.

    Args:
        graded: One answer per problem.
        dataset: Stands as `dataset_path`.
        solver: Stands as `model_agent`.
        now: When.
    """
    categories: dict[str, _Json] = {}
    details: dict[str, list[_Json]] = {"failing_tests": [], "passing_tests": []}
    for one in graded:
        category = categories.setdefault(
            one.category.value, {**{level: _no_counts() for level in _DIFFICULTIES}, "logs": []}
        )
        passed = one.verdict.outcome is Outcome.PASSED
        share = _share(one)
        counts = _level(category, one.difficulty.value)
        for what, added in (("Tests", 1.0 if passed else 0.0), ("Problems", share)):
            counts[f"Passed {what}"] += _whole(added)
            counts[f"Failed {what}"] += _whole(1 - added)
            counts[f"Total {what}"] += 1
            counts[f"Passed {what} (%)"] = counts[f"Passed {what}"] / counts[f"Total {what}"] * 100
        category["logs"].append({"id": one.id, "log": None})
        test: _Json = {
            "test_id": one.id,
            "category": one.category.value,
            "difficulty": one.difficulty.value,
            "test_index": 0,
        }
        if passed:
            details["passing_tests"].append({**test, "log": None})
        else:
            error = one.verdict.detail if one.verdict.outcome is Outcome.ERROR else None
            details["failing_tests"].append({**test, "error_msg": error, "agent_error": None, "log": None})
    content: _Json = {**categories, "metadata": _metadata(dataset, solver, now), "test_details": details}
    return content


def composite(
    reports: Sequence[Mapping[str, JsonValue]], names: Sequence[str], k: int, now: datetime
) -> dict[str, JsonValue]:
    """The content of `composite_report.json`: several answers per problem.

    Args:
        reports: One per sample.
        names: Folders of the samples.
        k: Of pass@k.
        now: When.
    """
    first: Any = reports[0]["metadata"]
    content: _Json = {
        "metadata": {
            **first,
            "timestamp": _time(now),
            "n_samples": len(reports),
            "k_threshold": k,
            "sample_prefixes": list(names),
            "composite": True,
        },
        "samples": [{**one, "sample_index": index} for index, one in enumerate(reports)],
    }
    return content


def report_text(content: Mapping[str, JsonValue]) -> str:
    """`report.txt` of a report, or `composite_report.txt` of a composite one."""
    lines = _composite_text(content) if "samples" in content else _plain_text(content)
    return "\n".join([*_heading(content), *lines]) + "\n"


def _share(one: Graded) -> float:
    if one.category in _SCORES:
        return one.score or 0.0
    return 1.0 if one.verdict.outcome is Outcome.PASSED else 0.0


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


def _no_counts() -> _Json:
    return {f"{count} {what}{unit}": 0 for what in ("Tests", "Problems") for count, unit in _COLUMNS}


_COLUMNS = (("Passed", ""), ("Failed", ""), ("Total", ""), ("Passed", " (%)"))


def _level(category: Mapping[str, Any], level: str) -> dict[str, float]:
    counts: dict[str, float] = category[level]
    return counts


def _metadata(dataset: str, solver: str, now: datetime) -> _Json:
    return {
        "dataset_path": dataset,
        "timestamp": _time(now),
        "golden_mode": False,
        "disable_patch": False,
        "model_agent": solver,
        **dict.fromkeys(
            (
                *("force_agentic", "force_agentic_include_golden", "force_agentic_include_harness"),
                *("force_copilot", "copilot_refine"),
            )
        ),
    }


def _time(now: datetime) -> str:
    return now.strftime("%Y-%m-%d %H:%M:%S")


def _categories(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sorted(content.items()) if name not in _SECTIONS}


def _pass_at_k(reports: Sequence[Mapping[str, Any]], k: int) -> _Json:
    """What CVDP's reporter makes of samples.

    1 - (1 - c/n)^k for a problem that passed c of n times, and the mean score where the category is scored.
    """
    n = len(reports)
    results: dict[str, list[float]] = {}
    places: dict[str, tuple[str, str]] = {}
    for index, content in enumerate(reports):
        for place, name, share in _shares(content):
            places[name] = place
            results.setdefault(name, [0.0] * n)[index] = share
    problems: dict[str, _Json] = {}
    levels: dict[tuple[str, str], list[float]] = {}
    for name, shares in results.items():
        category, level = places[name]
        scored = Category(category) in _SCORES
        count = _whole(sum(shares))
        probability = count / n if scored else 1 - (1 - count / n) ** k
        levels.setdefault((category, level), []).append(probability)
        problems[name] = {
            "category": category,
            "difficulty": level,
            "pass_count": count,
            "pass_rate": count / n,
            "pass_threshold": k,
            "pass_probability": probability,
            "sample_results": [share == 1 for share in shares],
            "is_score_based": scored,
        }
        if scored:
            problems[name] |= {"scores_in_samples": shares, "avg_score": count / n}
    categories: dict[str, dict[str, _Json]] = {}
    for (category, level), probabilities in sorted(levels.items()):
        total, passed = len(probabilities), sum(probabilities)
        percent = passed / total * 100
        categories.setdefault(category, {})[level] = {
            "Passed Problems": round(passed, 2),
            "Failed Problems": round(total - passed, 2),
            "Total Problems": total,
            "Passed Problems (%)": percent,
            "Pass@k Probability (%)": percent,
        }
    everything = [probability for probabilities in levels.values() for probability in probabilities]
    metrics = {
        "total_problems": len(everything),
        "n_samples": n,
        "k_threshold": k,
        "avg_success_probability": statistics.mean(everything) if everything else 0.0,
    }
    return {"categories": categories, "problems": problems, "metrics": metrics}


def _shares(content: Mapping[str, Any]) -> list[tuple[tuple[str, str], str, float]]:
    """(category and difficulty, problem, what counts as passed of it) of a report.

    Of a scored category a report holds no more than the mean of each difficulty.
    """
    details = content["test_details"]
    found = []
    for passed, tests in ((1.0, details["passing_tests"]), (0.0, details["failing_tests"])):
        for test in tests:
            category, level = test["category"], test["difficulty"]
            counts = _level(content[category], level)
            scored = Category(category) in _SCORES
            share = counts["Passed Problems"] / counts["Total Problems"] if scored else passed
            found.append(((category, level), test["test_id"], share))
    return found


# report.txt


def _heading(content: Mapping[str, Any]) -> list[str]:
    metadata = content["metadata"]
    lines = ["", "=== Benchmark Report ===", f"Dataset: {metadata['dataset_path']}"]
    lines += [f"Generated: {metadata['timestamp']}", "", "=== Run Configuration ==="]
    lines += ["Golden Mode: No", "Patches Disabled: No", f"Model/Agent: {metadata['model_agent']}"]
    if metadata.get("composite"):
        n, k = metadata["n_samples"], metadata["k_threshold"]
        lines += ["", "=== Composite Report ===", f"Number of samples: {n}"]
        passes = f"A problem passes if it passes in at least {k} out of {n} samples"
        lines.append(f"Pass@{k}, n={n} threshold: {passes}")
    return [*lines, "=======================", ""]


def _plain_text(content: Mapping[str, Any]) -> list[str]:
    levels = _categories(content)
    lines: list[str] = []
    for what, rate in (("Tests", "Test Pass Rate"), ("Problems", "Problem Pass Rate")):
        totals = _sum(levels.values(), what)
        rows: list[list[Cell]] = [[f"Total {what}", totals[2]], [f"Passed {what}", totals[0]]]
        rows += [[f"Failed {what}", totals[1]], [rate, _percent(totals[0], totals[2])]]
        lines += ["", f"=== Overall {what[:-1]} Statistics ===", *_grid(rows)]
    rows = []
    for level in _DIFFICULTIES:
        passed, failed, total = _sum(levels.values(), "Problems", (level,))
        if total:
            rows.append([level.capitalize(), total, passed, failed, _percent(passed, total)])
    if rows:
        lines += ["", "=== Problem Results by Difficulty ==="]
        lines += _grid(rows, ["Difficulty", "Total", "Pass", "Fail", "Rate"])
    for what in ("Tests", "Problems"):
        rows = []
        for name, category in levels.items():
            passed, failed, total = _sum([category], what)
            rows.append([_starred(name, what), total, passed, failed, _percent(passed, total)])
        lines += [
            "",
            f"=== {what[:-1]} Results by Category ===",
            *_grid(rows, ["Cat", "Total", "Pass", "Fail", "Rate"]),
        ]
    lines += _footnote(levels)
    for what, digits in (("Tests", 1), ("Problems", 2)):
        rows = [[_starred(name, what), *_by_level(category, what, digits)] for name, category in levels.items()]
        headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%"]
        lines += ["", f"=== {what[:-1]} Results by Category and Difficulty ===", *_grid(rows, headers)]
    return [*lines, *_footnote(levels), *_problems(content)]


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
            lines += _grid(rows, ["#", "Problem ID", "Category", column, last])
        else:
            lines.append(f"No {heading.lower()} problems found.")
    return lines


def _composite_text(content: Mapping[str, Any]) -> list[str]:
    metadata, samples = content["metadata"], content["samples"]
    n, k = metadata["n_samples"], metadata["k_threshold"]
    pass_at_k = _pass_at_k(samples, k)
    at = f"Pass@{k}, n={n}"
    rows: list[list[Cell]] = []
    rates = []
    for index, sample in enumerate(samples):
        passed, _, total = _sum(_categories(sample).values(), "Problems")
        rates.append(passed / total * 100 if total else 0.0)
        rows.append([index + 1, total, passed, f"{rates[-1]:.2f}%", metadata["sample_prefixes"][index]])
    headers = ["Sample #", "Total Problems", "Passed Problems", "Pass Rate", "Prefix"]
    lines = ["", "=== Sample Statistics ===", *_grid(rows, headers)]
    if len(rates) > 1:
        mean, deviation = statistics.mean(rates), statistics.stdev(rates)
        lines += ["", f"Pass Rate Statistics: Mean = {mean:.2f}%, StdDev = {deviation:.2f}%"]
    levels: dict[str, Any] = pass_at_k["categories"]
    passed, failed, total = _sum(levels.values(), "Problems")
    rows = [["Total Problems", total], ["Passed Problems", passed], ["Failed Problems", failed]]
    rows.append(["Problem Pass Rate", _percent(passed, total)])
    if len(rates) > 1:
        rows.append(["Pass Rate StdDev", f"{statistics.stdev(rates):.2f}%"])
    lines += ["", f"=== Overall Problem Statistics ({at}) ===", *_grid(rows)]
    rows = []
    for level in _DIFFICULTIES:
        passed, failed, total = _sum(levels.values(), "Problems", (level,))
        if total:
            row: list[Cell] = [level.capitalize(), total, passed, failed, _percent(passed, total)]
            rows.append([*row, _deviation(samples, None, level)])
    headers = ["Difficulty", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += ["", f"=== Problem Results by Difficulty ({at}) ===", *_grid(rows, headers)]
    rows = []
    for name, category in levels.items():
        passed, failed, total = _sum([category], "Problems")
        row = [_starred(name, "Problems"), total, passed, failed, _percent(passed, total)]
        rows.append([*row, _deviation(samples, name, None)])
    headers = ["Cat", "Total", "Pass", "Fail", "Rate", "StdDev"]
    lines += ["", f"=== Problem Results by Category ({at}) ===", *_grid(rows, headers), *_footnote(levels)]
    rows = []
    for name, category in levels.items():
        shown = _by_level(category, "Problems", 2)
        deviations = [_deviation(samples, name, level) if level in category else "-" for level in _DIFFICULTIES]
        rows.append([_starred(name, "Problems"), *shown, *deviations])
    headers = ["Cat", "Easy", "Medium", "Hard", "Easy%", "Medium%", "Hard%", "Easy SD", "Medium SD", "Hard SD"]
    lines += ["", f"=== Problem Results by Category and Difficulty ({at}) ===", *_grid(rows, headers)]
    return [*lines, *_footnote(levels), *_distribution(pass_at_k, n, k)]


def _distribution(pass_at_k: _Json, n: int, k: int) -> list[str]:
    problems, metrics = pass_at_k["problems"], pass_at_k["metrics"]
    groups: dict[float, list[_Json]] = {}
    for problem in problems.values():
        groups.setdefault(round(problem["pass_count"], 1), []).append(problem)
    rows: list[list[Cell]] = [
        [
            f"{count}/{n}",
            len(group),
            _percent(len(group), len(problems)),
            f"{100 * sum(float(str(one['pass_probability'])) for one in group) / len(group):.2f}%",
        ]
        for count, group in sorted(groups.items())
    ]
    lines = ["", f"=== Pass@{k} Distribution (n={n}) ==="]
    meaning = f"measures the probability of a problem passing in at least {k} of {n} randomly-selected samples"
    lines.append(f"Pass@{k} {meaning}")
    lines += _grid(rows, ["Pass Count", "Problems", "% of Dataset", f"Pass@{k}, n={n} Probability"])
    average = metrics["avg_success_probability"] * 100
    return [*lines, "", f"Overall Pass@{k}, n={n} probability: {average:.2f}%"]


def _sum(
    categories: Iterable[Mapping[str, Any]], what: str, levels: Sequence[str] = _DIFFICULTIES
) -> tuple[float, float, float]:
    """Passed, failed and all tests or problems of some categories."""
    totals = [0.0, 0.0, 0.0]
    for category in categories:
        for level in levels:
            counts = category.get(level, {})
            for place, count in enumerate(_COUNTS):
                totals[place] += counts.get(f"{count} {what}", 0)
    passed, failed, total = (_whole(round(number, 2)) for number in totals)
    return passed, failed, total


def _by_level(category: Mapping[str, Any], what: str, digits: int) -> list[Cell]:
    counts: list[Cell] = []
    rates: list[Cell] = []
    for level in _DIFFICULTIES:
        passed, _, total = _sum([category], what, (level,))
        counts.append(f"{passed}/{total}" if total else "-")
        rates.append(f"{passed / total * 100:.{digits}f}%" if total else "-")
    return [*counts, *rates]


def _deviation(samples: Sequence[Mapping[str, Any]], category: str | None, level: str | None) -> str:
    rates = []
    for sample in samples:
        chosen = [value for name, value in _categories(sample).items() if category in (None, name)]
        passed, _, total = _sum(chosen, "Problems", (level,) if level else _DIFFICULTIES)
        if total:
            rates.append(passed / total * 100)
    return f"{statistics.stdev(rates):.2f}%" if len(rates) > 1 else "N/A"


def _percent(part: float, whole: float) -> str:
    return f"{part / whole * 100 if whole else 0:.2f}%"


def _starred(category: str, what: str) -> str:
    return f"{category}*" if what == "Problems" and Category(category) in _SCORES else category


def _footnote(categories: Mapping[str, Any]) -> list[str]:
    note = "* Categories marked with asterisk use score-based scoring (0-1 range) instead of binary pass/fail"
    return [note] if any(Category(name) in _SCORES for name in categories) else []


def _grid(rows: Sequence[Sequence[Cell]], headers: Sequence[str] = ()) -> list[str]:
    """A table with lines around every cell; columns of numbers stand at the right."""
    table = [[str(cell) for cell in row] for row in ([list(headers)] if headers else []) + [list(row) for row in rows]]
    if not table:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    numeric = [all(isinstance(row[column], int | float) for row in rows) for column in range(len(widths))]

    def rule(mark: str) -> str:
        return "+" + "+".join(mark * (width + 2) for width in widths) + "+"

    lines = [rule("-")]
    for number, row in enumerate(table):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines += [f"| {' | '.join(cells)} |", rule("=" if headers and number == 0 else "-")]
    return lines
