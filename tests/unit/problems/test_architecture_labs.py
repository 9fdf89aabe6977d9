"""The architecture labs as files: what a student and a teacher find in each, and the weeks of the course file."""

from __future__ import annotations

import ast
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.score import judge_key_and_empty_answer
from benchwright_problems.problem import Problem, ProblemKind, Skill
from benchwright_problems.storage.pack_folder import (
    read_built_in,
    right_solutions_by_name,
    wrong_solutions_by_name,
)
from benchwright_server.workspaces.workspace import statement_path_and_workspace_files
from benchwright_service.courses.course_file import read_course_file

NAME = "architecture-labs"
PACK = read_built_in(NAME)
FOLDER = Path(str(files("benchwright_problems") / "packs" / NAME))
DESIGNS = [problem for problem in PACK.problems if problem.kind is ProblemKind.DESIGN]
QUESTIONS = [problem for problem in PACK.problems if problem.kind is ProblemKind.QUESTION]


def id_of(problem: Problem) -> str:
    return problem.id


def hidden_test_names(problem: Problem) -> set[str]:
    """The cocotb tests of a harness."""
    return {
        node.name
        for path, text in problem.hidden.harness.items()
        if path.endswith(".py") and not path.endswith("test_runner.py")
        for node in ast.parse(text).body
        if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list
    }


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_the_first_steps_name_every_hidden_test(problem: Problem) -> None:
    steps_text = problem.public.statement.partition("## First steps")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", steps_text))
    assert hidden_test_names(problem) <= named, hidden_test_names(problem) - named


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_each_hidden_test_is_in_a_group_and_the_groups_bring_ten_points(problem: Problem) -> None:
    grouped = [name for test_group in problem.public.test_groups for name in test_group.tests]
    assert sorted(grouped) == sorted(hidden_test_names(problem))
    assert sum(test_group.points for test_group in problem.public.test_groups) == 10


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_a_lab_has_all_of_its_parts(problem: Problem) -> None:
    assert 3 <= len(wrong_solutions_by_name(FOLDER, problem.id)) <= 7
    assert right_solutions_by_name(FOLDER, problem.id)
    assert problem.hidden.explanation.startswith("# ")
    assert [hint.cost for hint in problem.public.hints] == [0.0, 0.1, 0.2]
    assert any(path.startswith("tests/test_") for path in problem.public.files)
    for heading in ("## Ports", "## Behaviour", "## First steps", "## Own tests", "## Rules"):
        assert f"\n{heading}" in problem.public.statement


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_other_solutions_say_in_their_first_line_what_they_do(problem: Problem) -> None:
    solutions = {
        **right_solutions_by_name(FOLDER, problem.id),
        **{f"wrong/{name}": texts for name, texts in wrong_solutions_by_name(FOLDER, problem.id).items()},
    }
    for name, texts in solutions.items():
        assert any(text.startswith("//") for text in texts.values()), name
        assert set(texts) <= set(problem.public.expected), name


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_the_explanation_says_of_each_wrong_design_what_is_wrong(problem: Problem) -> None:
    mistakes = problem.hidden.explanation.partition("## Often wrong")[2]
    for name, texts in wrong_solutions_by_name(FOLDER, problem.id).items():
        comments = " ".join(line.removeprefix("//").strip() for line in "".join(texts.values()).splitlines())
        sentence = comments.partition("Wrong: ")[2].partition(".")[0]
        assert sentence and sentence.lower() in mistakes.lower(), name


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_no_hidden_text_is_given_away(problem: Problem) -> None:
    public = problem.public.model_dump_json()
    hidden_texts = [*problem.hidden.harness.values(), *problem.hidden.reference.values()]
    hidden_texts += problem.hidden.explanation.split("\n\n")
    assert all(text not in public for text in hidden_texts if len(text) > 40)


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_the_workspace_of_a_student_has_first_steps_and_tests_to_extend_and_nothing_hidden(problem: Problem) -> None:
    statement_path, content_by_path = statement_path_and_workspace_files(problem)
    assert b"\n## First steps\n" in content_by_path[statement_path]
    assert any(path.startswith("tests/test_") and b"@cocotb.test()" in text for path, text in content_by_path.items())
    workspace_text = b"\n".join(content_by_path.values()).decode()
    hidden_texts = [*problem.hidden.hints, *problem.hidden.explanation.split("\n\n")]
    assert not [text for text in hidden_texts if text.strip() in workspace_text]


@pytest.mark.parametrize("problem", QUESTIONS, ids=id_of)
def test_the_key_of_a_question_is_right_and_an_empty_answer_is_not(problem: Problem) -> None:
    key, empty = judge_key_and_empty_answer(problem)
    assert (key.passed, empty.status) == (True, JudgementStatus.EMPTY)


def test_a_term_has_questions_of_every_skill() -> None:
    skills = Counter(problem.public.question.skill for problem in QUESTIONS if problem.public.question is not None)
    assert set(skills) == set(Skill)
    assert min(skills.values()) >= 12


def test_the_course_file_assigns_every_problem_once_in_twelve_weeks() -> None:
    course_file = read_course_file(NAME)
    assert [week.week for week in course_file.weeks] == list(range(1, 13))
    assigned = [problem for week in course_file.weeks for problem in week.problems]
    assert sorted(assigned) == sorted(problem.id for problem in PACK.problems)
