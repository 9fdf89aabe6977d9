"""Judges' grades of free responses, and disagreement of their first two votes (QuArch's Table 7 and appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.questions.attempts import observations_by_group, question_attempts_by_group
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, SortableTable, TableNumber
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number_of_share, table_of_numbers
from benchwright_judges.agreement.agreement import is_right_by_majority
from benchwright_judges.agreement.rated import scale_of
from benchwright_judges.judgement import ScoringMethod
from benchwright_judges.rule_judgements import RIGHT
from benchwright_judges.scale import Scale
from benchwright_problems.problem import QuestionFormat

_GRADES = tuple(reversed(Scale.EXAM.labels))
_BY_RULE = {RIGHT.label: _GRADES[0]}
"""Grades that rules decided without a judge: an answer that is the reference itself."""
_NO_ANSWER = "no answer to grade"
_THREE_SEATS = 3


def judge_grades_section(data: Dataset) -> Section | None:
    """Shares of the grades of free responses, and of the answers whose first two votes disagreed."""
    grade_figures = _grade_share_numbers(data)
    ties = _first_vote_disagreement_shares(question_attempts_by_group(data, _has_two_model_votes))
    if not grade_figures and not ties:
        return None
    tables: list[SortableTable] = []
    numbers: dict[str, object] = {}
    if grade_figures:
        note = (
            f"Partially correct counts as incorrect in every other number. {_NO_ANSWER.capitalize()}: empty, declined "
            "or unreadable; it counts as incorrect too."
        )
        tables.append(
            table_of_numbers(
                "grades", "Grades of free responses", grade_figures, first_row_names=data.groups, note=note
            )
        )
        numbers["grades"] = grade_figures
    if ties:
        note = (
            "Of answers with two usable votes of model judges. A third vote is needed if the labels differ, or points "
            "are in two tiers or more than one point apart; partially correct and incorrect differ as labels, but are "
            "both not right."
        )
        tables.append(
            table_of_numbers(
                "tie-breaks", "First two votes that disagree", ties, first_row_names=data.groups, note=note
            )
        )
        numbers["tie_breaks"] = ties
    return Section("grades", "How judges graded", (), (), tables, numbers)


def _grade_share_numbers(data: Dataset) -> list[TableNumber]:
    attempts_by_group = question_attempts_by_group(
        data, lambda attempt: attempt.observation.format == QuestionFormat.FREE_RESPONSE.value
    )
    labels = {
        attempt.observation.attempt: _grade_label(attempt)
        for attempts in attempts_by_group.values()
        for attempt in attempts
    }
    if not set(labels.values()) & set(_GRADES):
        return []
    groups = observations_by_group(attempts_by_group)
    shown_grades = [grade for grade in (*_GRADES, _NO_ANSWER) if grade in labels.values()]
    return _shares_by_group_and_column(
        groups, {grade: {key: label == grade for key, label in labels.items()} for grade in shown_grades}
    )


def _grade_label(attempt: FoldedAttempt) -> str:
    label = attempt.judgement.label if attempt.judgement is not None else ""
    return label if label in _GRADES else _BY_RULE.get(label, _NO_ANSWER)


def _flag_of_attempt(flag_by_attempt: Mapping[str, bool], observation: Observation) -> bool:
    return flag_by_attempt[observation.attempt]


def _shares_by_group_and_column(
    observations_by_group: Mapping[str, Sequence[Observation]],
    attempt_flags_by_column: Mapping[str, Mapping[str, bool]],
) -> list[TableNumber]:
    """The share of attempts for which a column is true, by group."""
    return [
        table_number_of_share(group, name, mean_over_problems(rows, partial(_flag_of_attempt, flag_by_attempt)))
        for name, flag_by_attempt in attempt_flags_by_column.items()
        for group, rows in observations_by_group.items()
    ]


def _has_two_model_votes(attempt: FoldedAttempt) -> bool:
    judgement = attempt.judgement
    return (
        judgement is not None
        and judgement.method == ScoringMethod.MODEL.value
        and len(judgement.votes) > 1
        and _judging_scale(attempt) is not None
    )


def _judging_scale(attempt: FoldedAttempt) -> Scale | None:
    return scale_of(attempt.observation.format or attempt.observation.category)


def _first_vote_disagreement_shares(attempts_by_group: Mapping[str, Sequence[FoldedAttempt]]) -> list[TableNumber]:
    needs_third_vote: dict[str, bool] = {}
    rightness_differs: dict[str, bool] = {}
    for attempt in (attempt for attempts in attempts_by_group.values() for attempt in attempts):
        scale, judgement = _judging_scale(attempt), attempt.judgement
        if scale is None or judgement is None:
            continue
        first_label, second_label = judgement.votes[:2]
        needs_third_vote[attempt.observation.attempt] = scale.decide([first_label, second_label], _THREE_SEATS) is None
        rightness_differs[attempt.observation.attempt] = is_right_by_majority(
            scale, [first_label]
        ) is not is_right_by_majority(scale, [second_label])
    holds_by_column = {"a third vote is needed": needs_third_vote, "differ on right or not right": rightness_differs}
    return _shares_by_group_and_column(
        {group: [attempt.observation for attempt in attempts] for group, attempts in attempts_by_group.items()},
        holds_by_column,
    )
