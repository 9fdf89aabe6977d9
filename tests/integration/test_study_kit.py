"""`benchwright study kit`: a study from nothing to its report, by what a stranger types."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..lsp.session import Desk, Editor
from ..support.studies.study import ask, foresee

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
PEOPLE = """
population: {who: people who design digital hardware, criteria: [expertise]}
recruitment: {sampling: convenience, where: the corridor, has_team_members: false}
pay: {amount: nothing}
ethics: {outcome: not-reviewed, reason: a rehearsed study}
"""


class Lab:
    """Somebody with an empty home folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.seconds: dict[str, float] = {}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BENCHWRIGHT, *words],
            cwd=self.folder,
            env={**os.environ, "BENCHWRIGHT_HOME": str(self.home), "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def kit(self, *words: str) -> dict[str, dict[str, Any]]:
        """Steps by name."""
        process = self.run("study", "kit", "mine", "--json", *words)
        assert process.stdout, process.stderr
        return {printed_step["step"]: printed_step for printed_step in json.loads(process.stdout)}

    def take(self, printed_step: dict[str, Any]) -> None:
        """Types the commands of a step."""
        for line in printed_step["next"]:
            if line.startswith("benchwright "):
                process = self.run(*line.removeprefix("benchwright ").split())
                assert process.returncode == 0, (line, process.stdout, process.stderr)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - begun

    def write_own_words(self) -> None:
        file = self.folder / "mine" / "study.yaml"
        text = file.read_text()
        for mark in ("<NAME AND INSTITUTION>", "<PURPOSE>", "<CONTACT>"):
            text = text.replace(mark, "Ada")
        file.write_text(text + PEOPLE)

    def take_part(self, study: str) -> None:
        """The person who is enrolled on this machine gives up every task."""
        asyncio.run(self._take_part(study))

    async def _take_part(self, study: str) -> None:
        async with asyncio.timeout(600):
            editor = await Editor.start(self.home)
            await ask(editor, "giveConsent", study=study, version="1")
            while (view := await ask(editor, "study", study=study)).step != "finished":
                if view.step == "forecast":
                    await foresee(editor, study)
                elif view.step == "questionnaire":
                    await ask(editor, "questionnaire", study=study, answers={"years": 3, "attention": "sometimes"})
                else:
                    desk = Desk(editor, await ask(editor, "openTask", study=study))
                    await desk.start()
                    await desk.ask("abandon")
                    await ask(editor, "selfEstimate", uri=desk.uri, minutes=3, difficulty=1, externalHelp=False)
            await editor.quit()


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def states(steps_by_name: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: printed_step["state"] for name, printed_step in steps_by_name.items()}


def test_a_new_study_waits_for_its_authors_words_and_is_then_rehearsed(lab: Lab) -> None:
    steps_by_name = lab.kit("--problems", "1", "--kind", "question", "--participants", "2")
    assert steps_by_name["study file"]["state"] == "wrong" and "<PURPOSE>" in steps_by_name["study file"]["text"]
    assert set(states(steps_by_name).values()) == {"wrong", "later"}
    lab.write_own_words()
    steps_by_name = lab.kit()
    assert states(steps_by_name) == {
        **{"study file": "done", "documents": "done", "rehearsal": "done", "pilot": "open", "registration": "open"},
        **{"participants": "later", "closing": "later", "report": "later"},
    }
    folder = lab.folder / "mine"
    assert "people who design digital hardware" in (folder / "documents/recruitment.md").read_text()
    pilot = (folder / "pilot/study.yaml").read_text()
    assert "mine-pilot" in pilot and "participants: 2" in pilot


@pytest.mark.nightly
def test_a_study_is_rehearsed_once_and_its_file_is_fixed_by_registration(lab: Lab) -> None:
    lab.kit("--problems", "1", "--kind", "question", "--participants", "2")
    lab.write_own_words()
    steps_by_name = lab.kit()
    folder = lab.folder / "mine"
    rehearsed = (folder / "rehearsal.json").stat().st_mtime_ns
    assert states(lab.kit()) == states(steps_by_name)
    assert (folder / "rehearsal.json").stat().st_mtime_ns == rehearsed
    lab.take(steps_by_name["registration"])
    steps_by_name = lab.kit()
    assert steps_by_name["registration"]["state"] == "done" and steps_by_name["participants"]["state"] == "open"
    with (folder / "study.yaml").open("a") as file:
        file.write("# changed\n")
    assert lab.kit()["registration"]["state"] == "wrong"


def test_limits_that_are_no_minutes_are_refused(lab: Lab) -> None:
    for minutes in ("soon", "trivial=0"):
        arguments = ["study", "kit", str(lab.folder / "mine"), "--minutes", minutes]
        refusal = CliRunner().invoke(
            app_with_commands(), arguments, env={"BENCHWRIGHT_HOME": str(lab.home), "COLUMNS": "200"}
        )
        assert refusal.exit_code != 0 and "Write 30, or easy=15" in refusal.output, minutes
    assert not (lab.folder / "mine" / "study.yaml").exists()


@pytest.mark.nightly
@pytest.mark.alone
def test_a_stranger_goes_from_nothing_to_a_report_within_an_hour(lab: Lab) -> None:
    """Prints the minutes of each step."""
    with lab.timed("choose problems"):
        lab.kit("--problems", "2", "--minutes", "easy=5", "--minutes", "medium=5", "--participants", "2")
    with lab.timed("own words, documents, rehearsal"):
        lab.write_own_words()
        steps_by_name = lab.kit()
        assert steps_by_name["rehearsal"]["state"] == "done"
    with lab.timed("pilot of two"):
        for _ in range(2):
            lab.take(steps_by_name["pilot"])
            lab.take_part("mine-pilot")
            steps_by_name = lab.kit()
        assert steps_by_name["pilot"]["state"] == "done" and "not solved" in steps_by_name["pilot"]["text"]
    with lab.timed("registration"):
        lab.take(steps_by_name["registration"])
    with lab.timed("two participants"):
        for name in ("P01", "P02"):
            assert lab.run("study", "run", f"mine/registered/participants/{name}.json").returncode == 0
            lab.take_part("mine")
    with lab.timed("closing"):
        steps_by_name = lab.kit()
        assert steps_by_name["participants"]["state"] == "done"
        lab.take({"next": [f"{steps_by_name['closing']['next'][0]} --yes"]})
    with lab.timed("report, checklist, package"):
        lab.take(lab.kit()["report"])
    assert set(states(lab.kit()).values()) == {"done"}
    for name, seconds in lab.seconds.items():
        print(f"{seconds / 60:6.1f} min  {name}")
    print(f"{sum(lab.seconds.values()) / 60:6.1f} min  in all")
    assert (lab.folder / "mine/report/report.html").is_file()
