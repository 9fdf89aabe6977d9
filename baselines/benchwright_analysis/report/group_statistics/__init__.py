"""Statistics of groups. A module defines each; a line below registers it."""

from benchwright_analysis.report.group_statistics.category_mean import CATEGORY_MEAN
from benchwright_analysis.report.group_statistics.handed_in import HANDED_IN
from benchwright_analysis.report.group_statistics.mean_score import MEAN_SCORE
from benchwright_analysis.report.group_statistics.solved import SOLVED
from benchwright_analysis.report.group_statistics.statistic import GroupStatistic

__all__ = ["STATISTICS", "GroupStatistic"]

STATISTICS: list[GroupStatistic] = [
    SOLVED,
    HANDED_IN,
    MEAN_SCORE,
    CATEGORY_MEAN,
]
"""In the order of the columns."""
