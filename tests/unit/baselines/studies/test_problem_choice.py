"""The problems of a new study, and the texts about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_attempts.errors import StudyError
from benchwright_problems.problem import Difficulty, Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_studies.plan.allocation import study_json_for_participants
from benchwright_studies.plan.documents import study_documents
from benchwright_studies.plan.problem_choice import ProblemWish, choose_problems, chosen_problem_fields_yaml
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import parse_study
from benchwright_studies.plan.template import study_template

LIMITS = {Difficulty.EASY: 10.0, Difficulty.MEDIUM: 20.0}
PEOPLE = """
population: {who: people who design chips, criteria: [expertise]}
recruitment:
  sampling: convenience
  screening:
    - {id: rtl, ask: "Do you write RTL?", kind: yes-no, expect: true}
    - {id: role, ask: "What are you?", kind: choice, choices: [student, engineer], expect: engineer}
pay: {amount: 25 EUR an hour, bonus: none}
ethics: {outcome: exempt, board: Board of Example University, reason: no personal data}
"""


@pytest.fixture(scope="module")
def candidates() -> dict[str, Problem]:
    return {f"starter/{problem.id}": problem for problem in read_built_in("starter").problems}


def study_with_fields(more: str = "") -> Study:
    return parse_study(study_template("study.yaml", "mine", 42) + more, Path("study.yaml")).study


def test_problems_are_drawn_of_each_wanted_difficulty_in_turn(candidates: dict[str, Problem]) -> None:
    wish = ProblemWish(4, ProblemKind.DESIGN, LIMITS)
    draws = [choose_problems(candidates, wish, seed) for seed in range(20)]
    for draw in draws:
        difficulties = [candidates[ref].difficulty for ref in draw.refs]
        assert difficulties == [Difficulty.EASY, Difficulty.MEDIUM] * 2
        assert draw.practice is not None and draw.practice not in draw.refs
        assert len(set(draw.refs)) == 4
    assert len({tuple(draw.refs) for draw in draws}) > 5
    assert choose_problems(candidates, wish, 7) == choose_problems(candidates, wish, 7)


def test_limits_over_the_budget_and_too_few_problems_are_refused_with_a_next_step(
    candidates: dict[str, Problem],
) -> None:
    with pytest.raises(StudyError, match=r"80 minutes, which is over 70\. Ask for fewer"):
        choose_problems(candidates, ProblemWish(4, ProblemKind.DESIGN, LIMITS, 70), 1)
    with pytest.raises(StudyError, match=r"There are not 99 design problems .* easy, .* medium\. Ask for fewer"):
        choose_problems(candidates, ProblemWish(99, ProblemKind.DESIGN, LIMITS), 1)


def test_the_file_says_how_problems_were_chosen_and_which_times_are_known(candidates: dict[str, Problem]) -> None:
    wish = ProblemWish(2, ProblemKind.DESIGN, LIMITS)
    draw = choose_problems(candidates, wish, 3)
    fields = chosen_problem_fields_yaml(draw, candidates, wish, {draw.refs[0]: 7.4})
    assert "half took 7 minutes here" in fields and "its time was not measured here yet" in fields
    parsed = parse_study(study_template("study.yaml", "mine", 42, fields), Path("study.yaml")).study
    assert [task.problem for task in parsed.problems] == list(draw.refs)
    assert [task.time_minutes for task in parsed.problems] == [10, 20]
    assert parsed.problem_choice.startswith("drawn by lot (seed 3): 1 easy, 1 medium, of ")


def test_what_the_file_does_not_say_is_named_in_the_texts() -> None:
    texts = study_documents(study_with_fields())
    unstated_fields = ("`population`", "`pay`", "`ethics`")
    assert all(f"({name} is not in the study file)" in texts["recruitment.md"] for name in unstated_fields)
    assert "`recruitment.screening` is not in the study file" in texts["screening.md"]


def test_texts_say_what_the_file_says_and_only_the_lab_learns_what_admits() -> None:
    texts = study_documents(study_with_fields(PEOPLE))
    for words in ("people who design chips", "25 EUR an hour; bonus: none", "exempt by Board of Example University"):
        assert words in texts["recruitment.md"]
    assert "25 EUR an hour" in texts["consent.md"] and "no personal data" in texts["consent.md"]
    assert "Do you write RTL? (yes-no) — a place needs: yes" in texts["screening.md"]
    assert "(student, engineer) — a place needs: engineer" in texts["screening.md"]
    for text in (texts["recruitment.md"], texts["consent.md"], study_json_for_participants(study_with_fields(PEOPLE))):
        assert "Do you write RTL" not in text
    assert "sometimes" in texts["consent.md"] and "a place needs" not in texts["consent.md"]
