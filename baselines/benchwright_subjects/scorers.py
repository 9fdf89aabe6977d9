"""Inspect's scorer: our harnesses and judges. It shows what a solver may see, and nothing of the hidden part."""

from __future__ import annotations

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sample_limits
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.evidence import SelfEstimate
from benchwright_attempts.grading.grading import GradingOutcome
from benchwright_attempts.grading.regrading import is_regradable, regrade_if_undecided
from benchwright_judges.reading.text_length import ENCODING
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_subjects.evaluation import usage
from benchwright_subjects.evaluation.reading import read_answer
from benchwright_subjects.evaluation.services import run_without_leaking_frames
from benchwright_subjects.evaluation.task_run import TaskRun
from benchwright_subjects.sample_attempt import DECLINED, SampleAttempt

_UNASKED: dict[str, JsonValue] = {"outcome": Outcome.ERROR.value, "reason": "not_asked"}
_UNREAD = frozenset({Reason.EMPTY, Reason.DECLINED, Reason.UNREADABLE, Reason.NO_ANSWER})
"""Nothing could be judged in the reply."""
_FILTERED = "The reply was ended by the provider's content filter, which counts as declining to solve the problem."


def verdict_scorer(task: TaskRun, has_steps: bool) -> Scorer:
    """Judge what a sample has come to, and end its attempt. Every sample gets a score.

    A sample that has no decided verdict, because its solver broke off or the machinery failed, and an answer that waits
    for a judge, are unscored with the reason: no metric counts them.

    Args:
        task: The run of the task.
        has_steps: True if replies think before they answer.
    """

    @scorer(metrics=[accuracy(), stderr()], name="verdict")
    def create_scorer() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample = task.sample_attempt_if_begun(state)
            if sample is None or sample.break_reason:
                reason = sample.break_reason if sample is not None else "Its attempt could not begin."
                return Score.unscored(reason="sample_failed", explanation=reason, metadata=_UNASKED)
            if sample.earlier_verdict is not None:
                return await _score_of_ended_attempt(task, sample)
            limit, limit_value = _reached_limit_and_value(sample)
            if not task.agent and (state.output.completion or not limit):
                await _save_reply_as_files(task, sample, state.output.completion, has_steps)
                if state.output.choices and state.output.stop_reason == DECLINED:
                    sample.unusable = Verdict(reason=Reason.DECLINED, detail=_FILTERED)
            tokens = await _record_missing_usage(task, sample, state)
            grading_outcome = await _grade_and_end(task, sample, limit, limit_value)
            if sample.confidence is not None:
                await sample.attempt.record_self_estimate(SelfEstimate(solved=sample.confidence))
            return _inspect_score(sample, grading_outcome.verdict, grading_outcome.score, tokens)

        return score

    return create_scorer()


def failing_if_undecided(task: TaskRun) -> Scorer:
    """Mark samples that the machinery kept undecided as failed ones, so that Inspect runs them again; scores nothing.

    Args:
        task: The run of the task.
    """

    @scorer(metrics=[], name="decided")
    def create_scorer() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            sample = task.sample_attempt_if_begun(state)
            if sample is not None and not sample.break_reason:
                newest_verdict = (await sample.attempt.writer.summary()).verdict
                if newest_verdict is None or is_regradable(newest_verdict):
                    reason = newest_verdict.message if newest_verdict is not None else "there is no verdict"
                    raise EvaluationError(f"Nothing could be decided: {reason}")
            return None

        return score

    return create_scorer()


async def _grade_and_end(
    task: TaskRun, sample: SampleAttempt, reached_limit: str, limit_value: float | None
) -> GradingOutcome:
    """Grades the present files and ends the attempt."""
    attempt, ref = sample.attempt, sample.header.problem
    if reached_limit:
        grading_outcome = await run_without_leaking_frames(ref, attempt.time_out(reached_limit, limit_value))
    elif sample.submitted or not task.agent:
        grading_outcome = await run_without_leaking_frames(ref, attempt.submit())
    else:
        grading_outcome = await run_without_leaking_frames(ref, attempt.run_until_verdict_is_current())
        await attempt.abandon(sample.unsubmitted_reason)
    if grading_outcome is None:
        raise EvaluationError(f"{ref} has no verdict. Run the sample again.")
    return grading_outcome


async def _save_reply_as_files(task: TaskRun, sample: SampleAttempt, reply: str, has_steps: bool) -> None:
    """Save a reply as the files that it stands for; one that can't be read leaves them as they are, and fails."""
    reading = read_answer(sample.problem, reply, task.prompts, has_steps=has_steps)
    sample.unusable, sample.confidence = reading.flaw, reading.confidence
    if reading.read_event is not None:
        await sample.record_event(reading.read_event)
    for path, content in reading.files.items():
        await sample.write_file(path, content)


