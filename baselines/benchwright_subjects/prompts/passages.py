"""Passages that a retriever of the user's found for each question, shown before it (CS-Bench's table 25)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.model import Model
from benchwright_problems.problem import Problem
from benchwright_subjects.prompts.prompt import ModelPrompt

_LEAD = "Passages that were looked up for the following question; they may help, or not:"


class _Line(Model):
    id: str
    passages: tuple[str, ...]


@dataclass(frozen=True)
class Passages:
    """Passages by problem."""

    by_problem: Mapping[str, Sequence[str]]

    @classmethod
    def read_for(cls, file: Path, problems: Sequence[Problem]) -> Self:
        """The passages of a file of JSON Lines with `id` and `passages`.

        Raises:
            EvaluationError: The file can't be read, a line is wrong, or a problem has no line.
        """
        try:
            content = file.read_bytes()
        except OSError as error:
            raise EvaluationError(f"{file} can't be read: {error.strerror}.") from error
        by_problem: dict[str, Sequence[str]] = {}
        for number, text in enumerate(content.splitlines(), start=1):
            if not text.strip():
                continue
            try:
                problem_passages = _Line.model_validate_json(text)
            except ValidationError as error:
                detail = error.errors()[0]
                field = ".".join(str(part) for part in detail["loc"]) or "the line"
                raise EvaluationError(
                    f'{file}: line {number}: {field}: {detail["msg"]}; it takes {{"id": …, "passages": […]}}.'
                ) from None
            by_problem[problem_passages.id] = problem_passages.passages
        if missing := next((problem.id for problem in problems if problem.id not in by_problem), None):
            raise EvaluationError(f"{file} has no line for {missing}: give it one with no passages if none was found.")
        return cls(by_problem)

    def with_passages_before(self, make_prompt: Callable[[Problem], ModelPrompt]) -> Callable[[Problem], ModelPrompt]:
        """The same requests with the passages before each question."""

        def make_prompt_with_passages(problem: Problem) -> ModelPrompt:
            prompt, passages = make_prompt(problem), self.by_problem[problem.id]
            if not passages:
                return prompt
            listing = "\n\n".join(f"[{number}] {passage.strip()}" for number, passage in enumerate(passages, start=1))
            return replace(prompt, user=(f"{_LEAD}\n\n{listing}\n\n", *prompt.user))

        return make_prompt_with_passages
