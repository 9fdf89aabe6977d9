"""The mean of the categories' mean scores."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.statistics.success import macro_average
from benchwright_judges.agreement.estimators import Estimate


def _category_mean(found: Sequence[Observation], _data: Dataset) -> Estimate:
    labelled = [one for one in found if one.category or one.format]
    if not labelled:
        return Estimate(value=None)
    return macro_average(
        [float(one.passed) for one in labelled],
        [one.category or one.format for one in labelled],
        Dataset.cells(labelled),
    ).estimate


CATEGORY_MEAN = GroupStatistic(
    id="macro",
    column="mean over categories",
    note="The mean over categories gives each category the same weight.",
    of=_category_mean,
)
