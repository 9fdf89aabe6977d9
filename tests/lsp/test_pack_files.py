"""An author's pack in an editor."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_authoring.new_problem import DesignForm, write_new_problem
from benchwright_problems.problem import QuestionFormat

from .session import Editor, File

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    return write_new_problem(tmp_path / "my-pack", "holds", DesignForm.COCOTB)


async def labels(file: File, typed_text: str) -> list[str]:
    """Labels that are proposed behind a text that is typed at the end."""
    file.type(typed_text)
    lines = file.text.split("\n")
    position = types.Position(len(lines) - 1, len(lines[-1]))
    params = types.CompletionParams(types.TextDocumentIdentifier(file.uri), position)
    completions = await file.editor.client.text_document_completion_async(params)
    assert isinstance(completions, types.CompletionList)
    return [item.label for item in completions.items]


async def test_what_is_wrong_is_marked_while_typing_and_goes_when_it_is_right(editor: Editor, problem: Path) -> None:
    file = editor.open(problem / "problem.toml")
    await file.marked()
    file.type('"soft"', over_text='"easy"')
    (marked,) = await file.marked("difficulty")
    assert file.marked_text(marked) == '"soft"'
    assert marked.severity is types.DiagnosticSeverity.Error
    file.type('"easy"', over_text='"soft"')
    await file.marked()
    file.close()


async def test_a_change_of_the_reference_is_seen_in_the_statement_once_it_is_saved(
    editor: Editor, problem: Path
) -> None:
    statement_file = editor.open(problem / "statement.md")
    reference_file = editor.open(problem / "hidden" / "reference" / "rtl" / "holds.sv")
    await statement_file.marked()
    reference_file.paste(reference_file.text.replace("en,", "enable,").replace("(en)", "(enable)"))
    reference_file.save()
    (marked,) = await statement_file.marked("has no port en")
    assert statement_file.marked_text(marked) == "en"
    reference_file.close()
    statement_file.close()

    def cleared() -> bool:
        return not [params for params in editor.screen.diagnostics if params.uri == statement_file.uri][-1].diagnostics

    await editor.wait_until(cleared, "no remark on a closed file")


async def test_an_option_about_others_is_marked_as_a_warning(editor: Editor, tmp_path: Path) -> None:
    question = write_new_problem(tmp_path / "quiz", "stalls", QuestionFormat.MULTIPLE_CHOICE)
    file = editor.open(question / "problem.toml")
    await file.marked()
    last = tomllib.loads(file.text)["question"]["choices"]["D"]
    file.type('"none of the above"', over_text=f'"{last}"')
    (marked,) = await file.marked("Option D is about other options")
    assert file.marked_text(marked) == '"none of the above"'
    assert marked.severity is types.DiagnosticSeverity.Warning
    file.close()


@pytest.mark.parametrize("name", ["pack.toml", "problem.toml"])
async def test_files_of_no_pack_are_left_alone(editor: Editor, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("wrong = 1\n")
    file = editor.open(tmp_path / name)
    assert (
        await file.editor.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(0, 1))
        )
        is None
    )
    assert file.problems is None
    file.close()


async def test_fields_are_proposed_and_explained(editor: Editor, problem: Path) -> None:
    file = editor.open(problem / "problem.toml")
    assert {"memory_mb", "processes"} <= set(await labels(file, "\n"))
    assert "wall_s" not in await labels(file, "")
    assert {"text", "cost", "after_runs"} == set(await labels(file, "[[hints]]\n")) - {"after_minutes"}
    params = types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(0, 1))
    hover = await file.editor.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Equal to the folder" in hover.contents.value
    file.close()


async def test_a_pack_that_names_no_problem_is_marked(editor: Editor, problem: Path) -> None:
    file = editor.open(problem.parent / "pack.toml")
    await file.marked()
    file.type('"nowhere",\n    ', before_text='"holds"')
    (marked,) = await file.marked("There is no nowhere/problem.toml")
    assert file.marked_text(marked) == '"nowhere"'
    file.close()
