"""A study beside its data: what its rules ask of participants, and what went otherwise than planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright_analysis.report.rows.exclusions import Participants
from benchwright_analysis.report.rows.observation import Observation
from benchwright_attempts.attempts import Attempts
from benchwright_studies.conduct.closing import check_seal
from benchwright_studies.conduct.entry import ConsentEntry, QuestionnaireAnswered
from benchwright_studies.conduct.studies import RegisteredStudy, Studies

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

_NAMED = 5


def known_study(log: StudyLog, study: str) -> RegisteredStudy:
    """A registered study.

    Raises:
        StudyError: There is none of this id.
    """
    return Studies(log, Attempts(log)).study(study)


def participants(log: StudyLog, known: RegisteredStudy, observations: Sequence[Observation]) -> Participants:
    """What exclusion rules ask of participants."""
    study = known.study
    checks = study.attention_checks
    failed: dict[str, int] = {}
    withdrew: set[str] = set()
    for participant in log.journal.participants(study.study):
        for kept in log.journal.entries(study.study, participant):
            if isinstance(kept.entry, QuestionnaireAnswered):
                answers = kept.entry.answers
                failed[participant] = sum(answers.get(name) != wanted for name, wanted in checks.items())
            if isinstance(kept.entry, ConsentEntry):
                (withdrew.discard if kept.entry.given else withdrew.add)(participant)
    done = Counter(
        one.participant
        for one in observations
        if not one.practice and one.state in ("submitted", "timed_out") and one.is_person
    )
    unfinished = {one.participant: len(one.tasks) - done[one.participant] for one in known.plan.assignments}
    return Participants(failed, unfinished, frozenset(withdrew))


def deviations(log: StudyLog, known: RegisteredStudy, observations: Sequence[Observation]) -> list[str]:
    """What is not as the study file says, as sentences; none if all is."""
    study = known.study.study
    mine = [one for one in observations if one.study == study and not one.practice]
    found = [*_plan_deviations(known, mine), *_order_deviations(known, mine), *_model_deviations(known, mine)]
    flagged = Counter(rule for one in mine for rule in one.violation_rules.split())
    if flagged:
        told = ", ".join(f"{rule.replace('_', ' ')} in {amount}" for rule, amount in sorted(flagged.items()))
        found.append(f"Violations of a condition were flagged: {told} attempts.")
    late = [one for one in mine if one.limit_s is not None and one.clock_s > one.limit_s + 60]
    if late:
        found.append(f"{len(late)} attempts went on for more than a minute after the time limit.")
    deleted = [stone.id for stone in log.journal.tombstones(study) if stone.kind == "participant"]
    if deleted:
        found.append(f"The data of {len(deleted)} participants were deleted on their wish.")
    if known.closed is not None:
        found += check_seal(log, study).flaws
    return found


def _plan_deviations(known: RegisteredStudy, mine: Sequence[Observation]) -> list[str]:
    planned = {(one.participant, task.problem): task for one in known.plan.assignments for task in one.tasks}
    seen = Counter((one.participant, one.problem) for one in mine if one.is_person)
    found = []
    missing = [key for key in planned if key not in seen]
    if missing:
        found.append(f"{len(missing)} of {len(planned)} planned tasks were not begun{_whose(missing)}.")
    extra = [key for key in seen if key not in planned]
    if extra:
        found.append(f"{len(extra)} attempts belong to no planned task{_whose(extra)}.")
    twice = [key for key, amount in seen.items() if amount > 1]
    if twice:
        found.append(f"{len(twice)} tasks were tried more than once{_whose(twice)}.")
    other = [
        one
        for one in mine
        if (task := planned.get((one.participant, one.problem))) is not None and task.condition != one.condition
    ]
    if other:
        found.append(f"{len(other)} attempts were under another condition than planned.")
    return found


def _whose(keys: Sequence[tuple[str, str]]) -> str:
    names = list(dict.fromkeys(participant for participant, _ in keys))
    return f" ({', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''})"


def _order_deviations(known: RegisteredStudy, mine: Sequence[Observation]) -> list[str]:
    starts: dict[str, list[tuple[str, int]]] = {}
    for one in mine:
        if one.is_person and one.started and one.position is not None:
            starts.setdefault(one.participant, []).append((one.started, one.position))
    wrong = [who for who, each in starts.items() if [place for _, place in sorted(each)] != sorted(p for _, p in each)]
    return [f"{len(wrong)} participants began tasks in another order than assigned."] if wrong else []


def _model_deviations(known: RegisteredStudy, mine: Sequence[Observation]) -> list[str]:
    found = []
    for condition in known.study.conditions:
        if condition.solver.is_person:
            continue
        wanted = condition.samples * len(known.study.problems_of(condition))
        names = (condition.name, condition.solver.value)
        there = sum(one.condition in names and condition.worker in (one.participant, one.model) for one in mine)
        if there != wanted:
            found.append(f"Of {condition.worker} ({condition.name}) there are {there} samples; {wanted} were planned.")
    return found


def remarks(observations: Sequence[Observation], undecided_reasons: Mapping[str, int]) -> list[str]:
    """What else bears on the result: tools, sandboxes, changed problems, sources of edits."""
    counted = [one for one in observations if one.is_analysed]
    found = []
    digests: dict[str, set[str]] = {}
    for one in counted:
        digests.setdefault(one.problem, set()).add(one.problem_digest)
    changed = sorted(problem for problem, each in digests.items() if len(each) > 1)
    if changed:
        found.append(f"These problems changed between attempts: {', '.join(changed[:_NAMED])}.")
    toolchains = Counter(one.toolchain for one in counted if one.toolchain)
    if len(toolchains) > 1:
        found.append(
            f"Verdicts were made with {len(toolchains)} different toolchains; the column `toolchain` names them."
        )
    elif toolchains:
        found.append(f"All runs were made with one toolchain, of digest {next(iter(toolchains))[:16]}.")
    sandboxes = Counter(one.sandbox for one in counted if one.sandbox)
    if sandboxes:
        found.append(
            "Sandbox of the runs: " + ", ".join(f"{name} ({amount})" for name, amount in sandboxes.items()) + "."
        )
    if undecided_reasons:
        told = ", ".join(f"{reason.replace('_', ' ')} ({amount})" for reason, amount in undecided_reasons.items())
        found.append(f"Attempts whose newest verdict is undecided, by reason: {told}.")
        if "tool_missing" in undecided_reasons:
            found.append("A tool was missing: tests that need a commercial simulator can't run with open-source ones.")
    people = [one for one in counted if one.is_person]
    told_by_editor = [one for one in people if one.change_reasons is not None]
    if told_by_editor and not all(one.change_reasons for one in told_by_editor):
        without = sum(not one.change_reasons for one in told_by_editor)
        found.append(
            f"In {without} attempts the editor did not report where edits came from, so more origins are inferred."
        )
    return found
