"""Results in the formats of CVDP's own benchmark, so that existing tools can read them.

`raw_result.json`, `report.json`, `report.txt` and `composite_report.json` as NVlabs/cvdp_benchmark 1.1 writes and reads
them (src/report.py, run_samples.py, run_reporter.py). `docs/reference/cvdp-reports.md` lists their fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from benchwright_foundation.model import Model
from benchwright_harness.cvdp_report.counts import DIFFICULTIES, SCORES, counts_of, without_fraction
from benchwright_harness.cvdp_report.texts import composite_lines, heading, plain_lines
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Outcome, Verdict

_Json = dict[str, Any]


class Graded(Model):
    """One answer to one problem."""

    id: str
    category: Category
    difficulty: Difficulty
    verdict: Verdict
    score: float | None = None
    """From 0 to 1 if the category is scored, else `None`."""


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
    if one.category in SCORES:
        test[SCORES[one.category]] = one.score
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
        dataset: Written as `dataset_path`.
        solver: Written as `model_agent`.
        now: The time of the report.
    """
    categories: dict[str, _Json] = {}
    details: dict[str, list[_Json]] = {"failing_tests": [], "passing_tests": []}
    for one in graded:
        category = categories.setdefault(
            one.category.value, {**{level: _no_counts() for level in DIFFICULTIES}, "logs": []}
        )
        passed = one.verdict.outcome is Outcome.PASSED
        share = _share(one)
        counts = counts_of(category, one.difficulty.value)
        for what, added in (("Tests", 1.0 if passed else 0.0), ("Problems", share)):
            counts[f"Passed {what}"] += without_fraction(added)
            counts[f"Failed {what}"] += without_fraction(1 - added)
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
        k: k of pass@k.
        now: The time of the report.
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
    lines = composite_lines(content) if "samples" in content else plain_lines(content)
    return "\n".join([*heading(content), *lines]) + "\n"


def _share(one: Graded) -> float:
    if one.category in SCORES:
        return one.score or 0.0
    return 1.0 if one.verdict.outcome is Outcome.PASSED else 0.0


def _no_counts() -> _Json:
    return {f"{count} {what}{unit}": 0 for what in ("Tests", "Problems") for count, unit in _COLUMNS}


_COLUMNS = (("Passed", ""), ("Failed", ""), ("Total", ""), ("Passed", " (%)"))


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
