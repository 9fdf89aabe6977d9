"""Choices of people and models among the options of multiple-choice questions: classical item analysis.

No letter and no wording is shown: with how often each option is right, a report would give keys away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.questions.attempts import question_attempts_by_group
from benchwright_analysis.report.questions.selections import AnswerSelection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SortableTable, counted, text_with_interval
from benchwright_authoring.item_analysis import LEAST_STUDENTS, OptionStatistics, item_statistics, option_statistics
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.estimators import Share, wilson_share

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
class _SolverSelections:
    """Selections of one kind of solver, one attempt of each at each question."""

    examinees: tuple[str, ...]
    selections_by_problem_and_examinee: Mapping[str, Mapping[str, AnswerSelection]]


def options_section(data: Dataset) -> Section | None:
    """Difficulty, discrimination and distractors; None if no question has enough answers by people or by models."""
    selections_by_solver = {name: _first_selections(data, is_person=name == PEOPLE) for name in (PEOPLE, MACHINES)}
    names = _shown_option_names(data, selections_by_solver)
    analysed_questions: list[AnalysedQuestion] = []
    chosen_options: list[ChosenOption] = []
    for name, solver_selections in selections_by_solver.items():
        points = {
            problem: _points_in_examinee_order(solver_selections, problem_selections)
            for problem, problem_selections in solver_selections.selections_by_problem_and_examinee.items()
        }
        analysed = item_statistics(points)
        for problem, problem_selections in solver_selections.selections_by_problem_and_examinee.items():
            if len(problem_selections) < LEAST_STUDENTS:
                continue
            analysed_item = analysed[problem]
            analysed_questions.append(
                AnalysedQuestion(
                    problem, name, analysed_item.students, analysed_item.facility, analysed_item.discrimination
                )
            )
            values = [
                (problem_selections[examinee].value,) if examinee in problem_selections else None
                for examinee in solver_selections.examinees
            ]
            analysed_options = option_statistics(points, problem, values, [*names.get(problem, ())])
            chosen_options += [
                _chosen_option(problem, name, names[problem][option.value], option) for option in analysed_options
            ]
    if not analysed_questions:
        return None
    question_count = len({question.problem for question in analysed_questions})
    lead = [
        f"{counted(question_count, 'question')} with at least {LEAST_STUDENTS} answers by people, or by models and "
        "agents, one of each: "
        "how hard they are, whether those who know more answer them, and which wrong options are chosen. Distractors "
        "are numbered by how often they are chosen: letters and wording would give keys away."
    ]
    same_share = _same_distractor_share(selections_by_solver, names)
    if same_share.total:
        lead.append(
            f"Of {counted(same_share.total, 'question')} at which both have one distractor that they choose most, it "
            "is the "
            f"same one at {same_share.count}: {text_with_interval(same_share, as_share=True)}. Of three distractors, "
            "chance would make it one in three."
        )
    tables = [_questions_table(analysed_questions, chosen_options), _options_table(chosen_options)]
    numbers = {"questions": analysed_questions, "options": chosen_options, "same_distractor": same_share}
    return Section("options", "Options of multiple-choice questions", lead, (), tables, numbers)


def _first_selections(data: Dataset, *, is_person: bool) -> _SolverSelections:
    """The first attempt of each participant at each question."""
    attempts = [
        attempt
        for group_attempts in question_attempts_by_group(data).values()
        for attempt in group_attempts
        if attempt.observation.is_person is is_person
    ]
    by_problem: dict[str, dict[str, AnswerSelection]] = {}
    for attempt in sorted(attempts, key=lambda attempt: (attempt.observation.started, attempt.observation.attempt)):
        if (selection := data.selections.get(attempt.observation.attempt)) is not None:
            by_problem.setdefault(attempt.observation.problem, {}).setdefault(_examinee_id(attempt), selection)
    examinees = sorted({examinee for problem_selections in by_problem.values() for examinee in problem_selections})
    return _SolverSelections(tuple(examinees), dict(sorted(by_problem.items())))


def _examinee_id(attempt: FoldedAttempt) -> str:
    row = attempt.observation
    return row.participant if row.is_person else f"{row.group}\0{row.participant}"


def _points_in_examinee_order(
    solver_selections: _SolverSelections, problem_selections: Mapping[str, AnswerSelection]
) -> list[float | None]:
    return [
        float(problem_selections[examinee].is_right) if examinee in problem_selections else None
        for examinee in solver_selections.examinees
    ]


def _shown_option_names(
    data: Dataset, selections_by_solver: Mapping[str, _SolverSelections]
) -> Mapping[str, Mapping[str, str]]:
    """Question → option → what it is called here. Without questions whose right option no answer shows."""
    selections_by_problem: dict[str, list[AnswerSelection]] = {}
    for solver_selections in selections_by_solver.values():
        for problem, problem_selections in solver_selections.selections_by_problem_and_examinee.items():
            selections_by_problem.setdefault(problem, []).extend(problem_selections.values())
    names_by_problem: dict[str, dict[str, str]] = {}
    for problem, given_selections in selections_by_problem.items():
        right_letters = {selection.value for selection in given_selections if selection.is_right and selection.value}
        letters = data.problem_facts[problem].options if problem in data.problem_facts else ()
        if len(right_letters) != 1 or not right_letters <= {*letters}:
            continue
        votes = Counter(selection.value for selection in given_selections)
        wrong_letters = sorted({*letters} - right_letters, key=lambda letter: (-votes[letter], letter))
        distractor_names = {letter: f"distractor {number}" for number, letter in enumerate(wrong_letters, 1)}
        names_by_problem[problem] = (
            dict.fromkeys(right_letters, _RIGHT) | distractor_names | ({"": _NO_OPTION} if votes[""] else {})
        )
    return names_by_problem


def _chosen_option(problem: str, solver_kind: str, option_name: str, analysed_option: OptionStatistics) -> ChosenOption:
    is_non_functional = analysed_option.is_non_functional if option_name not in (_RIGHT, _NO_OPTION) else None
    return ChosenOption(
        problem,
        solver_kind,
        option_name,
        analysed_option.students,
        analysed_option.share,
        analysed_option.discrimination,
        is_non_functional,
    )


def _same_distractor_share(
    selections_by_solver: Mapping[str, _SolverSelections], shown_option_names: Mapping[str, Mapping[str, str]]
) -> Share:
    """The share of questions at which people and models have the same most chosen distractor.

    Each has to have wrong answers, and one distractor that is chosen more often than any other.
    """
    agreements = [
        first == second
        for problem in shown_option_names
        if (first := _top_distractor_if_unique(selections_by_solver[PEOPLE], problem))
        and (second := _top_distractor_if_unique(selections_by_solver[MACHINES], problem))
    ]
    return wilson_share(sum(agreements), len(agreements))


def _top_distractor_if_unique(solver_selections: _SolverSelections, problem: str) -> str:
    """The distractor; empty if there is none, or several are chosen equally often."""
    problem_selections = solver_selections.selections_by_problem_and_examinee.get(problem, {})
    top_choices = Counter(
        selection.value for selection in problem_selections.values() if selection.value and not selection.is_right
    ).most_common(2)
    if not top_choices or (len(top_choices) > 1 and top_choices[0][1] == top_choices[1][1]):
        return ""
    return top_choices[0][0]


def _questions_table(
    analysed_questions: Sequence[AnalysedQuestion], chosen_options: Sequence[ChosenOption]
) -> SortableTable:
    rows: list[Sequence[Cell]] = []
    for analysed_question in analysed_questions:
        question_options = [
            option
            for option in chosen_options
            if (option.problem, option.solver) == (analysed_question.problem, analysed_question.solver)
        ]
        wrong_options = [option for option in question_options if option.option not in (_RIGHT, _NO_OPTION)]
        unused = sum(bool(option.is_non_functional) for option in wrong_options)
        is_known = any(option.is_non_functional is not None for option in wrong_options)
        positive = sum(option.discrimination is not None and option.discrimination > 0 for option in wrong_options)
        rows.append(
            (
                *(
                    analysed_question.problem,
                    analysed_question.solver,
                    analysed_question.answers,
                    percent(analysed_question.difficulty),
                    number(analysed_question.discrimination),
                ),
                unused if is_known else None,
                positive if wrong_options else None,
            )
        )
    return SortableTable(
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


def _options_table(chosen_options: Sequence[ChosenOption]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            option.problem,
            option.option,
            option.solver,
            option.chosen,
            percent(option.of_answers),
            number(option.discrimination),
        )
        for option in sorted(
            chosen_options, key=lambda option: (option.problem, option.option != _RIGHT, option.option)
        )
    ]
    columns = ("question", "option", "solvers", "chosen by", "share", "discrimination")
    return SortableTable("Who chose which option", columns, rows, detail=True)
