"""The answer in a reply, for replies that a run asks for and for those that a file brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright_attempts.events.evidence import ReplyRead
from benchwright_attempts.events.reply import read_reply
from benchwright_attempts.grading.grading import ANSWER
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.verdict import Verdict
from benchwright_subjects.prompt_sets.confidence import confidence_and_rest_of_reply
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import answer_after_steps


@dataclass(frozen=True)
class ReplyReading:
    """Result of reading a reply."""

    files: Mapping[str, bytes]
    """Those that it stands for, by path; `answer.md` for questions."""
    flaw: Verdict | None = None
    """Reason why a design problem gets no files."""
    read_event: ReplyRead | None = None
    """The parts of the reply that the files of a design problem are."""
    confidence: float | None = None
    """Probability, as the model says it, that its answer is right, from 0 to 1."""


def read_answer(problem: Problem, reply: str, prompts: PromptSet | None, *, has_steps: bool) -> ReplyReading:
    """Read a reply.

    Args:
        problem: Its hidden part is not used.
        reply: The whole of it.
        prompts: Prompts it was asked with; None if they are unknown.
        has_steps: True if steps were asked for before the answer.
    """
    confidence = None
    if prompts is not None and prompts.asks_confidence:
        confidence, reply = confidence_and_rest_of_reply(reply)
    if problem.kind is ProblemKind.DESIGN:
        design_reply = read_reply(problem, reply)
        files = {path: text.encode("utf-8", "replace") for path, text in design_reply.files.items()}
        return ReplyReading(files, design_reply.flaw, design_reply.read_event, confidence)
    if has_steps and problem.public.question is not None:
        reply = answer_after_steps(problem, reply)
    elif prompts is not None:
        reply = prompts.extract_answer(problem, reply)
    return ReplyReading({ANSWER: reply.encode("utf-8", "replace")}, confidence=confidence)
