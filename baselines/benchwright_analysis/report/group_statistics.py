"""Statistics of the attempts of one group: columns of the report's table of groups, and values in `report.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.success import mean_over_labels, mean_score_or_pass_share
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True, slots=True)
class GroupStatistic:
    """A statistic of a group: its computation and its display."""

    id: str
    """Its key in `report.json`, in the section `success`."""
    column: str
    """Heading of its column."""
    note: str
    """Description in a sentence below the table."""
    estimate: Callable[[Sequence[Observation], Dataset], Estimate]
    """Its value for the decided attempts of a group; there is at least one."""
    is_share: bool = False
    """True if it is shown as a percentage."""


def _solved_share(observations: Sequence[Observation], _data: Dataset) -> Estimate:
    return crossed_share(
        [observation.passed for observation in observations], Dataset.crossed_cells(observations)
    ).estimate


def _share_solved_at_end(observations: Sequence[Observation], _data: Dataset) -> Estimate:
    decided_observations = [observation for observation in observations if observation.final != "error"]
    if not decided_observations:
        return Estimate(value=None)
    return crossed_share(
        [observation.final == "passed" for observation in decided_observations],
        Dataset.crossed_cells(decided_observations),
    ).estimate


def _mean_score(observations: Sequence[Observation], _data: Dataset) -> Estimate:
    """An attempt that was given up before its first verdict has the score 0."""
    return mean_score_or_pass_share(
        [observation.score or 0.0 for observation in observations], Dataset.crossed_cells(observations)
    ).estimate


def _solved_share_over_categories(observations: Sequence[Observation], _data: Dataset) -> Estimate:
    labelled = [observation for observation in observations if observation.category or observation.format]
    if not labelled:
        return Estimate(value=None)
    return mean_over_labels(
        [float(observation.passed) for observation in labelled],
        [observation.category or observation.format for observation in labelled],
        Dataset.crossed_cells(labelled),
    ).estimate


STATISTICS: list[GroupStatistic] = [
    GroupStatistic(
        id="overall",
        column="solved (95 % interval)",
        note="Solved: a run or an answer passed before the end. Intervals hold for other people at "
        "other problems (of models: at other problems).",
        estimate=_solved_share,
        is_share=True,
    ),
    GroupStatistic(
        id="at_end",
        column="solved at the end (95 % interval)",
        note="Solved at the end: what was submitted, or what was there at a limit, passes.",
        estimate=_share_solved_at_end,
        is_share=True,
    ),
    GroupStatistic(
        id="score",
        column="mean score",
        note="Score: 1 for a pass, else the judge's score or the share of hidden tests that passed; 0 if nothing was "
        "tried.",
        estimate=_mean_score,
    ),
    GroupStatistic(
        id="macro",
        column="mean over categories",
        note="The mean over categories gives each category the same weight.",
        estimate=_solved_share_over_categories,
    ),
]
"""In the order of the columns."""
