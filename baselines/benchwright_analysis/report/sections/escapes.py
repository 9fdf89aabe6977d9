"""Designs that pass the hidden tests and are not the reference's equals, and how large designs are beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from statistics import median

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SortableTable,
    TableNumber,
    counted,
    text_with_interval,
)
from benchwright_formal.opinion import ComparisonResult, ReferenceOpinion
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_foundation.number_text import number
from benchwright_judges.agreement.estimators import wilson_share
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.verdict import Outcome, Quality

_SIZES: Mapping[str, Callable[[Quality], int]] = {
    "gates": lambda quality: quality.gates,
    "flip-flops": lambda quality: quality.flip_flops,
    "longest path": lambda quality: quality.depth,
}
_ComparedDesign = tuple[Observation, SecondOpinion]


class _EquivalenceKind(StrEnum):
    EQUIVALENT = "equivalent"
    DIFFERS = "differs"
    BOUNDED = "no difference in as many cycles as were compared"
    UNKNOWN = "unknown"


def escaped_designs_section(data: Dataset) -> Section | None:
    """Test escapes and sizes by condition, solver and problem; nothing if no second opinion was kept."""
    compared = [
        (attempt.observation, data.second_opinion_by_attempt[attempt.observation.attempt])
        for attempt in data.counted_attempts
        if attempt.observation.attempt in data.second_opinion_by_attempt
    ]
    if not compared:
        return None
    passed_count = sum(
        attempt.observation.outcome == Outcome.PASSED.value
        and (attempt.observation.kind == "design" or attempt.observation.attempt in data.second_opinion_by_attempt)
        for attempt in data.counted_attempts
    )
    kind_counts = Counter(_equivalence_kind(second_opinion.opinion) for _, second_opinion in compared)
    decided_count, differing_count = (
        kind_counts[_EquivalenceKind.EQUIVALENT] + kind_counts[_EquivalenceKind.DIFFERS],
        kind_counts[_EquivalenceKind.DIFFERS],
    )
    lead = [
        f"{counted(len(compared), 'design')} of {passed_count} that passed were compared with the reference, by proof. "
        f"{counted(decided_count, 'comparison')} came to a result for all inputs, and {differing_count} of these "
        "designs differ: either "
        "the hidden tests miss an error, or the statement leaves open what the reference decides. No verdict changes.",
    ]
    tables = [
        _escapes_table("condition", "escapes", compared, lambda observation: observation.group, data.groups),
        _escapes_table("solver", "escapes-by-solver", compared, _person_or_model_name),
        _escapes_table("problem", "escapes-by-problem", compared, lambda observation: observation.problem),
        _not_equivalent_table(compared),
    ]
    numbers = {
        "compared": len(compared),
        "passed": passed_count,
        "results": {kind.name.lower(): kind_counts[kind] for kind in _EquivalenceKind},
        "escapes": wilson_share(differing_count, decided_count),
    }
    return Section("escapes", "Passed, and equivalent?", lead, (), tables, numbers)


def _equivalence_kind(opinion: ReferenceOpinion) -> _EquivalenceKind:
    if opinion.result is ComparisonResult.EQUIVALENT:
        return _EquivalenceKind.EQUIVALENT if opinion.depth is None else _EquivalenceKind.BOUNDED
    return _EquivalenceKind.DIFFERS if opinion.result is ComparisonResult.DIFFERS else _EquivalenceKind.UNKNOWN


def _person_or_model_name(observation: Observation) -> str:
    return observation.participant if observation.is_person else observation.model or observation.participant


def _escapes_table(
    category_heading: str,
    table_id: str,
    compared_designs: Sequence[_ComparedDesign],
    category_of: Callable[[Observation], str],
    category_order: Sequence[str] = (),
) -> SortableTable:
    by_key: dict[str, list[_ComparedDesign]] = defaultdict(list)
    for row, opinion in compared_designs:
        by_key[category_of(row)].append((row, opinion))
    rows: list[Sequence[Cell]] = []
    figures = []
    for value in sorted(
        by_key,
        key=lambda label: (category_order.index(label) if label in category_order else len(category_order), label),
    ):
        group_pairs = by_key[value]
        kind_counts = Counter(_equivalence_kind(second_opinion.opinion) for _, second_opinion in group_pairs)
        decided_pairs = [
            (row, second_opinion)
            for row, second_opinion in group_pairs
            if _equivalence_kind(second_opinion.opinion) in (_EquivalenceKind.EQUIVALENT, _EquivalenceKind.DIFFERS)
        ]
        escaped = wilson_share(kind_counts[_EquivalenceKind.DIFFERS], len(decided_pairs))
        medians = {
            size: _median_and_measured(group_pairs, _size_ratio_measure(of_size)) for size, of_size in _SIZES.items()
        }
        medians["more lint findings"] = _median_and_measured(group_pairs, _additional_lint_findings)
        rows.append(
            (
                value,
                len(group_pairs),
                *(kind_counts[kind] for kind in _EquivalenceKind),
                text_with_interval(escaped, as_share=True),
                *(number(median_value) for median_value, _ in medians.values()),
            )
        )
        figure_counts = len(decided_pairs), len({row.problem for row, _ in decided_pairs})
        figures.append(TableNumber(value, "escapes", *figure_counts, escaped.value, escaped.low, escaped.high))
        for column, (median_value, measured_designs) in medians.items():
            figures.append(
                TableNumber(
                    value,
                    column,
                    len(measured_designs),
                    len({row.problem for row, _ in measured_designs}),
                    median_value,
                )
            )
    return SortableTable(
        f"Test escapes and size, by {category_heading}",
        (
            category_heading,
            "compared",
            *(kind.value for kind in _EquivalenceKind),
            "escapes among decided (95 % interval)",
            *(f"{size}, median ratio to the reference" for size in _SIZES),
            "lint findings more than the reference, median",
        ),
        rows,
        "Intervals are Wilson's and take attempts as independent, which those at one problem are not. Sizes are in "
        "gates of two inputs, without a technology's library; a ratio of 1 is the reference's. Lint is Verilator's "
        "with all warnings.",
        id=table_id,
        figures=figures,
    )


def _median_and_measured(
    compared_designs: Sequence[_ComparedDesign], measure_of: Callable[[Quality, Quality], float | None]
) -> tuple[float | None, Sequence[_ComparedDesign]]:
    """The median over the designs for which it is defined, and these designs."""
    measurements = []
    for row, opinion in compared_designs:
        solution_quality, reference_quality = opinion.solution.quality, opinion.reference.quality
        if (
            solution_quality is not None
            and reference_quality is not None
            and (measurement := measure_of(solution_quality, reference_quality)) is not None
        ):
            measurements.append((measurement, (row, opinion)))
    return (median(measurement for measurement, _ in measurements) if measurements else None), [
        measured_design for _, measured_design in measurements
    ]


def _size_ratio_measure(size_of: Callable[[Quality], int]) -> Callable[[Quality, Quality], float | None]:
    return lambda solution_quality, reference_quality: (
        size_of(solution_quality) / size_of(reference_quality) if size_of(reference_quality) else None
    )


def _additional_lint_findings(solution_quality: Quality, reference_quality: Quality) -> float | None:
    return (
        None
        if solution_quality.findings is None or reference_quality.findings is None
        else solution_quality.findings - reference_quality.findings
    )


def _not_equivalent_table(compared_designs: Sequence[_ComparedDesign]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            row.attempt[:8],
            row.problem,
            row.group,
            _person_or_model_name(row),
            _equivalence_kind(second_opinion.opinion).value,
            _difference_or_cause(second_opinion.opinion),
        )
        for row, second_opinion in compared_designs
        if _equivalence_kind(second_opinion.opinion) is not _EquivalenceKind.EQUIVALENT
    ]
    return SortableTable(
        "Designs that differ, or could not be compared for all inputs",
        ("attempt", "problem", "condition", "solver", "result", "where, or why"),
        rows,
        "`benchwright problems compare` shows more to the problem's authors.",
        detail=True,
    )


def _difference_or_cause(opinion: ReferenceOpinion) -> str:
    """Without what may be text of the reference or of the design."""
    parameters = f" ({parameter_text(opinion.parameters)})" if opinion.parameters else ""
    if opinion.result is ComparisonResult.DIFFERS:
        return f"cycle {opinion.cycle}{parameters}"
    if opinion.result is ComparisonResult.EQUIVALENT:
        return f"{opinion.depth} cycles"
    cause, _, details = opinion.reason.removesuffix(parameters).partition(": ")
    explanation = f"{cause} is not modelled" if details and cause in ("the reference", "the design") else cause
    return f"{explanation}{parameters}"
