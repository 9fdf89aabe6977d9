"""The mean score."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.statistics.success import breakdown
from benchwright_judges.estimators import Estimate


def _mean_score(found: Sequence[Observation], data: Dataset) -> Estimate:
    """An attempt that was given up before its first verdict has the score 0."""
    (group,) = breakdown(
        [one.score or 0.0 for one in found],
        ["all"] * len(found),
        clusters=[Dataset.cluster(one) for one in found],
        seed=data.seed,
    )
    return group.score


MEAN_SCORE = GroupStatistic(
    id="score",
    column="mean score",
    note="Score: 1 for a pass, else the judge's score or the share of hidden tests that passed; 0 if nothing was "
    "tried. Intervals of means resample whole participants (for models: problems).",
    of=_mean_score,
)
