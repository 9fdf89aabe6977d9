"""Conditions of people compared in time, and the time up to which they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation, forecasts_unadjusted_reason
from benchwright_analysis.report.section import Cell, SortableTable, interval_text, p_value_text, text_with_interval
from benchwright_analysis.statistics.crossed import CrossedEstimate
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import holm_tests
from benchwright_analysis.statistics.restricted_mean import (
    geometric_mean_time_change,
    observable_limit,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.survival import times_if_give_ups_continued
from benchwright_foundation.number_text import number
from benchwright_judges.agreement.estimators import Estimate

ObservationsByCondition = Mapping[str, Sequence[Observation]]


@dataclass(frozen=True)
class ComparisonLimit:
    """The time up to which times are averaged and compared."""

    minutes: float
    why: str
    """In words that follow the number of minutes and a comma."""

    @property
    def minutes_text(self) -> str:
        """In minutes, as people read it."""
        return f"{self.minutes:,.0f}" if self.minutes >= 1000 else f"{self.minutes:.3g}"


@dataclass(frozen=True)
class TimeComparison:
    """One condition against the first."""

    baseline: str
    other: str
    difference: CrossedEstimate
    """Of restricted means, in minutes; negative is faster."""
    change: CrossedEstimate
    """Of the geometric mean of restricted times: -0.2 is a fifth less."""
    adjusted: bool
    """True if the change allows for forecasts."""
    if_give_ups_went_on: CrossedEstimate | None
    """The difference, if those who gave up had continued without success up to the limit."""


def timed_observations_by_condition(data: Dataset) -> dict[str, list[Observation]]:
    """Attempts of people with a time of the source that figures take, by condition."""
    by_group = {
        group: [observation for observation in data.timed_observations if observation.group == group]
        for group in data.people_groups
    }
    return {group: rows for group, rows in by_group.items() if rows}


def minutes_of(observations: Sequence[Observation]) -> list[float]:
    """Analysed times."""
    return [observation.minutes for observation in observations]


def pass_flags_of(observations: Sequence[Observation]) -> list[bool]:
    """True for each attempt that passed."""
    return [observation.passed for observation in observations]


def comparison_limit(observations_by_condition: ObservationsByCondition) -> ComparisonLimit:
    """The time limit, or as far as every condition was watched."""
    observations = [observation for rows in observations_by_condition.values() for observation in rows]
    longest = max(minutes_of(observations))
    limits = [observation.limit_s / 60 for observation in observations if observation.limit_s is not None]
    limit = min(max(limits), longest) if limits else longest
    reason = "the time limit" if limits and limit == max(limits) else "when the longest attempt ended"
    for group, rows in observations_by_condition.items():
        observed_limit = observable_limit(minutes_of(rows), pass_flags_of(rows), limit)
        if observed_limit < limit:
            limit = observed_limit
            reason = f"since the longest attempt under {group} ended then without a pass, and nothing is known of later"
    return ComparisonLimit(limit, reason)


def compare_times_with_first(
    data: Dataset, observations_by_condition: ObservationsByCondition, limit: ComparisonLimit
) -> tuple[list[TimeComparison], list[str]]:
    """Each condition with the first; and why some can't be compared."""
    comparisons, notices = [], []
    baseline, *other_groups = observations_by_condition
    for compared_group in other_groups:
        paired_observations = [*observations_by_condition[baseline], *observations_by_condition[compared_group]]
        if not any(pass_flags_of(paired_observations)):
            notices.append(f"Nobody passed under {baseline} or {compared_group}, so their times can't be compared.")
            continue
        try:
            comparisons.append(_time_comparison(baseline, compared_group, paired_observations, limit.minutes))
        except StatisticsError as error:
            notices.append(f"Times under {compared_group} and {baseline} can't be compared: {error}")
    return comparisons, notices


def time_difference(
    paired_observations: Sequence[Observation], compared_group: str, limit_minutes: float
) -> CrossedEstimate:
    """By how many minutes attempts of one condition take longer than the others, up to a limit.

    This is the primary analysis of a study that decides on time.

    Args:
        paired_observations: Timed attempts under two conditions.
        compared_group: The condition that is compared with the other.
        limit_minutes: Limit at which both are stopped.

    Raises:
        StatisticsError: As in `restricted_mean_difference`.
    """
    return restricted_mean_difference(
        minutes_of(paired_observations),
        pass_flags_of(paired_observations),
        [observation.group == compared_group for observation in paired_observations],
        limit_minutes,
        Dataset.crossed_cells(paired_observations),
    )


def _time_comparison(
    baseline: str, compared_group: str, paired_observations: Sequence[Observation], limit_minutes: float
) -> TimeComparison:
    second_flags = [observation.group == compared_group for observation in paired_observations]
    cells = Dataset.crossed_cells(paired_observations)
    forecasts = [observation.forecast_blind_minutes for observation in paired_observations]
    log_forecasts = [math.log(forecast) for forecast in forecasts if forecast]
    adjusted = len(log_forecasts) == len(paired_observations) and max(log_forecasts) > min(log_forecasts)
    gave_up = [observation.censored_by in ("gave_up", "handed_in_unsolved") for observation in paired_observations]
    pessimistic = None
    if any(gave_up):
        stopped = times_if_give_ups_continued(
            [min(minutes, limit_minutes) for minutes in minutes_of(paired_observations)], gave_up, limit_minutes
        )
        in_time = [observation.passed and observation.minutes <= limit_minutes for observation in paired_observations]
        pessimistic = restricted_mean_difference(stopped, in_time, second_flags, limit_minutes, cells)
    return TimeComparison(
        baseline,
        compared_group,
        time_difference(paired_observations, compared_group, limit_minutes),
        geometric_mean_time_change(
            minutes_of(paired_observations),
            pass_flags_of(paired_observations),
            second_flags,
            limit_minutes,
            cells,
            covariates=[log_forecasts] if adjusted else [],
        ),
        adjusted,
        pessimistic,
    )


