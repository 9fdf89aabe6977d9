"""Disagreement of graders and judges about answers that are hard to grade (QuArch, appendix)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Section, SectionPicture
from benchwright_analysis.report.sections.matrix import table_number_of_share, table_of_numbers
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.agreement import is_right_by_majority
from benchwright_judges.agreement.rated import PANEL, RatedAnswer

_LEVELS = {1: "1, easy to grade", 2: "2", 3: "3", 4: "4", 5: "5, hard to grade"}


def grading_difficulty_section(data: Dataset) -> Section | None:
    """Disagreement by grading difficulty, as the people who graded an answer rated it."""
    levels: dict[int, list[RatedAnswer]] = {}
    for rated_answer in data.rated:
        if rated_answer.difficulty:
            levels.setdefault(_mean_difficulty_level(rated_answer), []).append(rated_answer)
    figures = [
        table_number_of_share(_LEVELS[level], name, share)
        for name, differs in _COLUMNS.items()
        for level in sorted(levels)
        if (share := _share_that_differ(levels[level], differs)) is not None
    ]
    if not figures:
        return None
    table = table_of_numbers(
        "grading-difficulty",
        "Disagreement by grading difficulty",
        figures,
        first_row_names=[_LEVELS[level] for level in sorted(levels)],
        row_heading="difficulty",
        note="The difficulty of an answer is the mean of what its graders gave from 1 to 5, rounded, halves up. "
        "Judges against people: majority against majority, right or not right; ties are left out. First votes of "
        "judges: the answer needed more votes than a bare majority.",
    )
    lead = ("If judges and people disagree mostly on answers that people find hard to grade, more votes help little.",)
    picture = SectionPicture(
        "grading-difficulty",
        "Disagreement by grading difficulty",
        "; ".join(f"{cell.column}, difficulty {cell.row}: {percent(cell.value)}" for cell in figures) + ".",
        charts.interval_chart(
            [
                {"label": cell.row, "group": cell.column, "value": cell.value, "low": cell.low, "high": cell.high}
                for cell in sorted(figures, key=lambda cell: cell.row)
            ],
            list(dict.fromkeys(cell.column for cell in figures)),
            x_title="answers on which they disagree",
            y_title="",
        ),
        table,
    )
    return Section(
        "grading-difficulty", "Answers that are hard to grade", lead, [picture], (), {"disagreement": figures}
    )


def _mean_difficulty_level(rated_answer: RatedAnswer) -> int:
    return math.floor(statistics.fmean(rated_answer.difficulty.values()) + 0.5)


def _judges_differ_from_people(rated_answer: RatedAnswer) -> bool | None:
    votes = rated_answer.judges.get(PANEL) or next(iter(rated_answer.judges.values()), ())
    people_verdict, judges_verdict = (
        is_right_by_majority(rated_answer.scale, [*rated_answer.people.values()]),
        is_right_by_majority(rated_answer.scale, votes),
    )
    return None if people_verdict is None or judges_verdict is None else people_verdict is not judges_verdict


def _first_two_people_differ(rated_answer: RatedAnswer) -> bool | None:
    first_verdicts = [
        is_right_by_majority(rated_answer.scale, [label]) for label in [*rated_answer.people.values()][:2]
    ]
    return first_verdicts[0] is not first_verdicts[1] if len(first_verdicts) == 2 else None


def _needed_tie_break(rated_answer: RatedAnswer) -> bool | None:
    return rated_answer.tie_break if sum(map(len, _votes_of_each_judge(rated_answer))) > 1 else None


def _votes_of_each_judge(rated_answer: RatedAnswer) -> Sequence[Sequence[str]]:
    return [votes for judge, votes in rated_answer.judges.items() if judge != PANEL]


_COLUMNS: Mapping[str, Callable[[RatedAnswer], bool | None]] = {
    "judges against people": _judges_differ_from_people,
    "first two people": _first_two_people_differ,
    "first votes of judges": _needed_tie_break,
}


def _share_that_differ(
    rated_answers: Sequence[RatedAnswer], do_differ: Callable[[RatedAnswer], bool | None]
) -> CrossedEstimate | None:
    outcomes = [
        (rated_answer.problem or rated_answer.answer_id, is_different)
        for rated_answer in rated_answers
        if (is_different := do_differ(rated_answer)) is not None
    ]
    if not outcomes:
        return None
    problems = [problem for problem, _ in outcomes]
    return crossed_share([is_different for _, is_different in outcomes], CrossedCells([None] * len(outcomes), problems))
