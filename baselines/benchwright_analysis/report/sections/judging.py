"""Agreement of judges with people, on the answers that both rated."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.agreement import FormatAgreement, measure_agreement
from benchwright_judges.agreement.estimators import Share


def judging_section(data: Dataset) -> Section:
    """Agreement by format and judge."""
    title = "Judges against people"
    formats = (
        [agreement for agreement in measure_agreement(data.rated, seed=data.seed) if agreement.judges]
        if data.rated
        else []
    )
    if not formats:
        notice = "No answer was rated by both people and judges. `benchwright judge grade` lets people grade."
        return Section("judges", title, empty_reason=notice)
    rows: list[Sequence[Cell]] = [
        (
            judge.judge,
            agreement.format,
            judge.items,
            text_with_interval(judge.agreement, as_share=True),
            text_with_interval(judge.kappa),
            _agreement_share_text(judge.same_label),
            text_with_interval(judge.weighted_kappa) if judge.weighted_kappa is not None else "–",
            text_with_interval(judge.alpha),
            text_with_interval(judge.pearson) if judge.pearson is not None else "–",
            percent(judge.false_accept.value),
            percent(judge.false_reject.value),
            judge.undecided,
            judge.undecided_votes,
        )
        for agreement in formats
        for judge in agreement.judges
    ]
    columns = ("judge", "format", "answers", "agreement", "kappa", "same label", "weighted kappa", "alpha", "Pearson")
    table = SortableTable(
        "Agreement with people, by judge and format",
        (*columns, "false accept", "false reject", "undecided answers", "undecided votes"),
        rows,
        "Agreement and kappa are of right or not right, over the answers with a majority on both sides; the others are "
        "undecided. Weighted kappa, alpha and Pearson are of labels of the whole scale, over all answers with votes. "
        "Votes that decide nothing count for neither side.",
    )
    people_table = SortableTable(
        "People among each other",
        (
            *("format", "people", "answers graded twice", "same label, of pairs", "Krippendorff's alpha"),
            *("Cronbach's alpha", "people in it", "no majority"),
        ),
        [
            (
                agreement.format,
                agreement.people.people,
                agreement.people.items,
                _agreement_share_text(agreement.people.same_label),
                number(agreement.people.alpha),
                number(agreement.people.cronbach),
                agreement.people.cronbach_people if agreement.people.cronbach_people > 1 else "–",
                agreement.undecided,
            )
            for agreement in formats
        ],
        "A judge can't agree with people better than people agree with each other. Cronbach's alpha is of those who "
        "graded all answers that two or more people graded: who saw only disputed answers would bias it.",
    )
    lead = (
        "Right or not right alike, majority of people against majority of a judge's votes. Intervals are Wilson's.",
    )
    numbers = {"formats": [_without_disagreeing_answers(agreement) for agreement in formats]}
    return Section("judges", title, lead, [_judge_agreement_picture(formats, table)], [people_table], numbers)


def _agreement_share_text(share: Share) -> str:
    return f"{percent(share.value)} of {share.total}" if share.total else "–"


def _without_disagreeing_answers(agreement: FormatAgreement) -> object:
    """The numbers alone: which answers they differ on is for `benchwright judge agreement`."""
    value = agreement.model_dump(mode="json")
    for judge in value["judges"]:
        judge["disagreements"] = len(judge["disagreements"])
    return value


def _judge_agreement_picture(agreements: Sequence[FormatAgreement], table: SortableTable) -> SectionPicture:
    everyone = list(dict.fromkeys(judge.judge for agreement in agreements for judge in agreement.judges))
    groups = everyone[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {
            "label": agreement.format,
            "group": judge.judge,
            "value": judge.agreement.value,
            "low": judge.agreement.low,
            "high": judge.agreement.high,
        }
        for agreement in agreements
        for judge in agreement.judges
        if judge.judge in groups and judge.agreement.value is not None
    ]
    told_of = "; ".join(f"{row['group']} on {row['label']} {percent(float(row['value'] or 0))}" for row in rows[:8])
    return SectionPicture(
        "judge-agreement",
        "Agreement with people",
        f"Share of answers judged alike, with intervals: {told_of}.{charts.note_if_omitted(groups, everyone)}",
        charts.interval_chart(rows, groups, x_title="judged as people do", y_title=""),
        table,
    )
