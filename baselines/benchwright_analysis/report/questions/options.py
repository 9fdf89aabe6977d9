"""How people and models choose among the options of multiple-choice questions: classical item analysis.

No letter and no wording is shown: with how often each option is right, a report would give keys away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.questions.attempts import at_questions
from benchwright_analysis.report.questions.selections import Selection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, Table, count, number, percent, with_interval
from benchwright_authoring.item_analysis import LEAST, Option, analyse, distractors
from benchwright_judges.agreement.estimators import Share, share

PEOPLE, MACHINES = "people", "models and agents"
_RIGHT = "right option"
_NO_OPTION = "no option named"


@dataclass(frozen=True)
class ChosenOption:
    """An option of a question, and how one kind of solver chose it."""

    problem: str
    solver: str
    """`people`, or `models and agents`."""
    option: str
    """`right option`, or a distractor by its rank among all solvers."""
    chosen: int
    of_answers: float
    """Share of all who answered."""
    discrimination: float | None
    """Corrected point-biserial of selecting it; of a distractor, a positive one attracts those who know more."""
    is_non_functional: bool | None
    """Whether fewer than 5 % select it; None with fewer than 20 answers."""


@dataclass(frozen=True)
class AnalysedQuestion:
    """A question, as one kind of solver answered it."""

    problem: str
    solver: str
    answers: int
    """One of each participant or model."""
    difficulty: float
    """Share of right answers, p."""
    discrimination: float | None
    """Corrected point-biserial with the right answers to all other questions."""


@dataclass(frozen=True)
class _Side:
    """What one kind of solver selected, one attempt of each at each question."""

    examinees: tuple[str, ...]
    by_problem: Mapping[str, Mapping[str, Selection]]


def options(data: Dataset) -> Section | None:
    """Difficulty, discrimination and distractors; None if no question has enough answers by people or by models."""
    sides = {name: _side(data, is_person=name == PEOPLE) for name in (PEOPLE, MACHINES)}
    names = _names(data, sides)
    items: list[AnalysedQuestion] = []
    chosen: list[ChosenOption] = []
    for name, side in sides.items():
        points = {problem: _points(side, of) for problem, of in side.by_problem.items()}
        analysed = analyse(points)
        for problem, of in side.by_problem.items():
            if len(of) < LEAST:
                continue
            item = analysed[problem]
            items.append(AnalysedQuestion(problem, name, item.students, item.facility, item.discrimination))
            values = [of[one].value if one in of else None for one in side.examinees]
            found = distractors(points, problem, values, [*names.get(problem, ())])
            chosen += [_option(problem, name, names[problem][one.value], one) for one in found]
    if not items:
        return None
    asked = len({one.problem for one in items})
    lead = [
        f"{count(asked, 'question')} with at least {LEAST} answers by people, or by models and agents, one of each: "
        "how hard they are, whether those who know more answer them, and which wrong options are chosen. Distractors "
        "are numbered by how often they are chosen: letters and wording would give keys away."
    ]
    same = _same_distractor(sides, names)
    if same.total:
        lead.append(
            f"Of {count(same.total, 'question')} at which both have one distractor that they choose most, it is the "
            f"same one at {same.count}: {with_interval(same, share=True)}. Of three distractors, chance would make it "
            "one in three."
        )
    tables = [_questions_table(items, chosen), _options_table(chosen)]
    numbers = {"questions": items, "options": chosen, "same_distractor": same}
    return Section("options", "Options of multiple-choice questions", lead, (), tables, numbers)


def _side(data: Dataset, *, is_person: bool) -> _Side:
    """The first attempt of each participant at each question."""
    attempts = [one for of in at_questions(data).values() for one in of if one.observation.is_person is is_person]
    by_problem: dict[str, dict[str, Selection]] = {}
    for one in sorted(attempts, key=lambda one: (one.observation.started, one.observation.attempt)):
        if (selection := data.selections.get(one.observation.attempt)) is not None:
            by_problem.setdefault(one.observation.problem, {}).setdefault(_examinee(one), selection)
    examinees = sorted({one for of in by_problem.values() for one in of})
    return _Side(tuple(examinees), dict(sorted(by_problem.items())))


def _examinee(one: Folded) -> str:
    row = one.observation
    return row.participant if row.is_person else f"{row.group}\0{row.participant}"


def _points(side: _Side, of: Mapping[str, Selection]) -> list[float | None]:
    return [float(of[one].is_right) if one in of else None for one in side.examinees]


def _names(data: Dataset, sides: Mapping[str, _Side]) -> Mapping[str, Mapping[str, str]]:
    """Question → option → what it is called here. Without questions whose right option no answer shows."""
    answers: dict[str, list[Selection]] = {}
    for side in sides.values():
        for problem, of in side.by_problem.items():
            answers.setdefault(problem, []).extend(of.values())
    found: dict[str, dict[str, str]] = {}
    for problem, given in answers.items():
        right = {one.value for one in given if one.is_right and one.value}
        letters = data.facts[problem].options if problem in data.facts else ()
        if len(right) != 1 or not right <= {*letters}:
            continue
        votes = Counter(one.value for one in given)
        wrong = sorted({*letters} - right, key=lambda letter: (-votes[letter], letter))
        named = {letter: f"distractor {number}" for number, letter in enumerate(wrong, 1)}
        found[problem] = dict.fromkeys(right, _RIGHT) | named | ({"": _NO_OPTION} if votes[""] else {})
    return found


def _option(problem: str, solver: str, called: str, one: Option) -> ChosenOption:
    is_non_functional = one.is_non_functional if called not in (_RIGHT, _NO_OPTION) else None
    return ChosenOption(problem, solver, called, one.students, one.share, one.discrimination, is_non_functional)


def _same_distractor(sides: Mapping[str, _Side], names: Mapping[str, Mapping[str, str]]) -> Share:
    """The share of questions at which people and models have the same most chosen distractor.

    Each has to have wrong answers, and one distractor that is chosen more often than any other.
    """
    same = [
        first == second
        for problem in names
        if (first := _most_chosen(sides[PEOPLE], problem)) and (second := _most_chosen(sides[MACHINES], problem))
    ]
    return share(sum(same), len(same))


def _most_chosen(side: _Side, problem: str) -> str:
    """The distractor; empty if there is none, or several are chosen equally often."""
    of = side.by_problem.get(problem, {})
    votes = Counter(one.value for one in of.values() if one.value and not one.is_right).most_common(2)
    if not votes or (len(votes) > 1 and votes[0][1] == votes[1][1]):
        return ""
    return votes[0][0]


def _questions_table(items: Sequence[AnalysedQuestion], chosen: Sequence[ChosenOption]) -> Table:
    rows: list[Sequence[Cell]] = []
    for one in items:
        mine = [each for each in chosen if (each.problem, each.solver) == (one.problem, one.solver)]
        wrong = [each for each in mine if each.option not in (_RIGHT, _NO_OPTION)]
        unused = sum(bool(each.is_non_functional) for each in wrong)
        is_known = any(each.is_non_functional is not None for each in wrong)
        positive = sum(each.discrimination is not None and each.discrimination > 0 for each in wrong)
        rows.append(
            (
                *(one.problem, one.solver, one.answers, percent(one.difficulty), number(one.discrimination)),
                unused if is_known else None,
                positive if wrong else None,
            )
        )
    return Table(
        "Difficulty and discrimination",
        (
            *("question", "solvers", "answers", "difficulty (p)", "discrimination"),
            *("non-functional distractors", "distractors that attract the better"),
        ),
        rows,
        "Difficulty: share of right answers. Discrimination: correlation with the number of right answers to the other "
        "questions (corrected point-biserial). Non-functional: chosen by fewer than 5 %; said from 20 answers on. A "
        "distractor with a positive discrimination may be right, or the key wrong.",
        detail=True,
    )


def _options_table(chosen: Sequence[ChosenOption]) -> Table:
    rows: list[Sequence[Cell]] = [
        (one.problem, one.option, one.solver, one.chosen, percent(one.of_answers), number(one.discrimination))
        for one in sorted(chosen, key=lambda one: (one.problem, one.option != _RIGHT, one.option))
    ]
    columns = ("question", "option", "solvers", "chosen by", "share", "discrimination")
    return Table("Who chose which option", columns, rows, detail=True)
