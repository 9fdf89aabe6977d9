"""A toy statistic, registered as `docs/how-to/extend.md` describes: in the table of groups and in the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.group_statistics import STATISTICS, GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import json_value
from benchwright_analysis.report.sections.success import success_section
from benchwright_judges.agreement.estimators import Estimate


def _mean_runs(observations: Sequence[Observation], _data: Dataset) -> Estimate:
    return Estimate(value=sum(row.runs for row in observations) / len(observations))


MEAN_RUNS = GroupStatistic(
    id="runs", column="mean runs", note="Runs of the hidden tests per attempt.", estimate=_mean_runs
)


def observation(participant: str, runs: int) -> Observation:
    empty = {str: "", int: 0, float: 0.0, bool: False}
    values: dict[str, object] = {
        name: empty.get(field.annotation) if isinstance(field.annotation, type) else None
        for name, field in Observation.model_fields.items()
    }
    row_fields = {
        "attempt": participant,
        "participant": participant,
        "condition": "alone",
        "solver": "human",
        "runs": runs,
    }
    return Observation.model_validate(values | {"censored_by": ""} | row_fields)


def test_a_new_statistic_is_a_column_and_a_number_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright_analysis.report.sections.success.STATISTICS", [*STATISTICS, MEAN_RUNS])
    data = Dataset(
        [FoldedAttempt(observation(participant, runs), (), {}, "") for participant, runs in (("P1", 2), ("P2", 5))], {}
    )
    section = success_section(data)
    table = section.tables[0]
    assert (table.columns[-1], table.rows[0][-1]) == ("mean runs", "3.50")
    assert table.note.endswith("Runs of the hidden tests per attempt.")
    numbers = json_value(section.numbers)
    assert isinstance(numbers, dict)
    runs = numbers["runs"]
    assert isinstance(runs, dict)
    assert runs["alone"] == json_value(Estimate(value=3.5))
