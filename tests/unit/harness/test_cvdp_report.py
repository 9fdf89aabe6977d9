"""CVDP's report formats: the numbers are worked out by hand."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest

from benchwright_harness.cvdp_report import (
    GradedAnswer,
    composite_report_content,
    raw_result_content,
    report_content,
    report_text,
)
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Reason, Verdict

NOW = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - as CVDP writes it


def graded_answer(
    name: str, category: str, difficulty: str, reason: Reason, score: float | None = None
) -> GradedAnswer:
    return GradedAnswer(
        id=name,
        category=Category(category),
        difficulty=Difficulty(difficulty),
        verdict=Verdict(reason=reason, detail=f"about {name}", wall_s=0.5),
        score=score,
    )


ONE = [
    graded_answer("a", "cid003", "easy", Reason.PASSED),
    graded_answer("b", "cid003", "easy", Reason.TESTS_FAILED),
    graded_answer("c", "cid016", "hard", Reason.TOOL_MISSING),
    graded_answer("d", "cid009", "medium", Reason.WRONG_ANSWER, 0.25),
]
OTHER = [
    graded_answer("a", "cid003", "easy", Reason.PASSED),
    graded_answer("b", "cid003", "easy", Reason.PASSED),
    graded_answer("c", "cid016", "hard", Reason.TESTS_FAILED),
    graded_answer("d", "cid009", "medium", Reason.PASSED, 0.75),
]


@pytest.fixture
def one() -> dict[str, Any]:
    return report_content(ONE, "pack", "somebody", NOW)


def test_raw_results_hold_each_problems_tests() -> None:
    raw: dict[str, Any] = raw_result_content(ONE)
    assert list(raw) == ["a", "b", "c", "d"]
    raw_test = {"result": 0, "log": None, "error_msg": None, "execution": 0.5}
    assert raw["a"] == {"category": "cid003", "difficulty": "easy", "tests": [raw_test], "errors": 0}
    assert raw["b"]["errors"] == raw["b"]["tests"][0]["result"] == 1
    assert raw["c"]["tests"][0]["error_msg"] == "about c"
    assert raw["d"]["tests"][0]["llm_score"] == 0.25


def test_a_report_counts_by_category_and_difficulty(one: dict[str, Any]) -> None:
    assert set(one) == {"cid003", "cid009", "cid016", "metadata", "test_details"}
    assert one["cid003"]["easy"] == {
        "Passed Tests": 1,
        "Failed Tests": 1,
        "Total Tests": 2,
        "Passed Tests (%)": 50.0,
        "Passed Problems": 1,
        "Failed Problems": 1,
        "Total Problems": 2,
        "Passed Problems (%)": 50.0,
    }
    assert one["cid003"]["hard"]["Total Tests"] == 0
    assert one["cid003"]["logs"] == [{"id": "a", "log": None}, {"id": "b", "log": None}]
    assert one["metadata"]["timestamp"] == "2026-01-02 03:04:05"
    assert (one["metadata"]["dataset_path"], one["metadata"]["model_agent"]) == ("pack", "somebody")


def test_a_scored_category_counts_shares(one: dict[str, Any]) -> None:
    counts = one["cid009"]["medium"]
    assert (counts["Passed Problems"], counts["Failed Problems"], counts["Total Problems"]) == (0.25, 0.75, 1)
    assert (counts["Passed Tests"], counts["Failed Tests"]) == (0, 1)


def test_a_report_lists_what_failed_and_what_passed(one: dict[str, Any]) -> None:
    details = one["test_details"]
    assert [test["test_id"] for test in details["passing_tests"]] == ["a"]
    failing = {test["test_id"]: test["error_msg"] for test in details["failing_tests"]}
    assert failing == {"b": None, "c": "about c", "d": None}


def test_the_text_tells_the_same_numbers(one: dict[str, Any]) -> None:
    lines = [" ".join(line.split()) for line in report_text(one).splitlines()]
    assert "=== Overall Problem Statistics ===" in lines
    assert "| Problem Pass Rate | 31.25% |" in lines
    assert "| cid003 | 2 | 1 | 1 | 50.00% |" in lines
    assert "| cid009* | - | 0.25/1 | - | - | 25.00% | - |" in lines
    assert "| 1 | b | cid003 (easy) | 1 | |" in lines


def test_a_table_is_drawn_whole(one: dict[str, Any]) -> None:
    tables = re.findall(r"(?:^[+|].*\n)+", report_text(one), re.MULTILINE)
    assert len(tables) == 9
    for table in tables:
        lines = table.splitlines()
        assert len({len(line) for line in lines}) == 1
        assert {line.strip("+-=") for line in lines[::2]} == {""}


def test_samples_become_pass_at_k(one: dict[str, Any]) -> None:
    composite_report: dict[str, Any] = composite_report_content(
        [one, report_content(OTHER, "pack", "somebody", NOW)], ["s1", "s2"], 1, NOW
    )
    assert composite_report["metadata"]["composite"] is True
    assert (composite_report["metadata"]["n_samples"], composite_report["metadata"]["sample_prefixes"]) == (
        2,
        ["s1", "s2"],
    )
    assert [sample["sample_index"] for sample in composite_report["samples"]] == [0, 1]
    lines = [" ".join(line.split()) for line in report_text(composite_report).splitlines()]
    # a 2 of 2, b 1 of 2, c 0 of 2, d (0.25 + 0.75) / 2.
    assert "Overall Pass@1, n=2 probability: 50.00%" in lines
    assert "| cid003 | 2 | 1.5 | 0.5 | 75.00% | 35.36% |" in lines


def test_pass_at_2_of_two_samples_is_one_minus_the_chance_of_two_failures() -> None:
    sets = [[graded_answer("a", "cid003", "easy", reason)] for reason in (Reason.PASSED, Reason.TESTS_FAILED)]
    composite_report = composite_report_content(
        [report_content(samples, "p", "s", NOW) for samples in sets], ["1", "2"], 2, NOW
    )
    assert "Overall Pass@2, n=2 probability: 75.00%" in report_text(composite_report)


def test_everything_is_json(one: dict[str, Any]) -> None:
    composite_report = composite_report_content([one], ["s1"], 1, NOW)
    assert json.loads(json.dumps(composite_report)) == composite_report
    assert json.loads(json.dumps(raw_result_content(ONE))) == raw_result_content(ONE)
