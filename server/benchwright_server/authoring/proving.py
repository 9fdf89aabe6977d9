"""The two-sided proof of problems, with the solutions that their author says are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_harness.execution.run import starting_files
from benchwright_harness.grading.check import Checker
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.grading.two_sided import TwoSided
from benchwright_judges.score import check_question
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.storage.pack_folder import wrong_solutions


@dataclass(frozen=True)
class Candidate:
    """A problem to prove."""

    problem: Problem
    wrong: Mapping[str, Mapping[str, bytes]]
    """The solutions that have to fail, by name: path → content."""


def candidates(problems: Sequence[Problem], folder: Path | None) -> list[Candidate]:
    """Problems with their wrong solutions.

    Args:
        problems: Problems with their hidden parts.
        folder: Folder where their author works on the pack; None for an installed pack, which has no wrong solutions.

    Raises:
        DatasetError: A file can't be read.
    """
    return [Candidate(problem, _wrong(folder, problem)) for problem in problems]


def _wrong(folder: Path | None, problem: Problem) -> dict[str, dict[str, bytes]]:
    if folder is None or problem.kind is not Kind.DESIGN:
        return {}
    return {
        name: {path: text.encode() for path, text in files.items()}
        for name, files in wrong_solutions(folder, problem.id).items()
    }


async def prove(
    problems: Sequence[Candidate],
    checker: Checker,
    grader: BatchGrader,
    on_sides: Callable[[Problem, TwoSided], None] = lambda problem, two_sided: None,
) -> list[TwoSided]:
    """Prove problems from both sides: design problems by runs, questions by the judges' rules.

    Args:
        problems: Problems to prove, with their wrong solutions.
        checker: Runs references and unsolved files.
        grader: Runs wrong solutions.
        on_sides: Called when the reference and the unsolved files of a design problem have run.

    Returns:
        The proofs, in the order of the problems.
    """
    proofs: dict[int, TwoSided] = {}
    designs = [index for index, candidate in enumerate(problems) if candidate.problem.kind is Kind.DESIGN]
    for index in set(range(len(problems))) - set(designs):
        reference, starting = check_question(problems[index].problem)
        proofs[index] = TwoSided(reference=reference.verdict, starting=starting.verdict)

    def finish(number: int, two_sided: TwoSided) -> None:
        proofs[designs[number]] = two_sided
        on_sides(problems[designs[number]].problem, two_sided)

    await checker.check([problems[index].problem for index in designs], finish)
    wrong = [
        (index, name, files) for index, candidate in enumerate(problems) for name, files in candidate.wrong.items()
    ]
    solutions = [
        (problems[index].problem, {**starting_files(problems[index].problem), **files}) for index, _, files in wrong
    ]
    for (index, name, _), verdict in zip(wrong, await grader.grade(solutions), strict=True):
        proofs[index] = proofs[index].model_copy(update={"wrong": proofs[index].wrong | {name: verdict}})
    return [proofs[index] for index in range(len(problems))]
