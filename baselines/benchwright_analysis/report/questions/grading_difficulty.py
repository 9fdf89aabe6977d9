"""Whether graders and judges disagree more about answers that are hard to grade (QuArch, appendix)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Picture, Section, percent
from benchwright_analysis.report.sections.matrix import figure, matrix
from benchwright_analysis.statistics.crossed import Crossed, crossed_share
from benchwright_analysis.statistics.crossed_design import Cells
from benchwright_judges.agreement.agreement import is_right
from benchwright_judges.agreement.rated import PANEL, Rated

_LEVELS = {1: "1, easy to grade", 2: "2", 3: "3", 4: "4", 5: "5, hard to grade"}


def grading_difficulty(data: Dataset) -> Section | None:
    """Disagreement by grading difficulty, as the people who graded an answer rated it."""
    levels: dict[int, list[Rated]] = {}
    for one in data.rated:
        if one.difficulty:
            levels.setdefault(_level(one), []).append(one)
    found = [
        figure(_LEVELS[level], name, share)
        for name, differs in _COLUMNS.items()
        for level in sorted(levels)
        if (share := _share(levels[level], differs)) is not None
    ]
    if not found:
        return None
    table = matrix(
        "grading-difficulty",
        "Disagreement by grading difficulty",
        found,
        groups=[_LEVELS[level] for level in sorted(levels)],
        rows_are="difficulty",
        note="The difficulty of an answer is the mean of what its graders gave from 1 to 5, rounded, halves up. "
        "Judges against people: majority against majority, right or not right; ties are left out. First votes of "
        "judges: the answer needed more votes than a bare majority.",
    )
    lead = ("If judges and people disagree mostly on answers that people find hard to grade, more votes help little.",)
    picture = Picture(
        "grading-difficulty",
        "Disagreement by grading difficulty",
        "; ".join(f"{one.column}, difficulty {one.row}: {percent(one.value)}" for one in found) + ".",
        charts.intervals(
            [
                {"label": one.row, "group": one.column, "value": one.value, "low": one.low, "high": one.high}
                for one in sorted(found, key=lambda one: one.row)
            ],
            list(dict.fromkeys(one.column for one in found)),
            x="answers on which they disagree",
            y="",
        ),
        table,
    )
    return Section("grading-difficulty", "Answers that are hard to grade", lead, [picture], (), {"disagreement": found})


def _level(one: Rated) -> int:
    return math.floor(statistics.fmean(one.difficulty.values()) + 0.5)


def _against_people(one: Rated) -> bool | None:
    votes = one.judges.get(PANEL) or next(iter(one.judges.values()), ())
    people, judges = is_right(one.scale, [*one.people.values()]), is_right(one.scale, votes)
    return None if people is None or judges is None else people is not judges


def _among_people(one: Rated) -> bool | None:
    first = [is_right(one.scale, [label]) for label in [*one.people.values()][:2]]
    return first[0] is not first[1] if len(first) == 2 else None


def _first_votes(one: Rated) -> bool | None:
    return one.tie_break if sum(map(len, _each(one))) > 1 else None


def _each(one: Rated) -> Sequence[Sequence[str]]:
    return [votes for judge, votes in one.judges.items() if judge != PANEL]


_COLUMNS: Mapping[str, Callable[[Rated], bool | None]] = {
    "judges against people": _against_people,
    "first two people": _among_people,
    "first votes of judges": _first_votes,
}


def _share(rated: Sequence[Rated], differs: Callable[[Rated], bool | None]) -> Crossed | None:
    known = [(one.problem or one.item, said) for one in rated if (said := differs(one)) is not None]
    if not known:
        return None
    problems = [problem for problem, _ in known]
    return crossed_share([said for _, said in known], Cells([None] * len(known), problems))
