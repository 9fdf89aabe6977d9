"""The same questions in two languages, each compared with its translation (CS-Bench's tables 16 and 17)."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.csbench.contestants import has_domain_labels
from benchwright_analysis.report.csbench.model_pairs import (
    DIFFERENCE_COLUMNS,
    difference_cells,
    score_difference,
    table_number_of_difference,
)
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, TableNumber

_FIRST = "en"


def languages_section(data: Dataset) -> Section | None:
    """Differences from English, or else the first language; None if no question was asked in two languages."""
    rows_by_subject: dict[str, dict[str, list[Observation]]] = {}
    for observation in data.decided_observations:
        if has_domain_labels(observation) and observation.language:
            name = ", ".join(filter(None, (observation.subject_name, observation.asking_way)))
            rows_by_subject.setdefault(name, {}).setdefault(observation.language, []).append(observation)
    figures: list[TableNumber] = []
    cells: list[Sequence[Cell]] = []
    for name, rows_by_language in rows_by_subject.items():
        first_language, *compared_languages = sorted(rows_by_language, key=lambda code: (code != _FIRST, code))
        for language in compared_languages:
            for label in ("all", *sorted({row.tag for row in rows_by_language[language]})):
                difference = score_difference(
                    _with_tag_or_all(rows_by_language[first_language], label),
                    _with_tag_or_all(rows_by_language[language], label),
                    lambda observation: observation.family,
                )
                if difference is not None:
                    figures.append(
                        table_number_of_difference(name, f"{language} – {first_language}, {label}", difference)
                    )
                    cells.append((name, f"{language} – {first_language}", label, *difference_cells(difference)))
    if not figures:
        return None
    table = SortableTable(
        "Differences between languages",
        ("group", "languages", "questions of", *DIFFERENCE_COLUMNS),
        cells,
        "p is not corrected for the number of comparisons.",
        id="languages",
        figures=figures,
    )
    lead = [
        "Only questions that were asked in both languages, each compared with its own translation, so that the "
        "languages differ in nothing else. Translations belong together if they were imported as one pack."
    ]
    return Section("languages", "Languages", lead, (), [table], {"differences": figures})


def _with_tag_or_all(observations: Sequence[Observation], tag_or_all: str) -> list[Observation]:
    return [observation for observation in observations if tag_or_all in ("all", observation.tag)]
