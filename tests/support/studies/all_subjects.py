"""Fixtures and helpers of the tests of all subjects."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from benchwright_analysis.trace.attempt_steps import trace_of_attempt
from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.inline.vscode.vsix import vsix_of_folder

from ...lsp.session import Editor
from ...lsp.test_agent_tools import agent as agent_by_mcp
from ..models.eval import COUNTER
from ..models.vscode_subjects import EXTENSION
from ..models.vscode_subjects import programs as editor_programs
from .eval_study import run
from .study import ask, foresee, open_task
from .study_subjects import Lab, people_work, written_report

MODEL = "openai-api/local/worker"
BY_MCP = "by-mcp"
FILE = "rtl/sat_counter.sv"


PEOPLE: tuple[dict[str, object], ...] = (
    {"name": "alone", "solver": "human"},
    {"name": "helped", "solver": "human+copilot", "assistants": ["github.copilot"]},
    {"name": BY_MCP, "solver": "human+agent"},
)


SCRIPTED = {"name": "model", "solver": "model", "model": "openai-api/local/scripted", "samples": 2}


def agent(name: str, **subject_settings: object) -> dict[str, object]:
    return {"name": name, "solver": "agent", "model": MODEL, "subject": {"name": name, **subject_settings}}


def inline(name: str, command: str = "", **inline_rules: object) -> dict[str, object]:
    inline_rules = {"policy": "always", "start": "empty-body", **inline_rules}
    return {"name": name, "solver": "agent", "subject": {"name": name, "command": command, "inline": inline_rules}}


def extension(lab: Lab) -> str:
    """The scripted one, packed; the test is skipped without an editor."""
    editor_programs()
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
                "participants": 3,
                "randomisation": {"unit": "person", "order": "random", "seed": 40},
                "forecasts": ["minutes"],
                "self_estimates": [],
                "consent": {"version": "1", "text": "A consent text that is long enough to be one."},
                "analysis": {"primary": "solved"},
            }
        )
    )
    return file


def people_and_an_mcp_client_work(lab: Lab) -> None:
    """Lets people work, and in a task of one of them a client of MCP, by the tools of `benchwright mcp`."""
    with StudyLog(log_file(lab.home)) as log:
        assignments = Studies(log, Attempts(log)).study("side").plan.assignments
    by_mcp = [assigned.participant for assigned in assignments if assigned.tasks[0].condition == BY_MCP]
    people_work(lab, sorted(assigned.participant for assigned in assignments if assigned.participant not in by_mcp))
    (participant,) = by_mcp
    assert run("study", "run", lab.folder / "study.yaml", "--participant", participant).exit_code == 0
    asyncio.run(_work_by_mcp(lab))


async def _work_by_mcp(lab: Lab) -> None:
    home = lab.home.data.parent
    editor = await Editor.start(home)
    try:
        await ask(editor, "giveConsent", study="side", version="1")
        await foresee(editor, "side")
        desk = await open_task(editor, "side")
        await ask(editor, "start", uri=desk.uri)
        async with agent_by_mcp(home, desk.folder) as client:
            (desk.folder / FILE).write_text(COUNTER)
            assert '"outcome": "passed"' in await client.use("submit")
    finally:
        await editor.quit()


def outcomes(came: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Of each condition, how many attempts have ended and how many of them passed."""
    return {name: (condition["done"], condition["passed"]) for name, condition in came["conditions"].items()}


def compared_columns(lab: Lab, passed_counts: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """The columns of the report, which says of people and programs what happened."""
    report = written_report(lab)
    assert report["groups"] == ["alone", "helped", BY_MCP, *passed_counts]
    numbers = report["sections"]["side-by-side"]["numbers"]
    report_columns: dict[str, Any] = numbers["columns"]
    assert {name: report_columns[name]["solved"]["value"] for name in ("alone", "helped", BY_MCP, *passed_counts)} == {
        "alone": 0,
        "helped": 1,
        BY_MCP: 1,
        **{name: number / total for name, (total, number) in passed_counts.items()},
    }
    assert numbers["missing"] == []
    return report_columns


def require_replayable_attempts(lab: Lab, conditions: set[str]) -> None:
    """Every attempt of these conditions is in the log, whole, and replays to what was saved."""
    with StudyLog(log_file(lab.home)) as log:
        headers = [header for header in log.headers() if header.study == "side"]
        assert {header.condition for header in headers} == conditions
        for header in headers:
            verification = verify_attempt(*log.stored_attempt(header.id))
            assert verification.ok, (header.condition, verification)
            assert trace_of_attempt(header, log.events(header.id)).trace_parts[0].steps
