"""Many models at once: those that can be distinguished from the best, among all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    interval_text,
    p_value_text,
)
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.simultaneous import PairDifference, all_pair_differences
from benchwright_foundation.number_text import number, percent

_FEWEST_MODELS = 3
_MOST_MODELS = 100


def models_compared_section(data: Dataset) -> Section | None:
    """All pairs of models, at the problems that all of them tried; None with fewer than three models."""
    title = "Models compared with each other"
    passes_by_group = {
        group: values
        for group in data.groups
        if (values := _pass_share_by_problem([row for row in data.decided_observations if row.group == group]))
    }
    if len(passes_by_group) < _FEWEST_MODELS:
        return None
    passes_by_group = dict(list(passes_by_group.items())[:_MOST_MODELS])
    problems = sorted(set.intersection(*(set(values) for values in passes_by_group.values())))
    families = {row.problem: row.family or row.problem for row in data.decided_observations}
    scores = {group: [values[problem] for problem in problems] for group, values in passes_by_group.items()}
    try:
        pair_differences = all_pair_differences(scores, [families[problem] for problem in problems], seed=data.seed)
    except StatisticsError as error:
        return Section("models-compared", title, empty_reason=f"Models can't be compared with each other: {error}")
    shares = {group: sum(values) / len(values) for group, values in scores.items()}
    ranked = sorted(shares, key=lambda group: (-shares[group], group))
    best = ranked[0]
    against_best = {group: _difference_from_best(pair_differences, best, group) for group in ranked[1:]}
    alike = [group for group, difference in against_best.items() if not _is_significant(difference)]
    rows: list[Sequence[Cell]] = [(best, percent(shares[best]), "–", "–", "–", "–")]
    rows += [
        (
            group,
            percent(shares[group]),
            number(100 * difference.value, 1)
            + ("" if difference.low is None else f" ({interval_text(*_percentage_points(difference), digits=1)})"),
            p_value_text(difference.p_value),
            p_value_text(difference.adjusted),
            p_value_text(difference.false_discovery),
        )
        for group, difference in against_best.items()
    ]
    pairs_apart = sum(_is_significant(difference) for difference in pair_differences.values())
    discoveries = sum((difference.false_discovery or 1.0) < 0.05 for difference in pair_differences.values())
    lead = [
        f"Over the {len(problems)} problems that all {len(passes_by_group)} models tried, {best} solved most. "
        + (
            f"It can't be distinguished from {', '.join(alike)}: models that are alike often differ as much."
            if alike
            else "It differs from every other."
        ),
        f"Of {len(pair_differences)} pairs, {pairs_apart} differ if 19 of 20 reports are to have no false alarm, and "
        f"{discoveries} if one discovery in twenty may be false.",
    ]
    note = (
        "Differences of the share solved from the model that solved most, in percentage points, problem by problem. "
        "Intervals hold for all pairs at once, so also for a best one that was picked after the fact; so does the "
        "second p (max-T). The third is corrected for the rate of false discoveries (Benjamini and Hochberg), the "
        "first for nothing: of models that are alike, one pair in twenty has one below 0.05."
    )
    columns = (
        *("model", "solved", "more than the best (95 % interval, all pairs)", "p by itself"),
        *("p among all pairs", "among discoveries"),
    )
    table = SortableTable("Differences from the best model", columns, rows, note)
    return Section(
        "models-compared",
        title,
        lead,
        [_differences_picture(data, against_best, table)],
        (),
        {
            "problems": len(problems),
            "shares": shares,
            "not_distinguished_from_best": alike,
            "pairs": {f"{first} against {second}": pair for (first, second), pair in pair_differences.items()},
        },
    )


def _pass_share_by_problem(rows: Sequence[Observation]) -> dict[str, float]:
    """Share of a model's attempts that passed, by problem; empty for people."""
    flags: dict[str, list[bool]] = {}
    for row in rows:
        if not row.is_person:
            flags.setdefault(row.problem, []).append(row.passed)
    return {problem: sum(values) / len(values) for problem, values in flags.items()}


def _difference_from_best(
    pair_differences: Mapping[tuple[str, str], PairDifference], best_group: str, group: str
) -> PairDifference:
    """By how much a model exceeds the best."""
    if (group, best_group) in pair_differences:
        return pair_differences[group, best_group]
    reverse = pair_differences[best_group, group]
    low, high = (None if end is None else -end for end in (reverse.high, reverse.low))
    return PairDifference(-reverse.value, low, high, reverse.p_value, reverse.adjusted, reverse.false_discovery)


def _is_significant(difference: PairDifference) -> bool:
    return difference.adjusted is not None and difference.adjusted < 0.05


def _percentage_points(difference: PairDifference) -> tuple[float | None, float | None]:
    low, high = (None if end is None else 100 * end for end in (difference.low, difference.high))
    return low, high


def _differences_picture(
    data: Dataset, difference_from_best_by_group: Mapping[str, PairDifference], table: SortableTable
) -> SectionPicture:
    shown = list(difference_from_best_by_group)[: charts.MOST_GROUPS * 4]
    rows: list[charts.Row] = [
        {"label": group, "group": "difference", "value": 100 * difference.value, "low": low, "high": high}
        for group in shown
        for difference in [difference_from_best_by_group[group]]
        for low, high in [_percentage_points(difference)]
    ]
    reaching = sum(not _is_significant(difference_from_best_by_group[group]) for group in shown)
    return SectionPicture(
        "models-compared",
        "How far models are behind the best",
        f"Difference of the share solved from the best model, with an interval for all pairs at once. {reaching} of "
        f"{len(shown)} reach 0.{charts.note_if_omitted(shown, list(difference_from_best_by_group))}",
        charts.interval_chart(rows, ["difference"], x_title="percentage points", y_title="", as_percent=False),
        table,
    )
