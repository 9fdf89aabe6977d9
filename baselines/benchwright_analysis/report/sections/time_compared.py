"""Conditions of people compared in time, and the time up to which they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation, why_unadjusted
from benchwright_analysis.report.section import Cell, Table, interval, number, p_value, with_interval
from benchwright_analysis.statistics.crossed import Crossed
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.restricted_mean import observable_limit, restricted_mean_difference, time_change
from benchwright_analysis.statistics.survival import with_give_ups_until
from benchwright_judges.agreement.estimators import Estimate

Groups = Mapping[str, Sequence[Observation]]


@dataclass(frozen=True)
class Limit:
    """The time up to which times are averaged and compared."""

    minutes: float
    why: str
    """In words that follow the number of minutes and a comma."""

    @property
    def told(self) -> str:
        """In minutes, as people read it."""
        return f"{self.minutes:,.0f}" if self.minutes >= 1000 else f"{self.minutes:.3g}"


@dataclass(frozen=True)
class TimeComparison:
    """One condition against the first."""

    baseline: str
    other: str
    difference: Crossed
    """Of restricted means, in minutes; negative is faster."""
    change: Crossed
    """Of the geometric mean of restricted times: -0.2 is a fifth less."""
    adjusted: bool
    """Whether the change allows for forecasts."""
    if_give_ups_went_on: Crossed | None
    """The difference, if those who gave up had continued without success up to the limit."""


def by_condition(data: Dataset) -> dict[str, list[Observation]]:
    """Attempts of people with time on the clock, by condition."""
    found = {group: [one for one in data.timed if one.group == group] for group in data.people_groups}
    return {group: rows for group, rows in found.items() if rows}


def minutes_of(rows: Sequence[Observation]) -> list[float]:
    """Analysed times."""
    return [one.time_s / 60 for one in rows]


def passed_of(rows: Sequence[Observation]) -> list[bool]:
    """Whether attempts passed."""
    return [one.passed for one in rows]


def limit_of(groups: Groups) -> Limit:
    """The time limit, or as far as every condition was watched."""
    everything = [one for rows in groups.values() for one in rows]
    longest = max(minutes_of(everything))
    limits = [one.limit_s / 60 for one in everything if one.limit_s is not None]
    wanted = min(max(limits), longest) if limits else longest
    why = "the time limit" if limits and wanted == max(limits) else "when the longest attempt ended"
    for group, rows in groups.items():
        known = observable_limit(minutes_of(rows), passed_of(rows), wanted)
        if known < wanted:
            wanted = known
            why = f"since the longest attempt under {group} ended then without a pass, and nothing is known of later"
    return Limit(wanted, why)


def compare(data: Dataset, groups: Groups, limit: Limit) -> tuple[list[TimeComparison], list[str]]:
    """Each condition with the first; and why some can't be compared."""
    found, without = [], []
    baseline, *others = groups
    for other in others:
        both = [*groups[baseline], *groups[other]]
        if not any(passed_of(both)):
            without.append(f"Nobody passed under {baseline} or {other}, so their times can't be compared.")
            continue
        try:
            found.append(_one(baseline, other, both, limit.minutes))
        except StatisticsError as error:
            without.append(f"Times under {other} and {baseline} can't be compared: {error}")
    return found, without


def _one(baseline: str, other: str, both: Sequence[Observation], limit: float) -> TimeComparison:
    second = [one.group == other for one in both]
    cells = Dataset.cells(both)
    forecasts = [one.forecast_blind_minutes for one in both]
    known = [math.log(each) for each in forecasts if each]
    adjusted = len(known) == len(both) and max(known) > min(known)
    columns = (minutes_of(both), passed_of(both), second, limit, cells)
    gave_up = [one.censored_by in ("gave_up", "handed_in_unsolved") for one in both]
    pessimistic = None
    if any(gave_up):
        stopped = with_give_ups_until([min(one, limit) for one in minutes_of(both)], gave_up, limit)
        in_time = [one.passed and one.time_s / 60 <= limit for one in both]
        pessimistic = restricted_mean_difference(stopped, in_time, second, limit, cells)
    return TimeComparison(
        baseline,
        other,
        restricted_mean_difference(*columns),
        time_change(*columns, covariates=[known] if adjusted else []),
        adjusted,
        pessimistic,
    )


def comparison_table(found: Sequence[TimeComparison], limit: Limit, rows: Sequence[Observation]) -> Table:
    """The comparisons, for readers."""
    cells: list[Sequence[Cell]] = []
    for one in found:
        name = f"{one.other} against {one.baseline}"
        cells.append((name, "difference of mean minutes", *_told(one.difference, _in_minutes)))
        adjusted = ", adjusted for forecasts" if one.adjusted else ""
        cells.append((name, f"change of time in percent{adjusted}", *_told(one.change, in_percent)))
        if one.if_give_ups_went_on is not None:
            what = "difference of mean minutes, if those who gave up had continued without success"
            cells.append((name, what, *_told(one.if_give_ups_went_on, _in_minutes)))
    within = any(one.difference.within for one in found)
    note = (
        f"Times up to {limit.told} minutes, {limit.why}: who took longer counts with {limit.told}. "
        + ("Participants and problems are compared with themselves. " if within else "Problems are compared with ")
        + ("" if within else "themselves, participants with others. ")
        + "Intervals and tests hold for other participants at other problems, and take it that the effect may differ "
        "between both. The percentage compares geometric means; where many reach the limit, the effect on times "
        "without one is larger."
        + ("" if all(one.adjusted for one in found) else f" Not adjusted for forecasts: {_why_unadjusted(rows)}")
        + (" With several comparisons some p are small by chance: none is corrected for that." if found[1:] else "")
    )
    return Table(
        "Conditions compared in time", ("comparison", "what", "estimate (95 % interval)", "p"), cells, note.strip()
    )


def _why_unadjusted(rows: Sequence[Observation]) -> str:
    if all(one.forecast_blind_minutes for one in rows):
        return "they are all alike."
    return why_unadjusted(rows)


def sentences(found: Sequence[TimeComparison], limit: Limit) -> list[str]:
    """The comparisons in words."""
    told = []
    for one in found:
        value = round(one.difference.value, 1)
        by = f"{number(abs(value), 1)} minutes {'less' if value < 0 else 'more'} than" if value else "as long as"
        spread = interval(one.difference.low, one.difference.high, digits=1)
        known = f" (95 % interval {spread})" if spread != "–" else f". {one.difference.note}".rstrip(".")
        told.append(f"Up to {limit.told} minutes, {one.other} took {by} {one.baseline} on average{known}.")
    return told


def _told(found: Crossed, form: Callable[[Crossed], str]) -> tuple[str, str]:
    return form(found) + (f". {found.note}" if found.note else ""), p_value(found.p_value)


def _in_minutes(found: Crossed) -> str:
    return with_interval(found.estimate, digits=1)


def in_percent(found: Crossed) -> str:
    """A relative change with its interval, for people."""
    ends = (None if end is None else 100 * end for end in (found.low, found.high))
    spread = interval(*ends, digits=1)
    return f"{number(100 * found.value, 1)} %" + (f" ({spread})" if spread != "–" else "")


def in_percentage_points(found: Crossed) -> Estimate:
    """A difference of shares times 100."""
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    return Estimate(value=100 * found.value, low=low, high=high)
