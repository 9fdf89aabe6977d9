"""Shares of right answers with the judges' errors in them, as people's labels show these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.judge_error import (
    JudgedAnswers,
    judge_errors,
    prediction_powered_difference,
    prediction_powered_share,
    rogan_gladen,
)
from benchwright_foundation.number_text import UNKNOWN, percent
from benchwright_judges.agreement.agreement import is_right_by_majority
from benchwright_judges.agreement.estimators import Estimate
from benchwright_judges.agreement.rated import PANEL, RatedAnswer
from benchwright_judges.judgement import ScoringMethod

_TITLE = "Scores with the judges' errors in them"
_SHARES = {
    "as judged": "as judged",
    "rogan_gladen": "Rogan-Gladen",
    "prediction_powered": "prediction-powered",
}


def judge_error_section(data: Dataset) -> Section | None:
    """Corrected shares by group; None if no model judged anything."""
    rated = {answer.attempt: answer for answer in data.rated if answer.attempt and answer.people}
    answers_by_group = {
        group: judged
        for group in data.groups
        if (judged := _judged_answers([row for row in data.decided_observations if row.group == group], rated))
    }
    if not answers_by_group:
        return None
    labelled_pairs = [pair for judged in answers_by_group.values() for pair in _judged_and_called_right_pairs(judged)]
    try:
        counted_errors = judge_errors([judged for judged, _ in labelled_pairs], [right for _, right in labelled_pairs])
    except StatisticsError as error:
        notice = f"Verdicts of judges are taken as they are: {error} `benchwright judge grade --all` lets people grade."
        return Section("judge-error", _TITLE, empty_reason=notice)
    estimates: dict[str, dict[str, Estimate | None]] = {}
    notices = []
    for group, judged in answers_by_group.items():
        estimates[group] = {"as judged": crossed_share(judged.judged_right, judged.cells).estimate}
        for name, estimate in (
            ("rogan_gladen", partial(rogan_gladen, judged.judged_right, judged.cells, counted_errors)),
            ("prediction_powered", partial(prediction_powered_share, judged)),
        ):
            try:
                estimates[group][name] = estimate()
            except StatisticsError as error:
                estimates[group][name] = None
                notices.append(f"{group}: {error}")
    differences_from_first = _differences_from_first_group(answers_by_group)
    rows: list[Sequence[Cell]] = [
        (
            group,
            len(answers_by_group[group].judged_right),
            len(_judged_and_called_right_pairs(answers_by_group[group])),
            *(_share_text(estimates[group][name]) for name in _SHARES),
            UNKNOWN
            if (difference := differences_from_first.get(group)) is None
            else text_with_interval(_percentage_points(difference), digits=1),
        )
        for group in answers_by_group
    ]
    first = next(iter(answers_by_group))
    lead = [
        f"On the {len(labelled_pairs)} answers that people labelled too, judges accept "
        f"{percent(counted_errors.sensitivity)} of what people call right, and refuse "
        f"{percent(counted_errors.specificity)} of what they call wrong. The shares "
        "below are what people would have found.",
        *notices,
    ]
    note = (
        "Rogan-Gladen takes it that judges err alike in every group, as on all labelled answers together. "
        "Prediction-powered shares take nothing of judges for granted, but that each group's labelled answers are "
        "drawn by lot from its answers: where people graded only what was disputed, both mislead. "
        "Intervals are 95 %, and contain the chance of the labels."
    )
    columns = (
        *("group", "answers", "labelled by people", *_SHARES.values()),
        f"percentage points more than {first}, prediction-powered",
    )
    table = SortableTable("Right answers, corrected for judges' errors", columns, rows, note)
    numbers = {"errors": counted_errors, "shares": estimates, "differences": differences_from_first}
    return Section("judge-error", _TITLE, lead, [_shares_picture(data, estimates, table)], (), numbers)


def _judged_answers(rows: Sequence[Observation], rated_by_attempt: Mapping[str, RatedAnswer]) -> JudgedAnswers | None:
    """The answers of a group that models judged, with people's labels; None if there are none."""
    counted_answers: list[tuple[bool, bool | None, Observation]] = []
    for row in rows:
        rated_answer = rated_by_attempt.get(row.attempt)
        votes = (
            rated_answer.judges.get(PANEL) or next(iter(rated_answer.judges.values()), ())
            if rated_answer is not None
            else ()
        )
        is_judged_right = (
            is_right_by_majority(rated_answer.scale, votes) if rated_answer is not None and votes else None
        )
        if is_judged_right is None and row.judge_method == ScoringMethod.MODEL.value:
            is_judged_right = row.passed
        if is_judged_right is not None:
            labels = [*rated_answer.people.values()] if rated_answer is not None else []
            called_right = (
                is_right_by_majority(rated_answer.scale, labels) if rated_answer is not None and labels else None
            )
            counted_answers.append((is_judged_right, called_right, row))
    if not counted_answers:
        return None
    return JudgedAnswers(
        [is_judged_right for is_judged_right, _, _ in counted_answers],
        [called_right for _, called_right, _ in counted_answers],
        [row.participant if row.is_person else None for _, _, row in counted_answers],
        [row.problem for _, _, row in counted_answers],
    )


def _judged_and_called_right_pairs(judged_answers: JudgedAnswers) -> list[tuple[bool, bool]]:
    return [
        (is_judged_right, called_right)
        for is_judged_right, called_right in zip(judged_answers.judged_right, judged_answers.people_right, strict=True)
        if called_right is not None
    ]


def _differences_from_first_group(answers_by_group: Mapping[str, JudgedAnswers]) -> dict[str, Estimate]:
    """Each group against the first, where people labelled enough of both."""
    first, *others = answers_by_group
    differences_from_first = {}
    for group in others:
        try:
            differences_from_first[group] = prediction_powered_difference(
                answers_by_group[group], answers_by_group[first]
            )
        except StatisticsError:
            continue
    return differences_from_first


def _share_text(estimate: Estimate | None) -> str:
    return UNKNOWN if estimate is None else text_with_interval(estimate, as_share=True)


def _percentage_points(estimate: Estimate) -> Estimate:
    value, low, high = (None if end is None else 100 * end for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value=value, low=low, high=high)


def _shares_picture(
    data: Dataset, estimates: Mapping[str, Mapping[str, Estimate | None]], table: SortableTable
) -> SectionPicture:
    shown = list(estimates)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": group, "group": label, "value": estimate.value, "low": estimate.low, "high": estimate.high}
        for group in shown
        for name, label in _SHARES.items()
        if (estimate := estimates[group].get(name)) is not None
    ]
    return SectionPicture(
        "judge-error",
        "Right answers, as judged and corrected",
        f"Share of right answers of each group, as judges found it and corrected for their errors in two ways."
        f"{charts.note_if_omitted(shown, list(estimates))}",
        charts.interval_chart(rows, list(_SHARES.values()), x_title="right", y_title=""),
        table,
    )
