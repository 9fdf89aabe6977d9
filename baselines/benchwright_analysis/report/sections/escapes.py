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
from benchwright_problems.equivalence import named
from benchwright_problems.verdict import Outcome, Quality

_SIZES: Mapping[str, Callable[[Quality], int]] = {
    "gates": lambda one: one.gates,
    "flip-flops": lambda one: one.flip_flops,
    "longest path": lambda one: one.depth,
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
        (one.observation, data.opinions[one.observation.attempt])
        for one in data.analysed
        if one.observation.attempt in data.opinions
    ]
    if not compared:
        return None
    passed = sum(
        one.observation.outcome == Outcome.PASSED.value
        and (one.observation.kind == "design" or one.observation.attempt in data.opinions)
        for one in data.analysed
    )
    kinds = Counter(_kind(found.opinion) for _, found in compared)
    decided, differ = kinds[_Kind.EQUIVALENT] + kinds[_Kind.DIFFERS], kinds[_Kind.DIFFERS]
    lead = [
        f"{count(len(compared), 'design')} of {passed} that passed were compared with the reference, by proof. "
        f"{count(decided, 'comparison')} came to a result for all inputs, and {differ} of these designs differ: either "
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
        "results": {kind.name.lower(): kinds[kind] for kind in _Kind},
        "escapes": share(differ, decided),
    }
    return Section("escapes", "Passed, and equivalent?", lead, (), tables, numbers)


def _kind(opinion: Opinion) -> _Kind:
    if opinion.result is Result.EQUIVALENT:
        return _Kind.EQUIVALENT if opinion.depth is None else _Kind.BOUNDED
    return _Kind.DIFFERS if opinion.result is Result.DIFFERS else _Kind.UNKNOWN


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
        kinds = Counter(_kind(found.opinion) for _, found in of)
        decided = [(row, found) for row, found in of if _kind(found.opinion) in (_Kind.EQUIVALENT, _Kind.DIFFERS)]
        escaped = share(kinds[_Kind.DIFFERS], len(decided))
        medians = {size: _median(of, _ratio_of(of_size)) for size, of_size in _SIZES.items()}
        medians["more lint findings"] = _median(of, _more_findings)
        rows.append(
            (
                value,
                len(of),
                *(kinds[kind] for kind in _Kind),
                with_interval(escaped, share=True),
                *(number(found) for found, _ in medians.values()),
            )
        )
        base = len(decided), len({row.problem for row, _ in decided})
        figures.append(Figure(value, "escapes", *base, escaped.value, escaped.low, escaped.high))
        for column, (found, used) in medians.items():
            figures.append(Figure(value, column, len(used), len({row.problem for row, _ in used}), found))
    return Table(
        f"Test escapes and size, by {what}",
        (
            what,
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
    found = []
    for row, opinion in compared:
        ours, theirs = opinion.solution.quality, opinion.reference.quality
        if ours is not None and theirs is not None and (one := value(ours, theirs)) is not None:
            found.append((one, (row, opinion)))
    return (median(one for one, _ in found) if found else None), [used for _, used in found]


def _ratio_of(size: Callable[[Quality], int]) -> Callable[[Quality, Quality], float | None]:
    return lambda ours, theirs: size(ours) / size(theirs) if size(theirs) else None


def _more_findings(ours: Quality, theirs: Quality) -> float | None:
    return None if ours.findings is None or theirs.findings is None else ours.findings - theirs.findings


def _detail(compared: Sequence[_Compared]) -> Table:
    rows: list[Sequence[Cell]] = [
        (row.attempt[:8], row.problem, row.group, _solver(row), _kind(found.opinion).value, _why(found.opinion))
        for row, found in compared
        if _kind(found.opinion) is not _Kind.EQUIVALENT
    ]
    return Table(
        "Designs that differ, or could not be compared for all inputs",
        ("attempt", "problem", "condition", "solver", "result", "where, or why"),
        rows,
        "`benchwright problems compare` shows more to the problem's authors.",
        detail=True,
    )


def _why(opinion: Opinion) -> str:
    """Without what may be text of the reference or of the design."""
    parameters = f" ({named(opinion.parameters)})" if opinion.parameters else ""
    if opinion.result is Result.DIFFERS:
        return f"cycle {opinion.cycle}{parameters}"
    if opinion.result is Result.EQUIVALENT:
        return f"{opinion.depth} cycles"
    cause, _, more = opinion.reason.removesuffix(parameters).partition(": ")
    why = f"{cause} is not modelled" if more and cause in ("the reference", "the design") else cause
    return f"{why}{parameters}"
