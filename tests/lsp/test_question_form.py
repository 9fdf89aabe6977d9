from __future__ import annotations

import base64
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from .conftest import Editors
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = """\
id = "cells"
kind = "question"
difficulty = "easy"  # for the first week

[question]
format = "multiple-choice"
choices = { A = "Flash", B = "SRAM", C = "PROM", D = "EEPROM" }

[answer]
value = "B"  # agreed on
explanation = "SRAM loses its data without power."
"""
PACK = """\
name = "memories"
title = "Memories"
version = "1"
license = "CC-BY-4.0"
source = "us"
order = ["cells"]
"""
STATEMENT = "# Cells\n\nWhich memory is volatile?\n"
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg=="
)


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """A question in the folder of its pack."""
    pack = tmp_path / "memories"
    folder = pack / "cells"
    folder.mkdir(parents=True)
    (pack / "pack.toml").write_text(PACK)
    (folder / "problem.toml").write_text(PROBLEM)
    (folder / "statement.md").write_text(STATEMENT)
    return folder


async def read_form(editor: Editor, cells: Path) -> dict[str, Any]:
    return dict(await editor.ask("questionForm", uri=(cells / "problem.toml").as_uri()))


async def ask(
    editor: Editor, name: str, cells: Path, question: dict[str, Any], **form_changes: object
) -> dict[str, Any]:
    fields = {"statement": question["statement"]} | ({"digest": question["digest"]} if name.startswith("save") else {})
    return dict(await editor.ask(name, uri=cells.as_uri(), **fields, form=question["form"] | form_changes))


async def test_a_form_changes_only_what_was_typed(editors: Editors, cells: Path) -> None:
    editor = await editors()
    question = await read_form(editor, cells)
    assert (question["id"], question["form"]["answer"], question["remarks"]) == ("cells", "B", [])
    same_form = await ask(editor, "saveQuestionForm", cells, question)
    assert (same_form["isSaved"], same_form["digest"]) == (True, question["digest"])
    assert (cells / "problem.toml").read_text() == PROBLEM
    choices = question["form"]["choices"] | {"C": "NAND"}
    saved = await ask(editor, "saveQuestionForm", cells, question, choices=choices, skill="recall")
    assert (saved["isSaved"], saved["remarks"]) == (True, [])
    expected_text = PROBLEM.replace('C = "PROM"', 'C = "NAND"').replace(
        "\n\n[answer]", '\nskill = "recall"\n\n[answer]'
    )
    assert (cells / "problem.toml").read_text() == expected_text


async def test_a_question_becomes_one_in_words_with_points(editors: Editors, cells: Path) -> None:
    editor = await editors()
    question = await read_form(editor, cells)
    free_response_fields = {
        "format": "free-response",
        "choices": {},
        "answer": "SRAM.\n\nIt has no place for charge.",
        "points": [{"text": "names it", "points": 1}, {"text": "says why", "points": 2}],
        "enough": 2,
    }
    assert (await ask(editor, "saveQuestionForm", cells, question, **free_response_fields))["remarks"] == []
    answer = tomllib.loads((cells / "problem.toml").read_text())["answer"]
    assert answer["points"] == {"items": free_response_fields["points"], "enough": 2}
    assert answer["value"] == free_response_fields["answer"]
    second_question = await read_form(editor, cells)
    assert second_question["form"]["points"] == free_response_fields["points"]
    short = (cells / "problem.toml").read_text().replace(", points = 1 }", " }")
    (cells / "problem.toml").write_text(short)
    second_question = await read_form(editor, cells)
    await ask(editor, "saveQuestionForm", cells, second_question, topic="cells")
    assert (cells / "problem.toml").read_text() == short.replace(
        'format = "free-response"\n', 'format = "free-response"\ntopic = "cells"\n'
    )
    second_question = await read_form(editor, cells)
    assert (await ask(editor, "saveQuestionForm", cells, second_question, points=[], enough=None))["isSaved"]
    assert "points" not in tomllib.loads((cells / "problem.toml").read_text())["answer"]


