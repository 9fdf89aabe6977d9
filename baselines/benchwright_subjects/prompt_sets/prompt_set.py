"""A named way to ask: what is written around a problem, and what of a reply is the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem
from benchwright_subjects.prompts.prompt import ModelPrompt

if TYPE_CHECKING:
    # Inspect takes seconds to import.
    from inspect_ai.model import ResponseSchema


def whole_reply(problem: Problem, reply: str) -> str:
    """The reply as it is."""
    return reply


@dataclass(frozen=True)
class PromptSet:
    """The way a benchmark asks. Its digest is in `benchwright_subjects.prompt_sets.forms.digest_of_prompt_forms`."""

    name: str
    """As `--prompts` takes it."""
    source: str
    """Source of its structure: repository, commit, file. Empty for our own."""
    covers: str
    """Problems that it has a form for, in words."""
    make_prompt: Callable[[Problem], ModelPrompt | None]
    """The request about a problem; None if it has no form for it."""
    extract_answer: Callable[[Problem, str], str] = whole_reply
    """Function that takes the answer out of a reply to a question or text problem."""
    reply_schema: Callable[[Problem], ResponseSchema] | None = None
    """Function that gives the schema of a reply, which endpoints with structured output enforce."""
    asks_confidence: bool = False
    """True if the last line of a reply says how sure the model is."""

    def prompt_for(self, problem: Problem) -> ModelPrompt:
        """The request about a problem.

        Raises:
            EvaluationError: The set has no form for such a problem.
        """
        prompt = self.make_prompt(problem)
        if prompt is None:
            raise EvaluationError(
                f"{problem.id}: the prompts {self.name!r} are for {self.covers}. Choose other --prompts, or name the"
                " problems with --problem."
            )
        return prompt
