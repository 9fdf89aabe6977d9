"""Share of problems that were solved: by group, and by everything that problems are sorted by."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.group_statistics import STATISTICS
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    counted,
    text_with_interval,
)
from benchwright_analysis.report.sections.success_compared import compare_groups
from benchwright_analysis.statistics.success import LabelledAttempts, success_by_label
from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.estimators import Estimate

_DIFFICULTIES = ("easy", "medium", "hard")
_NOTHING = "No attempt that counts has a verdict, so there is nothing to say about success."


def success_section(data: Dataset) -> Section:
    """Success by group and by category, difficulty, kind, format and language."""
    if not data.decided_observations:
        return Section("success", "Who solved how much", empty_reason=_NOTHING)
    by_group = _decided_observations_by_group(data)
    statistic_estimates = {
        statistic.id: {group: statistic.estimate(observations, data) for group, observations in by_group.items()}
        for statistic in STATISTICS
    }
    numbers: dict[str, object] = {**statistic_estimates}
    overall = _overall_table(by_group, statistic_estimates)
    tables, pictures = [overall], []
    for name, title, label in _SORTINGS:
        breakdowns = _breakdowns_by_group(data, label, by_score=name == "format")
        if not any(breakdowns.values()):
            continue
        numbers[name] = breakdowns
        labelled = _labelled_and_ordered(data, name, breakdowns)
        table = _breakdown_table(title, labelled)
        if name == "category":
            pictures.append(_category_picture(labelled, table, list(by_group), data.groups))
        else:
            tables.append(dataclasses.replace(table, detail=True))
    compared, table = compare_groups(data, _decided_observations_by_group(data))
    if compared:
        numbers["comparisons"] = compared
        tables.append(table)
    return Section("success", "Who solved how much", _undecided_sentences(data), pictures, tables, numbers)


def _overall_table(
    observations_by_group: Mapping[str, Sequence[Observation]],
    statistic_estimates: Mapping[str, Mapping[str, Estimate]],
) -> SortableTable:
    return SortableTable(
        "Solved, by group",
        ("group", "attempts", "solved", *(statistic.column for statistic in STATISTICS)),
        [
            (
                group,
                len(observations),
                sum(observation.passed for observation in observations),
                *(
                    text_with_interval(statistic_estimates[statistic.id][group], as_share=statistic.is_share)
                    for statistic in STATISTICS
                ),
            )
            for group, observations in observations_by_group.items()
        ],
        " ".join(statistic.note for statistic in STATISTICS),
    )


def _best_and_worst_sentence(rows: Sequence[charts.Row], label_kind: str) -> str:
    told_of = []
    for group in dict.fromkeys(str(row["group"]) for row in rows):
        shares = sorted((float(row["value"] or 0), str(row["label"])) for row in rows if row["group"] == group)
        (low, worst), (high, best) = shares[0], shares[-1]
        if len(shares) == 1:
            told_of.append(f"{group}: {percent(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({percent(high)}), worst at {worst} ({percent(low)}).")
    return f"Share solved by {label_kind}. " + " ".join(told_of)


_Label = Callable[[Observation], str]
_SORTINGS: Sequence[tuple[str, str, _Label]] = (
    ("category", "Solved, by category", lambda observation: observation.category),
    ("difficulty", "Solved, by difficulty", lambda observation: observation.difficulty),
    ("kind", "Solved, by kind of problem", lambda observation: observation.kind),
    ("format", "Score, by format of question", lambda observation: observation.format),
    ("language", "Solved, by language of question", lambda observation: observation.language),
)


def _decided_observations_by_group(data: Dataset) -> dict[str, list[Observation]]:
    observations_by_group: dict[str, list[Observation]] = {group: [] for group in data.groups}
    for observation in data.decided_observations:
        observations_by_group[observation.group].append(observation)
    return {group: rows for group, rows in observations_by_group.items() if rows}


def _breakdowns_by_group(
    data: Dataset, label_of: _Label, *, by_score: bool = False
) -> dict[str, tuple[LabelledAttempts, ...]]:
    breakdowns = {}
    for group, rows in _decided_observations_by_group(data).items():
        labelled = [observation for observation in rows if label_of(observation)]
        if labelled:
            values = [(observation.score or 0.0) if by_score else float(observation.passed) for observation in labelled]
            breakdowns[group] = success_by_label(
                values, [label_of(observation) for observation in labelled], Dataset.crossed_cells(labelled)
            )
    return breakdowns


def _labelled_and_ordered(
    data: Dataset, label_kind: str, breakdowns: Mapping[str, Sequence[LabelledAttempts]]
) -> dict[str, list[tuple[str, LabelledAttempts]]]:
    names = {fact.category: f"{fact.category_label} ({fact.category})" for fact in data.problem_facts.values()}
    order = _DIFFICULTIES if label_kind == "difficulty" else ()
    return {
        group: sorted(
            (
                (
                    names.get(label_breakdown.label, label_breakdown.label)
                    if label_kind == "category"
                    else label_breakdown.label,
                    label_breakdown,
                )
                for label_breakdown in group_breakdowns
            ),
            key=lambda labelled_breakdown: (
                order.index(labelled_breakdown[0]) if labelled_breakdown[0] in order else len(order)
            ),
        )
        for group, group_breakdowns in breakdowns.items()
    }


def _breakdown_table(
    title: str, breakdowns: Mapping[str, Sequence[LabelledAttempts | tuple[str, LabelledAttempts]]]
) -> SortableTable:
    rows: list[Sequence[Cell]] = []
    for group, group_breakdowns in breakdowns.items():
        for labelled_breakdown in group_breakdowns:
            label, label_breakdown = (
                labelled_breakdown
                if isinstance(labelled_breakdown, tuple)
                else (labelled_breakdown.label, labelled_breakdown)
            )
            solved_text = (
                text_with_interval(label_breakdown.passed.estimate, as_share=True)
                if label_breakdown.passed is not None
                else "–"
            )
            solved_counts = (
                label_breakdown.attempts,
                label_breakdown.score.participants or "–",
                label_breakdown.score.problems,
            )
            rows.append((label, group, *solved_counts, solved_text, text_with_interval(label_breakdown.score.estimate)))
    columns = ("label", "group", "attempts", "people", "problems", "solved (95 % interval)", "mean (95 % interval)")
    return SortableTable(title, columns, rows)


def _category_picture(
    breakdowns: Mapping[str, Sequence[tuple[str, LabelledAttempts]]],
    table: SortableTable,
    groups: Sequence[str],
    all_groups: Sequence[str],
) -> SectionPicture:
    shown_groups = list(groups)[: charts.MOST_GROUPS]
    rows = [
        {
            "label": label,
            "group": group,
            "value": label_breakdown.passed.value,
            "low": label_breakdown.passed.low,
            "high": label_breakdown.passed.high,
        }
        for group in shown_groups
        for label, label_breakdown in breakdowns.get(group, ())
        if label_breakdown.passed is not None
    ]
    return SectionPicture(
        "success-by-category",
        "Solved, by category",
        _best_and_worst_sentence(rows, "category") + charts.note_if_omitted(shown_groups, groups),
        charts.interval_chart(rows, shown_groups, colour_order=all_groups, x_title="solved", y_title=""),
        table,
    )


def _undecided_sentences(data: Dataset) -> list[str]:
    undecided = sum(attempt.observation.censored_by == "not_decided" for attempt in data.counted_attempts)
    lead = []
    if undecided:
        lead.append(
            f"{counted(undecided, 'attempt')} are left out here, because the verdict on their last files is undecided: "
            "“How attempts ended” names the reasons."
        )
    return lead
