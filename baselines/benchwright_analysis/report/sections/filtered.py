"""Success before and after a filter of problems (CVDP's tables 7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, TableNumber, counted
from benchwright_analysis.report.sections.matrix import accuracy_by_label, table_of_numbers

_BEFORE, _AFTER = "before", "after"


def filtered_section(data: Dataset) -> Section | None:
    """The share solved at all problems that the filter checked, and at those that it kept; None without a filter."""
    is_kept = data.is_problem_kept
    judged = {
        group: [row for row in data.decided_observations if row.group == group and row.problem in is_kept]
        for group in data.groups
    }
    judged = {group: rows for group, rows in judged.items() if rows}
    if not judged:
        return None
    remaining = {group: [row for row in rows if is_kept[row.problem]] for group, rows in judged.items()}
    solved_by_stage = {_BEFORE: _solved_shares_by_category(judged), _AFTER: _solved_shares_by_category(remaining)}
    problems = {row.problem for rows in judged.values() for row in rows}
    dropped = {problem for problem in problems if not is_kept[problem]}
    lead = [
        f"Of {counted(len(problems), 'problem')} that were tried, the filter dropped {len(dropped)}. Each problem "
        "counts alike, however often it was tried."
    ]
    tables = [
        table_of_numbers(f"solved-{stage}-filter", f"Share solved {stage} the filter", solved_shares, unit="problem")
        for stage, solved_shares in solved_by_stage.items()
        if solved_shares
    ]
    return Section(
        "filtered",
        "Before and after the filter",
        lead,
        (),
        tables,
        {**solved_by_stage, "problems": len(problems), "dropped": len(dropped)},
    )


def _solved_shares_by_category(rows_by_group: Mapping[str, Sequence[Observation]]) -> list[TableNumber]:
    """A column for each category, and for all problems."""
    by_category = accuracy_by_label(rows_by_group, lambda observation: observation.category)
    return [*by_category, *accuracy_by_label(rows_by_group, lambda observation: "all")]
