"""Statistics of groups. A module defines each; a line below registers it."""

from benchwright_analysis.report.group_statistics.category_mean import CATEGORY_MEAN
from benchwright_analysis.report.group_statistics.mean_score import MEAN_SCORE
from benchwright_analysis.report.group_statistics.solved import SOLVED
from benchwright_analysis.report.group_statistics.solved_at_end import SOLVED_AT_END
from benchwright_analysis.report.group_statistics.statistic import GroupStatistic

__all__ = ["STATISTICS", "GroupStatistic"]

STATISTICS: list[GroupStatistic] = [
    SOLVED,
    SOLVED_AT_END,
    MEAN_SCORE,
    CATEGORY_MEAN,
]
"""In the order of the columns."""
