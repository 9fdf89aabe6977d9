"""The command line against people who cut off, rewrite and fork a log."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Paused, Resumed, Started
from benchwright_attempts.events.file_text import FileText
from benchwright_studies.conduct.study_log import StudyLog

COMMAND = Path(sys.executable).with_name("benchwright")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def log(home: Path) -> Path:
    return home / "data" / "attempts" / "log.sqlite"


@pytest.fixture
def run(home: Path) -> Run:
    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(COMMAND), "attempts", *map(str, arguments)]
        environment = {"BENCHWRIGHT_HOME": str(home), "COLUMNS": "200"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)

    return run


@pytest.fixture
def attempt(log: Path) -> str:
    with StudyLog(log) as opened:
        return Attempts(opened).create("starter/counter", "d", Path("/w"), {"a.sv": FileText.of_text("")}).id


def record(log: Path, attempt: str, *reasons: str) -> None:
    with StudyLog(log) as opened:
        if opened.summary(attempt).seq == 1:
            opened.append_blocking(attempt, Started())
        for reason in reasons:
            opened.append_blocking(attempt, Paused(reason=reason))
            opened.append_blocking(attempt, Resumed())


def cut_off(log: Path, seq: int) -> None:
    with closing(sqlite3.connect(log)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE seq > ?", (seq,))
        connection.commit()


def forget_summaries(log: Path) -> None:
    with closing(sqlite3.connect(log)) as connection:
        connection.execute("DELETE FROM summaries")
        connection.commit()


def test_an_end_that_was_cut_off_is_found_without_an_anchor_as_long_as_the_summary_is_kept(
    run: Run, log: Path, attempt: str
) -> None:
    record(log, attempt, "one", "two")
    cut_off(log, seq=4)
    assert run("list").returncode == 0
    cut = run("verify", attempt)
    assert cut.returncode == 1
    assert "The end was cut off" in cut.stdout and "names event 6, and there are 4" in cut.stdout


def test_a_log_that_was_cut_off_rewritten_or_lost_is_found_with_an_anchor_from_outside(
    run: Run, log: Path, attempt: str, tmp_path: Path
) -> None:
    record(log, attempt, "one")
    early_copy = shutil.copytree(log.parent, tmp_path / "early")
    record(log, attempt, "two", "three")
    anchored = run("anchor")
    assert anchored.returncode == 0, anchored.stderr
    mail = tmp_path / "mail.txt"
    mail.write_text(f"Dear lab,\n{anchored.stdout}")

    record(log, attempt, "four")
    fine = run("verify", attempt[:8], "--anchors", mail)
    assert (fine.returncode, "1 anchor agrees" in fine.stdout) == (0, True), fine.stdout

    cut_off(log, seq=6)
    forget_summaries(log)
    assert run("verify", attempt).returncode == 0
    cut = run("verify", "--anchors", mail)
    assert cut.returncode == 1
    assert "cut off" in cut.stdout and "names event 8, and there are 6" in cut.stdout

    shutil.rmtree(log.parent)
    shutil.copytree(early_copy, log.parent)
    record(log, attempt, "invented", "later", "and again")
    assert run("verify", attempt).returncode == 0
    rewritten = run("verify", attempt, "--anchors", mail, "--json")
    assert rewritten.returncode == 1
    assert "rewritten" in json.loads(rewritten.stdout)["problem"]

    shutil.rmtree(log.parent)
    verification = run("verify", "--anchors", mail)
    assert verification.returncode == 1 and "The attempt no longer exists" in verification.stdout


def test_an_export_has_its_anchor_beside_it_and_is_held_against_the_log_of_this_machine(
    run: Run, log: Path, attempt: str, tmp_path: Path
) -> None:
    record(log, attempt, "one")
    early_copy = shutil.copytree(log.parent, tmp_path / "early")
    record(log, attempt, "two")
    file = tmp_path / "attempt.jsonl"
    exported = run("export", attempt, "-o", file)
    assert exported.returncode == 0
    assert json.loads(file.read_text().splitlines()[-1])["hash"] in exported.stderr
    assert run("verify", file).returncode == 0
    exported_lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(exported_lines[:-1]))
    shorter = run("verify", file)
    assert shorter.returncode == 1 and "names event 6, and there are 5" in shorter.stdout
    file.write_text("".join(exported_lines))
    shutil.rmtree(log.parent)
    shutil.copytree(early_copy, log.parent)
    record(log, attempt, "another")
    forked = run("verify", file)
    assert forked.returncode == 1
    assert "different versions from event 5 on" in forked.stdout


def test_what_lists_show_is_checked_against_the_events(run: Run, log: Path, attempt: str) -> None:
    record(log, attempt, "one")
    with closing(sqlite3.connect(log)) as connection:
        connection.execute("""UPDATE summaries SET body = replace(body, '"runs":0', '"runs":7')""")
        connection.commit()
    process = run("verify", attempt)
    assert process.returncode == 1 and "lists show" in process.stdout
