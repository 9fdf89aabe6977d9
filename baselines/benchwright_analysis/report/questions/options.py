"""Choices of people and models among the options of multiple-choice questions: classical item analysis.

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
    """True if fewer than 5 % select it; None with fewer than 20 answers."""


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
    """Selections of one kind of solver, one attempt of each at each question."""

    examinees: tuple[str, ...]
    by_problem: Mapping[str, Mapping[str, Selection]]


def options(data: Dataset) -> Section | None:
    """Difficulty, discrimination and distractors; None if no question has enough answers by people or by models."""
    sides = {name: _side(data, is_person=name == PEOPLE) for name in (PEOPLE, MACHINES)}
    names = _names(data, sides)
    items: list[AnalysedQuestion] = []
    chosen: list[ChosenOption] = []
    for name, side in sides.items():
        points = {problem: _points(side, problem_selections) for problem, problem_selections in side.by_problem.items()}
        analysed = analyse(points)
        for problem, problem_selections in side.by_problem.items():
            if len(problem_selections) < LEAST:
                continue
            item = analysed[problem]
            items.append(AnalysedQuestion(problem, name, item.students, item.facility, item.discrimination))
            values = [
                problem_selections[examinee].value if examinee in problem_selections else None
                for examinee in side.examinees
            ]
            analysed_options = distractors(points, problem, values, [*names.get(problem, ())])
            chosen += [_option(problem, name, names[problem][option.value], option) for option in analysed_options]
    if not items:
        return None
    question_count = len({question.problem for question in items})
    lead = [
        f"{count(question_count, 'question')} with at least {LEAST} answers by people, or by models and agents, one "
        "of each: "
        "how hard they are, whether those who know more answer them, and which wrong options are chosen. Distractors "
        "are numbered by how often they are chosen: letters and wording would give keys away."
    ]
    same_share = _same_distractor(sides, names)
    if same_share.total:
        lead.append(
            f"Of {count(same_share.total, 'question')} at which both have one distractor that they choose most, it "
            "is the "
            f"same one at {same_share.count}: {with_interval(same_share, share=True)}. Of three distractors, chance "
            "would make it "
            "one in three."
        )
    tables = [_questions_table(items, chosen), _options_table(chosen)]
    numbers = {"questions": items, "options": chosen, "same_distractor": same_share}
    return Section("options", "Options of multiple-choice questions", lead, (), tables, numbers)


def _side(data: Dataset, *, is_person: bool) -> _Side:
    """The first attempt of each participant at each question."""
    attempts = [
        attempt
        for group_attempts in at_questions(data).values()
        for attempt in group_attempts
        if attempt.observation.is_person is is_person
    ]
    by_problem: dict[str, dict[str, Selection]] = {}
    for attempt in sorted(attempts, key=lambda attempt: (attempt.observation.started, attempt.observation.attempt)):
        if (selection := data.selections.get(attempt.observation.attempt)) is not None:
            by_problem.setdefault(attempt.observation.problem, {}).setdefault(_examinee(attempt), selection)
    examinees = sorted({examinee for problem_selections in by_problem.values() for examinee in problem_selections})
    return _Side(tuple(examinees), dict(sorted(by_problem.items())))


def _examinee(attempt: Folded) -> str:
    row = attempt.observation
    return row.participant if row.is_person else f"{row.group}\0{row.participant}"


def _points(side: _Side, problem_selections: Mapping[str, Selection]) -> list[float | None]:
    return [
        float(problem_selections[examinee].is_right) if examinee in problem_selections else None
        for examinee in side.examinees
    ]


def _names(data: Dataset, sides: Mapping[str, _Side]) -> Mapping[str, Mapping[str, str]]:
    """Question → option → what it is called here. Without questions whose right option no answer shows."""
    answers: dict[str, list[Selection]] = {}
    for side in sides.values():
        for problem, problem_selections in side.by_problem.items():
            answers.setdefault(problem, []).extend(problem_selections.values())
    names_by_problem: dict[str, dict[str, str]] = {}
    for problem, given_selections in answers.items():
        right = {selection.value for selection in given_selections if selection.is_right and selection.value}
        letters = data.facts[problem].options if problem in data.facts else ()
        if len(right) != 1 or not right <= {*letters}:
            continue
        votes = Counter(selection.value for selection in given_selections)
        wrong = sorted({*letters} - right, key=lambda letter: (-votes[letter], letter))
        distractor_names = {letter: f"distractor {number}" for number, letter in enumerate(wrong, 1)}
        names_by_problem[problem] = (
            dict.fromkeys(right, _RIGHT) | distractor_names | ({"": _NO_OPTION} if votes[""] else {})
        )
    return names_by_problem


def _option(problem: str, solver: str, option_name: str, option: Option) -> ChosenOption:
    is_non_functional = option.is_non_functional if option_name not in (_RIGHT, _NO_OPTION) else None
    return ChosenOption(
        problem, solver, option_name, option.students, option.share, option.discrimination, is_non_functional
    )


def _same_distractor(sides: Mapping[str, _Side], names: Mapping[str, Mapping[str, str]]) -> Share:
    """The share of questions at which people and models have the same most chosen distractor.

    Each has to have wrong answers, and one distractor that is chosen more often than any other.
    """
    agreements = [
        first == second
        for problem in names
        if (first := _most_chosen(sides[PEOPLE], problem)) and (second := _most_chosen(sides[MACHINES], problem))
    ]
    return share(sum(agreements), len(agreements))


def _most_chosen(side: _Side, problem: str) -> str:
    """The distractor; empty if there is none, or several are chosen equally often."""
    problem_selections = side.by_problem.get(problem, {})
    votes = Counter(
        selection.value for selection in problem_selections.values() if selection.value and not selection.is_right
    ).most_common(2)
    if not votes or (len(votes) > 1 and votes[0][1] == votes[1][1]):
        return ""
    return votes[0][0]


def _questions_table(items: Sequence[AnalysedQuestion], chosen: Sequence[ChosenOption]) -> Table:
    rows: list[Sequence[Cell]] = []
    for question in items:
        question_options = [
            option for option in chosen if (option.problem, option.solver) == (question.problem, question.solver)
        ]
        wrong = [option for option in question_options if option.option not in (_RIGHT, _NO_OPTION)]
        unused = sum(bool(option.is_non_functional) for option in wrong)
        is_known = any(option.is_non_functional is not None for option in wrong)
        positive = sum(option.discrimination is not None and option.discrimination > 0 for option in wrong)
        rows.append(
            (
                *(
                    question.problem,
                    question.solver,
                    question.answers,
                    percent(question.difficulty),
                    number(question.discrimination),
                ),
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
        (
            option.problem,
            option.option,
            option.solver,
            option.chosen,
            percent(option.of_answers),
            number(option.discrimination),
        )
        for option in sorted(chosen, key=lambda option: (option.problem, option.option != _RIGHT, option.option))
    ]
    columns = ("question", "option", "solvers", "chosen by", "share", "discrimination")
    return Table("Who chose which option", columns, rows, detail=True)
