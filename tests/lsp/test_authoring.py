"""Problems that somebody writes in an editor: begun, proved in the real sandbox, and seen as a solver does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_authoring.new_problem import DesignForm, write_new_problem
from benchwright_problems.problem import QuestionFormat

from .conftest import Editors
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

REFERENCE = "hidden/reference/rtl/holds.sv"
WRONG = "hidden/wrong/ignores-enable/rtl/holds.sv"


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    return write_new_problem(tmp_path / "my-pack", "holds", DesignForm.COCOTB)


def marked(editor: Editor, problem: Path) -> list[str]:
    """Problems marked in the problem's file now, open or not."""
    uri = (problem / "problem.toml").as_uri()
    published_diagnostics = [params for params in editor.screen.diagnostics if params.uri == uri]
    return [diagnostic.message for diagnostic in published_diagnostics[-1].diagnostics] if published_diagnostics else []


async def test_a_new_problem_is_begun_and_is_proved(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    problem_fields = await editor.ask("newProblem", folder=(tmp_path / "my-pack").as_uri(), id="holds")
    assert problem_fields["uri"] == (tmp_path / "my-pack" / "holds").as_uri()
    proof = await editor.ask("proveProblem", uri=problem_fields["statement"])
    assert (proof["proof"], proof["reasons"]) == ("proved", [])
    outcomes_by_side = {side["name"]: side["outcome"] for side in proof["sides"]}
    assert outcomes_by_side == {"reference": "passed", "starting": "failed", "hidden/wrong/ignores-enable": "failed"}


async def test_a_save_proves_the_problem_and_marks_what_passes_and_what_fails(editors: Editors, problem: Path) -> None:
    editor = await editors()
    wrong_file = editor.open(problem / WRONG)
    wrong_file.paste((problem / REFERENCE).read_text())
    wrong_file.save()
    passes = "The solution in hidden/wrong/ignores-enable passes: the tests don't find what is wrong with it."
    await editor.wait_until(lambda: marked(editor, problem) == [passes], "the wrong solution that passes")
    await editor.wait_until(lambda: bool(editor.screen.proofs), "the proof")
    assert editor.screen.proofs[-1].proof == "wrong"
    reference_file = editor.open(problem / REFERENCE)
    reference_file.type("else q <= d;", over_text="else if (en) q <= d;")
    reference_file.save()
    test = "The reference fails the test takes_over_and_holds: q is 00111100, expected 10100101"
    await editor.wait_until(lambda: test in marked(editor, problem), "the reference that fails")
    reference_file.type("else if (en) q <= d;", over_text="else q <= d;")
    reference_file.save()
    wrong_file.type("else q <= d;", over_text="else if (en) q <= d;")
    wrong_file.save()
    await editor.wait_until(lambda: marked(editor, problem) == [], "no mark on a problem that is proved")


async def test_a_change_on_disk_proves_the_problem_once(editors: Editors, problem: Path) -> None:
    editor = await editors()
    file_events = [types.FileEvent((problem / WRONG).as_uri(), types.FileChangeType.Changed)]
    (problem / WRONG).write_text((problem / REFERENCE).read_text())
    for _ in range(2):
        # As an editor does when it has written a file itself.
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(file_events))
        await asyncio.sleep(0.3)
    await editor.wait_until(lambda: bool(editor.screen.proofs), "a proof")
    assert [proof.proof for proof in editor.screen.proofs] == ["wrong"]


async def test_a_version_that_is_checked_out_proves_nothing(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    folders = [write_new_problem(tmp_path / "my-pack", f"holds-{number}", DesignForm.COCOTB) for number in range(4)]
    file_events = [
        types.FileEvent((folder / "statement.md").as_uri(), types.FileChangeType.Changed) for folder in folders
    ]
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(file_events))
    proof = await editor.ask("proveProblem", uri=folders[0].as_uri())
    assert proof["proof"] == "proved"
    assert editor.screen.proofs == []


async def test_remarks_and_reasons_stand_beside_each_other(editors: Editors, problem: Path) -> None:
    editor = await editors()
    file = editor.open(problem / "problem.toml")
    await file.marked()
    (problem / WRONG).write_text((problem / REFERENCE).read_text())
    await editor.ask("proveProblem", uri=file.uri)
    (reason,) = await file.marked("ignores-enable passes")
    assert file.marked_text(reason) == '"holds"'
    assert reason.severity is types.DiagnosticSeverity.Error
    file.type('"soft"', over_text='"easy"')
    await file.marked("difficulty", "ignores-enable passes")


async def test_nothing_is_run_on_saving_where_the_setting_is_off(editors: Editors, problem: Path) -> None:
    editor = await editors(options={"authoring": {"proveOnSave": False}})
    wrong_file = editor.open(problem / WRONG)
    wrong_file.paste((problem / REFERENCE).read_text())
    wrong_file.save()
    await editor.ask("previewProblem", uri=wrong_file.uri)
    assert editor.sandboxed_processes() == []
    assert marked(editor, problem) == []
    assert editor.screen.proofs == []


async def test_a_preview_has_what_a_solver_gets_and_nothing_hidden(editors: Editors, problem: Path) -> None:
    editor = await editors()
    (problem / "hidden/harness/secret.txt").write_text("a canary")
    preview = await editor.ask("previewProblem", uri=(problem / "statement.md").as_uri())
    folder = Path(preview["uri"].removeprefix("file://"))
    assert preview["files"] == ["README.md", "rtl/holds.sv"]
    assert (
        sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()) == preview["files"]
    )
    assert "canary" not in "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
    assert "Files to write: [`rtl/holds.sv`](rtl/holds.sv)" in (folder / "README.md").read_text()
    assert folder.is_relative_to(editor.home)


async def test_a_preview_of_a_question_has_its_choices(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    question = write_new_problem(tmp_path / "quiz", "stalls", QuestionFormat.MULTIPLE_CHOICE)
    preview = await editor.ask("previewProblem", uri=question.as_uri())
    statement = Path(preview["statement"].removeprefix("file://")).read_text()
    assert "- **A.** First" in statement


async def test_what_is_no_problem_of_a_pack_is_refused(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    for operation in ("proveProblem", "previewProblem"):
        code, message = await editor.refusal(operation, uri=(tmp_path / "alone.sv").as_uri())
        assert code == -32803
        assert "belongs to no problem of a pack's folder" in message
    _, message = await editor.refusal("newProblem", folder=tmp_path.as_uri(), id="Not A Name")
    assert "use lower-case letters" in message
    _, message = await editor.refusal("newProblem", folder=tmp_path.as_uri(), id="holds", form="essay")
    assert "'essay'; choose one of cocotb" in message
