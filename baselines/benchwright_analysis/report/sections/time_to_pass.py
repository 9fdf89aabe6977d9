"""Times of attempts: time to the first pass, effects of conditions, and what a time budget buys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.report.sections.time_compared import (
    compare_times_with_first,
    comparison_limit,
    comparison_sentences,
    comparison_table,
    minutes_of,
    pass_flags_of,
    timed_observations_by_condition,
)
from benchwright_analysis.report.sections.times_left_out import (
    left_out_counts_by_reason,
    left_out_sentences,
    reported_times_sentences,
    section_by_time_source,
)
from benchwright_analysis.statistics.restricted_mean import restricted_mean
from benchwright_analysis.statistics.score_over_time import ScoreTrace, score_curve
from benchwright_analysis.statistics.survival import SurvivalCurve, geometric_mean_of_passes, kaplan_meier
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_foundation.number_text import minutes_without_unit, number, percent
from benchwright_judges.agreement.estimators import Estimate

_MOST_STEPS = 300
_BUDGETS = 60
_WIDEST = 500
"""Greatest ratio of the longest budget to the shortest."""


def time_to_pass_section(data: Dataset) -> Section:
    """Time to the first pass of people, by condition."""
    title = "How long people took"
    people_rows = [observation for observation in data.decided_observations if observation.is_person]
    if not data.timed_observations:
        notice = " ".join(
            [
                "No attempt of a person that counts has a time, so there is none to report.",
                *left_out_sentences(people_rows, data.shown_time_source),
            ]
        )
        return Section("time", title, empty_reason=notice)
    return section_by_time_source(data, lambda timed_data: _survival_section(timed_data, title, people_rows))


def _survival_section(data: Dataset, title: str, people_rows: Sequence[Observation]) -> Section:
    by_group = timed_observations_by_condition(data)
    curves = {
        group: kaplan_meier(minutes_of(observations), pass_flags_of(observations), Dataset.crossed_cells(observations))
        for group, observations in by_group.items()
    }
    limit = comparison_limit(by_group)
    means = {
        group: restricted_mean(
            minutes_of(observations), pass_flags_of(observations), limit.minutes, Dataset.crossed_cells(observations)
        )
        for group, observations in by_group.items()
    }
    only = {
        group: geometric_mean_of_passes(minutes_of(observations), pass_flags_of(observations))
        for group, observations in by_group.items()
    }
    table = SortableTable(
        "Minutes to the first pass, by condition",
        (
            "condition",
            "attempts",
            "solved",
            "gave up",
            "timed out",
            "submitted unsolved",
            "median (95 % interval)",
            f"mean up to {limit.minutes_text} min (95 % interval)",
        ),
        [
            (
                group,
                len(observations),
                sum(observation.passed for observation in observations),
                *(_censored_count(observations, reason) for reason in ("gave_up", "timed_out", "handed_in_unsolved")),
                text_with_interval(curves[group].median, digits=1),
                text_with_interval(means[group].estimate, digits=1),
            )
            for group, observations in by_group.items()
        ],
        "Kaplan and Meier's estimate: attempts that were given up, timed out or submitted unsolved count for as long "
        "as they lasted. A dash is what the watched time does not reach. "
        f"Means are up to {limit.minutes_text} minutes, {limit.why}. Intervals hold for other participants at other "
        "problems.",
    )
    compared, reasons = compare_times_with_first(data, by_group, limit)
    numbers: dict[str, object] = {
        "curves": curves,
        "limit": limit,
        "time_source": data.shown_time_source.value,
        "left_out": left_out_counts_by_reason(people_rows, data.shown_time_source),
        "restricted_means": means,
        "comparisons": {comparison.other: comparison for comparison in compared},
        "secondary_successes_only": only,
    }
    comparison_tables = (
        [comparison_table(compared, limit, [observation for rows in by_group.values() for observation in rows])]
        if compared
        else []
    )
    secondary = SortableTable(
        "Secondary: minutes of solved attempts only",
        ("condition", "solved", "left out", "geometric mean"),
        [
            (group, success_time.passed, success_time.left_out, number(success_time.geometric_mean, 1))
            for group, success_time in only.items()
        ],
        "Leaving out what was not solved makes the slow look fast, so there is no interval: read the table above.",
    )
    lead = [
        *(
            reported_times_sentences(data.shown_time_source)
            or [
                "Minutes are active minutes on the clock: of a gap without activity, no more than the threshold counts."
            ]
        ),
        *left_out_sentences(people_rows, data.shown_time_source),
        *comparison_sentences(compared, limit),
        *reasons,
        *sorted({estimate.note for estimate in means.values() if estimate.note}),
    ]
    return Section(
        "time",
        title,
        lead,
        [_solved_curves_picture(curves, table, data.groups)],
        [*comparison_tables, secondary],
        numbers,
    )


def _censored_count(observations: Sequence[Observation], reason: str) -> int:
    return sum(observation.censored_by == reason for observation in observations)


def _solved_curves_picture(
    curves: dict[str, SurvivalCurve], table: SortableTable, all_groups: Sequence[str]
) -> SectionPicture:
    shown_groups = list(curves)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = []
    marks: list[charts.Row] = []
    for group in shown_groups:
        curve = curves[group]
        start = 0.0 if curve.low is not None else None
        rows.append({"x": 0.0, "y": 0.0, "low": start, "high": start, "group": group})
        stride = max(1, len(curve.times) // _MOST_STEPS)
        for step_index in [*range(0, len(curve.times) - 1, stride), len(curve.times) - 1]:
            solved = 1 - curve.unsolved[step_index]
            low = 1 - curve.high[step_index] if curve.high is not None else None
            high = 1 - curve.low[step_index] if curve.low is not None else None
            rows.append({"x": curve.times[step_index], "y": solved, "low": low, "high": high, "group": group})
            if curve.censored[step_index] and len(curve.times) <= _MOST_STEPS:
                marks.append({"x": curve.times[step_index], "y": solved, "group": group})
    medians = [
        f"{group}: half solved by {number(curve.median.value, 1)} minutes"
        if curve.median.value is not None
        else f"{group}: less than half solved within the time watched"
        for group, curve in curves.items()
    ]
    return SectionPicture(
        "survival",
        "Solved by then, by condition",
        f"Steps that rise with every pass. {'; '.join(medians)}. Marks are attempts that ended unsolved."
        f"{charts.note_if_omitted(shown_groups, curves)}",
        charts.line_chart(
            rows,
            shown_groups,
            colour_order=all_groups,
            x_title="active minutes",
            y_title="solved by then",
            holds_until_next=True,
            mark_rows=marks,
        ),
        table,
    )


def score_over_time_section(data: Dataset) -> Section:
    """Score that a budget of time buys people and models."""
    title = "Score against time"
    curves = {}
    # The score at each time needs a clock: a file states one time, if any.
    decided_attempts = [
        attempt
        for attempt in data.counted_attempts
        if attempt.observation.censored_by != "not_decided"
        and attempt.observation.time_source == TimeSource.CLOCK
        and attempt.observation.time_s
    ]
    left_out = left_out_sentences(data.decided_observations, TimeSource.CLOCK)
    longest = max((attempt.observation.minutes for attempt in decided_attempts), default=0.0)
    earliest = (
        min((time_s for attempt in decided_attempts for time_s, _ in attempt.trace if time_s > 0), default=60.0) / 60
    )
    steps = _geometric_budgets(max(earliest, longest / _WIDEST), longest)
    for group in data.groups:
        group_attempts = [attempt for attempt in decided_attempts if attempt.observation.group == group]
        traces = [
            ScoreTrace(
                attempt.observation.problem,
                attempt.observation.attempt,
                tuple(time_s / 60 for time_s, _ in attempt.trace),
                tuple(score for _, score in attempt.trace),
            )
            for attempt in group_attempts
        ]
        cells = Dataset.crossed_cells([attempt.observation for attempt in group_attempts])
        for k in (1, 4) if _fewest_attempts_per_problem(traces) >= 4 else (1,):
            if traces and steps:
                label = group if k == 1 else f"{group}, best of {k}"
                curves[label] = score_curve(traces, steps, attempts_sharing_budget=k, cells=cells)
    if not curves:
        notice = " ".join(["No attempt that counts has a verdict with a time on its clock.", *left_out])
        return Section("score-over-time", title, empty_reason=notice)
    labels = [*data.groups, *(label for label in curves if label not in data.groups)][: charts.MOST_GROUPS]
    shown_labels = [label for label in labels if label in curves]
    rows: list[charts.Row] = [
        {"x": budget, "y": score, "low": low, "high": high, "group": label}
        for label in shown_labels
        for budget, score, low, high in zip(
            curves[label].budgets, curves[label].score, curves[label].low, curves[label].high, strict=True
        )
    ]
    last_index = len(steps) - 1
    marks = sorted({last_index * quarter // 4 for quarter in (1, 2, 3, 4)})
    table = SortableTable(
        "Score at equal budgets",
        ("group", "problems", *(f"within {minutes_without_unit(steps[mark])} min" for mark in marks)),
        [
            (
                label,
                curve.problems,
                *(
                    text_with_interval(Estimate(value=curve.score[mark], low=curve.low[mark], high=curve.high[mark]))
                    for mark in marks
                ),
            )
            for label, curve in curves.items()
        ],
    )
    end_notes = "; ".join(f"{label} ends at {number(curve.score[-1])}" for label, curve in curves.items())
    picture = SectionPicture(
        "score-over-time",
        "Mean score within a budget of time",
        f"Lines that rise from 0 with the time spent. {end_notes}.{charts.note_if_omitted(shown_labels, curves)}",
        charts.line_chart(
            rows,
            shown_labels,
            colour_order=labels,
            x_title="minutes in all (doublings)",
            y_title="mean score",
            as_percent=False,
            has_log2_x_axis=True,
        ),
        table,
    )
    lead = (
        "The mean over problems of the best score reached within a budget. The best of four attempts shares one "
        "budget, so that all lines spend the same. Models are on their own clock.",
        *left_out,
    )
    numbers = {"curves": curves, "left_out": left_out_counts_by_reason(data.decided_observations, TimeSource.CLOCK)}
    return Section("score-over-time", title, lead, [picture], (), numbers)


def _geometric_budgets(shortest: float, longest: float) -> list[float]:
    """From exactly one to exactly the other, in equal ratios; one alone where there is nothing between them."""
    if shortest >= longest:
        return [longest] if longest > 0 else []
    steps: list[float] = np.geomspace(shortest, longest, _BUDGETS + 1).tolist()
    return steps


def _fewest_attempts_per_problem(traces: Sequence[ScoreTrace]) -> int:
    counts: dict[str, int] = {}
    for trace in traces:
        counts[trace.problem] = counts.get(trace.problem, 0) + 1
    return min(counts.values(), default=0)


def active_time_numbers_table_and_sentence(data: Dataset) -> tuple[dict[str, object], SortableTable | None, str]:
    """Dependence of active time on its threshold."""
    from benchwright_analysis.statistics.active_time import active_time_sensitivity

    person_observations = [
        attempt.observation
        for attempt in data.counted_attempts
        if attempt.observation.is_person
        and attempt.observation.time_source == TimeSource.CLOCK
        and attempt.observation.clock_s
    ]
    if not person_observations:
        return {}, None, ""
    columns = {
        60.0: [observation.active_60_s or 0.0 for observation in person_observations],
        120.0: [observation.active_120_s or 0.0 for observation in person_observations],
        300.0: [observation.active_300_s or 0.0 for observation in person_observations],
    }
    own_threshold_s = data.study.idle_minutes * 60 if data.study is not None else 120.0
    columns.setdefault(own_threshold_s, [observation.active_s or 0.0 for observation in person_observations])
    sensitivity = active_time_sensitivity(
        columns, [observation.clock_s or 0.0 for observation in person_observations], reference_s=own_threshold_s
    )
    table = SortableTable(
        "Active time, by the gap that still counts",
        ("threshold (min)", "total (h)", "median (min)", "of the clock", "against the study's threshold"),
        [
            (
                number(threshold.threshold_s / 60, 0 if threshold.threshold_s % 60 == 0 else 1),
                number(threshold.total_s / 3600, 2),
                number(threshold.median_s / 60, 1),
                percent(threshold.share_of_elapsed),
                percent(threshold.against_reference),
            )
            for threshold in sensitivity.thresholds
        ],
    )
    sentence = (
        f"Active time: of a gap without activity at most {own_threshold_s / 60:g} minutes count. With 1, 2 or 5 "
        "minutes instead, "
        f"the total changes by at most {percent(sensitivity.largest_change)}."
    )
    return {"active_time": sensitivity}, table, sentence
