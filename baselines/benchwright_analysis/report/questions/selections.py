"""Option that each attempt at a multiple-choice question selected, read from the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import available_public_packs
from benchwright_attempts.grading.grading import ANSWER
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_authoring.item_analysis import LEAST_STUDENTS
from benchwright_judges.score import read_selection
from benchwright_problems.problem import Question, QuestionFormat
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome


@dataclass(frozen=True, slots=True)
class AnswerSelection:
    """The newest decided answer of an attempt."""

    value: str
    """The letter; empty if rules can't read one."""
    is_right: bool


def read_selection_by_attempt(
    log: EventLog, store: Store, observations: Sequence[Observation]
) -> Mapping[str, AnswerSelection]:
    """By attempt; without those whose text was not recorded, or whose pack is not on this machine.

    Answers are read only if enough people, or models, answered one of the questions: it takes a while for a large log.

    Args:
        log: Has the attempts.
        store: Has the packs; only their public sides are read.
        observations: Attempts; those that don't count, and those at other problems, are left out.

    Raises:
        LogError: The log can't be read.
    """
    counted_observations = [
        observation
        for observation in observations
        if observation.is_analysed and observation.format == QuestionFormat.MULTIPLE_CHOICE.value
    ]
    solvers: dict[tuple[str, bool], set[tuple[str, str]]] = {}
    for observation in counted_observations:
        solvers.setdefault((observation.problem, observation.is_person), set()).add(
            (observation.group, observation.participant)
        )
    if max(map(len, solvers.values()), default=0) < LEAST_STUDENTS:
        return {}
    problem_by_attempt = {observation.attempt: observation.problem for observation in counted_observations}
    questions = _question_by_ref(store, {*problem_by_attempt.values()})
    selections_by_attempt: dict[str, AnswerSelection] = {}
    for header, summary in log.summaries():
        question, verdict = questions.get(problem_by_attempt.get(header.id, "")), summary.verdict
        if question is None or verdict is None or verdict.outcome is Outcome.ERROR or ANSWER not in verdict.snapshot:
            continue
        contents = recorded_contents(log.events(header.id), {ANSWER: verdict.snapshot[ANSWER]})
        if ANSWER in contents:
            value = read_selection(question, contents[ANSWER].decode(errors="replace")) or ""
            selections_by_attempt[header.id] = AnswerSelection(value, verdict.outcome is Outcome.PASSED)
    return selections_by_attempt


def _question_by_ref(store: Store, problem_refs: set[str]) -> Mapping[str, Question]:
    all_questions = (
        (f"{pack.name}/{problem.id}", problem.public.question)
        for pack in available_public_packs(store, problem_refs)
        for problem in pack.problems
    )
    return {ref: question for ref, question in all_questions if question is not None and ref in problem_refs}
