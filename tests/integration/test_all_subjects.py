"""One command has programs of every kind work on a study's problem; one report compares them with people."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from benchwright_subjects.inline.confinement import can_confine
from benchwright_subjects.inline.vscode.vsix import packed

from ..judge_endpoint import JudgeEndpoint
from .test_acp_agents import programs
from .test_eval_study import run, told
from .test_study_subjects import BODY, TESTS, WRITES, Lab, lab, people_work, play, written
from .test_vscode_subjects import EXTENSION
from .test_vscode_subjects import programs as editor

__all__ = ("lab", "programs")

pytestmark = pytest.mark.long

MODEL = "openai-api/local/worker"


def study(lab: Lab) -> Path:
    """Two inline servers and an extension, two agents that speak ACP, three that don't, a model; and two people."""
    editor()
    vsix = lab.folder / "subject.vsix"
    vsix.write_bytes(packed(EXTENSION))
    guesses = shlex.join([sys.executable, str(TESTS / "plain_inline_server.py"), "good", str(lab.folder / "socket")])

    def agent(name: str, **subject: object) -> dict[str, object]:
        return {"name": name, "solver": "agent", "model": MODEL, "subject": {"name": name, **subject}}

    def inline(name: str, command: str = "", **rules: object) -> dict[str, object]:
        rules = {"policy": "always", "start": "empty-body", **rules}
        return {"name": name, "solver": "agent", "subject": {"name": name, "command": command, "inline": rules}}

    script = {"subject.script": {"rules": [{"after": ");", "say": BODY.strip()}]}}
    conditions = [
        {"name": "alone", "solver": "human"},
        {"name": "helped", "solver": "human+copilot", "assistants": ["github.copilot"]},
        inline("knows", lab.server),
        inline("guesses", guesses, policy="first-line", most_asks=3),
        inline("extension", dialect="vscode", extensions=[str(vsix)], options=script),
        agent("permitted", command="double good", acp=True),
        agent("refused", command="double refusal", acp=True, refuses=["edit"]),
        agent("writes", command=WRITES),
        agent("idles", command="true"),
        agent("fails", command="exit 3"),
        {"name": "model", "solver": "model", "model": "openai-api/local/scripted", "samples": 2},
    ]
    file = lab.folder / "study.yaml"
    file.write_text(
        json.dumps(
            {
                "study": "side",
                "title": "Side by side",
                "problems": ["starter/saturating-counter"],
                "conditions": conditions,
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


def test_one_command_and_one_report_compare_every_kind_of_program_with_people(lab: Lab, programs: Path) -> None:
    assert can_confine()
    file = study(lab)
    assert run("study", "run", file).exit_code == 0
    people_work(lab)
    with JudgeEndpoint(play) as endpoint:
        asked = ("--base-url", endpoint.url, "--agent-place", f"benchwright:{programs}", "--json")
        came = told(run("eval", "--study", file, *asked))
        again = told(run("eval", "--study", file, *asked))
    passed = {name: (one["done"], one["passed"]) for name, one in came["conditions"].items()}
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

    report = written(lab)
    assert report["groups"] == ["alone", "helped", *passed]
    columns = report["sections"]["side-by-side"]["numbers"]["columns"]
    assert {name: columns[name]["solved"]["value"] for name in ("alone", "helped", *passed)} == {
        "alone": 0,
        "helped": 1,
        **{name: number / done for name, (done, number) in passed.items()},
    }
    assert report["sections"]["side-by-side"]["numbers"]["missing"] == []
