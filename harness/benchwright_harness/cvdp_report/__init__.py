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
from benchwright_harness.cvdp_report.counts import DIFFICULTIES, SCORES, difficulty_counts, int_if_whole
from benchwright_harness.cvdp_report.texts import composite_lines, heading, single_sample_lines
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Outcome, Verdict

_Json = dict[str, Any]


class GradedAnswer(Model):
    """One answer to one problem."""

    id: str
    category: Category
    difficulty: Difficulty
    verdict: Verdict
    score: float | None = None
    """From 0 to 1 if the category is scored, else `None`."""


def raw_result_content(graded_answers: Sequence[GradedAnswer]) -> dict[str, JsonValue]:
    """The content of `raw_result.json`: problem → its tests."""
    return {answer.id: _raw_result_of_problem(answer) for answer in graded_answers}


def _raw_result_of_problem(answer: GradedAnswer) -> _Json:
    is_passed = answer.verdict.outcome is Outcome.PASSED
    test: _Json = {
        "result": 0 if is_passed else 1,
        "log": None,
        "error_msg": None if answer.verdict.outcome is not Outcome.ERROR else answer.verdict.detail,
        "execution": answer.verdict.wall_s,
    }
    if answer.category in SCORES:
        test[SCORES[answer.category]] = answer.score
    return {
        "category": answer.category.value,
        "difficulty": answer.difficulty.value,
        "tests": [test],
        "errors": test["result"],
    }


def report_content(
    graded_answers: Sequence[GradedAnswer], dataset_path: str, solver_name: str, report_time: datetime
) -> dict[str, JsonValue]:
    """The content of `report.json`: counts per category and difficulty, and every test.

    Args:
        graded_answers: One answer per problem.
        dataset_path: Written as `dataset_path`.
        solver_name: Written as `model_agent`.
        report_time: The time of the report.
    """
    categories: dict[str, _Json] = {}
    details: dict[str, list[_Json]] = {"failing_tests": [], "passing_tests": []}
    for answer in graded_answers:
        category = categories.setdefault(
            answer.category.value, {**{level: _zero_counts() for level in DIFFICULTIES}, "logs": []}
        )
        is_passed = answer.verdict.outcome is Outcome.PASSED
        share = _score_or_passed_share(answer)
        counts = difficulty_counts(category, answer.difficulty.value)
        for unit, passed_share in (("Tests", 1.0 if is_passed else 0.0), ("Problems", share)):
            counts[f"Passed {unit}"] += int_if_whole(passed_share)
            counts[f"Failed {unit}"] += int_if_whole(1 - passed_share)
            counts[f"Total {unit}"] += 1
            counts[f"Passed {unit} (%)"] = counts[f"Passed {unit}"] / counts[f"Total {unit}"] * 100
        category["logs"].append({"id": answer.id, "log": None})
        test: _Json = {
            "test_id": answer.id,
            "category": answer.category.value,
            "difficulty": answer.difficulty.value,
            "test_index": 0,
        }
        if is_passed:
            details["passing_tests"].append({**test, "log": None})
        else:
            error = answer.verdict.detail if answer.verdict.outcome is Outcome.ERROR else None
            details["failing_tests"].append({**test, "error_msg": error, "agent_error": None, "log": None})
    content: _Json = {
        **categories,
        "metadata": _metadata(dataset_path, solver_name, report_time),
        "test_details": details,
    }
    return content


def composite_report_content(
    reports: Sequence[Mapping[str, JsonValue]], sample_folders: Sequence[str], k: int, report_time: datetime
) -> dict[str, JsonValue]:
    """The content of `composite_report.json`: several answers per problem.

    Args:
        reports: One per sample.
        sample_folders: Folders of the samples.
        k: k of pass@k.
        report_time: The time of the report.
    """
    first: Any = reports[0]["metadata"]
    content: _Json = {
        "metadata": {
            **first,
            "timestamp": _time_text(report_time),
            "n_samples": len(reports),
            "k_threshold": k,
            "sample_prefixes": list(sample_folders),
            "composite": True,
        },
        "samples": [{**sample_report, "sample_index": index} for index, sample_report in enumerate(reports)],
    }
    return content


def report_text(content: Mapping[str, JsonValue]) -> str:
    """`report.txt` of a report, or `composite_report.txt` of a composite one."""
    lines = composite_lines(content) if "samples" in content else single_sample_lines(content)
    return "\n".join([*heading(content), *lines]) + "\n"


def _score_or_passed_share(answer: GradedAnswer) -> float:
    if answer.category in SCORES:
        return answer.score or 0.0
    return 1.0 if answer.verdict.outcome is Outcome.PASSED else 0.0


def _zero_counts() -> _Json:
    return {f"{count} {noun}{unit}": 0 for noun in ("Tests", "Problems") for count, unit in _COLUMNS}


_COLUMNS = (("Passed", ""), ("Failed", ""), ("Total", ""), ("Passed", " (%)"))


def _metadata(dataset_path: str, solver_name: str, report_time: datetime) -> _Json:
    return {
        "dataset_path": dataset_path,
        "timestamp": _time_text(report_time),
        "golden_mode": False,
        "disable_patch": False,
        "model_agent": solver_name,
        **dict.fromkeys(
            (
                *("force_agentic", "force_agentic_include_golden", "force_agentic_include_harness"),
                *("force_copilot", "copilot_refine"),
            )
        ),
    }


def _time_text(report_time: datetime) -> str:
    return report_time.strftime("%Y-%m-%d %H:%M:%S")
