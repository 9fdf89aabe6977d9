"""Figures of CVDP's reporter for several answers per problem."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_harness.cvdp_report.counts import SCORES, counts_of, without_fraction
from benchwright_problems.category import Category


def pass_at_k(reports: Sequence[Mapping[str, Any]], k: int) -> dict[str, Any]:
    """Pass@k of each problem and category.

    1 - (1 - c/n)^k for a problem that passed c of n times, and the mean score where the category is scored.
    """
    n = len(reports)
    results: dict[str, list[float]] = {}
    places: dict[str, tuple[str, str]] = {}
    for index, content in enumerate(reports):
        for group, name, share in _shares(content):
            places[name] = group
            results.setdefault(name, [0.0] * n)[index] = share
    problems: dict[str, dict[str, Any]] = {}
    levels: dict[tuple[str, str], list[float]] = {}
    for name, shares in results.items():
        category, level = places[name]
        scored = Category(category) in SCORES
        count = without_fraction(sum(shares))
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
    categories: dict[str, dict[str, dict[str, Any]]] = {}
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
    all_probabilities = [probability for probabilities in levels.values() for probability in probabilities]
    metrics = {
        "total_problems": len(all_probabilities),
        "n_samples": n,
        "k_threshold": k,
        "avg_success_probability": statistics.mean(all_probabilities) if all_probabilities else 0.0,
    }
    return {"categories": categories, "problems": problems, "metrics": metrics}


def _shares(content: Mapping[str, Any]) -> list[tuple[tuple[str, str], str, float]]:
    """(category and difficulty, problem, what counts as passed of it) of a report.

    Of a scored category a report holds no more than the mean of each difficulty.
    """
    details = content["test_details"]
    shares = []
    for passed, tests in ((1.0, details["passing_tests"]), (0.0, details["failing_tests"])):
        for test in tests:
            category, level = test["category"], test["difficulty"]
            counts = counts_of(content[category], level)
            scored = Category(category) in SCORES
            share = counts["Passed Problems"] / counts["Total Problems"] if scored else passed
            shares.append(((category, level), test["test_id"], share))
    return shares
