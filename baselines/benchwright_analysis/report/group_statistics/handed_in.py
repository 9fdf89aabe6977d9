"""The share of attempts whose work passes as it was handed in."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.group_statistics.statistic import GroupStatistic
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.statistics.success import success_rate
from benchwright_judges.estimators import Share


def _handed_in(found: Sequence[Observation], _data: Dataset) -> Share:
    return success_rate([one.final == "passed" for one in found if one.final != "error"])


HANDED_IN = GroupStatistic(
    id="handed_in",
    column="solved as handed in (95 % interval)",
    note="Solved as handed in: what was submitted, or what was there at a limit, passes.",
    of=_handed_in,
    is_share=True,
)
