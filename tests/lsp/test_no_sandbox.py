"""A machine without bubblewrap and Docker: it says so once, decides nothing that is hidden, and the rest works."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from .session import SERVER, Editor, reference, starter

WITHOUT = {"PATH": "/nowhere", "DOCKER_HOST": "unix:///nowhere/docker.sock"}


@pytest.mark.asyncio
async def test_only_what_is_hidden_waits_for_another_machine_and_the_first_start_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    editor = await Editor.start(home, environment=WITHOUT)
    desk = await editor.open_problem("starter/saturating-counter")
    await editor.wait_until(lambda: bool(editor.screen.messages), "the message at the first start")
    (message,) = editor.screen.messages
    assert message.startswith(
        "Hidden tests can't run on this machine: bubblewrap is not installed. Next step: install "
    )
    assert "--sandbox docker" in message and "benchwright login" in message and "native" not in message
    design_document = desk.open()
    design_document.paste(reference("saturating-counter"))
    design_document.save()
    await desk.start()
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason) == ("error", "sandbox_unavailable")
    question_desk = await editor.open_problem("starter/cache-tag-bits")
    answer_document = question_desk.open()
    await question_desk.start()
    answer_document.paste("24\n")
    answer_document.save()
    assert (await question_desk.verdict(1)).outcome == "passed"
    own = editor.open(tmp_path / "own.sv", "module own(output logic b);\n  assign b = missing;\nendmodule\n")
    await editor.wait_until(lambda: "missing" in str(own.problems), "a finding")
    await editor.quit()
    hidden = [*starter("saturating-counter").hidden.harness.values()]
    for file in (path for folder in (home, tmp_path) for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        assert not any(text.encode() in content for text in hidden if len(text) > 80), file
    again = await Editor.start(home, environment=WITHOUT)
    await again.open_problem("starter/cache-tag-bits")
    assert (await again.open_problem("starter/amdahl")).opened_problem
    await again.quit()
    assert again.screen.messages == []


def test_the_doctor_names_the_other_ways(tmp_path: Path) -> None:
    process = subprocess.run(
        [SERVER[0], "doctor", "--json"],
        env={**WITHOUT, "BENCHWRIGHT_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert process.returncode == 1, process.stderr
    items = {item["name"]: item for item in json.loads(process.stdout)["items"]}
    assert items["Sandbox"]["status"] == "missing" and "bench service decide" in items["Sandbox"]["hint"]
    assert items["Docker"]["status"] == "warning"
