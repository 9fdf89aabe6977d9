"""Reflection on failures. Models are asked after the end, as CVDP's analysis of failures needs it (arXiv:2506.14074).

A model sees the request, its own answer, and what the problem's reveal policy shows of the verdict; nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import Reflected
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_attempts.terms import Solver as Who
from benchwright_problems.problem import Problem
from benchwright_problems.reveal import reveal
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_subjects.evaluation import usage
from benchwright_subjects.evaluation.services import EvaluationServices
from benchwright_subjects.prompts.prompt import ModelPrompt, Turn, agent_prompt, answer_prompt
from benchwright_subjects.samples import chat_messages, select_problems

_BEFORE = "Your answer was checked, and it did not pass. This is all that can be said about the check:"
_QUESTION = (
    "Why did it most likely fail? Name the one root cause, as precisely as your answer lets you see it: which part of"
    " it does what, and what the task wants instead. Write two to four sentences of plain text. Don't repeat the task,"
    " don't write a new answer, and don't list several causes. If you see nothing wrong in your answer, say so."
)
_NOTHING = "(The reply held no file that could be read.)"
PROMPT_SHA256 = sha256(f"{_BEFORE}\n{_QUESTION}\n{_NOTHING}".encode())
NOTHING_TO_ASK = (
    "{solver} has no failed attempt at {pack} without a reflection. `benchwright attempts list` shows its attempts."
)
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class FailedAttempt:
    """An attempt of a model that failed, and that nobody has asked about."""

    header: AttemptHeader
    verdict: AttemptVerdict
    problem: Problem
    """Public part."""

    def reflection_prompt(self, services: EvaluationServices) -> ModelPrompt:
        """The prompt that asks the model."""
        files = recorded_contents(services.log.events(self.header.id), self.verdict.snapshot)
        first_prompt = agent_prompt(self.problem) if self.header.condition == Who.AGENT else answer_prompt(self.problem)
        verdict_text = reveal(self._full_verdict(services), self.problem.reveal, lambda: "").as_prompt_text()
        return ModelPrompt(
            first_prompt.system,
            (f"{_BEFORE}\n\n{verdict_text}\n\n{_QUESTION}",),
            (Turn(first_prompt.user, _answer_files_text(files) or _NOTHING),),
        )

    def _full_verdict(self, services: EvaluationServices) -> Verdict:
        """The verdict with its tests, of which the log has only the count."""
        recorded_verdict = RunRecords(services.home, self.header.id).find_verdict(self.verdict.number)
        if recorded_verdict is not None and recorded_verdict.reason.value == self.verdict.reason:
            return recorded_verdict
        return Verdict(reason=Reason(self.verdict.reason), detail=self.verdict.message, wall_s=self.verdict.wall_s)


def failed_attempts(
    services: EvaluationServices, pack: str, problem_names: str | Sequence[str], solver_name: str
) -> list[FailedAttempt]:
    """The failures of a model to ask about, the oldest first.

    Attempts of studies are left out, since a study's record holds what its plan says, and so are attempts at an earlier
    version of a problem or at a refined statement, since the model would be shown another task than it had.

    Args:
        services: Services of the task.
        pack: Pack of the problems.
        problem_names: Names or patterns of problems, a list or with commas between them; all where empty.
        solver_name: The solver's name in the attempts.
    """
    public = {f"{pack}/{problem.id}": problem for problem in select_problems(services.store, pack, problem_names)}
    failed_attempts = []
    for header, summary in reversed(services.attempts.summaries()):
        problem = public.get(header.problem)
        if (
            problem is None
            or header.study
            or header.solver != solver_name
            or header.condition not in (Who.MODEL, Who.AGENT)
        ):
            continue
        if (
            header.problem_digest != problem.public_digest
            or (verdict := _failed_verdict_if_unreflected(summary)) is None
        ):
            continue
        if not _had_refined_statement(services.log.events(header.id)):
            failed_attempts.append(FailedAttempt(header, verdict, problem))
    return failed_attempts


def _had_refined_statement(events: Iterable[RecordedEvent]) -> bool:
    usage_events = (recorded_event.event for recorded_event in events if isinstance(recorded_event.event, ModelUsage))
    return any("statement" in event.parameters for event in usage_events)


def _failed_verdict_if_unreflected(summary: Summary) -> AttemptVerdict | None:
    verdict = summary.verdict
    if not summary.state.ended or Reflected.model_fields["type"].default in summary.event_types or verdict is None:
        return None
    return verdict if verdict.outcome is Outcome.FAILED else None


def reflection_dataset(services: EvaluationServices, failures: Sequence[FailedAttempt]) -> MemoryDataset:
    """The questions as Inspect's samples, each under the id of its attempt."""
    samples = [
        Sample(
            id=failure.header.id,
            input=chat_messages(failure.reflection_prompt(services)),
            target="",
            metadata={
                "problem": failure.header.problem,
                "solver": failure.header.solver,
                "try": failure.verdict.number,
            },
        )
        for failure in failures
    ]
    return MemoryDataset(samples, name="reflections")


def record_reflections(services: EvaluationServices, failures: Sequence[FailedAttempt]) -> Solver:
    """Ask, and record what the model said with its attempt."""
    by_id: Mapping[str, FailedAttempt] = {failed_attempt.header.id: failed_attempt for failed_attempt in failures}

    @solver(name="benchwright_reflect")
    def create_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state = await generate(state)
            text = state.output.completion.strip()
            if not text:
                raise EvaluationError("The reply is empty, so no reflection was recorded. Ask again.")
            model_usage = usage.reply_usage(str(state.model), state.output)
            failure = by_id[str(state.sample_id)]
            await services.log.append(
                failure.header.id,
                Reflected(
                    number=failure.verdict.number,
                    model=str(state.model),
                    text=text[:_MOST_CHARACTERS],
                    prompt_sha256=PROMPT_SHA256,
                    input_tokens=model_usage.input_tokens if model_usage else 0,
                    output_tokens=model_usage.output_tokens if model_usage else 0,
                    total_tokens=model_usage.total_tokens if model_usage else 0,
                    cost_usd=model_usage.cost_usd if model_usage else None,
                ),
            )
            return state

        return solve

    return create_solver()


def _answer_files_text(files: Mapping[str, bytes]) -> str:
    return "\n\n".join(_file_blocks(files))


def _file_blocks(files: Mapping[str, bytes]) -> Iterator[str]:
    for path, content in sorted(files.items()):
        yield f"=== BEGIN {path}\n{content.decode('utf-8', 'replace').rstrip()}\n=== END {path}"
