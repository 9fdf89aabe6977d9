"""Judges' grades of free responses, and disagreement of their first two votes (QuArch's Table 7 and appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.questions.attempts import at_questions, rows_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Figure, Section, Table
from benchwright_analysis.report.sections.matrix import accuracy, figure, matrix
from benchwright_judges.agreement.agreement import is_right
from benchwright_judges.agreement.rated import scale_of
from benchwright_judges.judgement import Method
from benchwright_judges.rule_judgements import RIGHT
from benchwright_judges.scale import Scale
from benchwright_problems.problem import QuestionFormat

_GRADES = tuple(reversed(Scale.EXAM.labels))
_BY_RULE = {RIGHT.label: _GRADES[0]}
"""Grades that rules decided without a judge: an answer that is the reference itself."""
_NO_ANSWER = "no answer to grade"
_THREE_SEATS = 3


def grades(data: Dataset) -> Section | None:
    """Shares of the grades of free responses, and of the answers whose first two votes disagreed."""
    graded = _grades(data)
    ties = _ties(at_questions(data, _has_two_votes))
    if not graded and not ties:
        return None
    tables: list[Table] = []
    numbers: dict[str, object] = {}
    if graded:
        note = (
            f"Partially correct counts as incorrect in every other number. {_NO_ANSWER.capitalize()}: empty, declined "
            "or unreadable; it counts as incorrect too."
        )
        tables.append(matrix("grades", "Grades of free responses", graded, groups=data.groups, note=note))
        numbers["grades"] = graded
    if ties:
        note = (
            "Of answers with two usable votes of model judges. A third vote is needed if the labels differ, or points "
            "are in two tiers or more than one point apart; partially correct and incorrect differ as labels, but are "
            "both not right."
        )
        tables.append(matrix("tie-breaks", "First two votes that disagree", ties, groups=data.groups, note=note))
        numbers["tie_breaks"] = ties
    return Section("grades", "How judges graded", (), (), tables, numbers)


def _grades(data: Dataset) -> list[Figure]:
    attempts_by_group = at_questions(
        data, lambda attempt: attempt.observation.format == QuestionFormat.FREE_RESPONSE.value
    )
    labels = {
        attempt.observation.attempt: _grade(attempt) for attempts in attempts_by_group.values() for attempt in attempts
    }
    if not set(labels.values()) & set(_GRADES):
        return []
    groups = rows_of(attempts_by_group)
    shown_grades = [grade for grade in (*_GRADES, _NO_ANSWER) if grade in labels.values()]
    return _shares(groups, {grade: {key: label == grade for key, label in labels.items()} for grade in shown_grades})


def _grade(attempt: Folded) -> str:
    label = attempt.judged.label if attempt.judged is not None else ""
    return label if label in _GRADES else _BY_RULE.get(label, _NO_ANSWER)


def _shares(groups: Mapping[str, Sequence[Observation]], columns: Mapping[str, Mapping[str, bool]]) -> list[Figure]:
    """The share of attempts for which a column is true, by group."""
    return [
        figure(group, name, accuracy(rows, lambda observation, holds=holds: holds[observation.attempt]))  # type: ignore[misc]
        for name, holds in columns.items()
        for group, rows in groups.items()
    ]


def _has_two_votes(attempt: Folded) -> bool:
    judged = attempt.judged
    return (
        judged is not None
        and judged.method == Method.MODEL.value
        and len(judged.votes) > 1
        and _scale(attempt) is not None
    )


def _scale(attempt: Folded) -> Scale | None:
    return scale_of(attempt.observation.format or attempt.observation.category)


def _ties(attempts_by_group: Mapping[str, Sequence[Folded]]) -> list[Figure]:
    third: dict[str, bool] = {}
    right: dict[str, bool] = {}
    for attempt in (attempt for attempts in attempts_by_group.values() for attempt in attempts):
        scale, judged = _scale(attempt), attempt.judged
        if scale is None or judged is None:
            continue
        first, second = judged.votes[:2]
        third[attempt.observation.attempt] = scale.settle([first, second], _THREE_SEATS) is None
        right[attempt.observation.attempt] = is_right(scale, [first]) is not is_right(scale, [second])
    columns = {"a third vote is needed": third, "differ on right or not right": right}
    return _shares(
        {group: [attempt.observation for attempt in attempts] for group, attempts in attempts_by_group.items()}, columns
    )
