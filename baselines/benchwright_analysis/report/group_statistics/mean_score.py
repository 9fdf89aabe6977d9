"""The mean score."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.statistics.success import mean_score
from benchwright_judges.agreement.estimators import Estimate


def _mean_score(found: Sequence[Observation], _data: Dataset) -> Estimate:
    """An attempt that was given up before its first verdict has the score 0."""
    return mean_score([one.score or 0.0 for one in found], Dataset.cells(found)).estimate


MEAN_SCORE = GroupStatistic(
    id="score",
    column="mean score",
    note="Score: 1 for a pass, else the judge's score or the share of hidden tests that passed; 0 if nothing was "
    "tried.",
    of=_mean_score,
)
