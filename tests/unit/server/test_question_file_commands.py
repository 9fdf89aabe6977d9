"""`benchwright questions export` and `import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

RECORD = {
    "Split": "Test",
    "Domain": "Computer Organization",
    "SubDomain": "Bus",
    "Tag": "Knowledge",
    "Language": "English",
}


def run(*arguments: str) -> tuple[int, str]:
    command_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    return command_run.exit_code, command_run.stdout + command_run.stderr


@pytest.fixture
def _pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    choices = dict(zip("ABCD", ("two", "three", "four", "five"), strict=True))
    records = [
        {**RECORD, **choices, "ID": 1, "Format": "Multiple-choice", "Question": "How many?", "Answer": "B"},
        {**RECORD, "ID": 2, "Format": "Open-ended", "Question": "Why?", "Answer": "Because."},
    ]
    Path("set.json").write_text(json.dumps(records))
    assert run("problems", "import", "csbench", "set.json", "--pack", "cs")[0] == 0


@pytest.mark.usefixtures("_pack")
def test_a_pack_goes_out_and_comes_back() -> None:
    assert run("questions", "export", "cs", "out.xml") == (0, "2 questions written to out.xml.\n")
    assert Path("out.xml").stat().st_mode & 0o777 == 0o600
    status, output = run("questions", "import", "out.xml", "--pack", "again", "--license", "CC-BY-NC-4.0", "--json")
    assert (status, json.loads(output)) == (0, {"questions": 2, "losses": []})
    status, output = run("problems", "show", "again/en-1", "--json")
    shown = json.loads(output)
    assert (shown["public"]["statement"], shown["provenance"]["license"]) == ("How many?", "CC-BY-NC-4.0")


@pytest.mark.usefixtures("_pack")
def test_losses_are_refused_unless_they_are_accepted_and_then_listed() -> None:
    status, output = run("questions", "export", "cs", "out.gift")
    assert status == 2 and "1 thing would be lost" in output and "en-2: the whole question" in output
    assert "--lossy" in output and not Path("out.gift").exists()
    status, output = run("questions", "export", "cs", "out.gift", "--lossy")
    assert status == 1 and "lost of en-2" in output and "1 question written" in output
    assert "=three" in Path("out.gift").read_text()