@pytest.mark.parametrize(
    ("form_fields", "field", "reason"),
    [
        ({"choices": {"A": "Flash", "B": "SRAM", "C": "PROM", "D": "None of the above"}}, "choices.D", "other options"),
        ({"explanation": ""}, "explanation", "No explanation"),
        ({"choices": {"A": "Flash", "B": "SRAM"}}, "choices", "There are 2 options"),
        ({"difficulty": "wild"}, "difficulty", "difficulty"),
        ({"format": "free-response", "choices": {}, "points": [{"text": "", "points": 1}]}, "points.0.text", "text"),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_before_it_is_saved(
    editors: Editors, cells: Path, form_fields: dict[str, Any], field: str, reason: str
) -> None:
    editor = await editors()
    form_check = await ask(editor, "checkQuestionForm", cells, await read_form(editor, cells), **form_fields)
    assert [remark["field"] for remark in form_check["remarks"]] == [field]
    assert reason in form_check["remarks"][0]["reason"]
    assert (cells / "problem.toml").read_text() == PROBLEM


async def test_what_no_pack_can_have_is_not_saved(editors: Editors, cells: Path) -> None:
    editor = await editors()
    saved = await ask(editor, "saveQuestionForm", cells, await read_form(editor, cells), tolerance=2)
    assert ([remark["field"] for remark in saved["remarks"]], saved["isSaved"]) == (["tolerance"], False)
    assert (cells / "problem.toml").read_text() == PROBLEM


async def test_an_answer_that_is_no_option_is_said_at_the_answer(editors: Editors, cells: Path) -> None:
    editor = await editors()
    saved = await ask(editor, "saveQuestionForm", cells, await read_form(editor, cells), answer="E")
    assert [(remark["field"], remark["isError"]) for remark in saved["remarks"]] == [("answer", True)]
    assert "must be one of A, B, C, D" in saved["remarks"][0]["reason"]


async def test_several_letters_answer_a_question_with_several_right_options(editors: Editors, cells: Path) -> None:
    editor = await editors()
    several = {"format": "multiple-response", "answer": "BD"}
    saved = await ask(editor, "saveQuestionForm", cells, await read_form(editor, cells), **several)
    assert (saved["isSaved"], [remark for remark in saved["remarks"] if remark["isError"]]) == (True, [])
    assert 'value = "BD"' in (cells / "problem.toml").read_text()
    saved = await ask(editor, "saveQuestionForm", cells, await read_form(editor, cells), **several | {"answer": "DB"})
    assert [(remark["field"], remark["isError"]) for remark in saved["remarks"]] == [("answer", True)]
    assert "each once and in order, such as AC" in saved["remarks"][0]["reason"]


async def test_a_change_made_elsewhere_is_never_written_over(editors: Editors, cells: Path) -> None:
    editor = await editors()
    question = await read_form(editor, cells)
    (cells / "statement.md").write_text("# Cells\n\nTyped elsewhere.\n")
    saved = await ask(editor, "saveQuestionForm", cells, question, answer="A")
    assert (saved["changedOnDisk"], saved["isSaved"]) == (True, False)
    assert (cells / "problem.toml").read_text() == PROBLEM


async def test_figures_are_copied_under_a_free_name(editors: Editors, cells: Path, tmp_path: Path) -> None:
    editor = await editors()
    picture = tmp_path / "my cell.png"
    picture.write_bytes(DOT)

    async def add(picture: Path, **params: object) -> dict[str, Any]:
        return dict(await editor.ask("addFigure", uri=cells.as_uri(), picture=picture.as_uri(), **params))

    assert (await add(picture))["path"] == "figures/my-cell.png"
    assert (await add(picture))["path"] == "figures/my-cell2.png"
    hidden_figure = await add(picture, ofAnswer=True)
    assert hidden_figure["uri"] == (cells / "hidden" / "figures" / "my-cell.png").as_uri()
    question = await read_form(editor, cells)
    assert set(question["figures"]) == {"figures/my-cell.png", "figures/my-cell2.png"}
    assert set(question["answerFigures"]) == {"figures/my-cell.png"}
    (tmp_path / "page.png").write_text("<html>")
    _, message = await editor.refusal("addFigure", uri=cells.as_uri(), picture=(tmp_path / "page.png").as_uri())
    assert "does not begin as image/png does" in message
    (tmp_path / "link.png").symlink_to(picture)
    _, message = await editor.refusal("addFigure", uri=cells.as_uri(), picture=(tmp_path / "link.png").as_uri())
    assert "can't be read" in message
    (cells / "figures" / "my-cell.png").rename(tmp_path / "kept.png")
    (cells / "figures" / "my-cell2.png").unlink()
    (cells / "figures").rmdir()
    (cells / "figures").symlink_to(tmp_path)
    _, message = await editor.refusal("addFigure", uri=cells.as_uri(), picture=picture.as_uri())
    assert "is a link" in message


@pytest.mark.parametrize(
    ("old_text", "new_text"),
    [
        ("[question]\n", 'question = "x"\n[other]\n'),
        ("[answer]\n", "[[answer]]\n"),
        ("[answer]\n", "[answer.points]\nitems = 3\n[answer]\n"),
        ('kind = "question"', f'kind = "question"\nx = {"[" * 3000}'),
        ('kind = "question"', f'kind = "question"\nx = {"1" * 5000}'),
    ],
)
async def test_a_file_of_an_odd_shape_gives_no_unexpected_error(
    editors: Editors, cells: Path, old_text: str, new_text: str
) -> None:
    editor = await editors()
    question = await read_form(editor, cells)
    (cells / "problem.toml").write_text(PROBLEM.replace(old_text, new_text))
    try:
        form_check = await ask(
            editor, "checkQuestionForm", cells, question, topic="x", points=[{"text": "y", "points": 1}]
        )
        reasons = " ".join(remark["reason"] for remark in form_check["remarks"])
    except JsonRpcException as error:
        reasons = str(error)
    assert "Unexpected error" not in reasons


async def test_a_pipe_for_a_statement_hangs_nothing(editors: Editors, cells: Path) -> None:
    editor = await editors()
    (cells / "statement.md").unlink()
    os.mkfifo(cells / "statement.md")
    _, message = await editor.refusal("questionTwin", uri=cells.as_uri(), id="cells-free")
    assert "statement.md: is no plain file" in message
    picture = cells.parent / ("long" * 60 + ".png")
    picture.write_bytes(DOT)
    (cells / "statement.md").unlink()
    added = await editor.ask("addFigure", uri=cells.as_uri(), picture=picture.as_uri())
    assert len(added["path"]) < 100


async def test_a_twin_asks_the_same_without_options(editors: Editors, cells: Path) -> None:
    editor = await editors()
    twin_fields = await editor.ask("questionTwin", uri=cells.as_uri(), id="cells-free")
    twin = dict(await editor.ask("questionForm", uri=twin_fields["uri"]))
    assert (twin["form"]["format"], twin["form"]["answer"]) == ("free-response", "SRAM")
    _, message = await editor.refusal("questionTwin", uri=cells.as_uri(), id="cells-free")
    assert "is there already" in message


async def test_only_questions_of_a_pack_s_folder_have_a_form(editors: Editors, cells: Path, tmp_path: Path) -> None:
    editor = await editors()
    _, message = await editor.refusal("questionForm", uri=tmp_path.as_uri())
    assert "belongs to no question" in message
    (cells / "problem.toml").write_text('id = "cells"\nkind = "design"\n')
    _, message = await editor.refusal("questionForm", uri=cells.as_uri())
    assert "is no question" in message
    (cells / "problem.toml").write_text("id = \n")
    _, message = await editor.refusal("questionForm", uri=cells.as_uri())
    assert "is not TOML" in message
    (cells / "problem.toml").write_text(PROBLEM.replace('value = "B"', "value = 3"))
    _, message = await editor.refusal("questionForm", uri=cells.as_uri())
    assert "answer" in message
    secret = tmp_path / "secret.md"
    secret.write_text("not yours\n")
    (cells / "problem.toml").write_text(PROBLEM)
    (cells / "statement.md").unlink()
    (cells / "statement.md").symlink_to(secret)
    _, message = await editor.refusal("questionForm", uri=cells.as_uri())
    assert "can't be read" in message
    assert "not yours" not in message


async def test_models_answer_a_question_without_its_key(editors: Editors, cells: Path, tmp_path: Path) -> None:
    requests: list[JudgeRequest] = []

    def play(request: JudgeRequest) -> PlayedReply:
        requests.append(request)
        return content('{"reason": "It is volatile.", "answer": "A"}')

    with JudgeEndpoint(play) as endpoint:
        editor = await editors(environment={"BENCHWRIGHT_JUDGE_URL": endpoint.url, "BENCHWRIGHT_JUDGE_MODEL": "small"})
        assert (await editor.ask("questionModels", uri=cells.as_uri()))["models"] == ["small"]
        tried = await editor.ask("tryQuestion", uri=cells.as_uri(), models=["small"])
    (reply,) = tried["answers"]
    assert (reply["model"], reply["answer"], reply["isRight"], reply["why"]) == ("small", "A", False, "")
    assert "It is volatile." in reply["said"]
    assert "loses its data" not in str([request.body for request in requests])
    _, refusal_message = await editor.refusal("tryQuestion", uri=cells.as_uri(), models=[])
    assert "Choose from one to 8 models" in refusal_message
