"""A study beside its data: what its rules ask of participants, and what went otherwise than planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright_analysis.report.rows.exclusions import ParticipantFacts
from benchwright_analysis.report.rows.observation import GRACE_S, Observation
from benchwright_attempts.attempts import Attempts
from benchwright_foundation.number_text import counted
from benchwright_studies.conduct.closing import check_seal
from benchwright_studies.conduct.entry import ConsentEntry, QuestionnaireAnswered
from benchwright_studies.conduct.studies import RegisteredStudy, Studies

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

_NAMED = 5


def registered_study_of(log: StudyLog, study_id: str) -> RegisteredStudy:
    """A registered study.

    Raises:
        StudyError: No study has this id.
    """
    return Studies(log, Attempts(log)).study(study_id)


def read_participant_facts(
    log: StudyLog, registered_study: RegisteredStudy, observations: Sequence[Observation]
) -> ParticipantFacts:
    """Facts about participants that exclusion rules need."""
    study = registered_study.study
    checks = study.expected_answer_by_question
    failed_checks: dict[str, int] = {}
    withdrew: set[str] = set()
    for participant in log.journal.participants(study.study):
        for journal_entry in log.journal.entries(study.study, participant):
            if isinstance(journal_entry.recorded_entry, QuestionnaireAnswered):
                answers = journal_entry.recorded_entry.answers
                failed_checks[participant] = sum(
                    answers.get(name) != right_answer for name, right_answer in checks.items()
                )
            if isinstance(journal_entry.recorded_entry, ConsentEntry):
                (withdrew.discard if journal_entry.recorded_entry.given else withdrew.add)(participant)
    done_counts = Counter(
        observation.participant
        for observation in observations
        if not observation.practice and observation.state in ("submitted", "timed_out") and observation.is_person
    )
    unfinished = {
        assignment.participant: len(assignment.tasks) - done_counts[assignment.participant]
        for assignment in registered_study.plan.assignments
    }
    return ParticipantFacts(failed_checks, unfinished, frozenset(withdrew))


def study_deviations(
    log: StudyLog, registered_study: RegisteredStudy, observations: Sequence[Observation]
) -> list[str]:
    """Deviations from the study file, as sentences; none if all is as it says."""
    study = registered_study.study.study
    study_observations = [
        observation for observation in observations if observation.study == study and not observation.practice
    ]
    sentences = [
        *_plan_deviations(registered_study, study_observations),
        *_order_deviations(registered_study, study_observations),
        *_model_deviations(registered_study, study_observations),
    ]
    flagged = Counter(rule for observation in study_observations for rule in observation.violation_rules.split())
    if flagged:
        violations_text = ", ".join(
            f"{rule.replace('_', ' ')} in {counted(amount, 'attempt')}" for rule, amount in sorted(flagged.items())
        )
        sentences.append(f"Violations of a condition were flagged: {violations_text}.")
    late_observations = [
        observation
        for observation in study_observations
        if observation.limit_s is not None and (observation.clock_s or 0.0) > observation.limit_s + GRACE_S
    ]
    if late_observations:
        sentences.append(
            f"{counted(len(late_observations), 'attempt')} went on for more than a minute after the time limit."
        )
    deleted = [stone.id for stone in log.journal.tombstones(study) if stone.kind == "participant"]
    if deleted:
        sentences.append(f"The data of {counted(len(deleted), 'participant')} were deleted on their wish.")
    if registered_study.closed is not None:
        sentences += check_seal(log, study).flaws
    return sentences


def _plan_deviations(registered_study: RegisteredStudy, study_observations: Sequence[Observation]) -> list[str]:
    planned = {
        (assignment.participant, task.problem): task
        for assignment in registered_study.plan.assignments
        for task in assignment.tasks
    }
    attempt_counts = Counter(
        (observation.participant, observation.problem) for observation in study_observations if observation.is_person
    )
    sentences = []
    unbegun_tasks = [key for key in planned if key not in attempt_counts]
    if unbegun_tasks:
        sentences.append(
            f"{len(unbegun_tasks)} of {len(planned)} planned tasks were not begun"
            f"{_first_participants_note(unbegun_tasks)}."
        )
    extra = [key for key in attempt_counts if key not in planned]
    if extra:
        sentences.append(f"{counted(len(extra), 'attempt')} of no planned task{_first_participants_note(extra)}.")
    twice = [key for key, amount in attempt_counts.items() if amount > 1]
    if twice:
        sentences.append(
            f"{counted(len(twice), 'task was', 'tasks were')} tried more than once{_first_participants_note(twice)}."
        )
    misassigned = [
        observation
        for observation in study_observations
        if (task := planned.get((observation.participant, observation.problem))) is not None
        and task.condition != observation.condition
    ]
    if misassigned:
        sentences.append(
            f"{counted(len(misassigned), 'attempt was', 'attempts were')} under another condition than planned."
        )
    return sentences


def _first_participants_note(participant_problem_pairs: Sequence[tuple[str, str]]) -> str:
    names = list(dict.fromkeys(participant for participant, _ in participant_problem_pairs))
    return f" ({', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''})"


def _order_deviations(registered_study: RegisteredStudy, study_observations: Sequence[Observation]) -> list[str]:
    starts_by_participant: dict[str, list[tuple[str, int]]] = {}
    for observation in study_observations:
        if observation.is_person and observation.started and observation.position is not None:
            starts_by_participant.setdefault(observation.participant, []).append(
                (observation.started, observation.position)
            )
    disordered_participants = [
        participant
        for participant, task_starts in starts_by_participant.items()
        if [position for _, position in sorted(task_starts)] != sorted(p for _, p in task_starts)
    ]
    return (
        [f"{counted(len(disordered_participants), 'participant')} began tasks in another order than assigned."]
        if disordered_participants
        else []
    )


def _model_deviations(registered_study: RegisteredStudy, study_observations: Sequence[Observation]) -> list[str]:
    sentences = []
    for condition in registered_study.study.conditions:
        if condition.solver.is_person:
            continue
        planned_count = condition.samples * len(registered_study.study.problems_of(condition))
        names = (condition.name, condition.solver.value)
        sample_count = sum(
            observation.condition in names
            and condition.model_or_subject_name in (observation.participant, observation.model)
            for observation in study_observations
        )
        if sample_count != planned_count:
            sentences.append(
                f"Samples of {condition.model_or_subject_name} ({condition.name}): {sample_count}; "
                f"planned: {planned_count}."
            )
    return sentences


def remarks_on_result(observations: Sequence[Observation], undecided_count_by_reason: Mapping[str, int]) -> list[str]:
    """Other remarks that bear on the result: tools, sandboxes, changed problems, sources of edits."""
    counted_observations = [observation for observation in observations if observation.is_analysed]
    sentences = []
    digests: dict[str, set[str]] = {}
    for observation in counted_observations:
        digests.setdefault(observation.problem, set()).add(observation.problem_digest)
    changed_problems = sorted(problem for problem, problem_digests in digests.items() if len(problem_digests) > 1)
    if changed_problems:
        sentences.append(f"These problems changed between attempts: {', '.join(changed_problems[:_NAMED])}.")
    toolchains = Counter(observation.toolchain for observation in counted_observations if observation.toolchain)
    if len(toolchains) > 1:
        sentences.append(
            f"Verdicts were made with {len(toolchains)} different toolchains; the column `toolchain` names them."
        )
    elif toolchains:
        sentences.append(f"All runs were made with one toolchain, of digest {next(iter(toolchains))[:16]}.")
    sandboxes = Counter(observation.sandbox for observation in counted_observations if observation.sandbox)
    if sandboxes:
        sentences.append(
            "Sandbox of the runs: " + ", ".join(f"{name} ({amount})" for name, amount in sandboxes.items()) + "."
        )
    if undecided_count_by_reason:
        reasons_text = ", ".join(
            f"{reason.replace('_', ' ')} ({amount})" for reason, amount in undecided_count_by_reason.items()
        )
        sentences.append(f"Attempts whose newest verdict is undecided, by reason: {reasons_text}.")
        if "tool_missing" in undecided_count_by_reason:
            sentences.append(
                "A tool was missing: tests that need a commercial simulator can't run with open-source ones."
            )
    people_observations = [observation for observation in counted_observations if observation.is_person]
    told_by_editor = [observation for observation in people_observations if observation.change_reasons is not None]
    if told_by_editor and not all(observation.change_reasons for observation in told_by_editor):
        unreported_count = sum(not observation.change_reasons for observation in told_by_editor)
        sentences.append(
            f"In {unreported_count} attempts the editor did not report where edits came from, so more origins are "
            "inferred."
        )
    return sentences
