from __future__ import annotations

import pytest
from pydantic import ValidationError

from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Choice,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
    RunLimits,
    digest,
)
from benchwright_problems.reveal import Reveal

PUBLIC = Public(statement="s", expected=("rtl/a.sv",))
QUESTION = Question(format=QuestionFormat.ASSERTION)


def problem_of_kind(kind: ProblemKind = ProblemKind.DESIGN, public: Public = PUBLIC, **fields: object) -> Problem:
    values = {
        "id": "p",
        "kind": kind,
        "title": "P",
        "difficulty": Difficulty.EASY,
        "provenance": Provenance(source="", license="", version=""),
        "public": public,
        "hidden": Hidden(),
    }
    return Problem.model_validate(values | fields)


def test_every_category_has_cvdps_name() -> None:
    assert len({category.label for category in Category}) == len(Category) == 13


@pytest.mark.parametrize("policy", Reveal)
def test_each_reveal_policy_includes_the_ones_before_it(policy: Reveal) -> None:
    included = [candidate for candidate in Reveal if policy.shows_all_of(candidate)]
    assert included == list(Reveal)[: len(included)]
    assert included[-1] is policy


def test_a_question_and_nothing_else_has_a_question() -> None:
    problem_of_kind(ProblemKind.QUESTION, Public(statement="s", question=QUESTION))
    problem_of_kind(ProblemKind.TEXT, Public(statement="s"))
    with pytest.raises(ValidationError, match=r"has public\.question"):
        problem_of_kind(ProblemKind.QUESTION, Public(statement="s"))
    with pytest.raises(ValidationError, match=r"has public\.question"):
        problem_of_kind(ProblemKind.DESIGN, Public(statement="s", expected=("a.sv",), question=QUESTION))


def test_a_design_names_its_files() -> None:
    with pytest.raises(ValidationError, match="names the files it expects"):
        problem_of_kind(public=Public(statement="s"))


def choices_with_letters(*letters: str) -> tuple[Choice, ...]:
    return tuple(Choice(letter=letter, text=letter) for letter in letters)


def test_choices_fit_the_format() -> None:
    assert Question(format=QuestionFormat.MULTIPLE_CHOICE, choices=choices_with_letters("A", "B")).choices
    with pytest.raises(ValidationError, match="at least two"):
        Question(format=QuestionFormat.MULTIPLE_CHOICE, choices=choices_with_letters("A"))
    with pytest.raises(ValidationError, match="has no choices"):
        Question(format=QuestionFormat.ASSERTION, choices=choices_with_letters("A", "B"))
    with pytest.raises(ValidationError, match="same letter"):
        Question(format=QuestionFormat.MULTIPLE_CHOICE, choices=choices_with_letters("A", "A"))
    with pytest.raises(ValidationError, match="letter"):
        choices_with_letters("a")


@pytest.mark.parametrize(
    ("style", "right_keys", "wrong_keys"),
    [
        (QuestionFormat.MULTIPLE_CHOICE, ["A", "D"], ["", "E", "AC", "a"]),
        (QuestionFormat.MULTIPLE_RESPONSE, ["A", "AC", "ABCD"], ["", "CA", "AA", "AZ", "A, C", "ac"]),
        (QuestionFormat.ASSERTION, ["true", "false"], ["", "A", "True"]),
        (QuestionFormat.FILL_IN_THE_BLANK, ["24", "A", "any words"], []),
    ],
)
def test_a_format_says_what_its_keys_have_to_be(
    style: QuestionFormat, right_keys: list[str], wrong_keys: list[str]
) -> None:
    assert [
        key for key in (*right_keys, *wrong_keys) if not style.unmet_key_rule_in_words(key, [*"ABCD"])
    ] == right_keys


def test_ids_in_a_pack_differ_in_more_than_case() -> None:
    with pytest.raises(ValidationError, match="two problems are called 'P'"):
        Pack(
            name="x", title="", version="", license="", source="", problems=(problem_of_kind(), problem_of_kind(id="P"))
        )  # fmt: skip


@pytest.mark.parametrize(
    "limits",
    [
        {"wall_s": 0},
        {"wall_s": float("nan")},
        {"wall_s": float("inf")},
        {"memory_mb": 0},
        {"memory_mb": 1 << 50},
        {"processes": -1},
        {"file_mb": 1 << 60},
        {"folder_mb": 1 << 60},
        {"other": 1},
    ],
)
def test_limits_without_sense_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        RunLimits.model_validate(limits)


def test_the_public_digest_does_not_depend_on_hidden_things() -> None:
    bare_problem, tested_problem = problem_of_kind(), problem_of_kind(hidden=Hidden(harness={"a": "b"}))
    assert bare_problem.public_digest == tested_problem.public_digest
    assert bare_problem.harness_digest != tested_problem.harness_digest
    assert bare_problem.public_digest != problem_of_kind(title="Q").public_digest


def test_limits_and_answers_decide_and_so_are_in_the_harness_digest() -> None:
    assert problem_of_kind().harness_digest != problem_of_kind(limits=RunLimits(wall_s=1)).harness_digest


def test_a_digest_ignores_the_order_of_names_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest([1, 2]) != digest([2, 1])


def test_problems_can_not_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        problem_of_kind().title = "other"  # type: ignore[misc]


EDITOR_FILES = [
    ".vscode/tasks.json",
    ".vscode/settings.json",
    "src/.VSCode/launch.json",
    ".git/hooks/post-checkout",
    ".git/config",
    ".gitmodules",
    ".gitattributes",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".idea/workspace.xml",
    ".envrc",
    ".exrc",
    ".vimrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
    ".editorconfig",
    ".zed/tasks.json",
    ".helix/languages.toml",
    ".fleet/run.json",
    ".mcp.json",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".github/copilot-instructions.md",
    ".cursorrules",
    "top.code-workspace",
    "rtl/TOP.CODE-WORKSPACE",
    "x.sublime-project",
    "_vimrc",
    "Session.vim",
    "build.rs",
    "pom.xml",
    "build.gradle",
    ".vscode./tasks.json",
    ".git::$INDEX_ALLOCATION/config",
]


@pytest.mark.parametrize(
    "path", [*EDITOR_FILES, ".vscode /tasks.json", ".vs\u200ccode/tasks.json", "\u200c.git/config"]
)
def test_a_pack_brings_nothing_that_an_editor_runs(path: str) -> None:
    for public in ({"files": {path: "x"}}, {"expected": (path,)}):
        with pytest.raises(ValidationError, match="editors or their assistants may run or obey"):
            Public.model_validate({"statement": "s"} | public)


@pytest.mark.parametrize(
    "path", ["Makefile", ".gitignore", "rundir/.gitkeep", ".env", "docs/git.md", "rtl/vscode.sv", "verif/conftest.py"]
)
def test_what_no_editor_runs_is_welcome(path: str) -> None:
    assert Public(statement="s", files={path: "x"}).files


def test_a_harness_has_the_files_that_it_wants() -> None:
    assert Hidden(harness={"src/.coveragerc": "x", ".git/config": "x"}).harness
