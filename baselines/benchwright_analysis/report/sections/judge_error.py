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
    answers = {
        group: judged
        for group in data.groups
        if (judged := _judged_answers([row for row in data.decided_observations if row.group == group], rated))
    }
    if not answers:
        return None
    flags = [pair for judged in answers.values() for pair in _labelled_pairs(judged)]
    try:
        errors = judge_errors([judged for judged, _ in flags], [right for _, right in flags])
    except StatisticsError as error:
        notice = f"Verdicts of judges are taken as they are: {error} `benchwright judge grade --all` lets people grade."
        return Section("judge-error", _TITLE, empty_reason=notice)
    estimates: dict[str, dict[str, Estimate | None]] = {}
    notices = []
    for group, judged in answers.items():
        estimates[group] = {"as judged": crossed_share(judged.judged_right, judged.cells).estimate}
        for name, estimate in (
            ("rogan_gladen", partial(rogan_gladen, judged.judged_right, judged.cells, errors)),
            ("prediction_powered", partial(prediction_powered_share, judged)),
        ):
            try:
                estimates[group][name] = estimate()
            except StatisticsError as error:
                estimates[group][name] = None
                notices.append(f"{group}: {error}")
    differences = _differences(answers)
    rows: list[Sequence[Cell]] = [
        (
            group,
            len(answers[group].judged_right),
            len(_labelled_pairs(answers[group])),
            *(_share_text(estimates[group][name]) for name in _SHARES),
            UNKNOWN
            if (difference := differences.get(group)) is None
            else text_with_interval(_percentage_points(difference), digits=1),
        )
        for group in answers
    ]
    first = next(iter(answers))
    lead = [
        f"On the {len(flags)} answers that people labelled too, judges accept {percent(errors.sensitivity)} of what "
        f"people call right, and refuse {percent(errors.specificity)} of what they call wrong. The shares below are "
        "what people would have found.",
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
    numbers = {"errors": errors, "shares": estimates, "differences": differences}
    return Section("judge-error", _TITLE, lead, [_picture(data, estimates, table)], (), numbers)


def _judged_answers(rows: Sequence[Observation], rated: Mapping[str, RatedAnswer]) -> JudgedAnswers | None:
    """The answers of a group that models judged, with people's labels; None if there are none."""
    judged: list[tuple[bool, bool | None, Observation]] = []
    for row in rows:
        answer = rated.get(row.attempt)
        votes = answer.judges.get(PANEL) or next(iter(answer.judges.values()), ()) if answer is not None else ()
        verdict = is_right_by_majority(answer.scale, votes) if answer is not None and votes else None
        if verdict is None and row.judge_method == ScoringMethod.MODEL.value:
            verdict = row.passed
        if verdict is not None:
            labels = [*answer.people.values()] if answer is not None else []
            label = is_right_by_majority(answer.scale, labels) if answer is not None and labels else None
            judged.append((verdict, label, row))
    if not judged:
        return None
    return JudgedAnswers(
        [verdict for verdict, _, _ in judged],
        [label for _, label, _ in judged],
        [row.participant if row.is_person else None for _, _, row in judged],
        [row.problem for _, _, row in judged],
    )


def _labelled_pairs(judged: JudgedAnswers) -> list[tuple[bool, bool]]:
    return [
        (verdict, label)
        for verdict, label in zip(judged.judged_right, judged.people_right, strict=True)
        if label is not None
    ]


def _differences(answers: Mapping[str, JudgedAnswers]) -> dict[str, Estimate]:
    """Each group against the first, where people labelled enough of both."""
    first, *others = answers
    differences = {}
    for group in others:
        try:
            differences[group] = prediction_powered_difference(answers[group], answers[first])
        except StatisticsError:
            continue
    return differences


def _share_text(estimate: Estimate | None) -> str:
    return UNKNOWN if estimate is None else text_with_interval(estimate, as_share=True)


def _percentage_points(estimate: Estimate) -> Estimate:
    value, low, high = (None if end is None else 100 * end for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value=value, low=low, high=high)


def _picture(
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
