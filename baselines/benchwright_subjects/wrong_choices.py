"""Wrong choices with the steps that led to them: attempts keep the choice, Inspect's logs the whole reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import read_eval_log

from benchwright_attempts.events.events import ErrorsClassified
from benchwright_attempts.grading.given_answers import REPLY
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_attempts.terms import Solver
from benchwright_problems.problem import AnsweredBy
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_subjects.evaluation.kept_evals import eval_logs_covering

_CLASSIFIED = ErrorsClassified.model_fields["type"].default


@dataclass(frozen=True)
class WrongChoice:
    """An attempt of a model at a multiple-choice question that failed."""

    header: AttemptHeader
    number: int
    """Of the try that failed."""
    reply: str
    """The whole reply."""


@dataclass(frozen=True)
class WrongChoices:
    """Wrong choices to classify."""

    unclassified_choices: Sequence[WrongChoice]
    """The oldest first."""
    classified_count: int
    """Failed attempts that are classified already, and are not in `found`."""
    without_steps_count: int
    """Failed attempts without a kept log of a run that asked for steps."""


def wrong_choices(log: EventLog, store: Store, logs_folder: Path, pack: str, *, solver: str = "") -> WrongChoices:
    """The wrong choices of models at a pack's questions, under chain of thought.

    Attempts of studies are left out, since a study's record holds what its plan says, and so are attempts at an earlier
    version of a question.

    Args:
        log: Has the attempts.
        store: Has the pack.
        logs_folder: Folder of the Inspect logs that were kept.
        pack: Pack of the questions.
        solver: Solver that made the attempts; every model if empty.
    """
    choices = {
        f"{pack}/{problem.id}": problem.public_digest
        for problem in store.public_pack(pack).problems
        if problem.public.question is not None and problem.public.question.format.answered_by is AnsweredBy.CHOICE
    }
    failed_attempts: dict[str, tuple[AttemptHeader, int]] = {}
    classified = 0
    for header, summary in reversed(log.summaries()):
        if choices.get(header.problem) != header.problem_digest or header.study or header.condition != Solver.MODEL:
            continue
        if (solver and header.solver != solver) or not summary.state.ended or summary.verdict is None:
            continue
        if summary.verdict.outcome is Outcome.FAILED and _CLASSIFIED in summary.event_types:
            classified += 1
        elif summary.verdict.outcome is Outcome.FAILED:
            failed_attempts[header.id] = (header, summary.verdict.number)
    replies = _imported_replies_by_attempt(log, failed_attempts) | _logged_replies_by_attempt(
        logs_folder, failed_attempts
    )
    wrong_answers = [
        WrongChoice(*failed_attempts[attempt], replies[attempt]) for attempt in failed_attempts if attempt in replies
    ]
    return WrongChoices(wrong_answers, classified, len(failed_attempts) - len(wrong_answers))


def _imported_replies_by_attempt(log: EventLog, attempt_ids: Mapping[str, object]) -> dict[str, str]:
    """Attempt → reply, of replies from elsewhere that have steps: their attempts keep the whole."""
    replies = {}
    for header, summary in log.summaries():
        if header.id in attempt_ids and (digest := summary.files.get(REPLY)):
            content = recorded_contents(log.events(header.id), {REPLY: digest}).get(REPLY, b"")
            if content.strip():
                replies[header.id] = content.decode("utf-8", "replace")
    return replies


def _logged_replies_by_attempt(
    logs_folder: Path, failed_attempts: dict[str, tuple[AttemptHeader, int]]
) -> dict[str, str]:
    """Attempt → reply, of runs that asked for steps."""
    replies: dict[str, str] = {}
    for file in eval_logs_covering(logs_folder, failed_attempts):
        if not (read_eval_log(str(file), header_only=True).eval.task_args or {}).get("think"):
            continue
        for sample in read_eval_log(str(file)).samples or ():
            attempt = next((str((score.metadata or {}).get("attempt")) for score in (sample.scores or {}).values()), "")
            if attempt in failed_attempts and sample.output.completion.strip():
                replies[attempt] = sample.output.completion
    return replies
