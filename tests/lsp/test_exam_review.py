from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .conftest import EXAM_FORM as FORM
from .conftest import Editors
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def read(editor: Editor, exam: Path, label: str = "1") -> dict[str, Any]:
    return dict(await editor.ask("examQuestion", uri=exam.as_uri(), label=label))


async def save(editor: Editor, exam: Path, question: dict[str, Any], **form_changes: object) -> dict[str, Any]:
    fields = {name: question[name] for name in ("label", "digest", "statement", "solution")}
    return dict(await editor.ask("saveExamQuestion", uri=exam.as_uri(), **fields, form=question["form"] | form_changes))


async def test_an_exam_is_reviewed_and_becomes_a_pack(editors: Editors, exam: Path) -> None:
    editor = await editors()
    listed = await editor.ask("examQuestions", uri=(exam / "items" / "2" / "solution" / "solution.md").as_uri())
    assert (listed["uri"], listed["title"], listed["current"]) == (exam.as_uri(), "Midterm", "2")
    assert [(question["label"], question["decision"], question["findings"]) for question in listed["questions"]] == [
        ("1", "open", 1),
        ("2", "open", 1),
    ]
    first_question = await read(editor, exam)
    assert first_question["pages"] == [(exam / "items" / "1" / "page-1.png").as_uri()]
    first_question["statement"] += "\nName *one*.\n"
    saved = await save(editor, exam, first_question, decision="accepted", difficulty="easy")
    assert (saved["errors"], saved["changedOnDisk"]) == ([], False)
    review_text = (exam / "items" / "1" / "review.toml").read_text()
    assert review_text == FORM.replace('"open"', '"accepted"').replace(
        "points = 2\n", 'points = 2\ndifficulty = "easy"\n'
    )
    assert (exam / "items" / "1" / "statement.md").read_text().endswith("Name *one*.\n")

    refused = await editor.ask("makeExamPack", uri=exam.as_uri(), pack="midterm")
    assert (refused["label"], refused["questions"]) == ("2", [])
    assert "1 of 2 questions are not decided on: 2." in refused["refused"]
    await save(editor, exam, await read(editor, exam, "2"), decision="left out")
    made_pack = await editor.ask("makeExamPack", uri=exam.as_uri(), pack="midterm")
    assert (made_pack["questions"], made_pack["refused"]) == (["1"], "")
    assert (await editor.ask("makeExamPack", uri=exam.as_uri(), pack="midterm"))["exists"]
    assert not (await editor.ask("makeExamPack", uri=exam.as_uri(), pack="midterm", replace=True))["refused"]


async def test_a_change_made_elsewhere_is_never_written_over(editors: Editors, exam: Path) -> None:
    editor = await editors()
    question = await read(editor, exam)
    solution = exam / "items" / "1" / "solution" / "solution.md"
    solution.write_text("Typed in another editor.\n")
    saved = await save(editor, exam, question, decision="accepted")
    assert (saved["changedOnDisk"], solution.read_text()) == (True, "Typed in another editor.\n")
    assert (exam / "items" / "1" / "review.toml").read_text() == FORM
    assert not (await save(editor, exam, await read(editor, exam)))["changedOnDisk"]


@pytest.mark.parametrize(
    ("form_fields", "field"),
    [
        ({"decision": "accepted", "answer": ""}, "answer"),
        ({"decision": "accepted", "answer": "D"}, "answer"),
        ({"decision": "accepted", "choices": {"B": "SRAM"}}, ""),
        (
            {"decision": "accepted", "format": "open-ended", "rubric": [{"text": "all", "points": -1}]},
            "rubric.0.points",
        ),
        ({"choices": {"A": "Flash", "b": "SRAM"}}, "choices.b"),
        ({"points": -1}, "points"),
        ({"format": "essay"}, "format"),
        ({"decision": "maybe"}, "decision"),
    ],
)
async def test_what_no_pack_can_have_is_refused_at_its_field(
    editors: Editors, exam: Path, form_fields: dict[str, object], field: str
) -> None:
    editor = await editors()
    saved = await save(editor, exam, await read(editor, exam), **form_fields)
    assert [error["field"] for error in saved["errors"]][:1] == [field]
    assert (exam / "items" / "1" / "review.toml").read_text() == FORM


async def test_a_choice_is_added_and_removed_in_its_table(editors: Editors, exam: Path) -> None:
    editor = await editors()
    review_file = exam / "items" / "1" / "review.toml"
    choices = {"A": "Flash", "B": 'SRAM "6T"', "C": "ROM"}
    assert not (await save(editor, exam, await read(editor, exam), choices=choices))["errors"]
    assert tomllib.loads(review_file.read_text())["choices"] == choices
    rubric = [{"text": "names one", "points": 1.5}]
    free_response_fields = {"format": "free-response", "choices": {}, "answer": "", "rubric": rubric}
    assert not (await save(editor, exam, await read(editor, exam), **free_response_fields))["errors"]
    saved_review = tomllib.loads(review_file.read_text())
    assert (saved_review["format"], saved_review["choices"], saved_review["rubric"]) == ("free-response", {}, rubric)
    assert review_file.read_text().startswith("# What we said on Monday stays.\n")


async def test_only_folders_of_exams_are_read(editors: Editors, exam: Path, tmp_path: Path) -> None:
    editor = await editors()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "exam.toml").write_text("")
    _, message = await editor.refusal("examQuestions", uri=(tmp_path / "other").as_uri())
    assert "belongs to no exam" in message
    for label in ("../1", "..", "3", ""):
        _, message = await editor.refusal("examQuestion", uri=exam.as_uri(), label=label)
        assert "has no question" in message
    secret = tmp_path / "secret.md"
    secret.write_text("not yours\n")
    (exam / "items" / "2" / "statement.md").unlink()
    (exam / "items" / "2" / "statement.md").symlink_to(secret)
    for operation, params in (("examQuestion", {"label": "2"}), ("makeExamPack", {"pack": "midterm"})):
        _, message = await editor.refusal(operation, uri=exam.as_uri(), **params)
        assert "is a link" in message
        assert "not yours" not in message


async def test_a_pipe_among_the_figures_is_named(editors: Editors, exam: Path) -> None:
    editor = await editors()
    (exam / "items" / "1" / "figures").mkdir()
    os.mkfifo(exam / "items" / "1" / "figures" / "p.png")
    _, message = await editor.refusal("examQuestion", uri=exam.as_uri(), label="1")
    assert "p.png is no plain file. Remove it." in message


async def test_a_form_that_is_no_toml_is_listed_with_its_trouble(editors: Editors, exam: Path) -> None:
    editor = await editors()
    (exam / "items" / "1" / "review.toml").write_text("decision = \n")
    listed = await editor.ask("examQuestions", uri=exam.as_uri())
    assert "is not TOML" in listed["questions"][0]["trouble"]
    assert listed["questions"][1]["trouble"] == ""
