"""The share of attempts that solved their problem."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_judges.agreement.estimators import Estimate


def _solved(found: Sequence[Observation], _data: Dataset) -> Estimate:
    return crossed_share([one.passed for one in found], Dataset.cells(found)).estimate


SOLVED = GroupStatistic(
    id="overall",
    column="solved (95 % interval)",
    note="Solved: a run or an answer passed before the end. Intervals hold for other people at "
    "other problems (of models: at other problems).",
    of=_solved,
    is_share=True,
)
