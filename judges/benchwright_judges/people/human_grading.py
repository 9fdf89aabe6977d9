"""Human grading: blind, in a separate order for each grader, on the rubric's scale; a third person decides disputes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_judges.errors import GradingError
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod, Vote
from benchwright_judges.records.records import AnswerRecord, GivenAnswer, PersonsGrade, Records
from benchwright_judges.rubric import Rubric, rubric_for
from benchwright_judges.scale import VoteDecision
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem

DIFFICULTIES = range(1, 6)
"""Difficulty of grading an answer: 1 easy to 5 hard."""


@dataclass(frozen=True)
class GradableAnswer:
    """An answer as a grader sees it: without its author, and without other people's grades."""

    id: str
    ref: str
    """`pack/id`."""
    problem: Problem
    """With its key."""
    answer: str
    rubric: Rubric


@dataclass(frozen=True)
class Dispute:
    """Two grades that differ, without whose they are."""

    points: Sequence[tuple[float, ...]]
    """For each item of the question's rubric the points of both, the lower first; empty if they chose labels."""
    labels: Sequence[str]
    """Both, in the order of the scale."""


class HumanGrading:
    """The answers that wait for people, and their grades.

    Args:
        records: Store of answers and grades.
        find_problem: Finds a problem, with its hidden part, by `pack/id`.
        graders_per_answer: Number of people who grade each answer; if two disagree, a third decides.
        includes_decided_answers: Also include answers already judged, so that judges can be compared with people.
    """

    def __init__(
        self,
        records: Records,
        find_problem: Callable[[str], Problem],
        *,
        graders_per_answer: int = 2,
        includes_decided_answers: bool = False,
    ) -> None:
        if graders_per_answer not in (1, 2):
            raise GradingError("an answer is graded by one person, or by two and a third if they disagree")
        self._records = records
        self._problem_of = find_problem
        self._graders = graders_per_answer
        self._includes_all = includes_decided_answers

    async def next_gradable_answer(self, grader_pseudonym: str) -> GradableAnswer | None:
        """The next answer for a person; None if nothing is left."""
        return next(iter(await self.gradable_answers(grader_pseudonym)), None)

    async def gradable_answers(self, grader_pseudonym: str) -> Sequence[GradableAnswer]:
        """Every answer that a person may still grade, including disputes between others, in that person's order."""
        _require_valid_pseudonym(grader_pseudonym)
        return [
            item
            for answer_record in _shuffle_for_grader(await self._gradable_records(), grader_pseudonym)
            if (item := self._gradable_item_if_current(answer_record.answer)) is not None
            and self._needs_grade_by(item.rubric, answer_record.grades, grader_pseudonym)
        ]

    async def undecided_disputes(self, grader_pseudonym: str | None = None) -> Sequence[GradableAnswer]:
        """Disputed answers that nobody has decided; only those that `grader_pseudonym` has not graded, if given."""
        return [
            item
            for answer_record in _shuffle_for_grader(await self._gradable_records(), grader_pseudonym or "")
            if all(grade.grader != grader_pseudonym for grade in answer_record.grades)
            and (item := self._gradable_item_if_current(answer_record.answer)) is not None
            and self._is_disputed(item.rubric, answer_record.grades)
        ]

    async def find_dispute(self, gradable_answer: GradableAnswer) -> Dispute | None:
        """Dispute between the two who have graded an answer; None if they don't differ, or a third has decided."""
        answer_record = await self._records.find_answer_record(gradable_answer.id)
        if answer_record is None or not self._is_disputed(gradable_answer.rubric, answer_record.grades):
            return None
        points = [grade.points for grade in answer_record.grades]
        labels = sorted((grade.label for grade in answer_record.grades), key=gradable_answer.rubric.scale.labels.index)
        # Sorted for each item: which points are by the same person can't be seen.
        return Dispute(
            [tuple(sorted(item_points)) for item_points in zip(*points, strict=True)] if all(points) else (), labels
        )

    async def store_grade_and_judgement_if_decided(
        self,
        answer_id: str,
        grader_pseudonym: str,
        label: str,
        difficulty: int,
        comment: str = "",
        points_by_criterion: Sequence[float] = (),
    ) -> Judgement | None:
        """Accept a person's grade.

        Args:
            answer_id: The answer's id.
            grader_pseudonym: A pseudonym.
            label: On the rubric's scale; not used if there are points.
            difficulty: Difficulty of grading it.
            comment: Comment for the lab.
            points_by_criterion: Points for each item of the question's own rubric, if it has points.

        Returns:
            The judgement that the grade completes; None if more grades are needed.

        Raises:
            GradingError: No such answer exists, or the grade is off the scale.
        """
        _require_valid_pseudonym(grader_pseudonym)
        answer_record = await self._records.find_answer_record(answer_id)
        graded_item = None if answer_record is None else self._gradable_item_if_current(answer_record.answer)
        if answer_record is None or graded_item is None:
            raise GradingError(
                f"there is no answer {answer_id!r} to grade, or its problem has been changed or removed since"
            )
        if points_by_criterion:
            label = _label_of_points(graded_item, points_by_criterion)
        if label not in graded_item.rubric.scale.labels:
            raise GradingError(
                f"{label!r} is not on the scale; choose from {', '.join(graded_item.rubric.scale.labels)}"
            )
        if difficulty not in DIFFICULTIES:
            raise GradingError("the grading difficulty must be a number from 1 (easy) to 5 (hard)")
        other_grades = [grade for grade in answer_record.grades if grade.grader != grader_pseudonym]
        if not self._needs_grade_by(graded_item.rubric, other_grades, grader_pseudonym):
            raise GradingError(f"answer {answer_id!r} needs no more grades")
        grade = PersonsGrade(
            answer=answer_id,
            grader=grader_pseudonym,
            rubric=graded_item.rubric.reference,
            label=label,
            difficulty=difficulty,
            comment=comment,
            adjudicates=len(other_grades) == 2,
            points=tuple(points_by_criterion),
        )
        await self._records.store_persons_grade(grade)
        judgement = self._judgement_if_decided(graded_item.rubric, [*other_grades, grade])
        if judgement is not None and _is_waiting_for_people(answer_record):
            await self._records.store_judgement(answer_record.answer, judgement)
        return judgement

    async def _gradable_records(self) -> Sequence[AnswerRecord]:
        return [
            answer_record
            for answer_record in await self._records.answer_records()
            if _is_waiting_for_people(answer_record) or (self._includes_all and answer_record.judgement is not None)
        ]

    def _gradable_item_if_current(self, answer: GivenAnswer) -> GradableAnswer | None:
        """None if the problem was removed or changed since it was answered, or needs no judge."""
        try:
            problem = self._problem_of(answer.problem)
        except ProblemsError:
            return None
        if not answer.answers_current_version(problem):
            return None
        rubric = rubric_for(problem)
        if rubric is None:
            return None
        return GradableAnswer(id=answer.id, ref=answer.problem, problem=problem, answer=answer.text, rubric=rubric)

    def _needs_grade_by(self, rubric: Rubric, grades: Sequence[PersonsGrade], grader_pseudonym: str) -> bool:
        """True if the answer needs a grade, and this person has not given one."""
        if any(grade.grader == grader_pseudonym for grade in grades):
            return False
        return len(grades) < self._graders or self._is_disputed(rubric, grades)

    def _is_disputed(self, rubric: Rubric, grades: Sequence[PersonsGrade]) -> bool:
        return len(grades) == 2 and self._decision_of_grades(rubric, grades) is None

    def _decision_of_grades(self, rubric: Rubric, grades: Sequence[PersonsGrade]) -> VoteDecision | None:
        labels = [grade.label for grade in grades]
        if len(labels) < self._graders:
            return None
        if len(labels) == 1:
            return rubric.scale.decide(labels, 1)
        if len(labels) == 2:
            return rubric.scale.decide(labels, 3)
        # If all three disagree, the third decides.
        decider = [grade.label for grade in grades if grade.adjudicates][-1:] or labels[-1:]
        agreed = rubric.scale.decide_finally if rubric.scale.is_ordinal else rubric.scale.decide
        return agreed(labels, 3) or rubric.scale.decide(decider, 1)

    def _judgement_if_decided(self, rubric: Rubric, grades: Sequence[PersonsGrade]) -> Judgement | None:
        decision = self._decision_of_grades(rubric, grades)
        if decision is None:
            return None
        return Judgement(
            status=JudgementStatus.SCORED,
            score=decision.score,
            passed=decision.is_passed,
            label=decision.label,
            message=f"Graded by people: {decision.label}.",
            method=ScoringMethod.PERSON,
            rubric=rubric.reference,
            votes=tuple(
                Vote(judge=grade.grader, label=grade.label, score=rubric.scale.score(grade.label), reason=grade.comment)
                for grade in grades
            ),
            tie_break=len(grades) > 2,
        )


