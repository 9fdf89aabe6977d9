"""Outcomes of attempts: ever and finally passed, undecided by reason, and what equally many tries come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, counted, text_with_interval
from benchwright_analysis.statistics.crossed import crossed_shares
from benchwright_analysis.statistics.pass_at_k import pass_at_k
from benchwright_judges.agreement.estimators import Estimate

_KS = (1, 2, 3, 5, 10)
_PARTS = (
    "attempts",
    "passed_ever",
    "passed_at_end",
    "wrong_after_right",
    "submitted_unsolved",
    "gave_up",
    "timed_out",
    "right_at_the_limit",
    "undecided",
)


def outcomes_section(data: Dataset) -> Section:
    """Outcomes of the attempts of each group."""
    title = "How attempts ended"
    if not data.counted_attempts:
        return Section("outcomes", title, empty_reason="No attempt counts.")
    groups = {
        group: outcome_counts([attempt.observation for attempt in data.counted_attempts_in(group)])
        for group in data.groups
    }
    reasons = Counter(
        attempt.observation.reason or "no verdict"
        for attempt in data.counted_attempts
        if attempt.observation.censored_by == "not_decided"
    )
    tries = _pass_chance_by_tries(data)
    table = SortableTable(
        title,
        ("group", *(part.replace("_", " ") for part in _PARTS)),
        [(group, *(counts[part] for part in _PARTS)) for group, counts in groups.items()],
        "Passed ever: some run or answer passed before the end. Passed at the end: what was submitted, or what was "
        "there when a limit ended the attempt, passes. Wrong after right: passed ever, but not at the end. "
        "Undecided: the machinery failed, not the solver. The page “Outcomes” of the reference has the whole rule.",
    )
    numbers: dict[str, object] = {"groups": groups, "undecided_reasons": dict(reasons), "tries": tries}
    tables = [table, _tries_table(tries)] if tries else [table]
    return Section("outcomes", title, _undecided_sentences(reasons), (), tables, numbers)


def _undecided_sentences(reasons: Mapping[str, int]) -> list[str]:
    if not reasons:
        return []
    reason_counts = ", ".join(f"{reason.replace('_', ' ')} ({amount})" for reason, amount in sorted(reasons.items()))
    return [
        f"{counted(sum(reasons.values()), 'attempt')} are undecided: {reason_counts}. They are in no share of solved "
        "problems. "
        "`benchwright attempts regrade` runs the hidden tests again on what was submitted, and "
        "`benchwright judge pending` has answers judged; nobody is asked again."
    ]


def outcome_counts(observations: Sequence[Observation]) -> dict[str, int]:
    """Counts of attempts; each is in exactly one of passed ever, submitted unsolved, gave up, timed out, undecided."""
    endings = Counter[str](observation.censored_by or "passed" for observation in observations)
    return {
        "attempts": len(observations),
        "passed_ever": endings["passed"],
        "passed_at_end": sum(observation.final == "passed" for observation in observations),
        "wrong_after_right": sum(observation.passed and observation.final == "failed" for observation in observations),
        "submitted_unsolved": endings["handed_in_unsolved"],
        "gave_up": endings["gave_up"],
        "timed_out": endings["timed_out"],
        "right_at_the_limit": sum(
            observation.state == "timed_out" and observation.final == "passed" for observation in observations
        ),
        "undecided": endings["not_decided"],
    }


def _pass_chance_by_tries(data: Dataset) -> dict[str, dict[int, Estimate]]:
    """Group → k → the mean over problems of the chance to pass within k tries."""
    chances: dict[str, dict[int, Estimate]] = {}
    for group in data.groups:
        problems: dict[str, list[Observation]] = {}
        for observation in data.decided_observations:
            if observation.group == group:
                problems.setdefault(observation.problem, []).append(observation)
        if not problems:
            continue
        problem_attempts = list(problems.values())
        model_attempts = [attempts for attempts in problem_attempts if attempts[0].solver == "model"]
        most_tries = (
            min(map(len, model_attempts))
            if model_attempts
            else max(observation.runs for attempts in problem_attempts for observation in attempts)
        )
        chances[group] = {k: _chance_to_pass_within(problem_attempts, k) for k in _KS if k <= max(1, most_tries)}
    return chances


def _chance_to_pass_within(observations_by_problem: Sequence[Sequence[Observation]], tries: int) -> Estimate:
    """The chance to pass within k tries, over problems.

    A try of a person or an agent is a verdict that they get and can use; one of a model is a sample.
    """
    if observations_by_problem[0][0].solver == "model":
        chances = [
            pass_at_k(len(attempts), sum(observation.passed for observation in attempts), tries)
            for attempts in observations_by_problem
        ]
        rows, weights = [attempts[0] for attempts in observations_by_problem], [1.0] * len(observations_by_problem)
    else:
        rows, weights = (
            [observation for attempts in observations_by_problem for observation in attempts],
            [1 / len(attempts) for attempts in observations_by_problem for _ in attempts],
        )
        chances = [
            float(observation.tries_to_pass is not None and observation.tries_to_pass <= tries) for observation in rows
        ]
    (estimate,) = crossed_shares(np.array(chances)[:, None], Dataset.crossed_cells(rows), weights)
    return estimate.estimate


def _tries_table(chances_by_group: Mapping[str, Mapping[int, Estimate]]) -> SortableTable:
    ks = sorted({k for estimates in chances_by_group.values() for k in estimates})
    rows: list[Sequence[Cell]] = [
        (group, *(text_with_interval(estimates[k], as_share=True) if k in estimates else "–" for k in ks))
        for group, estimates in chances_by_group.items()
    ]
    return SortableTable(
        "Solved with equally many tries",
        ("group", *(f"{k} {'try' if k == 1 else 'tries'}" for k in ks)),
        rows,
        "Mean over problems, each with the same weight; intervals hold for other people at other problems. A try of a "
        "person or an agent is a verdict on a run or an answer; one of a model is a sample, and k of them are pass@k, "
        "unbiased. Compare groups within a column. A dash: nobody had as many tries.",
    )
