"""`benchwright study rehearse`."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.options import Json, StudyFilePath
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError
from benchwright_server.settings import Assistant, read_settings

if TYPE_CHECKING:
    from benchwright_server.cli.study.rehearsal import Check, ConditionRehearsal, Rehearsal

_PREFIX = "benchwright."


def rehearse(
    file: StudyFilePath,
    editor_settings: Annotated[
        Path | None,
        typer.Option(
            "--settings",
            metavar="FILE",
            help="The settings.json of participants' editors, which sets up Benchwright's own completion; that of the "
            "editor that ./run starts if not given.",
        ),
    ] = None,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Play a study as its participants, and say what works, what will not work, and what can't be checked here.

    Each row of the plan that differs is played from consent to the end, in a temporary folder: every page, task and
    condition. References run against the hidden tests, the own completion is asked once, and what a condition forbids
    is tried. Nothing of it gets into the study's data.

    Exit status: 0, or 1 if something will not work.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright study rehearse`", "baselines"):
        from benchwright_server.cli.study.rehearsal import rehearse as play
        from benchwright_studies.conduct.readiness import refuse_placeholders
        from benchwright_studies.plan.claims import refuse_contradicted_claims
        from benchwright_studies.plan.information import minutes_of_all_limits, plan_digest_sentence
        from benchwright_studies.plan.study_file import read_study
        from benchwright_subjects.prompts.study_prompts import refuse_uncovered_prompts

        home, study_file = Home.from_environment(), read_study(file)
        refuse_uncovered_prompts(Store(home), study_file)
        refuse_placeholders(study_file)
        refuse_contradicted_claims(study_file)
        assistant, settings_file = assistant_and_settings_file(home, editor_settings)
        opened_sandbox, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        rehearsal = asyncio.run(play(home, study_file, opened_sandbox, toolchain, assistant, str(settings_file)))
        minutes = minutes_of_all_limits(study_file.study) if study_file.study.pseudonyms else None
    if json_output:
        print_json(_rehearsal_json(rehearsal, minutes))
    else:
        _print_rehearsal(rehearsal, minutes)
        console.print(plan_digest_sentence(rehearsal.plan.sha256), soft_wrap=True)
    raise typer.Exit(0 if rehearsal.ok else 1)


def assistant_and_settings_file(home: Home, editor_settings_file: Path | None) -> tuple[Assistant | None, Path]:
    """The settings of the own completion in an editor's settings, None if there is no such file; and that file.

    Args:
        home: Where the editor that ./run starts keeps its settings.
        editor_settings_file: The settings.json of participants' editors, if they have others.

    Raises:
        ServerError: The file can't be read.
    """
    settings_file = editor_settings_file or home.state / "editor" / "User" / "settings.json"
    return _read_assistant(settings_file, is_required=editor_settings_file is not None), settings_file


def _read_assistant(settings_file: Path, *, is_required: bool) -> Assistant | None:
    try:
        value = json.loads(settings_file.read_bytes())
    except FileNotFoundError as error:
        if is_required:
            raise ServerError(f"{settings_file} does not exist. Name the settings.json of an editor.") from error
        return None
    except (OSError, ValueError) as error:
        raise ServerError(
            f"{settings_file} can't be read as JSON ({error}). Remove its comments, or name another file by --settings."
        ) from error
    assistant_settings: dict[str, object] = {}
    for name, setting in value.items() if isinstance(value, dict) else ():
        group, _, key = name.removeprefix(_PREFIX).partition(".")
        if name.startswith(_PREFIX) and group == "assistant" and key:
            assistant_settings[key] = setting
    server_settings, complaints = read_settings({"assistant": assistant_settings}, reports_unknown_options=False)
    if complaints:
        raise ServerError(f"{settings_file}: {' '.join(complaints)}")
    return server_settings.assistant


def _rehearsal_json(rehearsal: Rehearsal, minutes_of_all_limits: float | None) -> dict[str, JsonValue]:
    return {
        "ok": rehearsal.ok,
        "study": rehearsal.study.study,
        "plan_sha256": rehearsal.plan.sha256,
        "rows_played": rehearsal.rows_played,
        "longest_minutes": minutes_of_all_limits,
        "checks": [_check_json(check) for check in rehearsal.checks],
        "conditions": [
            {
                "name": played_condition.condition.name,
                "solver": played_condition.condition.solver.value,
                "most_tasks": played_condition.most_tasks,
                "longest_minutes": played_condition.longest_minutes,
                "checks": [_check_json(check) for check in played_condition.checks],
            }
            for played_condition in rehearsal.condition_rehearsals
        ],
    }


def _check_json(check: Check) -> dict[str, JsonValue]:
    return {**asdict(check), "state": check.state.value}


def _print_rehearsal(rehearsal: Rehearsal, minutes_of_all_limits: float | None) -> None:
    study = rehearsal.study
    console.print(
        f"{study.study}: rows of the plan that differ, each played: {rehearsal.rows_played}; participants: "
        f"{len(study.pseudonyms)}. Nothing of it is in the study's data.",
        soft_wrap=True,
    )
    if study.pseudonyms:
        practice = " and practice" if study.practice is not None else ""
        console.print(
            f"A participant has {_minutes_text(minutes_of_all_limits)} for all tasks{practice}.", soft_wrap=True
        )
    console.print("Under every condition:")
    _print_checks(rehearsal.checks)
    for played_condition in rehearsal.condition_rehearsals:
        console.print(_condition_line(played_condition), soft_wrap=True)
        _print_checks(played_condition.checks)
    conclusion = "Nothing was seen that will not work." if rehearsal.ok else "Something will not work: see above."
    console.print(conclusion, soft_wrap=True)


def _condition_line(condition_rehearsal: ConditionRehearsal) -> str:
    task_count_text = "1 task" if condition_rehearsal.most_tasks == 1 else f"{condition_rehearsal.most_tasks} tasks"
    condition = condition_rehearsal.condition
    return (
        f"{condition.name} ({condition.solver.value}): at most {task_count_text} for one participant, with "
        f"{_minutes_text(condition_rehearsal.longest_minutes)}:"
    )


def _minutes_text(minutes: float | None) -> str:
    return "no limit of time" if minutes is None else f"{minutes:g} minutes at most"


def _print_checks(checks: tuple[Check, ...]) -> None:
    for check in checks:
        next_step = f" {check.next_step}" if check.next_step else ""
        console.print(f"  {check.state.value}: {check.about}: {check.text}{next_step}", markup=False, soft_wrap=True)
