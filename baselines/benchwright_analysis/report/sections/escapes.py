"""Designs that pass the hidden tests and are not the reference's equals, and how large designs are beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from statistics import median

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Figure, Section, Table, count, number, with_interval
from benchwright_formal.opinion import Opinion, Result
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_judges.agreement.estimators import share
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.verdict import Outcome, Quality

_SIZES: Mapping[str, Callable[[Quality], int]] = {
    "gates": lambda quality: quality.gates,
    "flip-flops": lambda quality: quality.flip_flops,
    "longest path": lambda quality: quality.depth,
}
_Compared = tuple[Observation, SecondOpinion]


class _Kind(StrEnum):
    EQUIVALENT = "equivalent"
    DIFFERS = "differs"
    BOUNDED = "no difference in as many cycles as were compared"
    UNKNOWN = "unknown"


def escapes(data: Dataset) -> Section | None:
    """Test escapes and sizes by condition, solver and problem; nothing if no second opinion was kept."""
    compared = [
        (attempt.observation, data.opinions[attempt.observation.attempt])
        for attempt in data.analysed
        if attempt.observation.attempt in data.opinions
    ]
    if not compared:
        return None
    passed = sum(
        attempt.observation.outcome == Outcome.PASSED.value
        and (attempt.observation.kind == "design" or attempt.observation.attempt in data.opinions)
        for attempt in data.analysed
    )
    kinds = Counter(_kind(second_opinion.opinion) for _, second_opinion in compared)
    decided, differ = kinds[_Kind.EQUIVALENT] + kinds[_Kind.DIFFERS], kinds[_Kind.DIFFERS]
    lead = [
        f"{count(len(compared), 'design')} of {passed} that passed were compared with the reference, by proof. "
        f"{count(decided, 'comparison')} came to a result for all inputs, and {differ} of these designs differ: either "
        "the hidden tests miss an error, or the statement leaves open what the reference decides. No verdict changes.",
    ]
    tables = [
        _table("condition", "escapes", compared, lambda observation: observation.group, data.groups),
        _table("solver", "escapes-by-solver", compared, _solver),
        _table("problem", "escapes-by-problem", compared, lambda observation: observation.problem),
        _detail(compared),
    ]
    numbers = {
        "compared": len(compared),
        "passed": passed,
        "results": {kind.name.lower(): kinds[kind] for kind in _Kind},
        "escapes": share(differ, decided),
    }
    return Section("escapes", "Passed, and equivalent?", lead, (), tables, numbers)


def _kind(opinion: Opinion) -> _Kind:
    if opinion.result is Result.EQUIVALENT:
        return _Kind.EQUIVALENT if opinion.depth is None else _Kind.BOUNDED
    return _Kind.DIFFERS if opinion.result is Result.DIFFERS else _Kind.UNKNOWN


def _solver(observation: Observation) -> str:
    return observation.participant if observation.is_person else observation.model or observation.participant


def _table(
    grouping: str,
    name: str,
    compared: Sequence[_Compared],
    key: Callable[[Observation], str],
    order: Sequence[str] = (),
) -> Table:
    by_key: dict[str, list[_Compared]] = defaultdict(list)
    for row, opinion in compared:
        by_key[key(row)].append((row, opinion))
    rows: list[Sequence[Cell]] = []
    figures = []
    for value in sorted(by_key, key=lambda label: (order.index(label) if label in order else len(order), label)):
        group_pairs = by_key[value]
        kinds = Counter(_kind(second_opinion.opinion) for _, second_opinion in group_pairs)
        decided = [
            (row, second_opinion)
            for row, second_opinion in group_pairs
            if _kind(second_opinion.opinion) in (_Kind.EQUIVALENT, _Kind.DIFFERS)
        ]
        escaped = share(kinds[_Kind.DIFFERS], len(decided))
        medians = {size: _median(group_pairs, _ratio_of(of_size)) for size, of_size in _SIZES.items()}
        medians["more lint findings"] = _median(group_pairs, _more_findings)
        rows.append(
            (
                value,
                len(group_pairs),
                *(kinds[kind] for kind in _Kind),
                with_interval(escaped, share=True),
                *(number(median_value) for median_value, _ in medians.values()),
            )
        )
        base = len(decided), len({row.problem for row, _ in decided})
        figures.append(Figure(value, "escapes", *base, escaped.value, escaped.low, escaped.high))
        for column, (median_value, designs) in medians.items():
            figures.append(Figure(value, column, len(designs), len({row.problem for row, _ in designs}), median_value))
    return Table(
        f"Test escapes and size, by {grouping}",
        (
            grouping,
            "compared",
            *(kind.value for kind in _Kind),
            "escapes among decided (95 % interval)",
            *(f"{size}, median ratio to the reference" for size in _SIZES),
            "lint findings more than the reference, median",
        ),
        rows,
        "Intervals are Wilson's and take attempts as independent, which those at one problem are not. Sizes are in "
        "gates of two inputs, without a technology's library; a ratio of 1 is the reference's. Lint is Verilator's "
        "with all warnings.",
        id=name,
        figures=figures,
    )


def _median(
    compared: Sequence[_Compared], value: Callable[[Quality, Quality], float | None]
) -> tuple[float | None, Sequence[_Compared]]:
    """The median over the designs for which it is defined, and these designs."""
    measurements = []
    for row, opinion in compared:
        ours, theirs = opinion.solution.quality, opinion.reference.quality
        if ours is not None and theirs is not None and (measurement := value(ours, theirs)) is not None:
            measurements.append((measurement, (row, opinion)))
    return (median(measurement for measurement, _ in measurements) if measurements else None), [
        design for _, design in measurements
    ]


def _ratio_of(size: Callable[[Quality], int]) -> Callable[[Quality, Quality], float | None]:
    return lambda ours, theirs: size(ours) / size(theirs) if size(theirs) else None


def _more_findings(ours: Quality, theirs: Quality) -> float | None:
    return None if ours.findings is None or theirs.findings is None else ours.findings - theirs.findings


def _detail(compared: Sequence[_Compared]) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            row.attempt[:8],
            row.problem,
            row.group,
            _solver(row),
            _kind(second_opinion.opinion).value,
            _explanation(second_opinion.opinion),
        )
        for row, second_opinion in compared
        if _kind(second_opinion.opinion) is not _Kind.EQUIVALENT
    ]
    return Table(
        "Designs that differ, or could not be compared for all inputs",
        ("attempt", "problem", "condition", "solver", "result", "where, or why"),
        rows,
        "`benchwright problems compare` shows more to the problem's authors.",
        detail=True,
    )


def _explanation(opinion: Opinion) -> str:
    """Without what may be text of the reference or of the design."""
    parameters = f" ({parameter_text(opinion.parameters)})" if opinion.parameters else ""
    if opinion.result is Result.DIFFERS:
        return f"cycle {opinion.cycle}{parameters}"
    if opinion.result is Result.EQUIVALENT:
        return f"{opinion.depth} cycles"
    cause, _, details = opinion.reason.removesuffix(parameters).partition(": ")
    explanation = f"{cause} is not modelled" if details and cause in ("the reference", "the design") else cause
    return f"{explanation}{parameters}"
