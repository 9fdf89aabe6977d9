"""A statistic of the attempts of one group: a column of the report's table of groups, and a value in `report.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True, slots=True)
class GroupStatistic:
    """How the statistic is computed and shown."""

    id: str
    """Its key in `report.json`, in the section `success`."""
    column: str
    """Heading of its column."""
    note: str
    """What it is, in a sentence below the table."""
    of: Callable[[Sequence[Observation], Dataset], Estimate]
    """Its value for the decided attempts of a group; there is at least one."""
    is_share: bool = False
    """Whether it is shown as a percentage."""
