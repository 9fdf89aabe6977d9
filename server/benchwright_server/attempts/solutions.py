"""What a person has achieved at a design problem, beside the reference as far as the reveal policy shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.summary.summary import Summary
from benchwright_foundation.home import Home
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Hidden, Problem, ProblemKind
from benchwright_problems.reveal import reveal_explanation, reveal_reference
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import ComparedQuality, Outcome


@dataclass(frozen=True, slots=True)
class PassedAttempt:
    """An attempt that ended with a pass."""

    header: AttemptHeader
    quality: ComparedQuality | None
    """None if it was not measured."""


def solutions_best_first(
    home: Home, problem: Problem, own_attempts: Sequence[tuple[AttemptHeader, Summary]]
) -> list[PassedAttempt]:
    """A person's solutions of a design problem as it is now: fewest gates first, then the shortest path.

    Args:
        home: Home with the verdicts.
        problem: The problem.
        own_attempts: The person's attempts, the newest first.
    """
    solutions = []
    for header, summary in own_attempts:
        verdict = summary.verdict
        if verdict is None or verdict.outcome is not Outcome.PASSED or not summary.state.ended:
            continue
        if header.problem_digest != problem.public_digest:
            continue
        full_verdict = RunRecords(home, header.id).find_verdict(verdict.number)
        solutions.append(PassedAttempt(header, full_verdict.quality if full_verdict is not None else None))
    return sorted(solutions, key=_gates_and_depth) if problem.kind is ProblemKind.DESIGN else []


def _gates_and_depth(passed_attempt: PassedAttempt) -> tuple[float, float]:
    if passed_attempt.quality is None:
        return float("inf"), float("inf")
    return passed_attempt.quality.solution.gates, passed_attempt.quality.solution.depth


@dataclass(frozen=True, slots=True)
class ShownSolution:
    """What is shown of a problem's solution."""

    reference: Mapping[str, str] | None = None
    """The files of the reference; None if it is hidden."""
    explanation: str = ""
    """Empty if there is none, or it is hidden."""


def author_solution_to_show(
    store: Store,
    problem_ref: str,
    problem: Problem,
    own_solutions: Sequence[PassedAttempt],
    own_attempts: Sequence[tuple[AttemptHeader, Summary]],
) -> ShownSolution:
    """The author's solution and explanation, for who has solved a problem and works on it no more.

    Args:
        store: Has the hidden part, unless a service has it.
        problem_ref: `pack/id`.
        problem: The problem.
        own_solutions: The person's.
        own_attempts: The person's attempts.
    """

    def read_hidden_part() -> Hidden:
        return store.unseal(problem_ref).hidden

    def read_reference() -> dict[str, str]:
        reference = read_hidden_part().reference
        return {path: reference[path] for path in problem.public.expected if path in reference}

    assignment = store.assignment_if_any(problem_ref.partition("/")[0])
    policy = problem.reveal.limited_to(assignment.reveal if assignment is not None else None)
    is_solved = bool(own_solutions) and all(summary.state.ended for _, summary in own_attempts)
    # What is on a service stays there.
    with contextlib.suppress(ProblemsError):
        return ShownSolution(
            reveal_reference(policy, read_reference, is_solved=is_solved),
            reveal_explanation(lambda: read_hidden_part().explanation, is_work_over=is_solved),
        )
    return ShownSolution()
