"""The report's first sentence and its first picture: what the numbers of the answer say, and no more than that."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.group_statistics import STATISTICS
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import (
    SectionPicture,
    SortableTable,
    counted,
    interval_text,
    text_with_interval,
)
from benchwright_analysis.report.sections.group_result import GroupResult, MainResult
from benchwright_analysis.report.sections.time_compared import ComparisonLimit, as_percentage_points
from benchwright_analysis.statistics.crossed import CrossedEstimate
from benchwright_foundation.number_text import number, percent, signed_number
from benchwright_judges.agreement.estimators import Estimate
from benchwright_studies.plan.vocabulary import Measure

_SCORE = next(statistic for statistic in STATISTICS if statistic.id == "score")


def primary_measure(data: Dataset) -> Measure:
    """The outcome that the study planned to answer its question with; success where none was planned."""
    planned = data.study.analysis if data.study is not None else None
    return planned.primary if planned is not None else Measure.SOLVED


def headline_sentence(data: Dataset, result: MainResult | None, name: str = "") -> str:
    """The answer in one sentence; where the data do not decide, it says so.

    Args:
        data: The attempts that count in the primary analysis.
        result: What they come to; None if no attempt that counts has a verdict.
        name: Name of what was run, if it is no study and no log of attempts.
    """
    run_name = name or _run_name(data)
    if result is None or not result.rows:
        return f"{run_name}: there is no answer yet, since no attempt that counts has a verdict."
    undecided = sum(attempt.observation.censored_by == "not_decided" for attempt in data.counted_attempts)
    left_out = f"; {counted(undecided, 'attempt is', 'attempts are')} undecided, and left out" if undecided else ""
    return f"{run_name}: {_result_clause(data, result)}{left_out}."


def _run_name(data: Dataset) -> str:
    notices = ["simulated: nobody worked"] if data.simulated else []
    notices += ["not closed yet"] if data.study is not None and not data.closing_digest else []
    name = (
        f"Study {data.study.study}"
        if data.study is not None
        else f"{counted(len(data.counted_attempts), 'attempt')} outside studies"
    )
    return f"{name} ({'; '.join(notices)})" if notices else name


def _result_clause(data: Dataset, result: MainResult) -> str:
    people_results = [group_result for group_result in result.rows if group_result.people]
    if len(people_results) > 1:
        baseline = people_results[0]
        return "; ".join(
            _comparison_clause(data, result, baseline, other_result) for other_result in people_results[1:]
        )
    people = [_group_outcome_clause(data, group_result) for group_result in people_results]
    programs = [group_result for group_result in result.rows if not group_result.people]
    return "; ".join([*people, *([_best_programs_clause(programs)] if programs else [])])


def _comparison_clause(data: Dataset, result: MainResult, baseline: GroupResult, other_result: GroupResult) -> str:
    match primary_measure(data):
        case Measure.TIME:
            return _time_comparison_clause(result, baseline, other_result)
        case Measure.SCORE:
            clauses = f"{_group_outcome_clause(data, baseline)}, {_group_outcome_clause(data, other_result)}"
            return f"{clauses}; no test compares scores"
    difference = other_result.solved_difference
    if difference is None:
        return _unknown_difference_clause(baseline, other_result)
    return _difference_words(
        f"{other_result.group} solved {{}} percentage points {{}} than {baseline.group}",
        f"whether {other_result.group} solves more or less than {baseline.group}",
        "percentage points",
        difference,
        as_percentage_points(difference),
    )


def _time_comparison_clause(result: MainResult, baseline: GroupResult, other_result: GroupResult) -> str:
    if other_result.time is None or result.limit is None:
        return _unknown_difference_clause(baseline, other_result)
    difference = other_result.time.difference
    words = _difference_words(
        f"{other_result.group} took {{}} minutes {{}} than {baseline.group} on average",
        f"whether {other_result.group} takes more or less time than {baseline.group}",
        "minutes on average",
        difference,
        difference.estimate,
        _minutes_digits(result.limit),
    )
    return f"up to {result.limit.minutes_text} minutes, {words}"


def _minutes_digits(limit: ComparisonLimit) -> int:
    """Digits after the point of times up to a limit, in minutes."""
    return 1 if limit.minutes >= 2 else 3


def _difference_words(
    finding_template: str,
    open_question: str,
    unit: str,
    difference: CrossedEstimate,
    difference_in_unit: Estimate,
    digits: int = 1,
) -> str:
    """A difference in words: a finding only if its interval is on one side of zero.

    Args:
        finding_template: The finding, with places for an amount and for `more` or `less`.
        open_question: The question that the difference answers.
        unit: Unit of the difference.
        difference: The difference.
        difference_in_unit: The same in this unit.
        digits: Digits after the point.
    """
    amount = round(difference_in_unit.value or 0.0, digits)
    finding = finding_template.format(number(abs(amount), digits), "more" if amount > 0 else "less")
    if difference_in_unit.low is None or difference_in_unit.high is None:
        reason = f" ({difference.note.rstrip('.')})" if difference.note else ""
        finding = finding if amount else f"no difference was seen in {open_question}"
        return f"{finding}, and how sure that is, is unknown{reason}"
    if difference_in_unit.low <= 0 <= difference_in_unit.high:
        spread = interval_text(difference_in_unit.low, difference_in_unit.high, digits=digits)
        return f"it is undecided {open_question}: {signed_number(amount, digits)} {unit} (95 % interval {spread})"
    low, high = sorted((abs(difference_in_unit.low), abs(difference_in_unit.high)))
    return f"{finding} (95 % interval {interval_text(low, high, digits=digits)})"


def _unknown_difference_clause(baseline: GroupResult, other_result: GroupResult) -> str:
    return (
        f"how {other_result.group} differs from {baseline.group} is unknown, since the two can't be compared "
        f"({_solved_words(baseline)}, {_solved_words(other_result)})"
    )


def _group_outcome_clause(data: Dataset, group_result: GroupResult) -> str:
    """The outcome of one group."""
    if primary_measure(data) is Measure.SCORE:
        observations = [
            observation for observation in data.decided_observations if observation.group == group_result.group
        ]
        return f"{group_result.group} has a mean score of {text_with_interval(_SCORE.estimate(observations, data))}"
    return (
        f"{_solved_words(group_result)} at {counted(group_result.problems, 'problem')} by "
        f"{counted(group_result.people, 'person', 'people')}"
    )


def _solved_words(group_result: GroupResult) -> str:
    estimate = group_result.solved.estimate
    spread = interval_text(estimate.low, estimate.high, as_share=True)
    interval_words = f", 95 % interval {spread}" if estimate.low is not None or estimate.high is not None else ""
    return (
        f"{group_result.group} solved {percent(estimate.value)} of {counted(group_result.attempts, 'attempt')}"
        f"{interval_words}"
    )


def _best_programs_clause(programs: Sequence[GroupResult]) -> str:
    """The observed order of models and agents; whether it holds elsewhere, their intervals say."""
    if len(programs) == 1:
        return _solved_words(programs[0])
    most = max(group_result.solved.estimate.value or 0.0 for group_result in programs)
    best = [group_result for group_result in programs if (group_result.solved.estimate.value or 0.0) == most]
    if len(best) == 1:
        return f"of {len(programs)} models and agents, {_solved_words(best[0])}: the largest share here"
    return f"of {len(programs)} models and agents, {len(best)} solved the largest share here, {percent(most)}"


def headline_picture(data: Dataset, result: MainResult, table: SortableTable) -> SectionPicture:
    """The picture of the primary outcome: every group, or for times every condition of people.

    Args:
        data: The attempts that count in the primary analysis.
        result: What they come to.
        table: The table with its numbers.
    """
    measure = primary_measure(data)
    estimates: dict[str, Estimate] = {}
    title, axis, is_share, digits = "Solved", "solved", True, 2
    if measure is Measure.TIME and result.limit is not None:
        digits = _minutes_digits(result.limit)
        title, axis, is_share = "Time", f"mean minutes up to {result.limit.minutes_text}", False
        estimates = {row.group: row.minutes.estimate for row in result.rows if row.minutes is not None}
    elif measure is Measure.SCORE:
        title, axis, is_share = "Score", "mean score", False
        for group_result in result.rows:
            observations = [
                observation for observation in data.decided_observations if observation.group == group_result.group
            ]
            estimates[group_result.group] = _SCORE.estimate(observations, data)
    else:
        estimates = {row.group: row.solved.estimate for row in result.rows}
    chart_rows: list[charts.Row] = [
        {"label": group, "group": "", "value": estimate.value, "low": estimate.low, "high": estimate.high}
        for group, estimate in estimates.items()
    ]
    words = "; ".join(
        f"{group} {text_with_interval(estimate, as_share=is_share, digits=digits)}"
        for group, estimate in estimates.items()
    )
    return SectionPicture(
        "headline",
        f"{title}, by condition",
        f"{axis.capitalize()}, with 95 % intervals: {words}.",
        charts.interval_chart(chart_rows, [""], x_title=axis, y_title="", as_percent=is_share),
        table,
    )
