"""The TOML files of an exam in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import EXAM_FORM
from .session import Editor, File

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.fixture
def review(exam: Path) -> Path:
    return exam / "items" / "1" / "review.toml"


async def labels(file: File, typed_text: str) -> list[str]:
    """Labels that are proposed behind a text that is typed at the end."""
    file.type(typed_text)
    lines = file.text.split("\n")
    position = types.Position(len(lines) - 1, len(lines[-1]))
    params = types.CompletionParams(types.TextDocumentIdentifier(file.uri), position)
    completions = await file.editor.client.text_document_completion_async(params)
    assert isinstance(completions, types.CompletionList)
    return [item.label for item in completions.items]


async def hover(file: File, word: str) -> str | None:
    """Text that is shown of the line that a word begins."""
    line = next(number for number, text in enumerate(file.text.split("\n")) if text.startswith(word))
    params = types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(line, 1))
    hover_answer = await file.editor.client.text_document_hover_async(params)
    if hover_answer is None:
        return None
    assert isinstance(hover_answer.contents, types.MarkupContent)
    return hover_answer.contents.value


async def test_what_a_form_can_not_say_is_marked_at_its_field_while_typing(editor: Editor, review: Path) -> None:
    file = editor.open(review)
    await file.marked()
    file.type('"essay"', over_text='"multiple-choice"')
    (marked,) = await file.marked("format")
    assert file.marked_text(marked) == '"essay"'
    assert marked.severity is types.DiagnosticSeverity.Error
    file.type('"multiple-choice"', over_text='"essay"')
    file.type("b =", over_text="B =")
    (marked,) = await file.marked("choices.b")
    file.type("B =", over_text="b =")
    file.type("worth = 2", over_text="points = 2")
    (marked,) = await file.marked("there is no such field")
    assert file.marked_text(marked) == "worth"
    file.type("worth =", over_text="worth = 2")
    await file.marked("This is not TOML")
    file.close()


async def test_an_accepted_question_that_no_pack_takes_is_marked_once_it_is_saved(editor: Editor, review: Path) -> None:
    file = editor.open(review)
    file.type('"D"', over_text='"B" # of the key')
    file.save()
    await file.marked()
    file.type('"accepted"', over_text='"open"')
    await file.marked()
    file.save()
    (marked,) = await file.marked("answer")
    assert file.marked_text(marked) == '"D"'
    assert marked.severity is types.DiagnosticSeverity.Error
    file.type('"B"', over_text='"D"')
    file.save()
    await file.marked()
    file.close()


async def test_a_solution_that_is_missing_is_marked_at_the_decision_until_it_is_written(
    editor: Editor, review: Path
) -> None:
    text = 'decision = "accepted"\nformat = "free-response"\n'
    review.write_text(text)
    solution = review.parent / "solution" / "solution.md"
    solution.write_text("\n")
    file = editor.open(review)
    (marked,) = await file.marked("solution/solution.md: is empty")
    assert file.marked_text(marked) == '"accepted"'
    solution_file = editor.open(solution)
    solution_file.paste("SRAM loses its data.\n")
    solution_file.save()
    await file.marked()
    solution_file.close()
    file.close()


async def test_a_link_in_a_question_is_not_followed(editor: Editor, review: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("not yours\n")
    (review.parent / "statement.md").unlink()
    (review.parent / "statement.md").symlink_to(tmp_path / "secret.md")
    review.write_text(EXAM_FORM.replace('"open"', '"accepted"'))
    file = editor.open(review)
    (marked,) = await file.marked("is a link")
    assert file.marked_text(marked) == '"accepted"'
    file.close()


async def test_fields_and_values_of_a_form_are_proposed_and_explained(editor: Editor, review: Path) -> None:
    review.write_text('format = "multiple-choice"\n')
    file = editor.open(review)
    proposed = await labels(file, "")
    assert {"decision", "difficulty", "answer", "points"} <= set(proposed)
    assert "format" not in proposed
    assert await labels(file, "decision = ") == ['"open"', '"accepted"', '"left out"']
    assert await labels(file, '"open"\n[[rubric]]\n') == ["text", "points"]
    assert {"rubric", "choices"} == set(await labels(file, "\n["))
    assert "Whether the question becomes part of the pack" in (await hover(file, "decision") or "")
    assert '`"left out"`' in (await hover(file, "decision") or "")
    file.close()


async def test_an_exam_without_licence_is_marked_as_a_warning(editor: Editor, exam: Path) -> None:
    (exam / "exam.toml").write_text('title = "Midterm"\nlicense = ""\nsource = "exam.pdf"\n')
    file = editor.open(exam / "exam.toml")
    (marked,) = await file.marked("license: is empty")
    assert (file.marked_text(marked), marked.severity) == ('""', types.DiagnosticSeverity.Warning)
    assert "No pack is made without it" in (await hover(file, "license") or "")
    assert await labels(file, "\n") == ["version", "description"]
    file.type('"CC-BY-4.0"', over_text='""')
    file.type("version = 2\n")
    (marked,) = await file.marked("version")
    assert (file.marked_text(marked), marked.severity) == ("2", types.DiagnosticSeverity.Error)
    file.close()


@pytest.mark.parametrize("missing", ["exam.toml", "items.json"])
async def test_files_of_no_exam_are_left_alone(editor: Editor, exam: Path, review: Path, missing: str) -> None:
    (exam / missing).unlink()
    review.write_text("wrong = 1\n")
    file = editor.open(review)
    assert await hover(file, "wrong") is None
    assert file.problems is None
    file.close()
