"""What would flip the conclusion: the primary comparison under other choices, and with what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, counted, p_value_text, text_with_interval
from benchwright_analysis.report.sections.headline import primary_measure
from benchwright_analysis.report.sections.registration import DrawnTask
from benchwright_analysis.report.sections.success_compared import solved_difference
from benchwright_analysis.report.sections.time_compared import (
    ComparisonLimit,
    as_percentage_points,
    comparison_limit,
    minutes_of,
    pass_flags_of,
    time_difference,
    timed_observations_by_condition,
)
from benchwright_analysis.statistics.crossed import CrossedEstimate
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.dropout import (
    DropoutSensitivity,
    OutcomeTable,
    dropout_sensitivity,
    significant_sign,
)
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import holm_tests
from benchwright_analysis.statistics.pseudo_values import restricted_time_pseudo_values
from benchwright_analysis.statistics.survival import times_if_give_ups_continued
from benchwright_foundation.number_text import number, signed_number
from benchwright_studies.plan.vocabulary import Measure, Population

_TITLE = "What would flip the conclusion"
_MOST_LEFT_OUT = 200
Rows = Sequence[Observation]


@dataclass(frozen=True)
class Alternative:
    """The primary comparison under another choice."""

    comparison: str
    choice: str
    difference: CrossedEstimate
    p_value: float | None
    verdict: str
    """`same`, `not significant any more`, `significant now`, `reversed`, or that nothing can be said."""


def conclusion_flips_section(data: Dataset) -> Section | None:
    """One table of all that could change the answer; None without two conditions of people that are compared."""
    planned = data.in_planned_population()
    measure = primary_measure(planned)
    if measure is Measure.SCORE or len(planned.people_groups) < 2:
        return None
    base = _Comparisons(planned, measure)
    differences = base.differences()
    if not any(difference.p_value is not None for difference in differences.values()):
        return Section("flips", _TITLE, empty_reason="No comparison has a test, so there is no conclusion to flip.")
    alternatives: list[Alternative] = []
    dropouts: dict[str, DropoutSensitivity] = {}
    sentences: list[str] = []
    for group, difference in differences.items():
        name = f"{group} against {base.baseline}"

        measured_choices: list[tuple[str, CrossedEstimate | None, float | None]] = [("as planned", difference, None)]
        measured_choices += [
            (choice, estimate, None) for choice, estimate in _differences_by_other_choice(data, base, group).items()
        ]
        if len(differences) > 1:
            adjusted_tests = holm_tests(
                {other_group: each.p_value for other_group, each in differences.items() if each.p_value is not None}
            )
            if group in adjusted_tests:
                measured_choices.append(
                    ("corrected for all conditions (Holm)", difference, adjusted_tests[group].adjusted)
                )
        for noun, label_of in (("participant", _participant_of), ("problem", _problem_of)):
            choice, estimate, sentence = base.difference_without_most_influential(group, difference, noun, label_of)
            measured_choices.append((choice, estimate, None))
            sentences += [f"{name}: {sentence}"] if sentence else []
        sensitivity = base.sensitivity_to_dropout(group)
        if sensitivity is not None:
            dropouts[group] = sensitivity
            unbegun_count = sum(sensitivity.missing)
            measured_choices += [
                (f"{unbegun_count} tasks that nobody began, as those that were done", sensitivity.like_others, None),
                ("the same, as low as the difference can be", sensitivity.lowest, None),
                ("the same, as high as it can be", sensitivity.highest, None),
            ]
            sentences.append(f"{name}: {_dropout_sentence(sensitivity, measure, group)}")
        alternatives += [
            Alternative(
                name,
                choice,
                estimate,
                estimate.p_value if p is None else p,
                "" if choice == "as planned" else _flip_verdict(difference, estimate, p),
            )
            for choice, estimate, p in measured_choices
            if estimate is not None
        ]
    flips = [alternative for alternative in alternatives if alternative.verdict not in ("", "same")]
    alternatives_to_plan = [alternative for alternative in alternatives if alternative.verdict]
    lead = [
        f"Of {counted(len(alternatives_to_plan), 'other choice')}, {len(flips)} would change the conclusion."
        if flips
        else f"None of {counted(len(alternatives_to_plan), 'other choice')} would change the conclusion.",
        *sentences,
    ]
    unit = "minutes" if measure is Measure.TIME else "percentage points"
    printed_rows: list[Sequence[Cell]] = [
        (
            alternative.comparison,
            alternative.choice,
            _difference_text(alternative.difference, measure),
            p_value_text(alternative.p_value),
            alternative.verdict or "–",
        )
        for alternative in alternatives
    ]
    note = (
        "The conclusion is whether the primary difference is significant, and its sign. The worst participant or "
        "problem is the one without whom p is largest, or smallest if nothing is significant. Missing tasks are those "
        "that were drawn and not begun; their bounds take the best and worst outcomes that there are."
    )
    columns = ("comparison", "choice", f"difference in {unit} (95 % interval)", "p", "conclusion")
    table = SortableTable(_TITLE, columns, printed_rows, note)
    return Section("flips", _TITLE, lead, (), [table], {"alternatives": alternatives, "dropout": dropouts})


class _Comparisons:
    """The primary comparison of each condition of people with the first."""

    def __init__(self, data: Dataset, measure: Measure) -> None:
        self.data, self.measure = data, measure
        decided = [row for row in data.decided_observations if row.is_person]
        by_group = {group: [row for row in decided if row.group == group] for group in data.people_groups}
        timed = timed_observations_by_condition(data) if measure is Measure.TIME else by_group
        self.rows_by_group: Mapping[str, Rows] = {group: rows for group, rows in timed.items() if rows}
        self.baseline = next(iter(self.rows_by_group), "")
        self.limit: ComparisonLimit | None = (
            comparison_limit(self.rows_by_group) if measure is Measure.TIME and self.rows_by_group else None
        )

    def difference(self, rows_by_group: Mapping[str, Rows], group: str) -> CrossedEstimate | None:
        """By how much a condition exceeds the first; None if they can't be compared."""
        first, second = rows_by_group.get(self.baseline, ()), rows_by_group.get(group, ())
        if not first or not second:
            return None
        if self.limit is None:
            return solved_difference(first, second)
        try:
            return time_difference([*first, *second], group, self.limit.minutes)
        except StatisticsError:
            return None

    def differences(self) -> dict[str, CrossedEstimate]:
        """Of all other conditions that can be compared."""
        found = {
            group: self.difference(self.rows_by_group, group) for group in self.rows_by_group if group != self.baseline
        }
        return {group: difference for group, difference in found.items() if difference is not None}

    def difference_with_changed_rows(
        self, group: str, change_row: Callable[[Observation], Observation]
    ) -> CrossedEstimate | None:
        """The difference with each attempt changed."""
        return self.difference(
            {name: [change_row(row) for row in rows] for name, rows in self.rows_by_group.items()}, group
        )

    def difference_without_most_influential(
        self, group: str, difference: CrossedEstimate, noun: str, label_of: Callable[[Observation], str]
    ) -> tuple[str, CrossedEstimate | None, str]:
        """Without the participant or problem that matters most: its name, the difference, and how many flip it."""
        pair = {name: self.rows_by_group[name] for name in (self.baseline, group)}
        labels = sorted({label_of(row) for rows in pair.values() for row in rows})
        if len(labels) > _MOST_LEFT_OUT:
            return "", None, ""
        without = {
            label: found
            for label in labels
            if (
                found := self.difference(
                    {name: [row for row in rows if label_of(row) != label] for name, rows in pair.items()}, group
                )
            )
            is not None
            and found.p_value is not None
        }
        if not without:
            return "", None, ""
        changing = [
            label
            for label, remaining_difference in without.items()
            if significant_sign(remaining_difference) != significant_sign(difference)
        ]
        is_significant = significant_sign(difference) != 0
        worst = (max if is_significant else min)(without, key=lambda label: without[label].p_value or 0.0)
        sentence = (
            f"without one of {len(changing)} of {counted(len(labels), noun)} the conclusion would be another."
            if changing
            else ""
        )
        return f"without {noun} {worst}", without[worst], sentence

    def sensitivity_to_dropout(self, group: str) -> DropoutSensitivity | None:
        """With the tasks that were drawn and not begun; None if there are none."""
        begun_tasks = {(row.participant, row.problem) for row in self.data.observations}
        unbegun_tasks = [
            drawn_task
            for drawn_task in self.data.drawn
            if drawn_task.condition in (self.baseline, group)
            and (drawn_task.participant, drawn_task.problem) not in begun_tasks
        ]
        if not unbegun_tasks:
            return None
        first, second = self.rows_by_group[self.baseline], self.rows_by_group[group]
        values = [float(row.passed) for row in (*first, *second)]
        highest = 1.0
        if self.limit is not None:
            highest = self.limit.minutes
            values = [
                value
                for rows in (first, second)
                for value in restricted_time_pseudo_values(minutes_of(rows), pass_flags_of(rows), highest).tolist()
            ]
        families = {row.problem: row.family for row in self.data.observations}
        clusters = {row.participant: row.cluster for row in self.data.observations}
        try:
            return dropout_sensitivity(
                OutcomeTable(
                    values,
                    [False] * len(first) + [True] * len(second),
                    Dataset.crossed_cells([*first, *second]),
                    [drawn_task.condition == group for drawn_task in unbegun_tasks],
                    _missing_task_cells(unbegun_tasks, families, clusters),
                    0.0,
                    highest,
                )
            )
        except StatisticsError:
            return None


