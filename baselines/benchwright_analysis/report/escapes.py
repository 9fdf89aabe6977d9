"""Designs that pass the hidden tests and are not the reference's equals, and how large designs are beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.report.section import Cell, Figure, Section, Table, count, number, with_interval
from benchwright_formal.opinion import Result
from benchwright_formal.quality import Quality
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_judges.estimators import share

_SIZES: Mapping[str, Callable[[Quality], int]] = {
    "gates": lambda one: one.gates,
    "flip-flops": lambda one: one.flip_flops,
    "longest path": lambda one: one.depth,
}
_Compared = tuple[Observation, SecondOpinion]


def escapes(data: Dataset) -> Section | None:
    """Test escapes and sizes by condition, solver and problem; nothing if no second opinion was kept."""
    compared = [
        (one.observation, data.opinions[one.observation.attempt])
        for one in data.analysed
        if one.observation.attempt in data.opinions
    ]
    if not compared:
        return None
    passed = sum(one.observation.kind == "design" and one.observation.outcome == "passed" for one in data.analysed)
    found = [opinion for _, opinion in compared]
    decided = [one for one in found if one.opinion.result is not Result.UNKNOWN]
    differ = sum(one.opinion.result is Result.DIFFERS for one in decided)
    lead = [
        f"{count(len(compared), 'design')} of {passed} that passed were compared with the reference for all inputs, by "
        f"proof. {count(len(decided), 'comparison')} came to a result, and {differ} of these designs differ: either "
        "the hidden tests miss an error, or the statement leaves open what the reference decides. No verdict changes.",
    ]
    tables = [
        _table("condition", "escapes", compared, lambda one: one.group, data.groups),
        _table("solver", "escapes-by-solver", compared, _solver),
        _table("problem", "escapes-by-problem", compared, lambda one: one.problem),
        _detail(compared),
    ]
    numbers = {
        "compared": len(compared),
        "passed": passed,
        "results": {one.value: sum(of.opinion.result is one for of in found) for one in Result},
        "escapes": share(differ, len(decided)),
    }
    return Section("escapes", "Passed, and equivalent?", lead, (), tables, numbers)


def _solver(one: Observation) -> str:
    return one.participant if one.is_person else one.model or one.participant


def _table(
    what: str,
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
    for value in sorted(by_key, key=lambda one: (order.index(one) if one in order else len(order), one)):
        of = by_key[value]
        results = [opinion.opinion.result for _, opinion in of]
        escaped = share(results.count(Result.DIFFERS), len(results) - results.count(Result.UNKNOWN))
        ratios = {size: _ratio([opinion for _, opinion in of], of_size) for size, of_size in _SIZES.items()}
        findings = _more_findings([opinion for _, opinion in of])
        rows.append(
            (
                value,
                len(of),
                results.count(Result.EQUIVALENT),
                results.count(Result.DIFFERS),
                results.count(Result.UNKNOWN),
                with_interval(escaped, share=True),
                *map(number, ratios.values()),
                number(findings),
            )
        )
        problems = len({row.problem for row, _ in of})
        figures.append(Figure(value, "escapes", len(of), problems, escaped.value, escaped.low, escaped.high))
        figures += [Figure(value, size, len(of), problems, ratio) for size, ratio in ratios.items()]
        figures.append(Figure(value, "more lint findings", len(of), problems, findings))
    return Table(
        f"Test escapes and size, by {what}",
        (
            what,
            "compared",
            "equivalent",
            "differ",
            "unknown",
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


def _ratio(opinions: Sequence[SecondOpinion], size: Callable[[Quality], int]) -> float | None:
    """The median of solution to reference, where both are known and the reference has any."""
    ratios = [
        size(one.solution.quality) / size(one.reference.quality)
        for one in opinions
        if one.solution.quality is not None and one.reference.quality is not None and size(one.reference.quality)
    ]
    return median(ratios) if ratios else None


def _more_findings(opinions: Sequence[SecondOpinion]) -> float | None:
    """The median of what lint finds in the solution more than in the reference."""
    more = [
        one.solution.quality.findings - one.reference.quality.findings
        for one in opinions
        if one.solution.quality is not None and one.reference.quality is not None
    ]
    return median(more) if more else None


def _detail(compared: Sequence[_Compared]) -> Table:
    rows: list[Sequence[Cell]] = [
        (row.attempt[:8], row.problem, row.group, _solver(row), found.opinion.result.value, _why(found))
        for row, found in compared
        if found.opinion.result is not Result.EQUIVALENT
    ]
    return Table(
        "Designs that differ, or could not be compared",
        ("attempt", "problem", "condition", "solver", "result", "where, or why"),
        rows,
        "`benchwright problems compare` shows the inputs to the problem's authors.",
        detail=True,
    )


def _why(found: SecondOpinion) -> str:
    return f"cycle {found.opinion.cycle}" if found.opinion.result is Result.DIFFERS else found.opinion.reason
