"""Wrong answers with the steps that led to them: attempts keep the answer, Inspect's logs the whole reply."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import read_eval_log

from benchwright_attempts.events.events import ErrorsClassified
from benchwright_attempts.grading.given_answers import REPLY
from benchwright_attempts.grading.grading import ANSWER
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_attempts.summary.summary import Summary
from benchwright_attempts.terms import Solver
from benchwright_judges.agreement.error_labels import ErrorLabels, LabelledAnswers
from benchwright_problems.problem import AnswerKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_subjects.evaluation.kept_evals import eval_logs_covering

_CLASSIFIED = ErrorsClassified.model_fields["type"].default


@dataclass(frozen=True)
class WrongAnswer:
    """An attempt of a model at a question that failed."""

    header: AttemptHeader
    number: int
    """Of the try that failed."""
    reply: str
    """The whole reply."""
    classification: ErrorsClassified | None
    """The newest by these labels."""

    @property
    def is_classified(self) -> bool:
        """True if judges or a person have named its errors."""
        return self.classification is not None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels that count."""
        return self.classification.types if self.classification is not None else ()

    @property
    def labels_by_person(self) -> Mapping[str, tuple[str, ...]]:
        """Person → the labels that they named last."""
        return self.classification.people if self.classification is not None else {}


@dataclass(frozen=True)
class WrongAnswers:
    """Wrong answers, and those of them that have labels of a set."""

    all_answers: Sequence[WrongAnswer]
    """The oldest first."""
    without_steps_count: int
    """Failed attempts without labels whose reply nobody kept, or that was not asked for steps."""

    @property
    def unclassified_answers(self) -> Sequence[WrongAnswer]:
        """Answers without labels."""
        return [answer for answer in self.all_answers if not answer.is_classified]

    @property
    def classified_answers(self) -> Sequence[WrongAnswer]:
        """Answers with labels."""
        return [answer for answer in self.all_answers if answer.is_classified]


def wrong_answers(
    log: EventLog, store: Store, logs_folder: Path, pack: str, labels: ErrorLabels, *, solver: str = ""
) -> WrongAnswers:
    """The wrong answers of models at a pack's questions: choices after steps, and answers in words.

    Attempts of studies are left out, since a study's record holds what its plan says, and so are attempts at an earlier
    version of a question.

    Args:
        log: Has the attempts.
        store: Has the pack.
        logs_folder: Folder of the Inspect logs that were kept.
        pack: Pack of the questions.
        labels: They say which answers they are for.
        solver: Solver that made the attempts; every model if empty.
    """
    questions = {
        f"{pack}/{problem.id}": problem
        for problem in store.public_pack(pack).problems
        if problem.public.question is not None
        and (labels.answers is LabelledAnswers.ALL or problem.public.question.format.answered_by is AnswerKind.CHOICE)
    }
    failed_attempts: dict[str, tuple[AttemptHeader, int]] = {}
    answers_in_words: set[str] = set()
    classified: dict[str, ErrorsClassified] = {}
    summaries = log.summaries()
    for header, summary in reversed(summaries):
        problem = questions.get(header.problem)
        if problem is None or problem.public_digest != header.problem_digest:
            continue
        if header.study or header.condition != Solver.MODEL or (solver and header.solver != solver):
            continue
        if not summary.state.ended or summary.verdict is None or summary.verdict.outcome is not Outcome.FAILED:
            continue
        if _CLASSIFIED in summary.event_types and (event := _newest_classification(log, header.id, labels)):
            classified[header.id] = event
        failed_attempts[header.id] = (header, summary.verdict.number)
        if problem.public.question is not None and problem.public.question.format.answered_by is AnswerKind.WORDS:
            answers_in_words.add(header.id)
    replies = {
        **_recorded_texts_by_attempt(log, summaries, answers_in_words, ANSWER),
        **_recorded_texts_by_attempt(log, summaries, failed_attempts, REPLY),
        **_logged_replies_by_attempt(logs_folder, failed_attempts),
    }
    answers_with_replies = [
        WrongAnswer(*failed_attempts[attempt], replies[attempt], classified.get(attempt))
        for attempt in failed_attempts
        if attempt in replies
    ]
    return WrongAnswers(answers_with_replies, len(failed_attempts.keys() - replies.keys() - classified.keys()))


def _newest_classification(log: EventLog, attempt: str, labels: ErrorLabels) -> ErrorsClassified | None:
    events = [
        recorded.event
        for recorded in log.events(attempt)
        if isinstance(recorded.event, ErrorsClassified) and recorded.event.rubric.startswith(f"{labels.name}@")
    ]
    return events[-1] if events else None


def _recorded_texts_by_attempt(
    log: EventLog,
    summaries: Iterable[tuple[AttemptHeader, Summary]],
    attempt_ids: Container[str],
    path: str,
) -> dict[str, str]:
    """Attempt → text of this file, of attempts that have it: an answer, or a whole reply from elsewhere."""
    texts = {}
    for header, summary in summaries:
        if header.id in attempt_ids and (digest := summary.files.get(path)):
            content = recorded_contents(log.events(header.id), {path: digest}).get(path, b"")
            if content.strip():
                texts[header.id] = content.decode("utf-8", "replace")
    return texts


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