def _missing_task_cells(
    missing_tasks: Sequence[DrawnTask], family_by_problem: Mapping[str, str], cluster_by_participant: Mapping[str, str]
) -> CrossedCells:
    return CrossedCells(
        [drawn_task.participant for drawn_task in missing_tasks],
        [drawn_task.problem for drawn_task in missing_tasks],
        [family_by_problem.get(drawn_task.problem, drawn_task.problem) for drawn_task in missing_tasks],
        [cluster_by_participant.get(drawn_task.participant) for drawn_task in missing_tasks],
    )


def _differences_by_other_choice(
    data: Dataset, base_comparisons: _Comparisons, group: str
) -> dict[str, CrossedEstimate | None]:
    """Choices that somebody else might have made, with the difference under each."""
    difference_by_choice: dict[str, CrossedEstimate | None] = {}
    if any(row.intended and not row.is_analysed for row in data.observations):
        by_intention = data.population is Population.INTENTION_TO_TREAT
        other_population = data if by_intention else data.with_intention_to_treat()
        comparisons = _Comparisons(other_population, base_comparisons.measure)
        if group in comparisons.rows_by_group and comparisons.baseline == base_comparisons.baseline:
            label = "per protocol" if by_intention else "by intention to treat"
            difference_by_choice[label] = comparisons.difference(comparisons.rows_by_group, group)
    if any(row.cluster for rows in base_comparisons.rows_by_group.values() for row in rows):
        difference_by_choice["without clusters"] = base_comparisons.difference_with_changed_rows(
            group, lambda row: row.model_copy(update={"cluster": ""})
        )
    pair = [*base_comparisons.rows_by_group[base_comparisons.baseline], *base_comparisons.rows_by_group[group]]
    if base_comparisons.limit is not None:
        minutes = base_comparisons.limit.minutes
        if any(_gave_up(row) for row in pair):
            difference_by_choice["who gave up had gone on without success"] = (
                base_comparisons.difference_with_changed_rows(group, lambda row: _row_if_continued(row, minutes))
            )
        for factor in (0.5, 0.75):
            shorter = _Comparisons(base_comparisons.data, base_comparisons.measure)
            shorter.limit = replace(base_comparisons.limit, minutes=factor * minutes)
            label = f"times up to {number(factor * minutes, 1)} minutes"
            difference_by_choice[label] = shorter.difference(shorter.rows_by_group, group)
    else:
        undecided_rows = [
            attempt.observation
            for attempt in base_comparisons.data.counted_attempts
            if attempt.observation.is_person and attempt.observation.censored_by == "not_decided"
        ]
        for flag, words in ((False, "undecided attempts failed"), (True, "undecided attempts passed")):
            added = [row.model_copy(update={"passed": flag}) for row in undecided_rows]
            if added:
                rows_with_added = {
                    name: [*own, *(row for row in added if row.group == name)]
                    for name, own in base_comparisons.rows_by_group.items()
                }
                difference_by_choice[words] = base_comparisons.difference(rows_with_added, group)
    return difference_by_choice


