from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from benchwright_server.features.requests import REQUEST_FAILED

from .conftest import Editors
from .session import Editor, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize(
    ("name", "files", "primary", "statement"),
    [
        (
            "skid-buffer-bug",
            {".benchwright.json", "README.md", "rtl/skid_buffer.sv", "verif/tb_skid_buffer.sv"},
            "rtl/skid_buffer.sv",
            "README.md",
        ),
        ("load-use-stalls", {".benchwright.json", "question.md", "answer.md"}, "answer.md", "question.md"),
    ],
)
async def test_a_workspace_holds_the_public_part_and_nothing_else(
    editor: Editor, home: Path, name: str, files: set[str], primary: str, statement: str
) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    assert desk.folder == home / "workspaces" / "starter" / name
    assert files_of(desk.folder) == files
    assert desk.opened_problem.primary == (desk.folder / primary).as_uri()
    assert desk.opened_problem.statement == (desk.folder / statement).as_uri()
    assert {file.path for file in desk.opened_problem.files if file.editable} == {primary}
    assert {file.path for file in desk.opened_problem.files} == files - {".benchwright.json", statement}
    assert set(json.loads((desk.folder / ".benchwright.json").read_text())) == {
        "attempt",
        "problem",
        "statement",
        "is_repository",
    }


async def test_opening_again_goes_on_and_fresh_begins_anew(editors: Editors) -> None:
    editor = await editors()
    first_desk = await editor.open_problem("starter/saturating-counter")
    await first_desk.start()
    reopened_desk = await editor.open_problem("starter/saturating-counter")
    assert (reopened_desk.attempt, reopened_desk.folder, reopened_desk.opened_problem.status.state) == (
        first_desk.attempt,
        first_desk.folder,
        "running",
    )
    fresh = await editor.open_problem("starter/saturating-counter", fresh=True)
    assert fresh.attempt != first_desk.attempt
    assert fresh.folder == first_desk.folder.with_name("saturating-counter-2")
    assert (await fresh.ask("status")).state == "open"
    assert (await first_desk.ask("status")).state == "running"
    await editor.quit()
    second_editor = await editors()
    later_desk = await second_editor.open_problem("starter/saturating-counter")
    assert (later_desk.attempt, later_desk.folder) == (fresh.attempt, fresh.folder)


async def test_after_the_end_opening_makes_a_new_folder(editor: Editor) -> None:
    first_desk = await editor.open_problem("starter/saturating-counter")
    await first_desk.ask("abandon")
    second_desk = await editor.open_problem("starter/saturating-counter")
    assert second_desk.attempt != first_desk.attempt
    assert second_desk.folder != first_desk.folder
    assert (await first_desk.ask("status")).state == "abandoned"


async def test_many_openings_at_once_are_one_attempt(editor: Editor) -> None:
    operation_answers = await asyncio.gather(
        editor.ask("packs"), *(editor.ask("open", problem="starter/saturating-counter") for _ in range(5))
    )
    assert len({answer["status"]["attempt"] for answer in operation_answers[1:]}) == 1
    with editor.log() as log:
        assert len(log.headers()) == 1


async def test_a_copied_workspace_does_not_write_into_the_log(editor: Editor, tmp_path: Path) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    event_count = len(desk.events())
    shutil.copytree(desk.folder, tmp_path / "copy")
    copied = editor.open(tmp_path / "copy" / "rtl" / "sat_counter.sv")
    copied.paste(reference("saturating-counter"))
    copied.save()
    code, sentence = await editor.refusal("status", uri=copied.uri)
    assert (code, "does not belong to an open problem" in sentence) == (REQUEST_FAILED, True)
    assert [lens for lens in await editor.lenses(copied) if lens.command] == []
    assert len(desk.events()) == event_count


