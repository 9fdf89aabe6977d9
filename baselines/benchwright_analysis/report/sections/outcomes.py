"""How attempts ended: ever and finally passed, undecided by reason, and what equally many tries come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, Table, count, with_interval
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


def outcomes(data: Dataset) -> Section:
    """How the attempts of each group ended."""
    title = "How attempts ended"
    if not data.analysed:
        return Section("outcomes", title, without="No attempt counts.")
    groups = {group: ended([one.observation for one in data.of(group)]) for group in data.groups}
    reasons = Counter(
        one.observation.reason or "no verdict" for one in data.analysed if one.observation.censored_by == "not_decided"
    )
    tries = _tries(data)
    table = Table(
        title,
        ("group", *(part.replace("_", " ") for part in _PARTS)),
        [(group, *(found[part] for part in _PARTS)) for group, found in groups.items()],
        "Passed ever: some run or answer passed before the end. Passed at the end: what was submitted, or what was "
        "there when a limit ended the attempt, passes. Wrong after right: passed ever, but not at the end. "
        "Undecided: the machinery failed, not the solver. The page “Outcomes” of the reference has the whole rule.",
    )
    numbers: dict[str, object] = {"groups": groups, "undecided_reasons": dict(reasons), "tries": tries}
    tables = [table, _tries_table(tries)] if tries else [table]
    return Section("outcomes", title, _lead(reasons), (), tables, numbers)


def _lead(reasons: Mapping[str, int]) -> list[str]:
    if not reasons:
        return []
    named = ", ".join(f"{reason.replace('_', ' ')} ({amount})" for reason, amount in sorted(reasons.items()))
    return [
        f"{count(sum(reasons.values()), 'attempt')} are undecided: {named}. They are in no share of solved problems. "
        "`benchwright attempts regrade` runs the hidden tests again on what was submitted, and "
        "`benchwright judge pending` has answers judged; nobody is asked again."
    ]


def ended(rows: Sequence[Observation]) -> dict[str, int]:
    """Counts of attempts; each is in exactly one of passed ever, submitted unsolved, gave up, timed out, undecided."""
    by = Counter[str](one.censored_by or "passed" for one in rows)
    return {
        "attempts": len(rows),
        "passed_ever": by["passed"],
        "passed_at_end": sum(one.final == "passed" for one in rows),
        "wrong_after_right": sum(one.passed and one.final == "failed" for one in rows),
        "submitted_unsolved": by["handed_in_unsolved"],
        "gave_up": by["gave_up"],
        "timed_out": by["timed_out"],
        "right_at_the_limit": sum(one.state == "timed_out" and one.final == "passed" for one in rows),
        "undecided": by["not_decided"],
    }


def _tries(data: Dataset) -> dict[str, dict[int, Estimate]]:
    """Group → k → the mean over problems of the chance to pass within k tries."""
    found: dict[str, dict[int, Estimate]] = {}
    for group in data.groups:
        problems: dict[str, list[Observation]] = {}
        for one in data.decided:
            if one.group == group:
                problems.setdefault(one.problem, []).append(one)
        if not problems:
            continue
        rows = list(problems.values())
        samples = [each for each in rows if each[0].solver == "model"]
        most = min(map(len, samples)) if samples else max(one.runs for each in rows for one in each)
        found[group] = {k: _passed_within(rows, k) for k in _KS if k <= max(1, most)}
    return found


def _passed_within(problems: Sequence[Sequence[Observation]], k: int) -> Estimate:
    """The chance to pass within k tries, over problems.

    A try of a person or an agent is a verdict that they get and can use; one of a model is a sample.
    """
    if problems[0][0].solver == "model":
        chances = [pass_at_k(len(each), sum(one.passed for one in each), k) for each in problems]
        rows, weights = [each[0] for each in problems], [1.0] * len(problems)
    else:
        rows, weights = [one for each in problems for one in each], [1 / len(each) for each in problems for _ in each]
        chances = [float(one.tries_to_pass is not None and one.tries_to_pass <= k) for one in rows]
    (found,) = crossed_shares(np.array(chances)[:, None], Dataset.cells(rows), weights)
    return found.estimate


def _tries_table(tries: Mapping[str, Mapping[int, Estimate]]) -> Table:
    ks = sorted({k for found in tries.values() for k in found})
    rows: list[Sequence[Cell]] = [
        (group, *(with_interval(found[k], share=True) if k in found else "–" for k in ks))
        for group, found in tries.items()
    ]
    return Table(
        "Solved with equally many tries",
        ("group", *(f"{k} {'try' if k == 1 else 'tries'}" for k in ks)),
        rows,
        "Mean over problems, each with the same weight; intervals hold for other people at other problems. A try of a "
        "person or an agent is a verdict on a run or an answer; one of a model is a sample, and k of them are pass@k, "
        "unbiased. Compare groups within a column. A dash: nobody had as many tries.",
    )
