"""`benchwright study`: from the file that `init` writes to the closed study."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def benchwright(tmp_path: Path) -> Command:
    def run(*words: str, answer: str | None = None) -> subprocess.CompletedProcess[str]:
        terminal, stdin = pty.openpty() if answer is not None else (None, subprocess.DEVNULL)
        if terminal is not None:
            os.write(terminal, f"{answer}\n".encode())
        return subprocess.run(
            [BENCHWRIGHT, *words],
            cwd=tmp_path,
            env={**os.environ, "BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"},
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def ready(tmp_path: Path) -> None:
    file = tmp_path / "mine" / "study.yaml"
    text = file.read_text()
    for mark, words in (("<NAME AND INSTITUTION>", "Ada"), ("<PURPOSE>", "learn"), ("<CONTACT>", "Ada")):
        text = text.replace(mark, words)
    file.write_text(text)


def test_init_takes_a_folder_and_says_so_of_the_name_of_a_file(benchwright: Command, tmp_path: Path) -> None:
    refusal = benchwright("study", "init", "mine.yaml")
    assert refusal.returncode == 2
    assert "Give a folder, such as mine" in refusal.stderr
    assert not (tmp_path / "mine.yaml").exists()


def test_the_file_of_init_is_refused_until_its_words_are_ones_own(benchwright: Command, tmp_path: Path) -> None:
    benchwright("study", "init", "mine")
    for command in (("validate",), ("run",), ("register", "--out", "out")):
        process = benchwright("study", command[0], "mine/study.yaml", *command[1:])
        assert process.returncode == 2 and "is from the template" in process.stderr, command
    ready(tmp_path)
    set_up_assistant(tmp_path)
    process = benchwright("study", "validate", "mine/study.yaml")
    assert process.returncode == 0 and "equally often at each place" in process.stdout
    facts = json.loads(benchwright("study", "validate", "mine/study.yaml", "--json").stdout)
    assert (facts["ok"], facts["remarks"]) == (True, [])


def set_up_assistant(tmp_path: Path) -> Path:
    """Set it up for the editor of this machine; returns the file of its settings."""
    settings_file = tmp_path / "home" / "state" / "editor" / "User" / "settings.json"
    settings_file.parent.mkdir(parents=True, exist_ok=True)
    assistant_settings = {"enabled": True, "url": "http://127.0.0.1:9/v1", "model": "m"}
    settings_file.write_text(
        json.dumps({f"benchwright.assistant.{key}": value for key, value in assistant_settings.items()})
    )
    return settings_file


def test_an_assistant_that_is_set_up_nowhere_is_refused_with_its_line_and_what_to_do(
    benchwright: Command, tmp_path: Path
) -> None:
    settings_file = set_up_assistant(tmp_path)
    benchwright("study", "init", "mine")
    ready(tmp_path)
    settings_file.unlink()
    lines = (tmp_path / "mine/study.yaml").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.startswith("    assistants: [benchwright]"))
    process = benchwright("study", "validate", "mine/study.yaml")
    assert process.returncode == 2
    refusal = " ".join(process.stderr.split())
    assert f"study.yaml, line {line}, conditions[1].assistants: benchwright: it is not set up. Set " in refusal
    assert "benchwright.assistant.url" in refusal
    assert benchwright("study", "validate", "mine/study.yaml", "--editors-elsewhere").returncode == 0
    set_up_assistant(tmp_path)
    assert benchwright("study", "validate", "mine/study.yaml").returncode == 0


def test_a_study_that_nobody_has_begun_is_closed_only_if_that_is_meant(benchwright: Command, tmp_path: Path) -> None:
    benchwright("study", "init", "mine")
    ready(tmp_path)
    assert benchwright("study", "run", "mine/study.yaml").returncode == 0
    refusal = benchwright("study", "close", "mine")
    assert refusal.returncode == 2
    assert "16 participants of mine have not finished: P01 has not begun" in refusal.stderr
    declined_run = benchwright("study", "close", "mine", answer="n")
    assert declined_run.returncode == 1 and "Nothing can be added to it" in declined_run.stderr
    assert json.loads(benchwright("study", "status", "mine", "--json").stdout)["closed"] is False
    assert benchwright("study", "close", "mine", "--force").returncode == 0
    assert json.loads(benchwright("study", "status", "mine", "--json").stdout)["closed"] is True


def test_size_says_what_the_planned_study_can_find(benchwright: Command, tmp_path: Path) -> None:
    set_up_assistant(tmp_path)
    benchwright("study", "init", "mine")
    process = benchwright("study", "size", "mine/study.yaml", "--effect", "-50", "--studies", "20")
    assert process.returncode == 0, process.stderr
    assert "16 participants, 4 problems, 64 tasks; 20 simulated studies for each effect" in process.stdout
    refusal = benchwright("study", "size", "mine/study.yaml", "--effect", "0")
    assert refusal.returncode == 2 and "The effect is 0" in refusal.stderr


def test_size_ends_when_it_is_interrupted(benchwright: Command, tmp_path: Path) -> None:
    set_up_assistant(tmp_path)
    benchwright("study", "init", "mine")
    process = subprocess.Popen(
        [BENCHWRIGHT, "study", "size", "mine/study.yaml", "--studies", "100000"],
        cwd=tmp_path,
        env={**os.environ, "BENCHWRIGHT_HOME": str(tmp_path / "home")},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    # Its first line of progress says that it simulates.
    assert "studies" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "Interrupted." in stderr
