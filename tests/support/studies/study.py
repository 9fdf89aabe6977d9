"""Fixtures and helpers of the tests of study."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.protocol.messages import AttemptStatus

from ...lsp.session import SERVER, Desk, Editor

STUDY = """
study: small
title: A small study
problems: [starter/saturating-counter, starter/skid-buffer-bug]
practice: starter/amdahl
conditions:
  - {name: alone, solver: human}
participants: [ada, bob]
randomisation: {seed: 4, order: latin-square}
feedback: verdict
clock_stops_for: [harness]
questionnaire:
  - {id: years, ask: "How many years?", kind: number}
  - {id: check, ask: "Choose b.", kind: choice, choices: [a, b], expect: b}
consent: {version: "2", text: "You agree that everything you type here is recorded."}
"""


async def benchwright(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"BENCHWRIGHT_HOME": str(home)}
    return await asyncio.to_thread(
        subprocess.run, [SERVER[0], *words], env=environment, capture_output=True, text=True, check=False
    )


async def begin(home: Path, text: str, participant: str = "ada") -> None:
    file = home.parent / "study.yaml"
    file.write_text(text)
    study_run = await benchwright(home, "study", "run", str(file), "--participant", participant)
    assert study_run.returncode == 0, study_run.stderr


async def open_task(editor: Editor, study: str = "small") -> Desk:
    return Desk(editor, await ask(editor, "openTask", study=study))


RESULTS = {operation.name: operation.result_type for operation in OPERATIONS}


async def ask(editor: Editor, operation: str, **params: Any) -> Any:
    """The answer as its model."""
    return RESULTS[operation].model_validate(await editor.ask(operation, **params))


async def foresee(editor: Editor, study: str = "small") -> list[Any]:
    """Gives every forecast; returns the views that asked for one."""
    views = [await ask(editor, "study", study=study)]
    while views[-1].step == "forecast":
        estimates = {"minutesWithoutAi": 12, "minutesWithAi": 6, "difficulty": 2, "priorExposure": "none"}
        views.append(await ask(editor, "forecast", study=study, problem=views[-1].problem, **estimates))
    return views[:-1]


def study_allowing(aids: str = "", study: str = "bare") -> str:
    """A study file with one condition, which allows these aids alone."""
    return f"""
study: {study}
title: A study with few aids
problems: [starter/saturating-counter]
conditions:
  - {{name: alone, solver: human, aids: [{aids}]}}
participants: [ada]
randomisation: {{seed: 4, order: latin-square}}
consent: {{version: "2", text: "You agree that everything you type here is recorded."}}
"""


async def task_at_work(editor: Editor, study: str = "small") -> tuple[Desk, AttemptStatus]:
    """The first task after consent and forecasts, with its clock started."""
    await ask(editor, "giveConsent", study=study, version="2")
    await foresee(editor, study)
    desk = await open_task(editor, study)
    return desk, await ask(editor, "start", uri=desk.uri)


async def step(editor: Editor, study: str = "small") -> tuple[str, Any]:
    view = await ask(editor, "study", study=study)
    return view.step, view.position