async def test_a_deleted_workspace_is_made_anew_with_a_new_attempt(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    shutil.rmtree(desk.folder)
    code, sentence = await editor.refusal("submit", uri=desk.uri)
    assert (code, "Open the problem again" in sentence) == (REQUEST_FAILED, True)
    anew = await editor.open_problem("starter/saturating-counter")
    assert anew.folder == desk.folder
    assert anew.attempt != desk.attempt
    assert anew.opened_problem.status.state == "open"
    assert (await anew.start()).attempt == anew.attempt
    assert [event.reason for event in desk.events_of_kind("abandoned")] == ["its workspace was deleted"]
    # The attempt whose folder is gone must not come back once the new one has ended.
    await anew.ask("abandon")
    third_desk = await editor.open_problem("starter/saturating-counter")
    assert third_desk.attempt not in {desk.attempt, anew.attempt}
    assert third_desk.opened_problem.status.state == "open"


MARKERS = {
    "saturating-counter": b"",
    "sync-fifo": b"\xff\x00",
    "uart-parity": b"[]",
    "skid-buffer-bug": b"{}",
    "round-robin-arbiter": b'{"attempt": "0", "problem": "starter/sync-fifo", "statement": "README.md"}',
    "vipt-synonyms": None,
}


async def test_a_damaged_marker_is_mended_by_opening_again(editors: Editors) -> None:
    editor = await editors()
    desks = [await editor.open_problem(f"starter/{name}") for name in MARKERS]
    for desk in desks:
        await desk.start()
        desk.open().path.write_text("mine\n")
    await editor.quit()
    editor = await editors()
    for desk, content in zip(desks, MARKERS.values(), strict=True):
        marker = desk.folder / ".benchwright.json"
        if content is None:
            marker.unlink()
        else:
            marker.write_bytes(content)
        code, sentence = await editor.refusal("status", uri=desk.uri)
        assert (code, "does not belong to an open problem" in sentence) == (REQUEST_FAILED, True)
        reopened_desk = await editor.open_problem(desk.opened_problem.status.problem)
        assert (reopened_desk.attempt, reopened_desk.folder) == (desk.attempt, desk.folder)
        assert reopened_desk.open().text == "mine\n"


async def test_a_marker_that_names_another_attempt_gets_nothing(editor: Editor) -> None:
    counter = await editor.open_problem("starter/saturating-counter")
    fifo = await editor.open_problem("starter/sync-fifo")
    marker = json.loads((fifo.folder / ".benchwright.json").read_text())
    stranger = counter.folder.with_name("stranger")
    stranger.mkdir()
    (stranger / ".benchwright.json").write_text(json.dumps(marker | {"statement": "../../../../etc/passwd"}))
    code, _ = await editor.refusal("status", uri=stranger.as_uri())
    assert code == REQUEST_FAILED


async def test_a_home_with_spaces_and_letters_beyond_ascii_works(editors: Editors, tmp_path: Path) -> None:
    editor = await editors(tmp_path / "größe 𝄞 100% #1;x")
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(reference("saturating-counter").replace("endmodule", "wire [3:0] narrow = 8'd1;\nendmodule"))
    file.save()
    assert (await desk.verdict(1)).outcome == "passed"
    await editor.wait_until(lambda: any(p.source == "verilator" for p in file.problems or ()), "Verilator's findings")
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()


async def test_a_folder_with_a_checkout_in_it_is_refused_with_a_next_step(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    clone = tmp_path / "home" / "workspaces" / "benchwright"
    (clone / ".git").mkdir(parents=True)
    code, sentence = await editor.refusal("open", problem="starter/saturating-counter", fresh=False)
    assert (code, str(clone) in sentence, "Move it elsewhere" in sentence) == (REQUEST_FAILED, True, True)


@pytest.mark.parametrize("name", ["skid-buffer-bug", "uart-parity", "sync-fifo", "round-robin-arbiter"])
async def test_no_file_of_the_starter_pack_opens_with_a_finding_that_is_not_meant(editor: Editor, name: str) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    files = [path for path in sorted(desk.folder.rglob("*")) if path.suffix in (".sv", ".v") and path.stat().st_size]
    assert files
    for path in files:
        editor.open(path)
    uris = {path.as_uri() for path in files}
    await editor.wait_until(
        lambda: uris <= {params.uri for params in editor.screen.diagnostics}, "diagnostics of every file"
    )
    assert [item.message for params in editor.screen.diagnostics for item in params.diagnostics] == []


async def test_a_guided_attempt_is_practice_and_a_plain_one_is_another(editor: Editor) -> None:
    opening_answers = [
        await editor.ask("open", problem="starter/saturating-counter", guided=guided) for guided in (True, True)
    ]
    assert opening_answers[0]["status"]["practice"]
    assert opening_answers[0]["status"]["attempt"] == opening_answers[1]["status"]["attempt"]
    plain = await editor.ask("open", problem="starter/saturating-counter")
    assert not plain["status"]["practice"]
    assert plain["status"]["attempt"] != opening_answers[0]["status"]["attempt"]
    for opened in (opening_answers[0], plain):
        await editor.ask("start", uri=opened["status"]["workspace"])
    numbers = [attempt["attempt"] for attempt in (await editor.ask("numbers"))["attempts"]]
    assert opening_answers[0]["status"]["attempt"] not in numbers
    assert plain["status"]["attempt"] in numbers
    # Who chooses an attempt to replay has all of them.
    with_practice = [attempt["attempt"] for attempt in (await editor.ask("numbers", practice=True))["attempts"]]
    assert {answer["status"]["attempt"] for answer in (opening_answers[0], plain)} <= set(with_practice)
