"""What the organisers of a study do in the editor: its file, a first participant, its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Editors

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWN_WORDS = (("<NAME AND INSTITUTION>", "Example Lab"), ("<PURPOSE>", "learn"), ("<CONTACT>", "lab@example.org"))


async def test_a_study_is_written_checked_and_begun(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    folder = tmp_path / "mine"
    made = await editor.ask("newStudy", folder=folder.as_uri())
    file = folder / "study.yaml"
    assert made == {"uri": file.as_uri()}
    assert "  # - name: copilot\n" in file.read_text(), "nothing is set up here that could help"
    _, refusal = await editor.refusal("newStudy", folder=folder.as_uri())
    assert "exists already" in refusal

    check = await editor.ask("checkStudy", uri=file.as_uri())
    lines = file.read_text().splitlines()
    assert [flaw["message"].split("'")[1] in lines[flaw["line"]] for flaw in check["flaws"]] == [True, True, True]
    refused = await editor.ask("beginStudy", uri=file.as_uri(), participant="P01")
    assert refused["flaws"] == check["flaws"]
    assert (await editor.ask("organisedStudies"))["studies"] == []

    text = file.read_text()
    for placeholder, words in OWN_WORDS:
        text = text.replace(placeholder, words)
    file.write_text(text)
    check = await editor.ask("checkStudy", uri=file.as_uri())
    assert check["flaws"] == [] and "equally often" in check["text"]
    begun = await editor.ask("beginStudy", uri=file.as_uri(), participant="P01")
    assert "P01 can begin" in begun["text"]
    assert (await editor.ask("organisedStudies"))["studies"] == ["mine"]
    assert [study["study"] for study in (await editor.ask("studies"))["studies"]] == ["mine"]


@pytest.mark.nightly
async def test_a_report_is_written_and_comes_back_as_a_page(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    report_folder = tmp_path / "report"
    _, refusal = await editor.refusal("writeReport", study="", folder=report_folder.as_uri())
    assert "no attempts" in refusal
    await editor.open_problem("starter/saturating-counter")
    written = await editor.ask("writeReport", study="", folder=report_folder.as_uri())
    assert written["uri"] == (report_folder / "report.html").as_uri()
    assert written["page"] == (report_folder / "report.html").read_text(encoding="utf-8")
    assert "script-src 'sha256-" in written["page"]
