"""One command has programs of every kind work on a study's problem; one report compares them with people."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from benchwright_subjects.inline.server.confinement import can_confine
from benchwright_subjects.inline.vscode.vsix import packed

from ..support.judge_endpoint import JudgeEndpoint
from .test_acp_agents import programs
from .test_eval_study import run, told
from .test_study_subjects import BODY, SUPPORT, WRITES, Lab, lab, people_work, play, written
from .test_vscode_subjects import EXTENSION
from .test_vscode_subjects import programs as editor

__all__ = ("lab", "programs")

pytestmark = pytest.mark.long

MODEL = "openai-api/local/worker"


PEOPLE: tuple[dict[str, object], ...] = (
    {"name": "alone", "solver": "human"},
    {"name": "helped", "solver": "human+copilot", "assistants": ["github.copilot"]},
)
SCRIPTED = {"name": "model", "solver": "model", "model": "openai-api/local/scripted", "samples": 2}


def agent(name: str, **subject: object) -> dict[str, object]:
    return {"name": name, "solver": "agent", "model": MODEL, "subject": {"name": name, **subject}}


def inline(name: str, command: str = "", **rules: object) -> dict[str, object]:
    rules = {"policy": "always", "start": "empty-body", **rules}
    return {"name": name, "solver": "agent", "subject": {"name": name, "command": command, "inline": rules}}


def extension(lab: Lab) -> str:
    """The scripted one, packed; the test is skipped without an editor."""
    editor()
    vsix = lab.folder / "subject.vsix"
    vsix.write_bytes(packed(EXTENSION))
    return str(vsix)


def study(lab: Lab, *conditions: dict[str, object]) -> Path:
    """A file that lets people and these work on one problem."""
    file = lab.folder / "study.yaml"
    file.write_text(
        json.dumps(
            {
                "study": "side",
                "title": "Side by side",
                "problems": [{"problem": "starter/saturating-counter", "time_minutes": 10}],
                "conditions": [*PEOPLE, *conditions],
                "participants": 2,
                "randomisation": {"unit": "person", "order": "random", "seed": 40},
                "forecasts": ["minutes"],
                "self_estimates": [],
                "consent": {"version": "1", "text": "A consent text that is long enough to be one."},
                "analysis": {"primary": "solved"},
            }
        )
    )
    return file


def doubles(lab: Lab) -> list[dict[str, object]]:
    """Two inline servers and an extension, two agents that speak ACP, three that don't, a model."""
    guesses = shlex.join([sys.executable, str(SUPPORT / "plain_inline_server.py"), "good", str(lab.folder / "socket")])
    script = {"subject.script": {"rules": [{"after": ");", "say": BODY.strip()}]}}
    return [
        inline("knows", lab.server),
        inline("guesses", guesses, policy="first-line", most_asks=3),
        inline("extension", dialect="vscode", extensions=[extension(lab)], options=script),
        agent("permitted", command="double good", acp=True),
        agent("refused", command="double refusal", acp=True, refuses=["edit"]),
        agent("writes", command=WRITES),
        agent("idles", command="true"),
        agent("fails", command="exit 3"),
        SCRIPTED,
    ]


def test_one_command_and_one_report_compare_every_kind_of_program_with_people(lab: Lab, programs: Path) -> None:
    assert can_confine()
    file = study(lab, *doubles(lab))
    assert run("study", "run", file).exit_code == 0
    people_work(lab)
    with JudgeEndpoint(play) as endpoint:
        asked = ("--base-url", endpoint.url, "--agent-place", f"benchwright:{programs}", "--json")
        came = told(run("eval", "--study", file, *asked))
        again = told(run("eval", "--study", file, *asked))
    passed = outcomes(came)
    assert passed == {
        "knows": (1, 1),
        "guesses": (1, 0),
        "extension": (1, 1),
        "permitted": (1, 1),
        "refused": (1, 0),
        "writes": (1, 1),
        "idles": (1, 0),
        "fails": (1, 0),
        "model": (2, 1),
    }
    assert again["conditions"] == came["conditions"]
    assert not again["runs"]

    compared(lab, passed)


def outcomes(came: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Of each condition, how many attempts have ended and how many of them passed."""
    return {name: (one["done"], one["passed"]) for name, one in came["conditions"].items()}


def compared(lab: Lab, passed: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """The columns of the report, which says of people and programs what happened."""
    report = written(lab)
    assert report["groups"] == ["alone", "helped", *passed]
    found = report["sections"]["side-by-side"]["numbers"]
    columns: dict[str, Any] = found["columns"]
    assert {name: columns[name]["solved"]["value"] for name in ("alone", "helped", *passed)} == {
        "alone": 0,
        "helped": 1,
        **{name: number / done for name, (done, number) in passed.items()},
    }
    assert found["missing"] == []
    return columns
