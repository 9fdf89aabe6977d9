from __future__ import annotations

import re

import pytest
import pytest_lsp

from .conftest import Editors
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize(
    ("name", "right_text", "wrong_text"),
    [
        ("load-use-stalls", "C\n", "The answer is (B)."),
        ("vipt-synonyms", "true", "False\r\n"),
        ("cache-tag-bits", "24 \n", "25"),
        ("memory-bandwidth", "25600 MB/s\n", "25.6 Gbit/s"),
        ("amdahl-de", "Die Antwort ist B.", "(A)"),
    ],
)
async def test_a_saved_answer_is_scored_at_once(editor: Editor, name: str, right_text: str, wrong_text: str) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    answer_file = desk.open()
    assert answer_file.path.name == "answer.md"
    answer_file.paste(right_text)
    answer_file.save()
    assert (await desk.ask("status")).verdict is None
    await desk.start()
    answer_file.paste(wrong_text)
    answer_file.save()
    assert (await desk.verdict(1)).reason == "wrong_answer"
    answer_file.paste(right_text)
    answer_file.save()
    verdict = await desk.verdict(2)
    assert (verdict.outcome, verdict.tests, verdict.log) == ("passed", None, None)
    assert await editor.lenses(answer_file) == []
    assert desk.replayed_content("answer.md") == right_text.encode()
    assert (await desk.submit()).first_pass_run == 2


@pytest.mark.parametrize(
    ("name", "values"),
    [("load-use-stalls", ["A", "B", "C", "D"]), ("vipt-synonyms", ["true", "false"]), ("cache-tag-bits", [])],
)
async def test_an_answer_form_learns_what_to_show(editor: Editor, name: str, values: list[str]) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    view = await editor.ask("question", uri=desk.uri)
    assert [choice["value"] for choice in view["choices"]] == values
    assert all(choice["text"] for choice in view["choices"])
    assert (view["title"], view["answer"], view["selected"]) == (
        desk.opened_problem.status.title,
        desk.opened_problem.primary,
        None,
    )
    assert view["question"].startswith("#")
    if values:
        desk.open().path.write_text(f"ANSWER: **{values[1]}**.\n" if name == "load-use-stalls" else "False")
        assert (await editor.ask("question", uri=desk.uri))["selected"] == values[1]


async def test_a_form_learns_all_letters_of_an_answer(editor: Editor) -> None:
    desk = await editor.open_problem("starter/forwarding-pairs")
    desk.open().path.write_text("ANSWER: A, C\n")
    assert (await editor.ask("question", uri=desk.uri))["selected"] == "AC"
    assert "Write the letters of all right choices" in (desk.open().path.parent / "question.md").read_text()


@pytest.mark.parametrize(("name", "scored"), [("vipt-synonyms", True), ("store-buffering", False)])
async def test_a_form_says_of_saving_what_saving_does(editor: Editor, name: str, scored: bool) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    assert (await editor.ask("question", uri=desk.uri))["scoredOnSave"] is scored


async def test_a_question_s_picture_lies_where_the_statement_shows_it(editor: Editor) -> None:
    desk = await editor.open_problem("starter/gates-of-a-figure")
    folder = desk.open().path.parent
    picture_paths = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (folder / "question.md").read_text())
    assert picture_paths == ["figures/gates.svg"]
    assert (folder / picture_paths[0]).read_bytes().startswith(b"<svg")
    assert "s inverted" in (folder / "question.md").read_text()


@pytest.mark.parametrize(("name", "other_name"), [("amdahl", "amdahl-de"), ("amdahl-de", "amdahl")])
async def test_a_question_names_itself_in_its_other_language(editor: Editor, name: str, other_name: str) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    statement = (desk.open().path.parent / "question.md").read_text()
    assert f"The same question in other languages: `starter/{other_name}`" in statement


async def test_only_an_editor_without_a_form_is_told_to_write_into_the_file(editors: Editors) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    plain_desk = await (await editors(capabilities=capabilities)).open_problem("starter/amdahl")
    plain_statement = (plain_desk.open().path.parent / "question.md").read_text()
    capabilities.experimental = {"answerForm": True}
    form_desk = await (await editors(capabilities=capabilities)).open_problem("starter/amdahl", fresh=True)
    form_statement = (form_desk.open().path.parent / "question.md").read_text()
    assert form_desk.folder != plain_desk.folder
    assert plain_statement.partition("\n---\n")[0].rstrip() == form_statement.rstrip()
    assert "into `answer.md`" in plain_statement
    assert "answer.md" not in form_statement


@pytest.mark.parametrize("name", ["reorder-buffer", "store-buffering"])
async def test_a_long_answer_is_kept_and_says_that_it_needs_a_judge(editor: Editor, name: str) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    await desk.start()
    answer_file = desk.open()
    answer_file.paste("Instructions retire in order.\n")
    answer_file.save()
    assert (await desk.ask("status")).runs == 0
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason) == ("error", "judge_unavailable")
    assert "kept" in verdict.message
    assert (await desk.submit()).status.state == "submitted"
    assert desk.replayed_content("answer.md") == b"Instructions retire in order.\n"


async def test_an_answer_that_cannot_be_read_has_failed_and_says_why(editor: Editor) -> None:
    desk = await editor.open_problem("starter/load-use-stalls")
    await desk.start()
    path = desk.open().path
    path.write_text("A or B")
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason) == ("failed", "unreadable")
    path.write_bytes(b"\x80\xff\0C")
    assert (await desk.run()).outcome in {"passed", "failed"}
    path.write_bytes(b"")
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason) == ("failed", "empty")
    assert "There is no answer yet" in verdict.message
    path.unlink()
    assert (await desk.run()).reason == "empty"


async def test_what_was_typed_and_not_saved_comes_back_after_a_crash(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/reorder-buffer")
    await desk.start()
    answer_file = desk.open()
    answer_file.paste("Saved.\n")
    answer_file.save()
    assert (await editor.ask("question", uri=desk.uri))["draft"] is None
    answer_file.paste("Typed 𝄞 and never saved")
    await desk.ask("status")
    await editor.kill()

    reopened_desk = await (await editors()).open_problem("starter/reorder-buffer")
    question = await reopened_desk.editor.ask("question", uri=reopened_desk.uri)
    assert question["draft"] == "Typed 𝄞 and never saved"
    answer_file = reopened_desk.open()
    answer_file.save()
    await reopened_desk.ask("status")
    assert (await reopened_desk.editor.ask("question", uri=reopened_desk.uri))["draft"] is None


async def test_an_answers_length_is_counted_in_words(editor: Editor) -> None:
    assert await editor.ask("length", text="It isn't 3.5 ns!") == {"words": 4}
