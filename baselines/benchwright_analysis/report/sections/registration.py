"""A study beside what was preregistered of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pydantic import JsonValue

from benchwright_analysis.code_digest import analysis_digest
from benchwright_analysis.report.rows.observation import Observation
from benchwright_foundation.number_text import counted
from benchwright_studies.conduct.entry import Drawn, Enrolled, Preregistered
from benchwright_studies.plan.preregistration import is_registered_document

if TYPE_CHECKING:
    from benchwright_studies.conduct.studies import RegisteredStudy
    from benchwright_studies.conduct.study_log import StudyLog


@dataclass(frozen=True)
class Registration:
    """A preregistration, and what is not as it says."""

    digest: str
    document: Mapping[str, JsonValue]
    deviations: Sequence[str]
    """As sentences."""

    @property
    def date(self) -> str:
        """Time when it was registered, ISO 8601."""
        return str(self.document.get("registered", ""))


def registration_with_deviations(
    registered_study: RegisteredStudy, observations: Sequence[Observation], *, manual_choices: Sequence[str]
) -> Registration | None:
    """Preregistration of a study, with every deviation; none if nothing was preregistered.

    Args:
        registered_study: The study.
        observations: Its attempts.
        manual_choices: Options of the report that leave attempts out by hand.
    """
    preregistered = registered_study.preregistered
    if preregistered is None:
        return None
    own_observations = [
        observation
        for observation in observations
        if observation.study == registered_study.study.study and not observation.practice
    ]
    deviations = [
        *_registration_deviations(registered_study, preregistered, own_observations),
        *_sample_size_deviations(preregistered, own_observations),
        *(f"Attempts were left out of this report by hand: {option}." for option in manual_choices),
    ]
    return Registration(preregistered.digest, preregistered.document, tuple(deviations))


def _registration_deviations(
    registered_study: RegisteredStudy, preregistered: Preregistered, own_observations: Sequence[Observation]
) -> list[str]:
    document, deviations = preregistered.document, []
    if not is_registered_document(preregistered, document):
        deviations.append("The document does not have the digest that was noted with it.")
    if document.get("study_sha256") != registered_study.sha256:
        deviations.append("The study file is another one than the one that was registered.")
    files = {digest for digest, _ in registered_study.rule_and_plan_digests}
    foreign_observations = [
        observation
        for observation in own_observations
        if observation.study_sha256 and observation.study_sha256 not in files
    ]
    if foreign_observations:
        deviations.append(
            f"{counted(len(foreign_observations), 'attempt was', 'attempts were')} made under another study file than "
            "the registered one."
        )
    code = document.get("code")
    if isinstance(code, dict) and code.get("analysis_sha256") != analysis_digest():
        deviations.append(
            f"The program that analyses is not the registered one (Benchwright {code.get('benchwright')}); "
            "analyse with that version too, and report both."
        )
    prompts = document.get("prompts")
    for condition, planned in prompts.items() if isinstance(prompts, dict) else ():
        expected_prompts = f"{planned['name']} {str(planned['sha256'])[:16]}" if isinstance(planned, dict) else ""
        deviating_prompts = [
            observation
            for observation in own_observations
            if observation.condition == condition and observation.prompts not in ("", expected_prompts)
        ]
        if deviating_prompts:
            used_prompts = deviating_prompts[0].prompts
            deviations.append(
                f"{counted(len(deviating_prompts), 'attempt')} under {condition}: asked with {used_prompts}; "
                f"{expected_prompts} was registered."
            )
    early_observations = [
        observation
        for observation in own_observations
        if observation.started and observation.started < str(document.get("registered", ""))
    ]
    if early_observations:
        deviations.append(
            f"{counted(len(early_observations), 'attempt was', 'attempts were')} started before the registration."
        )
    return deviations


def _sample_size_deviations(preregistered: Preregistered, own_observations: Sequence[Observation]) -> list[str]:
    sample, deviations = preregistered.document.get("sample"), []
    if not isinstance(sample, dict):
        return []
    planned = sample.get("attempts_by_condition")
    attempt_counts = Counter(observation.condition for observation in own_observations)
    for condition, expected_count in planned.items() if isinstance(planned, dict) else ():
        if attempt_counts[condition] != expected_count:
            deviations.append(
                f"Sample size of {condition}: {counted(attempt_counts[condition], 'attempt')}, "
                f"{expected_count} registered."
            )
    people = {observation.participant for observation in own_observations if observation.is_person}
    if len(people) > int(str(sample.get("participants", 0))):
        deviations.append(
            f"{counted(len(people), 'participant has', 'participants have')} attempts; "
            f"{sample.get('participants')} registered."
        )
    return deviations


class DrawnTask(NamedTuple):
    """A problem that was drawn for a participant, under a condition."""

    participant: str
    problem: str
    condition: str


class CountedAllocation(NamedTuple):
    """What was drawn, and from which kind of plan."""

    task_count_by_condition: Mapping[str, int]
    participant_count_by_plan_kind: Mapping[str, int]
    """`sealed` and `open` → participants."""
    deviations: Sequence[str]
    """Assignments that are not the plan's, as sentences."""
    allocated_tasks: Sequence[DrawnTask] = ()
    """Of the participants who enrolled."""


def read_allocation(log: StudyLog, registered_study: RegisteredStudy) -> CountedAllocation:
    """Tasks drawn by condition, whose allocation was concealed, and assignments that are not the plan's."""
    drawn_tasks, machines_by_plan = Counter[str](), Counter[str]()
    deviating_participants = []
    allocated_tasks: list[DrawnTask] = []
    for participant in log.journal.participants(registered_study.study.study):
        entries = [
            journal_entry.recorded_entry
            for journal_entry in log.journal.entries(registered_study.study.study, participant)
        ]
        enrolled = next((entry for entry in entries if isinstance(entry, Enrolled)), None)
        machines_by_plan["sealed" if enrolled is not None and enrolled.sealed else "open"] += 1
        row = next((entry.assignment for entry in entries if isinstance(entry, Drawn)), None)
        planned = registered_study.plan.assignment_of(participant)
        if row is not None and planned is not None and row != planned:
            deviating_participants.append(participant)
        assignment = row or planned
        for task in assignment.tasks if assignment else ():
            allocated_tasks.append(DrawnTask(participant, task.problem, task.condition))
            drawn_tasks[task.condition] += 1
    deviations = (
        [f"The assignment of {', '.join(deviating_participants)} is not the plan's."] if deviating_participants else []
    )
    return CountedAllocation(dict(drawn_tasks), dict(machines_by_plan), deviations, allocated_tasks)
