"""The share of attempts that solved their problem."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.statistics.success import success_rate
from benchwright_judges.estimators import Share


def _solved(found: Sequence[Observation], _data: Dataset) -> Share:
    return success_rate([one.passed for one in found])


SOLVED = GroupStatistic(
    id="overall",
    column="solved (95 % interval)",
    note="Solved: a run or an answer passed before the end. Intervals of shares are Wilson's.",
    of=_solved,
    is_share=True,
)