def _gave_up(row: Observation) -> bool:
    return row.censored_by in ("gave_up", "handed_in_unsolved")


def _row_if_continued(row: Observation, limit_minutes: float) -> Observation:
    stopped = [min(row.minutes, limit_minutes)]
    (minutes,) = times_if_give_ups_continued(stopped, [_gave_up(row)], limit_minutes)
    passed = row.passed and row.minutes <= limit_minutes
    return row.model_copy(update={"time_s": 60 * float(minutes), "passed": passed})


def _participant_of(row: Observation) -> str:
    return row.participant


def _problem_of(row: Observation) -> str:
    return row.problem


def _flip_verdict(base_difference: CrossedEstimate, alternative: CrossedEstimate, p_value: float | None) -> str:
    if alternative.p_value is None:
        return "no test possible"
    before, after = significant_sign(base_difference), significant_sign(alternative, p_value)
    if before == after:
        return "same"
    if before and after:
        return "reversed"
    return "not significant any more" if before else "significant now"


def _difference_text(difference: CrossedEstimate, measure: Measure) -> str:
    estimate = difference.estimate if measure is Measure.TIME else as_percentage_points(difference)
    return text_with_interval(estimate, digits=1)


def _dropout_sentence(sensitivity: DropoutSensitivity, measure: Measure, group: str) -> str:
    first, second = sensitivity.missing
    if not significant_sign(sensitivity.like_others):
        return f"{first + second} drawn tasks were not begun; there is no significant difference that they could tip."
    if sensitivity.tipping_point is None:
        return (
            f"however the {second} tasks under {group} that nobody began had gone, the difference would be significant."
        )
    unit, factor = ("minutes", 1.0) if measure is Measure.TIME else ("percentage points", 100.0)
    return (
        f"the conclusion holds until the {second} tasks under {group} that nobody began differ from those that were "
        f"done by {signed_number(factor * sensitivity.tipping_point, 1)} {unit}."
    )
