"""Attempts that a study's plan wants of a model or an agent: their terms, and those that are still missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyClosedError, StudyError
from benchwright_attempts.events.evidence import Assigned, Recording
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.grading.regrading import is_regradable
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_studies.conduct.studies import RegisteredStudy, Studies, assigned_terms
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.study_file import StudyFileError, StudyFlaw, parse_study
from benchwright_studies.plan.subject import RunningSubject

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


@dataclass(frozen=True, slots=True)
class ModelCondition:
    """One condition of a study under which a model or an agent works."""

    registered_study: RegisteredStudy
    condition: Condition

    @property
    def problems(self) -> tuple[str, ...]:
        """Every problem under this condition, as `pack/id`, in the order of the study file."""
        return self.registered_study.study.problems_of(self.condition)

    @property
    def solver(self) -> str:
        """The solver's name, for records: the model; of a server whose model is its own affair, its name."""
        return self.condition.model_or_subject_name

    @property
    def attempt_count(self) -> int:
        """Attempts that the plan wants."""
        return self.condition.samples * len(self.problems)

    def attempt_id(self, problem: str, sample_number: int) -> str:
        """The id of an attempt, which is the same however often the study is run.

        Args:
            problem: `pack/id`.
            sample_number: Number of the sample, from 1.
        """
        attempt_key = (
            self.registered_study.study.study,
            self.registered_study.sha256,
            self.condition.name,
            problem,
            str(sample_number),
        )
        return sha256("\n".join(attempt_key).encode())[:32]

    def assigned_terms(self, problem: str, sample_number: int) -> Assigned:
        """Event data with which the log of an attempt begins.

        Raises:
            StudyFileError: The plan has no such attempt.
            StudyClosedError: The study is closed.
        """
        self.refuse_if_closed()
        if problem not in self.problems:
            raise self._study_file_error(("problems", f"the study does not ask {problem}. Leave it out."))
        if sample_number > self.condition.samples:
            count = self.condition.samples
            raise self._study_file_error(
                (f"{self._condition_field}.samples", f"each problem is tried {count} times, not more often.")
            )
        position = self._problem_index(problem) + 1
        terms = assigned_terms(self.registered_study, self.solver, position, problem, self.condition.name)
        # Nobody's privacy is at stake, and without its text an answer can't be judged later.
        return terms.model_copy(update={"recording": Recording.FULL, "forecasts": (), "self_estimates": ()})

    def refuse_if_closed(self) -> None:
        """Refuse a study that was closed.

        Raises:
            StudyClosedError: The study was closed.
        """
        if self.registered_study.closed is not None:
            raise StudyClosedError(self.registered_study.study.study)

    def refuse_other_model(self, model: str) -> None:
        """Refuse another model than the plan's.

        Raises:
            StudyFileError: Names the field.
        """
        if model != self.condition.model:
            raise self._study_file_error(
                (f"{self._condition_field}.model", f"the study asks {self.condition.model}, not {model}.")
            )

    def refuse_other_subject(self, running_program: RunningSubject | None) -> None:
        """Refuse another program than the plan's.

        Args:
            running_program: The program about to work; None if the model works with Benchwright's own tools.

        Raises:
            StudyFileError: Names each field that differs.
        """
        registered = self.condition.subject
        if registered is None:
            return
        field = f"{self._condition_field}.subject"
        if running_program is None:
            raise self._study_file_error(
                (field, f"the study registers {registered.title}, which is not what would work.")
            )
        if differences := running_program.differences(registered):
            raise self._study_file_error(*((f"{field}.{name}", message) for name, message in differences))

    def refuse_changed_problems(self, digest_by_problem: Mapping[str, str]) -> None:
        """Refuse problems that are not as they were when the study began.

        Args:
            digest_by_problem: Digests of the public parts, by `pack/id`, as they are now.

        Raises:
            StudyFileError: Names each that has changed.
        """
        changed_problems = [
            (f"problems[{self._problem_index(problem)}]", problem)
            for problem in self.problems
            if problem in digest_by_problem
            and self.registered_study.digests.get(problem, digest_by_problem[problem]) != digest_by_problem[problem]
        ]
        if changed_problems:
            raise self._study_file_error(
                *(
                    (field, f"{problem} is not the version that the study began with. Import that version again.")
                    for field, problem in changed_problems
                )
            )

    def problems_and_verdicts_of_ended(self, log: StudyLog) -> list[tuple[str, AttemptVerdict | None]]:
        """The problem of each attempt that has ended, and its newest verdict."""
        attempts = Attempts(log)
        own_headers = [
            header
            for header in log.journal.attempts(self.registered_study.study.study)
            if header.condition == self.condition.name
        ]
        summaries = [(header.problem, attempts.summary(header.id)) for header in own_headers]
        return [(problem, summary.verdict) for problem, summary in summaries if summary.state.ended]

    def problems_lacking_samples(self, log: StudyLog) -> list[str]:
        """The problems of which a sample has not ended, or can be graded again, in the order of the study file."""
        done_counts = Counter(
            problem
            for problem, verdict in self.problems_and_verdicts_of_ended(log)
            if verdict is None or not is_regradable(verdict)
        )
        return [problem for problem in self.problems if done_counts[problem] < self.condition.samples]

    def _problem_index(self, problem: str) -> int:
        return [task.problem for task in self.registered_study.study.problems].index(problem)

    @property
    def _condition_field(self) -> str:
        return f"conditions[{self.registered_study.study.conditions.index(self.condition)}]"

    def _study_file_error(self, *field_messages: tuple[str, str]) -> StudyFileError:
        """Error that names what is not as the study file says: field and message."""
        file = parse_study(self.registered_study.text, Path(f"{self.registered_study.study.study}.yaml"))
        return StudyFileError(
            file.path, [StudyFlaw(file.line_of(field), field, message) for field, message in field_messages]
        )


def model_conditions(log: StudyLog, study: str) -> list[ModelCondition]:
    """The conditions of a study under which models and agents work.

    Raises:
        StudyError: The study does not exist.
    """
    registered_study = Studies(log, Attempts(log)).study(study)
    return [
        ModelCondition(registered_study, condition)
        for condition in registered_study.study.conditions
        if not condition.solver.is_person
    ]


def model_condition(log: StudyLog, study: str, condition: str) -> ModelCondition:
    """One of them.

    Raises:
        StudyError: The study does not exist, or has no such condition.
    """
    study_conditions = model_conditions(log, study)
    for study_condition in study_conditions:
        if study_condition.condition.name == condition:
            return study_condition
    names = ", ".join(part.condition.name for part in study_conditions)
    raise (
        StudyError(f"The study {study} has no condition {condition!r} for a model or an agent. It has: {names}.")
        if names
        else no_model_condition_error(study)
    )


def no_model_condition_error(study: str) -> StudyError:
    """Error that refuses to ask a model for a study without one."""
    return StudyError(f"No model and no agent works in the study {study}: only people do.")
