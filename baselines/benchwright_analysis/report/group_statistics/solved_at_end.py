"""The share of attempts whose work passes at the end."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_judges.agreement.estimators import Estimate


def _solved_at_end(found: Sequence[Observation], _data: Dataset) -> Estimate:
    known = [one for one in found if one.final != "error"]
    if not known:
        return Estimate(value=None)
    return crossed_share([one.final == "passed" for one in known], Dataset.cells(known)).estimate


SOLVED_AT_END = GroupStatistic(
    id="at_end",
    column="solved at the end (95 % interval)",
    note="Solved at the end: what was submitted, or what was there at a limit, passes.",
    of=_solved_at_end,
    is_share=True,
)