def _is_waiting_for_people(answer_record: AnswerRecord) -> bool:
    """True if an answer has no score, or is unread."""
    return answer_record.waits or (
        answer_record.judgement is not None and answer_record.judgement.may_be_read_by_people
    )


def _label_of_points(gradable_answer: GradableAnswer, points_by_criterion: Sequence[float]) -> str:
    """The label that points stand for.

    Raises:
        GradingError: The points don't fit the rubric.
    """
    key = gradable_answer.problem.hidden.answer
    rubric = key.points if key is not None else None
    if rubric is None or len(points_by_criterion) != len(rubric.items):
        raise GradingError("the points are not those of the question's rubric")
    for score, rubric_item in zip(points_by_criterion, rubric.items, strict=True):
        if not 0 <= score <= rubric_item.points:
            raise GradingError(f"“{rubric_item.text[:60]}” is worth 0 to {rubric_item.points:g} points")
    return gradable_answer.rubric.scale.label_of_points(
        sum(points_by_criterion), rubric.most, rubric.enough or rubric.most
    )


def _shuffle_for_grader(answer_records: Sequence[AnswerRecord], grader_pseudonym: str) -> Sequence[AnswerRecord]:
    """The answers in an order that is always the same for a grader, and differs from other graders'."""
    return sorted(
        answer_records,
        key=lambda answer_record: hashlib.sha256(f"{grader_pseudonym}\n{answer_record.answer.id}".encode()).digest(),
    )


def _require_valid_pseudonym(grader_pseudonym: str) -> None:
    if not grader_pseudonym.strip() or len(grader_pseudonym) > 60 or not grader_pseudonym.isprintable():
        raise GradingError("a grader needs a pseudonym of at most 60 printable characters")