async def _record_missing_usage(task: TaskRun, sample: SampleAttempt, state: TaskState) -> dict[str, JsonValue]:
    """Record what is not recorded yet of what models used; the sample's length in tokens of one tokenizer."""
    input_ids = {message.id for message in state.input} if isinstance(state.input, list) else set()
    assistant_messages = [
        message for message in state.messages if message.role == "assistant" and message.id not in input_ids
    ]
    prompt_text = "\n".join(message.text for message in state.messages if message not in assistant_messages)
    reply_text = "\n".join(reply.text for reply in assistant_messages)
    counted_usage = usage.usage_of_running_sample_by_model()
    parameters = get_model().config.model_dump(mode="json", exclude_none=True) | task.facts_of_prompts
    for model, total in counted_usage.items():
        unrecorded_usage = usage.unlogged_usage(
            model, total, sample.recorded_usage.get(model), calls=len(assistant_messages)
        )
        if unrecorded_usage is not None:
            wall_s = None if sample.recorded_usage else state.output.time
            await sample.record_usage(unrecorded_usage.model_copy(update={"wall_s": wall_s, "parameters": parameters}))
    token_counter = task.services.token_counter
    if not counted_usage and not sample.recorded_usage and reply_text:
        guess = usage.tokenizer_usage(sample.header.solver, prompt_text, reply_text, token_counter)
        if guess is not None:
            await sample.record_usage(guess.model_copy(update={"parameters": task.facts_of_prompts}))
    return {"encoding": ENCODING, "prompt": token_counter.count(prompt_text), "reply": token_counter.count(reply_text)}


def _reached_limit_and_value(sample: SampleAttempt) -> tuple[str, float | None]:
    """The limit that ended the sample, with its value; empty where none did."""
    if sample.out_of_time_s is not None:
        return "time_limit", sample.out_of_time_s
    limits = sample_limits()
    for name in ("token", "time", "working", "cost", "message", "turn"):
        limit = getattr(limits, name)
        if limit.limit is not None and limit.usage >= limit.limit:
            return f"{name}_limit", float(limit.limit)
    return "", None


def _inspect_score(
    sample: SampleAttempt, verdict: Verdict, score_share: float | None, token_facts: dict[str, JsonValue]
) -> Score:
    score_metadata = {
        "attempt": sample.header.id,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value,
        "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)} if verdict.tests else None,
        "wall_s": verdict.wall_s,
        "digests": verdict.digests.model_dump(),
        "tools": verdict.tools,
        "remarks": list(verdict.remarks),
        "quality": verdict.quality.model_dump() if verdict.quality is not None else None,
        "tokens": token_facts,
    }
    answer = _judged_files_text(sample)
    if verdict.outcome is Outcome.ERROR:
        return Score.unscored(
            reason="grader_failed", answer=answer, explanation=verdict.detail, metadata=score_metadata
        )
    value = score_share if score_share is not None else float(verdict.outcome is Outcome.PASSED)
    reason = "invalid_response_format" if verdict.reason in _UNREAD else None
    return Score(value=value, answer=answer, explanation=verdict.detail, reason=reason, metadata=score_metadata)


async def _score_of_ended_attempt(task: TaskRun, sample: SampleAttempt) -> Score:
    """The score of an attempt that had ended before its sample was tried again; what was undecided is graded again."""
    await run_without_leaking_frames(sample.header.problem, regrade_if_undecided(task.services, sample.header.id))
    earlier_verdict = (await sample.attempt.writer.summary()).verdict
    if earlier_verdict is None:
        raise EvaluationError("The attempt has ended without a verdict.")
    score_metadata = {
        "attempt": sample.header.id,
        "outcome": earlier_verdict.outcome.value,
        "reason": earlier_verdict.reason,
        "tests": {"passed": earlier_verdict.passed, "total": earlier_verdict.total} if earlier_verdict.total else None,
        "wall_s": earlier_verdict.wall_s,
        "digests": dict(earlier_verdict.digests),
        "remarks": ["This attempt had ended before; it was not asked again."],
    }
    if earlier_verdict.outcome is Outcome.ERROR:
        return Score.unscored(reason="grader_failed", explanation=earlier_verdict.message, metadata=score_metadata)
    return Score(
        value=float(earlier_verdict.outcome is Outcome.PASSED),
        explanation=earlier_verdict.message,
        metadata=score_metadata,
    )


def _judged_files_text(sample: SampleAttempt) -> str:
    files = sample.current_judged_files()
    if len(files) == 1:
        return next(iter(files.values())).decode("utf-8", "replace")
    return "\n".join(f"=== {path}\n{content.decode('utf-8', 'replace')}" for path, content in files.items())
