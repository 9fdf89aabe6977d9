"""`benchwright study rehearse`: a small study of the starter pack, played before its participants come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..support.models.inline_completion import Model
from ..support.service.judge_endpoint import content, fails

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
STUDY = """
study: quick
title: A quick study
problems: [starter/saturating-counter]
practice: starter/amdahl
conditions:
  - {name: alone, solver: human, aids: [own_tests]}
  - {name: copilot, solver: human+copilot, assistants: [benchwright]}
participants: 4
randomisation: {seed: 4}
limits: {time_minutes: 15, runs: 5}
questionnaire:
  - {id: years, ask: "How many years?", kind: number}
  - {id: check, ask: "Choose b.", kind: choice, choices: [a, b], expect: b}
consent: {version: "2", text: "You agree. You have 15 minutes for each task."}
"""
BROKEN = (
    STUDY.replace("[starter/saturating-counter]", "[starter/cache-tag-bits]")
    .replace("practice: starter/amdahl\n", "show_distribution: true\nclock: shown\n")
    .replace("assistants: [benchwright]", "assistants: [benchwright, github.copilot]")
    + "data: {to: /proc/share}\n"
)
"""A question, for which no completion appears, under settings that don't do what they are for."""


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as serving:
        yield serving


def rehearse(tmp_path: Path, study: str, *words: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "study.yaml").write_text(study)
    return subprocess.run(
        [BENCHWRIGHT, "study", "rehearse", str(tmp_path / "study.yaml"), *words],
        cwd=tmp_path,
        env={
            **os.environ,
            "BENCHWRIGHT_HOME": str(tmp_path / "home"),
            "BENCHWRIGHT_LOG": str(tmp_path / "lab.sqlite"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def settings(tmp_path: Path, model: Model) -> str:
    file = tmp_path / "settings.json"
    names = {"enabled": True, "url": model.url, "model": "scripted"}
    file.write_text(json.dumps({f"benchwright.assistant.{name}": value for name, value in names.items()}))
    return str(file)


def checks(facts: dict[str, Any], state: str, condition: str = "") -> dict[str, str]:
    """Texts of the checks of one state, by what they are about."""
    condition_facts = (
        next(condition_facts for condition_facts in facts["conditions"] if condition_facts["name"] == condition)
        if condition
        else facts
    )
    found: dict[str, str] = {}
    for check in condition_facts["checks"]:
        if check["state"] == state:
            found[check["about"]] = " ".join(filter(None, (found.get(check["about"]), check["text"])))
    return found


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files, which the user of sandboxed runs may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        monkeypatch.setenv("TMPDIR", name)
        yield folder


def test_a_study_that_works_is_played_to_its_end_and_leaves_no_record(
    tmp_path: Path, model: Model, temporary: Path
) -> None:
    model.reply = content("assign full = 1'b0;")
    share = tmp_path / "share"
    study = STUDY + f"data: {{to: {share}}}\n"
    process = rehearse(tmp_path, study, "--json", "--settings", settings(tmp_path, model))
    assert process.returncode == 0, process.stdout + process.stderr
    facts = json.loads(process.stdout)
    assert (facts["ok"], facts["rows_played"], facts["longest_minutes"]) == (True, 2, 30)
    everywhere = checks(facts, "works")
    assert "the reference passes in" in everywhere["starter/saturating-counter"]
    assert "consent, open, self estimate, forecast, questionnaire, finished" in everywhere["pages"]
    assert "none of the study's problems outside it" in everywhere["consent"]
    alone, copilot = checks(facts, "works", "alone"), checks(facts, "works", "copilot")
    assert "hints, explanations, generated, waveforms, design_views, agent_tools" in alone["aids"]
    assert "flagged" in alone["violations"]
    for condition in (alone, copilot):
        assert "hidden tests run on the files" in condition["starter/saturating-counter"]
    assert "scripted answers" in copilot["assistants"]
    assert [condition_facts["longest_minutes"] for condition_facts in facts["conditions"]] == [15, 15]
    # Asked once, and not for each condition, row or problem.
    assert len(model.requests) == 1
    assert not (tmp_path / "lab.sqlite").exists() and not share.exists()
    assert not (tmp_path / "home").exists() and list(temporary.iterdir()) == []


def test_what_will_not_work_is_told_with_the_next_step_and_what_nobody_can_check_is_named(tmp_path: Path) -> None:
    process = rehearse(tmp_path, BROKEN)
    assert process.returncode == 1, process.stdout + process.stderr
    lines = process.stdout.splitlines()

    def line(start: str) -> str:
        return next(line.strip() for line in lines if line.strip().startswith(start))

    assert "Write clock: hidden" in line("will not work: clock:")
    assert "have more than 5 participants" in line("will not work: show_distribution:")
    assert "can't be written on this machine" in line("will not work: data.to:")
    assert "Set benchwright.assistant.enabled, url and model" in line("will not work: assistants: Benchwright's own")
    assert "no command can ask" in line("not checked: assistants: github.copilot")
    assert lines[-2] == "Something will not work: see above."


@pytest.mark.parametrize(("reply", "state"), [("refuses", "will not work"), ("says nothing", "not checked")])
@pytest.mark.nightly
def test_an_assistant_that_gives_no_help_is_told_from_one_that_does(
    tmp_path: Path, model: Model, reply: str, state: str
) -> None:
    model.reply = fails(500) if reply == "refuses" else content("")
    process = rehearse(tmp_path, STUDY, "--json", "--settings", settings(tmp_path, model))
    facts = json.loads(process.stdout)
    assert (process.returncode, facts["ok"]) == ((1, False) if reply == "refuses" else (0, True))
    assert "assistants" in checks(facts, state, "copilot")


@pytest.mark.nightly
def test_a_time_limit_that_a_run_takes_longer_than_and_hints_that_nobody_records_are_told(tmp_path: Path) -> None:
    study = STUDY.replace("time_minutes: 15", "time_minutes: 0.001").replace("aids: [own_tests]", "aids: [hints]")
    study = study.replace("15 minutes for each task", "little time") + "recording: timing\nfeedback: none\n"
    facts = json.loads(rehearse(tmp_path, study.replace("participants: 4", "participants: 1"), "--json").stdout)
    assert facts["rows_played"] == 1
    assert "with the clock running" in checks(facts, "will not work")["starter/saturating-counter"]
    played, unplayed = sorted(facts["conditions"], key=lambda condition_facts: -condition_facts["most_tasks"])
    assert "not played" in checks(facts, "will not work", unplayed["name"])["participants"]
    failed = checks(facts, "will not work", played["name"])
    assert played["name"] == "copilot" or "has no hints" in failed["aids"]


def test_a_text_that_contradicts_the_file_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    process = rehearse(tmp_path, STUDY.replace("15 minutes for each", "20 minutes for each"))
    assert process.returncode == 2
    assert "study.yaml, line 15, consent.text: the text says '20 minutes for each task'" in process.stderr
