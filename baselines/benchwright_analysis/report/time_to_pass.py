"""How long it took: time to the first pass, effects of conditions, and what a time budget buys."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.observation import Observation, why_unadjusted
from benchwright_analysis.report.section import (
    Cell,
    Picture,
    Section,
    Table,
    count,
    interval,
    minutes,
    number,
    p_value,
    percent,
    with_interval,
)
from benchwright_analysis.statistics.condition_effects import condition_effects
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.restricted_mean import (
    RestrictedMean,
    observable_limit,
    restricted_mean,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.score_over_time import Trace, score_curve
from benchwright_analysis.statistics.survival import (
    Survival,
    kaplan_meier,
    log_rank,
    success_only_time,
    with_give_ups_until,
)
from benchwright_judges.estimators import Estimate

_MOST_STEPS = 300
_BUDGETS = 60
_WIDEST = 500
"""How many times the shortest budget goes into the longest, at most."""


def survival(data: Dataset) -> Section:
    """Time to the first pass of people, by condition."""
    title = "How long people took"
    if not data.timed:
        without = "No attempt of a person that counts ran its clock, so there is no time to report."
        return Section("time", title, without=without)
    by_group = {group: [one for one in data.timed if one.group == group] for group in data.people_groups}
    by_group = {group: found for group, found in by_group.items() if found}
    curves = {group: kaplan_meier(_minutes(found), _passed(found)) for group, found in by_group.items()}
    limit = min(observable_limit(_minutes(found), _passed(found), _limit(data)) for found in by_group.values())
    means = {group: restricted_mean(_minutes(found), _passed(found), limit) for group, found in by_group.items()}
    only = {group: success_only_time(_minutes(found), _passed(found)) for group, found in by_group.items()}
    table = Table(
        "Minutes to the first pass, by condition",
        (
            "condition",
            "attempts",
            "solved",
            "gave up",
            "timed out",
            "submitted unsolved",
            "median (95 % interval)",
            f"mean up to {limit:,.4g} min (95 % interval)",
        ),
        [
            (
                group,
                len(found),
                sum(one.passed for one in found),
                *(_censored(found, reason) for reason in ("gave_up", "timed_out", "handed_in_unsolved")),
                with_interval(curves[group].median, digits=1),
                with_interval(_estimate(means[group]), digits=1),
            )
            for group, found in by_group.items()
        ],
        "Kaplan and Meier's estimate: attempts that were given up, timed out or submitted unsolved count for as long "
        "as they lasted. A dash is what the watched time does not reach. These intervals take attempts as independent.",
    )
    numbers: dict[str, object] = {"curves": curves, "restricted_means": means, "secondary_successes_only": only}
    tests, sentences = _tests(data, by_group, limit, numbers)
    secondary = Table(
        "Secondary: minutes of solved attempts only",
        ("condition", "solved", "left out", "geometric mean (95 % interval)"),
        [(group, one.passed, one.left_out, with_interval(one.geometric_mean, digits=1)) for group, one in only.items()],
        "Leaving out what was not solved makes the slow look fast: read the table above for comparisons.",
    )
    lead = [
        "Minutes are active minutes on the clock: of a gap without activity, no more than the threshold counts.",
        *sentences,
    ]
    return Section("time", title, lead, [_curve_picture(curves, table, data.groups)], [*tests, secondary], numbers)


def _estimate(mean: RestrictedMean) -> Estimate:
    return Estimate(value=mean.value, low=mean.low, high=mean.high)


def _minutes(found: Sequence[Observation]) -> list[float]:
    return [one.time_s / 60 for one in found]


def _passed(found: Sequence[Observation]) -> list[bool]:
    return [one.passed for one in found]


def _censored(found: Sequence[Observation], reason: str) -> int:
    return sum(one.censored_by == reason for one in found)


def _limit(data: Dataset) -> float:
    limits = [one.limit_s / 60 for one in data.timed if one.limit_s is not None]
    longest = max(_minutes(data.timed))
    return min(max(limits), longest) if limits else longest


def _curve_picture(curves: dict[str, Survival], table: Table, among: Sequence[str]) -> Picture:
    shown = list(curves)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = []
    marks: list[charts.Row] = []
    for group in shown:
        curve = curves[group]
        rows.append({"x": 0.0, "y": 0.0, "low": 0.0, "high": 0.0, "group": group})
        stride = max(1, len(curve.times) // _MOST_STEPS)
        for place in [*range(0, len(curve.times) - 1, stride), len(curve.times) - 1]:
            solved = 1 - curve.unsolved[place]
            low, high = 1 - curve.high[place], 1 - curve.low[place]
            rows.append({"x": curve.times[place], "y": solved, "low": low, "high": high, "group": group})
            if curve.censored[place] and len(curve.times) <= _MOST_STEPS:
                marks.append({"x": curve.times[place], "y": solved, "group": group})
    medians = [
        f"{group}: half solved by {number(curve.median.value, 1)} minutes"
        if curve.median.value is not None
        else f"{group}: less than half solved within the time watched"
        for group, curve in curves.items()
    ]
    return Picture(
        "survival",
        "Solved by then, by condition",
        f"Steps that rise with every pass. {'; '.join(medians)}. Marks are attempts that ended unsolved."
        f"{charts.drawn(shown, curves)}",
        charts.curves(rows, shown, among=among, x="active minutes", y="solved by then", step=True, points=marks),
        table,
    )


def _tests(
    data: Dataset, by_group: dict[str, list[Observation]], limit: float, numbers: dict[str, object]
) -> tuple[list[Table], list[str]]:
    """Comparisons of each condition with the first one."""
    rows: list[Sequence[Cell]] = []
    sentences: list[str] = []
    baseline, *others = by_group
    for other in others:
        both = [*by_group[baseline], *by_group[other]]
        if not any(_passed(both)):
            sentences.append(f"Nobody passed under {baseline} or {other}, so their times can't be compared.")
            continue
        columns = (_minutes(both), _passed(both), [one.group for one in both])
        people = [one.participant for one in both]
        try:
            difference = restricted_mean_difference(*columns, baseline, limit, clusters=people, seed=data.seed)
            rows.append(
                (
                    f"{other} against {baseline}",
                    "difference of restricted means",
                    with_interval(difference.difference, digits=1),
                    "–",
                )
            )
            numbers.setdefault("restricted_mean_differences", {})[other] = difference  # type: ignore[index]
            sentences.append(_compared(baseline, other, limit, difference.difference))
        except StatisticsError as error:
            sentences.append(f"{other} and {baseline} can't be compared by restricted means: {error}")
        rows += _pessimistic(baseline, other, both, limit, data, numbers)
        try:
            test = log_rank(*columns, strata=[one.problem for one in both])
            numbers.setdefault("log_rank", {})[other] = test  # type: ignore[index]
            rows.append(
                (
                    f"{other} against {baseline}",
                    "log-rank test within problems",
                    f"χ² = {number(test.statistic)}, {count(test.degrees_of_freedom, 'degree')} of freedom",
                    p_value(test.p_value),
                )
            )
        except StatisticsError as error:
            sentences.append(f"No log-rank test of {other} and {baseline}: {error}")
    rows += _effects(data, by_group, numbers, sentences)
    if not rows:
        return [], sentences
    everything = [one for found in by_group.values() for one in found]
    forecasts = " + log(forecast)" if all(one.forecast_blind_minutes for one in everything) else ""
    note = (
        "The log-rank test compares within each problem and takes attempts as independent. Intervals of differences "
        f"draw whole participants. Percentages are from log(time) ~ condition{forecasts}."
        + ("" if forecasts else f" Forecasts are left out of it: {why_unadjusted(everything)}")
        + (" With several comparisons some p are small by chance: none is corrected for that." if others[1:] else "")
    )
    columns_of = ("comparison", "what", "estimate (95 % interval)", "p")
    return [Table("Conditions compared in time", columns_of, rows, note)], sentences


def _compared(baseline: str, other: str, limit: float, difference: Estimate) -> str:
    """The difference of restricted means as a sentence."""
    value = round(difference.value or 0.0, 1)
    by = f"{number(abs(value), 1)} minutes {'less' if value < 0 else 'more'} than" if value else "as long as"
    spread = interval(difference.low, difference.high, digits=1)
    known = f" (95 % interval {spread})" if spread != "–" else ""
    return f"Up to {limit:,.4g} minutes, {other} took {by} {baseline} on average{known}."


def _pessimistic(
    baseline: str, other: str, both: Sequence[Observation], limit: float, data: Dataset, numbers: dict[str, object]
) -> list[Sequence[Cell]]:
    """The same if those who gave up had continued without success to the limit."""
    gave_up = [one.censored_by in ("gave_up", "handed_in_unsolved") for one in both]
    if not any(gave_up):
        return []
    try:
        times = with_give_ups_until([min(minutes, limit) for minutes in _minutes(both)], gave_up, limit)
        groups = [one.group for one in both]
        people = [one.participant for one in both]
        passed = [one.passed and one.time_s / 60 <= limit for one in both]
        found = restricted_mean_difference(times, passed, groups, baseline, limit, clusters=people, seed=data.seed)
    except StatisticsError:
        return []
    numbers.setdefault("if_give_ups_went_on", {})[other] = found  # type: ignore[index]
    what = "the same, if those who gave up had continued without success"
    return [(f"{other} against {baseline}", what, with_interval(found.difference, digits=1), "–")]


def _effects(
    data: Dataset, by_group: dict[str, list[Observation]], numbers: dict[str, object], sentences: list[str]
) -> list[Sequence[Cell]]:
    everything = [one for found in by_group.values() for one in found]
    forecast = [one for one in everything if one.forecast_blind_minutes]
    used = forecast if len(forecast) == len(everything) else everything
    if len(by_group) < 2:
        return []
    try:
        model = condition_effects(
            _minutes(used),
            [one.group for one in used],
            next(iter(by_group)),
            forecasts=[one.forecast_blind_minutes or 1.0 for one in used] if used is forecast else None,
            participants=[one.participant for one in used],
        )
    except StatisticsError as error:
        sentences.append(f"The model of log time could not be fitted: {error}")
        return []
    numbers["condition_effects"] = model
    if model.note:
        sentences.append(model.note)
    rows: list[Sequence[Cell]] = []
    for effect in model.effects:
        for what, bounds in (("clustered by participant", effect.clustered), ("HC3", effect.hc3)):
            if bounds is not None:
                spread = interval(bounds.low, bounds.high, digits=1)
                rows.append(
                    (
                        f"{effect.condition} against {model.baseline}",
                        f"change of time spent in percent, {what}",
                        f"{number(effect.percent, 1)} % ({spread})",
                        p_value(bounds.p_value),
                    )
                )
    return rows


def score_over_time(data: Dataset) -> Section:
    """What a budget of time buys people and models."""
    title = "Score against time"
    curves = {}
    decided = [one for one in data.analysed if one.observation.censored_by != "not_decided"]
    longest = max((one.observation.time_s for one in decided), default=0.0) / 60
    earliest = min((at for one in decided for at, _ in one.trace if at > 0), default=60.0) / 60
    steps = _budgets(max(earliest, longest / _WIDEST), longest)
    for group in data.groups:
        traces = [
            Trace(
                one.observation.problem,
                one.observation.attempt,
                tuple(at / 60 for at, _ in one.trace),
                tuple(score for _, score in one.trace),
            )
            for one in decided
            if one.observation.group == group
        ]
        for k in (1, 4) if _least_attempts(traces) >= 4 else (1,):
            if traces and steps:
                label = group if k == 1 else f"{group}, best of {k}"
                curves[label] = score_curve(traces, steps, k=k, seed=data.seed)
    if not curves:
        return Section("score-over-time", title, without="No attempt that counts has a verdict with a time.")
    among = [*data.groups, *(label for label in curves if label not in data.groups)][: charts.MOST_GROUPS]
    shown = [label for label in among if label in curves]
    rows: list[charts.Row] = [
        {"x": budget, "y": score, "low": low, "high": high, "group": label}
        for label in shown
        for budget, score, low, high in zip(
            curves[label].budgets, curves[label].score, curves[label].low, curves[label].high, strict=True
        )
    ]
    last = len(steps) - 1
    marks = sorted({last * quarter // 4 for quarter in (1, 2, 3, 4)})
    table = Table(
        "Score at equal budgets",
        ("group", "problems", *(f"within {minutes(steps[mark])} min" for mark in marks)),
        [
            (
                label,
                curve.problems,
                *(
                    with_interval(Estimate(value=curve.score[mark], low=curve.low[mark], high=curve.high[mark]))
                    for mark in marks
                ),
            )
            for label, curve in curves.items()
        ],
    )
    ends = "; ".join(f"{label} ends at {number(curve.score[-1])}" for label, curve in curves.items())
    picture = Picture(
        "score-over-time",
        "Mean score within a budget of time",
        f"Lines that rise from 0 with the time spent. {ends}.{charts.drawn(shown, curves)}",
        charts.curves(
            rows,
            shown,
            among=among,
            x="minutes in all (doublings)",
            y="mean score",
            percent=False,
            log=True,
        ),
        table,
    )
    lead = (
        "The mean over problems of the best score reached within a budget. The best of four attempts shares one "
        "budget, so that all lines spend the same. Models are on their own clock.",
    )
    return Section("score-over-time", title, lead, [picture], (), {"curves": curves})


def _budgets(shortest: float, longest: float) -> list[float]:
    """From one to the other, in equal ratios; one alone where there is nothing between them."""
    if shortest >= longest:
        return [longest] if longest > 0 else []
    return [longest * (shortest / longest) ** (1 - step / _BUDGETS) for step in range(_BUDGETS + 1)]


def _least_attempts(traces: Sequence[Trace]) -> int:
    counts: dict[str, int] = {}
    for trace in traces:
        counts[trace.problem] = counts.get(trace.problem, 0) + 1
    return min(counts.values(), default=0)


def active_time(data: Dataset) -> tuple[dict[str, object], Table | None, str]:
    """How far active time depends on its threshold."""
    from benchwright_analysis.statistics.active_time import active_time_sensitivity

    people = [one.observation for one in data.analysed if one.observation.is_person and one.observation.clock_s > 0]
    if not people:
        return {}, None, ""
    columns = {
        60.0: [one.active_60_s for one in people],
        120.0: [one.active_120_s for one in people],
        300.0: [one.active_300_s for one in people],
    }
    own = data.study.idle_minutes * 60 if data.study is not None else 120.0
    columns.setdefault(own, [one.active_s for one in people])
    found = active_time_sensitivity(columns, [one.clock_s for one in people], reference_s=own)
    table = Table(
        "Active time, by the gap that still counts",
        ("threshold (min)", "total (h)", "median (min)", "of the clock", "against the study's threshold"),
        [
            (
                number(one.threshold_s / 60, 0 if one.threshold_s % 60 == 0 else 1),
                number(one.total_s / 3600, 2),
                number(one.median_s / 60, 1),
                percent(one.share_of_elapsed),
                percent(one.against_reference),
            )
            for one in found.thresholds
        ],
    )
    sentence = (
        f"Active time: of a gap without activity at most {own / 60:g} minutes count. With 1, 2 or 5 minutes instead, "
        f"the total changes by at most {percent(found.largest_change)}."
    )
    return {"active_time": found}, table, sentence
