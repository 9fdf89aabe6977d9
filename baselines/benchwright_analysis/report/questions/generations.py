"""Accuracy of each generation, and pass@1 over the first k samples of a question (QuArch, section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report.questions.attempts import observations_by_group, question_attempts_by_group
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, TableNumber
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number_of_share, table_of_numbers

_MOST = 10
"""Generations with a column of their own."""


def repeated_answers_section(data: Dataset) -> Section | None:
    """By generation, and by the number of samples; nothing if no model answered a question more than once."""
    groups = observations_by_group(question_attempts_by_group(data, lambda attempt: not attempt.observation.is_person))
    numbered = {group: _sample_number_by_attempt(rows) for group, rows in groups.items()}
    most_samples = max((max(numbers.values()) for numbers in numbered.values()), default=0)
    if most_samples < 2:
        return None
    generation_figures = _accuracy_by_sample_range(
        groups, numbered, {f"generation {n}": range(n, n + 1) for n in range(1, min(most_samples, _MOST) + 1)}
    )
    sample_counts = sorted({*range(1, min(most_samples, _MOST) + 1), most_samples})
    sample_figures = _accuracy_by_sample_range(groups, numbered, {f"k = {k}": range(1, k + 1) for k in sample_counts})
    lead = (
        "How much a result depends on chance: a model's first, second … answers to the same questions, and pass@1, the "
        "chance that one answer is right, from its first k answers to each question.",
    )
    tables = [
        table_of_numbers(
            "generations", "Right answers, by generation", generation_figures, first_row_names=data.groups
        ),
        table_of_numbers("pass-at-1", "Pass@1 from k answers", sample_figures, first_row_names=data.groups, note=_NOTE),
    ]
    named_figures = {"generations": generation_figures, "pass_at_1": sample_figures}
    return Section("generations", "Several answers to the same question", lead, (), tables, named_figures)


_NOTE = (
    "The mean over questions of the share of right answers. A question with fewer than k decided answers counts with "
    "those that it has. More answers make the value of each question more certain; the interval also holds for other "
    "questions, so it does not shrink to nothing."
)


def _sample_number_by_attempt(rows: Sequence[Observation]) -> dict[str, int]:
    """Attempt → its number among the model's attempts at that question, from 1, oldest first."""
    counts: dict[str, int] = {}
    numbers_by_attempt = {}
    for observation in sorted(rows, key=lambda row: (row.started, row.attempt)):
        numbers_by_attempt[observation.attempt] = counts[observation.problem] = counts.get(observation.problem, 0) + 1
    return numbers_by_attempt


def _accuracy_by_sample_range(
    observations_by_group: Mapping[str, Sequence[Observation]],
    sample_numbers_by_group: Mapping[str, Mapping[str, int]],
    range_by_column: Mapping[str, range],
) -> list[TableNumber]:
    return [
        table_number_of_share(group, name, mean_over_problems(chosen))
        for name, sample_numbers in range_by_column.items()
        for group, rows in observations_by_group.items()
        if max(sample_numbers_by_group[group].values()) >= sample_numbers[-1]
        and (
            chosen := [
                observation
                for observation in rows
                if sample_numbers_by_group[group][observation.attempt] in sample_numbers
            ]
        )
    ]