def comparison_table(
    comparisons: Sequence[TimeComparison], limit: ComparisonLimit, observations: Sequence[Observation]
) -> SortableTable:
    """The comparisons, for readers."""
    pessimistic = {
        comparison.other: comparison.if_give_ups_went_on
        for comparison in comparisons
        if comparison.if_give_ups_went_on is not None
    }
    kinds = [
        (estimates, _holm_p_values(estimates), text_of)
        for estimates, text_of in (
            ({comparison.other: comparison.difference for comparison in comparisons}, _minutes_text),
            ({comparison.other: comparison.change for comparison in comparisons}, percent_change_text),
            (pessimistic, _minutes_text),
        )
    ]
    cells: list[Sequence[Cell]] = []
    for comparison in comparisons:
        adjusted = ", adjusted for forecasts" if comparison.adjusted else ""
        kind_labels = (
            "difference of mean minutes",
            f"change of time in percent{adjusted}",
            "difference of mean minutes, if those who gave up had continued without success",
        )
        for label, (estimates, holm_p_values, text_of) in zip(kind_labels, kinds, strict=True):
            if (estimate := estimates.get(comparison.other)) is not None:
                estimate_text = text_of(estimate) + (f". {estimate.note}" if estimate.note else "")
                p_values = (estimate.p_value, holm_p_values.get(comparison.other))
                name = f"{comparison.other} against {comparison.baseline}"
                cells.append((name, label, estimate_text, *map(p_value_text, p_values)))
    is_within = any(comparison.difference.within for comparison in comparisons)
    note = (
        f"Times up to {limit.minutes_text} minutes, {limit.why}: who took longer counts with {limit.minutes_text}. "
        + ("Participants and problems are compared with themselves. " if is_within else "Problems are compared with ")
        + ("" if is_within else "themselves, participants with others. ")
        + "Intervals and tests hold for other participants at other problems, and take it that the effect may differ "
        "between both. The percentage compares geometric means; where many reach the limit, the effect on times "
        "without one is larger."
        + (
            ""
            if all(comparison.adjusted for comparison in comparisons)
            else f" Not adjusted for forecasts: {_unadjusted_reason(observations)}"
        )
        + " The last p is corrected for all conditions that are compared with the first, by Holm."
    )
    columns = ("comparison", "what", "estimate (95 % interval)", "p", "p among all conditions (Holm)")
    return SortableTable("Conditions compared in time", columns, cells, note.strip())


def _holm_p_values(estimates: Mapping[str, CrossedEstimate]) -> dict[str, float]:
    """The p-values of conditions after Holm's correction; of those that have one."""
    tests_by_condition = holm_tests(
        {condition: estimate.p_value for condition, estimate in estimates.items() if estimate.p_value is not None}
    )
    return {condition: test.adjusted for condition, test in tests_by_condition.items()}


def _unadjusted_reason(observations: Sequence[Observation]) -> str:
    if all(observation.forecast_blind_minutes for observation in observations):
        return "they are all alike."
    return forecasts_unadjusted_reason(observations)


def comparison_sentences(comparisons: Sequence[TimeComparison], limit: ComparisonLimit) -> list[str]:
    """The comparisons in words."""
    sentences = []
    for comparison in comparisons:
        value = round(comparison.difference.value, 1)
        comparative = (
            f"{number(abs(value), 1)} minutes {'less' if value < 0 else 'more'} than" if value else "as long as"
        )
        spread = interval_text(comparison.difference.low, comparison.difference.high, digits=1)
        interval_note = f" (95 % interval {spread})" if spread != "–" else f". {comparison.difference.note}".rstrip(".")
        sentences.append(
            f"Up to {limit.minutes_text} minutes, {comparison.other} took {comparative} {comparison.baseline} on "
            f"average{interval_note}."
        )
    return sentences


def _minutes_text(estimate: CrossedEstimate) -> str:
    return text_with_interval(estimate.estimate, digits=1)


def percent_change_text(relative_change: CrossedEstimate) -> str:
    """A relative change with its interval, for people."""
    bounds = (None if end is None else 100 * end for end in (relative_change.low, relative_change.high))
    spread = interval_text(*bounds, digits=1)
    return f"{number(100 * relative_change.value, 1)} %" + (f" ({spread} %)" if spread != "–" else "")


def as_percentage_points(estimate: CrossedEstimate) -> Estimate:
    """A difference of shares times 100."""
    low, high = (None if end is None else 100 * end for end in (estimate.low, estimate.high))
    return Estimate(value=100 * estimate.value, low=low, high=high)
