from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_authoring.new_problem import (
    FORMS,
    DesignForm,
    Form,
    NewProblemError,
    write_free_response_twin,
    write_new_problem,
)
from benchwright_judges.score import score_by_rules
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import ProblemKind, QuestionFormat
from benchwright_problems.storage.pack_folder import read_pack_folder, wrong_solutions_by_name


@pytest.mark.parametrize("form", list(FORMS.values()))
def test_every_form_makes_a_pack_that_can_be_read(tmp_path: Path, form: Form) -> None:
    folder = write_new_problem(tmp_path / "my-pack", "first-one", form)
    (problem,) = read_pack_folder(tmp_path / "my-pack").problems
    assert folder == tmp_path / "my-pack" / "first-one"
    assert problem.id == "first-one"
    text = "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
    assert not [word for word in ("@ID@", "@TOP@", "@FORMAT@", "@CHOICES@", "@ANSWER@", "@RUBRIC@") if word in text]
    if problem.kind is ProblemKind.DESIGN:
        assert problem.public.expected == ("rtl/first_one.sv",)
        assert wrong_solutions_by_name(tmp_path / "my-pack", "first-one")
    else:
        assert problem.public.question is not None
        assert problem.public.question.format == form.value
        assert problem.hidden.answer is not None
        if problem.public.question.format is QuestionFormat.MULTIPLE_RESPONSE:
            assert score_by_rules(problem, "A, C").passed
            assert len(problem.hidden.answer.value) == 2


def test_a_problem_joins_a_pack_whose_file_stays_as_its_author_wrote_it(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write_new_problem(folder, "a", QuestionFormat.ASSERTION)
    for order in ('["a"]', '[ "a", ]', '[\n  "a"\n]', '[\n    "a",\n]'):
        text = (
            f'# Mine.\nname = "p"\ntitle = "P"\nversion = "1"\nlicense = "MIT"\nsource = "s"\norder = {order}\n# End.\n'
        )
        (folder / "pack.toml").write_text(text)
        write_new_problem(folder, "b", QuestionFormat.ASSERTION)
        changed_text = (folder / "pack.toml").read_text()
        assert changed_text.startswith("# Mine.\n")
        assert changed_text.endswith("\n# End.\n")
        assert [problem.id for problem in read_pack_folder(folder).problems] == ["a", "b"]
        for file in sorted((folder / "b").rglob("*"), reverse=True):
            file.unlink() if file.is_file() else file.rmdir()
        (folder / "b").rmdir()


@pytest.mark.parametrize("name", ["", "Upper", "../out", "a/b", "-a", "a b", "ä", "a" * 80])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NewProblemError, match="can't be a problem's name"):
        write_new_problem(tmp_path / "p", name, DesignForm.COCOTB)
    assert not (tmp_path / "p").exists()


def test_nothing_is_written_where_something_is_or_can_not_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write_new_problem(folder, "a", QuestionFormat.ASSERTION)
    pack_bytes = (folder / "pack.toml").read_bytes()
    with pytest.raises(NewProblemError, match="is there already"):
        write_new_problem(folder, "a", DesignForm.COCOTB)
    assert (folder / "pack.toml").read_bytes() == pack_bytes
    (folder / "pack.toml").write_text("name = ")
    with pytest.raises(DatasetError, match=r"pack\.toml"):
        write_new_problem(folder, "b", DesignForm.COCOTB)
    assert not (folder / "b").exists()


def test_a_folder_whose_name_no_pack_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NewProblemError, match="can't be a pack's name"):
        write_new_problem(tmp_path / "My Pack", "a", DesignForm.COCOTB)
    assert not (tmp_path / "My Pack").exists()


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    """A pack with a multiple-choice question that has a figure on both sides."""
    problem_folder = write_new_problem(tmp_path / "quiz", "stalls", QuestionFormat.MULTIPLE_CHOICE)
    for folder in (problem_folder, problem_folder / "hidden"):
        (folder / "figures").mkdir(parents=True)
        (folder / "figures" / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')
    (problem_folder / "statement.md").write_text("# Stalls\n\n![a pipeline](figures/a.svg)\n\nWhat happens then?\n")
    text = (problem_folder / "problem.toml").read_text().replace('"First"', '"A \\"bubble\\" 气泡"')
    (problem_folder / "problem.toml").write_text(text.replace("Why this", "![late](figures/a.svg) Why this"))
    return problem_folder.parent


def test_a_twin_asks_the_same_without_options(quiz: Path) -> None:
    twin_folder = write_free_response_twin(quiz, "stalls", "stalls-free")
    original, twin = read_pack_folder(quiz).problems
    assert twin_folder == quiz / "stalls-free"
    assert twin.public.question is not None
    assert (twin.public.question.format, twin.public.question.choices) == (QuestionFormat.FREE_RESPONSE, ())
    assert twin.public.statement == original.public.statement
    assert twin.public.figures == original.public.figures
    assert twin.public.question.domain == "Processor Architecture"
    key = twin.hidden.answer
    assert key is not None
    assert key.value == 'A "bubble" 气泡'
    assert key.explanation.endswith("The same question with options: stalls.")
    assert key.figures
    assert "A model answer" not in (twin_folder / "problem.toml").read_text()


def test_a_twin_of_what_has_no_options_or_with_a_name_that_is_taken_is_refused(quiz: Path) -> None:
    pack_bytes = (quiz / "pack.toml").read_bytes()
    for problem, name, message in (
        ("absent", "x", "is no multiple-choice question"),
        ("stalls", "stalls", "is there already"),
        ("stalls", "../x", "can't be a problem's name"),
    ):
        with pytest.raises(NewProblemError, match=message):
            write_free_response_twin(quiz, problem, name)
    write_new_problem(quiz, "open", QuestionFormat.OPEN_ENDED)
    with pytest.raises(NewProblemError, match="is no multiple-choice question"):
        write_free_response_twin(quiz, "open", "x")
    assert pack_bytes != (quiz / "pack.toml").read_bytes()
    assert sorted(path.name for path in quiz.iterdir()) == ["open", "pack.toml", "stalls"]
