"""Inspect's scorer: our harnesses and judges. It shows what a solver may see, and nothing of the hidden part."""

from __future__ import annotations

import re

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sample_limits
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.grading import ANSWER, Graded
from benchwright_judges.text_length import ENCODING
from benchwright_problems.problem import Kind
from benchwright_problems.responses import files_in
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_subjects import usage
from benchwright_subjects.evaluation_services import sealed
from benchwright_subjects.prompt import final_answer
from benchwright_subjects.sample_attempt import SampleAttempt
from benchwright_subjects.task_run import TaskRun

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_UNREAD = frozenset({Reason.EMPTY, Reason.DECLINED, Reason.UNREADABLE, Reason.NO_ANSWER})
"""Nothing could be judged in the reply."""


def verdict(task: TaskRun, think: bool) -> Scorer:
    """Judge what a sample has come to, and end its attempt.

    A verdict that decides nothing is no score: the sample ends with an error, and trying it again continues its
    attempt. An answer that waits for a judge is not scored here.

    Args:
        task: The run of the task.
        think: Whether replies think before they answer.
    """

    @scorer(metrics=[accuracy(), stderr()], name="verdict")
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample = task.sample(state)
            if sample.earlier is not None:
                return _known(sample)
            limit, at = _limit(sample)
            if not task.agent:
                await _take(sample, state.output.completion, think)
            tokens = await _count(task, sample, state)
            graded = await _graded(task, sample, limit, at)
            found = graded.verdict
            if found.reason.is_worth_a_retry:
                raise EvaluationError(f"Nothing could be decided: {' '.join(filter(None, (found.detail, found.hint)))}")
            return _score(sample, found, graded.score, tokens)

        return score

    return made()


async def _graded(task: TaskRun, sample: SampleAttempt, limit: str, at: float | None) -> Graded:
    """Grades the present files and ends the attempt, unless nothing could be decided."""
    attempt, ref = sample.attempt, sample.header.problem
    if limit:
        graded = await sealed(ref, attempt.time_out(limit, at, accepts_undecided=False))
    elif sample.submitted or not task.agent:
        graded = await sealed(ref, attempt.submit(accepts_undecided=False))
    else:
        graded = await sealed(ref, attempt.settle(retries_undecided=True))
        if graded is not None and not graded.verdict.reason.is_worth_a_retry:
            await attempt.abandon("it stopped without submitting")
    if graded is None:
        raise EvaluationError(f"{ref} has no verdict. Run the sample again.")
    return graded


async def _take(sample: SampleAttempt, reply: str, think: bool) -> None:
    """Save a reply as the files that it stands for; one that can't be read leaves them as they are."""
    problem = sample.problem
    if problem.kind is not Kind.DESIGN:
        is_thought = think and problem.public.question is not None
        await sample.write(ANSWER, (final_answer(problem, reply) if is_thought else reply).encode("utf-8", "replace"))
        return
    for text in (reply, *(found[1] for found in _FENCED.finditer(reply))):
        try:
            found = files_in(problem, text) if text.strip() else {}
        except ValueError:
            continue
        for path, content in found.items():
            if path in problem.public.expected:
                await sample.write(path, content.encode("utf-8", "replace"))
        return


async def _count(task: TaskRun, sample: SampleAttempt, state: TaskState) -> dict[str, JsonValue]:
    """Record what is not recorded yet of what models used; the sample's length in tokens of one tokenizer."""
    given = {message.id for message in state.input} if isinstance(state.input, list) else set()
    replies = [one for one in state.messages if one.role == "assistant" and one.id not in given]
    sent = "\n".join(one.text for one in state.messages if one not in replies)
    received = "\n".join(one.text for one in replies)
    counted = usage.of_sample()
    parameters = get_model().config.model_dump(mode="json", exclude_none=True)
    for model, total in counted.items():
        more = usage.rest(model, total, sample.recorded_usage.get(model), calls=len(replies))
        if more is not None:
            wall_s = None if sample.recorded_usage else state.output.time
            await sample.record_usage(more.model_copy(update={"wall_s": wall_s, "parameters": parameters}))
    tokens = task.services.tokens
    if not counted and not sample.recorded_usage:
        guess = usage.by_tokenizer(sample.header.solver, sent, received, tokens)
        if guess is not None:
            await sample.record_usage(guess)
    return {"encoding": ENCODING, "prompt": tokens.count(sent), "reply": tokens.count(received)}


def _limit(sample: SampleAttempt) -> tuple[str, float | None]:
    """The limit that ended the sample, with its value; empty where none did."""
    if sample.out_of_time_s is not None:
        return "time_limit", sample.out_of_time_s
    limits = sample_limits()
    for name in ("token", "time", "working", "cost", "message", "turn"):
        one = getattr(limits, name)
        if one.limit is not None and one.usage >= one.limit:
            return f"{name}_limit", float(one.limit)
    return "", None


def _score(sample: SampleAttempt, found: Verdict, share: float | None, tokens: dict[str, JsonValue]) -> Score:
    facts = {
        "attempt": sample.header.id,
        "outcome": found.outcome.value,
        "reason": found.reason.value,
        "tests": {"passed": found.passed_tests, "total": len(found.tests)} if found.tests else None,
        "wall_s": found.wall_s,
        "digests": found.digests.model_dump(),
        "tools": found.tools,
        "remarks": list(found.remarks),
        "tokens": tokens,
    }
    answer = _shown(sample)
    if found.reason.waits_for_judge:
        return Score.unscored(reason="grader_failed", answer=answer, explanation=found.detail, metadata=facts)
    value = share if share is not None else float(found.outcome is Outcome.PASSED)
    reason = "invalid_response_format" if found.reason in _UNREAD else None
    return Score(value=value, answer=answer, explanation=found.detail, reason=reason, metadata=facts)


def _known(sample: SampleAttempt) -> Score:
    """The score of an attempt that had ended before its sample was tried again."""
    earlier = sample.earlier
    if earlier is None:
        raise EvaluationError("The attempt has ended without a verdict.")
    facts = {
        "attempt": sample.header.id,
        "outcome": earlier.outcome.value,
        "reason": earlier.reason,
        "tests": {"passed": earlier.passed, "total": earlier.total} if earlier.total else None,
        "wall_s": earlier.wall_s,
        "digests": dict(earlier.digests),
        "remarks": ["This attempt had ended before; it was not asked again."],
    }
    if Reason(earlier.reason).waits_for_judge:
        return Score.unscored(reason="grader_failed", explanation=earlier.message, metadata=facts)
    value = float(earlier.outcome.value == Outcome.PASSED.value)
    return Score(value=value, explanation=earlier.message, metadata=facts)


def _shown(sample: SampleAttempt) -> str:
    files = sample.snapshot()
    if len(files) == 1:
        return next(iter(files.values())).decode("utf-8", "replace")
    return "\n".join(f"=== {path}\n{content.decode('utf-8', 'replace')}" for path, content in files.items())
