"""Reviews on one machine: blind answers, checks, decisions, and the pack of what enough people accept."""

from __future__ import annotations

import json
import time
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_authoring.new_problem import write_new_problem
from benchwright_authoring.review.accepted import is_accepted_unless_open
from benchwright_authoring.review.checks import ReviewCheck, agreement_alpha
from benchwright_authoring.review.reviews import Reviewer, ReviewError, multiple_choice_questions
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import QuestionFormat
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_server.cli.app import app_with_commands

YES = ("y",) * (len(ReviewCheck) + 1)
NO = ("y", "y", "n", "y", "y", "The rationale is wrong.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("first", "second"):
        write_new_problem(tmp_path / "mine", name, QuestionFormat.MULTIPLE_CHOICE)
    return tmp_path / "mine"


def run_questions_command(*arguments: str | Path, typed: tuple[str, ...] = ()) -> tuple[int, str]:
    invocation = CliRunner().invoke(
        app_with_commands(), ["questions", *map(str, arguments)], input="".join(f"{line}\n" for line in typed)
    )
    return invocation.exit_code, " ".join(invocation.output.split())


def run_review(folder: Path, name: str, *typed: str) -> tuple[int, str]:
    return run_questions_command("review", folder, "--reviewer", name, typed=typed)


def test_the_key_is_shown_after_the_answer_which_can_not_be_changed(folder: Path) -> None:
    key = multiple_choice_questions(folder)[0].hidden.answer
    assert key is not None
    key_text = f"The key is {key.value}"
    _, console_text = run_review(folder, "ada", "q")
    assert key_text not in console_text
    assert key.explanation not in console_text
    code, console_text = run_review(folder, "ada", "B")
    assert (code, f"{key_text}; you chose B" in console_text) == (0, True)
    code, console_text = run_review(folder, "ada", *YES, "a", *YES)
    assert code == 0, console_text
    assert "2 reviewed; 0 are left for you." in console_text
    reviewer_answers = [json.loads(file.read_text())["answer"] for file in (folder / "reviews" / "ada").iterdir()]
    assert sorted(reviewer_answers) == ["A", "B"]
    assert "0 reviewed; 0 are left for you." in run_review(folder, "ada")[1]


def test_what_more_than_half_accept_becomes_a_pack_with_agreement_and_times(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr(time, "monotonic", lambda: float(10 * next(ticks)))
    problem_order = {
        name: [
            problem.id
            for problem, _ in Reviewer(folder, name).questions_left_with_begun_review(multiple_choice_questions(folder))
        ]
        for name in "abc"
    }
    for name, accepts in {"a": ("first", "second"), "b": ("first",), "c": ("first",)}.items():
        typed = [line for problem_id in problem_order[name] for line in ("A", *(YES if problem_id in accepts else NO))]
        assert run_review(folder, name, *typed)[0] == 0
    pack_folder = folder.parent / "accepted"
    code, console_text = run_questions_command("accepted", folder, "--out", pack_folder)
    assert code == 0, console_text
    assert "1 question accepted, 1 rejected; the pack is in" in console_text
    # Three of three pairs on the first question, one of three on the second.
    assert "4 of 6 pairs of decisions alike; Krippendorff's alpha 0.38; 6 of 6 answers given before the" in console_text
    assert "a: median 20 s per question." in console_text
    assert [problem.id for problem in read_pack_folder(pack_folder).problems] == ["first"]
    reviews = json.loads((pack_folder / "reviews.json").read_text())
    assert reviews["second"]["b"]["comment"] == "The rationale is wrong."
    code, console_text = run_questions_command("accepted", folder, "--out", pack_folder, "--unanimous", "--json")
    assert json.loads(console_text)["accepted"] == ["first"]


def test_a_question_that_changed_after_its_review_is_reviewed_again(folder: Path) -> None:
    assert run_review(folder, "ada", "A", *YES, "A", *YES)[0] == 0
    statement = folder / "first" / "statement.md"
    statement.write_text(statement.read_text() + "\nAnd why?\n")
    pack_folder = folder.parent / "accepted"
    code, console_text = run_questions_command("accepted", folder, "--out", pack_folder, "--reviewers", "1")
    assert code == 1
    assert "1 question accepted, 0 rejected, 1 lack reviews" in console_text
    pending_reviews = Reviewer(folder, "ada").questions_left_with_begun_review(multiple_choice_questions(folder))
    assert [(problem.id, review) for problem, review in pending_reviews] == [("first", None)]
    assert run_review(folder, "ada", "A", *NO)[0] == 0
    assert run_questions_command("accepted", folder, "--out", pack_folder, "--reviewers", "1")[0] == 0
    assert not (pack_folder / "first").exists()


def test_no_other_folder_is_written_over(folder: Path) -> None:
    assert run_review(folder, "ada", "A", *YES, "A", *YES)[0] == 0
    other_problem = write_new_problem(folder.parent / "other", "x", QuestionFormat.MULTIPLE_CHOICE)
    for pack_folder, message in ((folder, "were reviewed"), (other_problem.parent, "holds another pack")):
        code, console_text = run_questions_command("accepted", folder, "--out", pack_folder, "--reviewers", "1")
        assert (code, message in console_text) == (2, True), console_text
    assert (other_problem / "problem.toml").exists()
    code, console_text = run_questions_command("accepted", other_problem.parent, "--out", folder.parent / "new")
    assert (code, "no question of" in console_text) == (2, True)
    assert not (folder.parent / "new").exists()


@pytest.mark.parametrize("name", ["", "../ada", "a/b", ".", "x" * 61, "a\n"])
def test_a_reviewer_has_a_name_that_is_no_path(folder: Path, name: str) -> None:
    with pytest.raises(ReviewError, match="reviewer's name"):
        Reviewer(folder, name)


def test_a_decision_that_lacks_something_is_refused(folder: Path) -> None:
    problem = multiple_choice_questions(folder)[0]
    ada_reviewer = Reviewer(folder, "ada")
    decision = {"accepts": True, "checks": [*ReviewCheck], "comment": "", "decision_s": 1.0}
    with pytest.raises(ReviewError, match="answer the question first"):
        ada_reviewer.record_decision(problem, **decision)  # type: ignore[arg-type]
    with pytest.raises(ReviewError, match="choose one"):
        ada_reviewer.record_answer(problem, "Z", 1.0)
    ada_reviewer.record_answer(problem, "A", 1.0)
    with pytest.raises(ReviewError, match="answered this question already"):
        ada_reviewer.record_answer(problem, "B", 1.0)
    with pytest.raises(ReviewError, match="all of the checks"):
        ada_reviewer.record_decision(problem, accepts=True, checks=[], comment="", decision_s=1.0)
    with pytest.raises(ReviewError, match="what is wrong"):
        ada_reviewer.record_decision(problem, accepts=False, checks=[], comment=" ", decision_s=1.0)
    ada_reviewer.record_decision(problem, **decision)  # type: ignore[arg-type]
    with pytest.raises(ReviewError, match="decided on it already"):
        ada_reviewer.record_decision(problem, **decision)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["{", '{"sha256": "x", "answer": "A", "answer_s": -1}', "x" * 70_000])
def test_a_broken_review_is_named(folder: Path, content: str) -> None:
    reviews_folder = folder / "reviews" / "ada"
    reviews_folder.mkdir(parents=True)
    (reviews_folder / "first.json").write_text(content)
    with pytest.raises(DatasetError, match=r"ada/first\.json"):
        Reviewer(folder, "ada").questions_left_with_begun_review(multiple_choice_questions(folder))


def test_a_review_is_not_read_through_a_link(folder: Path, tmp_path: Path) -> None:
    (folder / "reviews" / "ada").mkdir(parents=True)
    (folder / "reviews" / "ada" / "first.json").symlink_to(tmp_path / "secret")
    with pytest.raises(DatasetError, match="can't be read"):
        Reviewer(folder, "ada").questions_left_with_begun_review(multiple_choice_questions(folder))


@pytest.mark.parametrize(
    ("accepts", "reviewers", "unanimous", "expected_decision"),
    [
        ([], 3, False, None),
        ([True], 3, False, None),
        ([True, True], 3, False, True),
        ([False, False], 3, False, False),
        ([True, False], 3, False, None),
        ([True, False, True], 3, False, True),
        ([True, False], 2, False, False),
        ([True, True], 3, True, None),
        ([True, False], 3, True, False),
        ([True, True, True], 3, True, True),
        ([True, True, False, False], 3, False, False),
    ],
)
def test_a_question_is_decided_as_soon_as_no_further_review_can_change_it(
    accepts: list[bool], reviewers: int, unanimous: bool, expected_decision: bool | None
) -> None:
    assert is_accepted_unless_open(accepts, reviewers, must_be_unanimous=unanimous) is expected_decision


def test_agreement_is_undefined_where_everybody_says_the_same() -> None:
    assert agreement_alpha([]) is None
    assert agreement_alpha([[True, True], [True]]) is None
    assert agreement_alpha([[True, True], [False, False]]) == pytest.approx(1)


def test_a_pack_whose_folder_of_reviews_is_a_link_gets_none(folder: Path, tmp_path: Path) -> None:
    link_target = tmp_path / "elsewhere"
    link_target.mkdir()
    (folder / "reviews").symlink_to(link_target)
    code, console_text = run_review(folder, "ada", "A", *YES)
    assert (code, "can't be read" in console_text) == (2, True)
    assert not list(link_target.rglob("*.json"))
