"""Figures of CVDP's reporter for several answers per problem."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_harness.cvdp_report.counts import SCORES, difficulty_counts, int_if_whole
from benchwright_problems.category import Category


def pass_at_k_statistics(sample_reports: Sequence[Mapping[str, Any]], k: int) -> dict[str, Any]:
    """Pass@k of each problem and category.

    1 - (1 - c/n)^k for a problem that passed c of n times, and the mean score where the category is scored.
    """
    n = len(sample_reports)
    shares_by_problem: dict[str, list[float]] = {}
    group_by_problem: dict[str, tuple[str, str]] = {}
    for index, content in enumerate(sample_reports):
        for category_and_level, name, share in _passed_shares_of_problems(content):
            group_by_problem[name] = category_and_level
            shares_by_problem.setdefault(name, [0.0] * n)[index] = share
    problem_statistics: dict[str, dict[str, Any]] = {}
    probabilities_by_level: dict[tuple[str, str], list[float]] = {}
    for name, shares in shares_by_problem.items():
        category, level = group_by_problem[name]
        scored = Category(category) in SCORES
        count = int_if_whole(sum(shares))
        probability = count / n if scored else 1 - (1 - count / n) ** k
        probabilities_by_level.setdefault((category, level), []).append(probability)
        problem_statistics[name] = {
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
            problem_statistics[name] |= {"scores_in_samples": shares, "avg_score": count / n}
    categories: dict[str, dict[str, dict[str, Any]]] = {}
    for (category, level), probabilities in sorted(probabilities_by_level.items()):
        total, passed_sum = len(probabilities), sum(probabilities)
        percent = passed_sum / total * 100
        categories.setdefault(category, {})[level] = {
            "Passed Problems": round(passed_sum, 2),
            "Failed Problems": round(total - passed_sum, 2),
            "Total Problems": total,
            "Passed Problems (%)": percent,
            "Pass@k Probability (%)": percent,
        }
    all_probabilities = [
        probability for probabilities in probabilities_by_level.values() for probability in probabilities
    ]
    metrics = {
        "total_problems": len(all_probabilities),
        "n_samples": n,
        "k_threshold": k,
        "avg_success_probability": statistics.mean(all_probabilities) if all_probabilities else 0.0,
    }
    return {"categories": categories, "problems": problem_statistics, "metrics": metrics}


def _passed_shares_of_problems(report_content: Mapping[str, Any]) -> list[tuple[tuple[str, str], str, float]]:
    """(category and difficulty, problem, what counts as passed of it) of a report.

    Of a scored category a report holds no more than the mean of each difficulty.
    """
    details = report_content["test_details"]
    shares = []
    for passed_share, tests in ((1.0, details["passing_tests"]), (0.0, details["failing_tests"])):
        for test in tests:
            category, level = test["category"], test["difficulty"]
            counts = difficulty_counts(report_content[category], level)
            scored = Category(category) in SCORES
            share = counts["Passed Problems"] / counts["Total Problems"] if scored else passed_share
            shares.append(((category, level), test["test_id"], share))
    return shares
