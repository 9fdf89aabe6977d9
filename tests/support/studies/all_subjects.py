"""Fixtures and helpers of the tests of all subjects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright_subjects.inline.vscode.vsix import vsix_of_folder

from ..models.vscode_subjects import EXTENSION
from ..models.vscode_subjects import programs as editor
from .study_subjects import Lab, written_report

MODEL = "openai-api/local/worker"


PEOPLE: tuple[dict[str, object], ...] = (
    {"name": "alone", "solver": "human"},
    {"name": "helped", "solver": "human+copilot", "assistants": ["github.copilot"]},
)


SCRIPTED = {"name": "model", "solver": "model", "model": "openai-api/local/scripted", "samples": 2}


def agent(name: str, **subject_settings: object) -> dict[str, object]:
    return {"name": name, "solver": "agent", "model": MODEL, "subject": {"name": name, **subject_settings}}


def inline(name: str, command: str = "", **inline_rules: object) -> dict[str, object]:
    inline_rules = {"policy": "always", "start": "empty-body", **inline_rules}
    return {"name": name, "solver": "agent", "subject": {"name": name, "command": command, "inline": inline_rules}}


def extension(lab: Lab) -> str:
    """The scripted one, packed; the test is skipped without an editor."""
    editor()
    vsix = lab.folder / "subject.vsix"
    vsix.write_bytes(vsix_of_folder(EXTENSION))
    return str(vsix)


def study(lab: Lab, *more_conditions: dict[str, object]) -> Path:
    """A file that lets people and these work on one problem."""
    file = lab.folder / "study.yaml"
    file.write_text(
        json.dumps(
            {
                "study": "side",
                "title": "Side by side",
                "problems": [{"problem": "starter/saturating-counter", "time_minutes": 10}],
                "conditions": [*PEOPLE, *more_conditions],
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


def outcomes(came: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Of each condition, how many attempts have ended and how many of them passed."""
    return {name: (condition["done"], condition["passed"]) for name, condition in came["conditions"].items()}


def compared_columns(lab: Lab, passed_counts: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """The columns of the report, which says of people and programs what happened."""
    report = written_report(lab)
    assert report["groups"] == ["alone", "helped", *passed_counts]
    numbers = report["sections"]["side-by-side"]["numbers"]
    report_columns: dict[str, Any] = numbers["columns"]
    assert {name: report_columns[name]["solved"]["value"] for name in ("alone", "helped", *passed_counts)} == {
        "alone": 0,
        "helped": 1,
        **{name: number / total for name, (total, number) in passed_counts.items()},
    }
    assert numbers["missing"] == []
    return report_columns
