"""Models that differ in one thing: expert and base (CS-Bench's tables 3 and 4), large and small of a family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchwright_analysis.report.csbench.contestants import (
    Contestant,
    observations_by_contestant,
    ordered_with_distinct_languages,
    score_or_0,
)
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, TableNumber, interval_text, p_value_text
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference
from benchwright_foundation.number_text import number


class ModelPair(NamedTuple):
    """Two models, the second compared with the first."""

    first: str
    second: str
    contrast: str
    """`expert – base` or `largest – smallest`."""


def model_pairs_section(data: Dataset) -> Section | None:
    """Differences of each pair on the questions that both were asked; None if the facts of models name no pair."""
    model_pairs = [*_base_expert_pairs(data.model_facts), *_smallest_largest_pairs(data.model_facts)]
    rows = ordered_with_distinct_languages(
        data,
        [
            observation
            for observation in data.decided_observations
            if observation.kind == "question" and not observation.is_person
        ],
    )
    rows_by_model: dict[tuple[str, str, str], list[Observation]] = {}
    for contestant, contestant_rows in observations_by_contestant(rows).items():
        names = {observation.participant for observation in contestant_rows}
        if len(names) == 1:
            rows_by_model[names.pop(), contestant.language, contestant.asked] = contestant_rows
    figures: list[TableNumber] = []
    cells: list[Sequence[Cell]] = []
    for model_pair in model_pairs:
        for (model, language, asked), first_rows in rows_by_model.items():
            second_rows = rows_by_model.get((model_pair.second, language, asked))
            if model != model_pair.first or second_rows is None:
                continue
            name = Contestant(f"{model_pair.contrast}: {model_pair.second} – {model_pair.first}", language, asked).name
            for label, difference in _differences_by_label(first_rows, second_rows):
                figures.append(table_number_of_difference(name, label, difference))
                cells.append((name, label, *difference_cells(difference)))
    if not figures:
        return None
    table = SortableTable(
        "Differences between two models",
        ("models", "questions of", *DIFFERENCE_COLUMNS),
        cells,
        "p is not corrected for the number of comparisons.",
        id="model-pairs",
        figures=figures,
    )
    lead = [
        "Questions that both models were asked, in one language and one way, each compared with itself: an expert with "
        "the model that it was made from, and the largest model of a family with the smallest."
    ]
    return Section("model-pairs", "Pairs of models", lead, (), [table], {"differences": figures})


DIFFERENCE_COLUMNS = ("questions", "difference in points (95 % interval)", "p")
"""Heads of `difference_cells`."""


def difference_cells(difference: CrossedEstimate) -> tuple[Cell, Cell, Cell]:
    """A difference of scores as a table shows it, in points of 100."""
    low, high = (None if end is None else 100 * end for end in _clipped_interval_ends(difference))
    points_text = f"{number(100 * difference.value, 1)} ({interval_text(low, high, digits=1)})"
    return difference.problems, points_text, p_value_text(difference.p_value)


def table_number_of_difference(row_name: str, column_name: str, difference: CrossedEstimate) -> TableNumber:
    """A difference of scores as a number of a table."""
    return TableNumber(
        row_name,
        column_name,
        difference.attempts,
        difference.problems,
        difference.value,
        *_clipped_interval_ends(difference),
    )


def _clipped_interval_ends(difference: CrossedEstimate) -> tuple[float | None, float | None]:
    """The ends of its interval, cut where differences of scores end."""
    low, high = (None if end is None else min(1.0, max(-1.0, end)) for end in (difference.low, difference.high))
    return low, high


def score_difference(
    first_rows: Sequence[Observation],
    second_rows: Sequence[Observation],
    question_of: Callable[[Observation], str] = lambda observation: observation.problem,
) -> CrossedEstimate | None:
    """By how much the second rows' scores exceed the first's, at the questions that both have; None if there are none.

    Args:
        first_rows: Attempts.
        second_rows: Those that are compared with them.
        question_of: Question of an attempt: attempts at one question are compared with each other.
    """
    shared = {question_of(row) for row in first_rows} & {question_of(row) for row in second_rows}
    compared_rows = [
        (row, is_second)
        for is_second, rows in ((False, first_rows), (True, second_rows))
        for row in rows
        if question_of(row) in shared
    ]
    if not shared:
        return None
    # Under one name for each question, translations are the same problem.
    cells = Dataset.crossed_cells([row.model_copy(update={"problem": question_of(row)}) for row, _ in compared_rows])
    return crossed_difference(
        [score_or_0(row) for row, _ in compared_rows], [is_second for _, is_second in compared_rows], cells
    )


def _base_expert_pairs(model_facts: Sequence[ModelFacts]) -> Iterator[ModelPair]:
    return (ModelPair(facts.base, facts.model, "expert – base") for facts in model_facts if facts.base)


def _smallest_largest_pairs(model_facts: Sequence[ModelFacts]) -> Iterator[ModelPair]:
    families: dict[str, list[tuple[float, str]]] = {}
    for facts in model_facts:
        if facts.family and facts.parameters_b is not None:
            families.setdefault(facts.family, []).append((facts.parameters_b, facts.model))
    for sized_models in families.values():
        (small, smallest), (large, largest) = min(sized_models), max(sized_models)
        if small < large:
            yield ModelPair(smallest, largest, "largest – smallest")


_LABELS: Mapping[str, Callable[[Observation], str]] = {
    "": lambda observation: "all",
    "tag": lambda observation: observation.tag,
    "domain": lambda observation: observation.domain,
    "domain and tag": lambda observation: observation.domain and observation.tag and _domain_and_tag_label(observation),
    "skill": lambda observation: observation.skill,
}


def _domain_and_tag_label(observation: Observation) -> str:
    return f"{observation.domain}, {observation.tag.lower()}"


def _differences_by_label(
    first_rows: Sequence[Observation], second_rows: Sequence[Observation]
) -> Iterator[tuple[str, CrossedEstimate]]:
    for label_of in _LABELS.values():
        for label in sorted({label_of(row) for row in first_rows} - {""}):
            difference = score_difference(
                [row for row in first_rows if label_of(row) == label],
                [row for row in second_rows if label_of(row) == label],
            )
            if difference is not None:
                yield label, difference
