"""Solved questions to show before the one that is asked: of a validation split, never of what is measured."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem, Question
from benchwright_problems.storage.store import Store
from benchwright_subjects.prompts.prompt import Turn, solved_example


def is_of_validation_split(problem: Problem) -> bool:
    """True if the data set's record says that it is there to be shown (CS-Bench's `Split` is `Valid`).

    Args:
        problem: Problem with its hidden part, where what the model does not hold of a record is kept.
    """
    for operation in problem.hidden.record:
        if str(operation.get("path", "")).lower() == "/split":
            return str(operation.get("value", "")).lower().startswith(("val", "dev"))
    return False


@dataclass(frozen=True)
class Examples:
    """The validation split of a pack.

    Args:
        problems: Problems with their hidden parts.
        shots: Number of examples shown before a question.
        has_steps: True if they explain themselves first.
        seed: Decides which.
    """

    problems: Sequence[Problem]
    shots: int
    has_steps: bool
    seed: int

    @classmethod
    def from_pack(cls, store: Store, pack: str, shots: int, *, has_steps: bool, seed: int) -> Examples:
        """Those of a pack; none if no examples are requested.

        Raises:
            EvaluationError: The pack has no validation split.
        """
        if not shots:
            return cls((), 0, has_steps, seed)
        public = [problem for problem in store.public_pack(pack).problems if problem.public.question is not None]
        candidates = [
            problem
            for public_problem in public
            if is_of_validation_split(problem := store.unseal(f"{pack}/{public_problem.id}"))
        ]
        candidates = [problem for problem in candidates if problem.hidden.answer is not None]
        if not candidates:
            raise EvaluationError(
                f"The pack {pack!r} has no validation split to take examples from. Import the data set's validation"
                " file as a pack and name it with --examples, or leave out --shots."
            )
        return cls(candidates, shots, has_steps, seed)

    @property
    def ids(self) -> frozenset[str]:
        """The names of all of them."""
        return frozenset(problem.id for problem in self.problems)

    def example_turns_before(self, problem: Problem) -> tuple[Turn, ...]:
        """Turns to show before a problem: of its language and format, of its domain first.

        Questions that these are the same for get the same ones in the same order.
        """
        question = problem.public.question
        if question is None or not self.shots:
            return ()
        like_problems = [
            candidate
            for candidate in self.problems
            if _has_same_language_and_format(candidate.public.question, question) and candidate.id != problem.id
        ]
        draw = random.Random(f"{self.seed}:{question.language}:{question.format}:{question.domain}")  # noqa: S311
        draw.shuffle(like_problems)
        like_problems.sort(
            key=lambda candidate: (
                candidate.public.question is not None and candidate.public.question.domain != question.domain
            )
        )
        turns = []
        for candidate in like_problems[: self.shots]:
            if candidate.hidden.answer is not None:
                turns.append(solved_example(candidate, candidate.hidden.answer, has_steps=self.has_steps))
        return tuple(turns)


def _has_same_language_and_format(first_question: Question | None, second_question: Question) -> bool:
    return first_question is not None and (first_question.language, first_question.format) == (
        second_question.language,
        second_question.format,
    )
