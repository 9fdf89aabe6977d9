"""`benchwright run-tests`."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from benchwright_foundation.home import Home
from benchwright_harness.own_tests.outcome import OwnReason
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import interruptible
from benchwright_server.cli.terminal.output import out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_server.settings import OwnTests
from benchwright_server.workspaces.workspace import workspace_folder
from benchwright_verilog.settings import Project as ProjectSettings

if TYPE_CHECKING:
    # LSP's types take a quarter of a second to import: only a run pays.
    from benchwright_server.own_tests.bench import FileRun

_LIMIT_S = OwnTests().limit_s


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("run-tests")(run_tests)


def run_tests(
    folder: Annotated[Path, typer.Argument(help="Contains the design and its tests.")] = Path(),
    test: Annotated[
        list[str] | None,
        typer.Option(help="Run this one, such as tests/test_fifo.py::fills, or a file; may be repeated."),
    ] = None,
    simulator: Annotated[
        Literal["auto", "icarus", "verilator"],
        typer.Option(help="auto is Icarus, and Verilator where Icarus can't compile the sources."),
    ] = "auto",
    top: Annotated[str, typer.Option(help="The module that cocotb tests simulate if no file names one.")] = "",
    waves: Annotated[bool, typer.Option("--waves", help="Keep waveforms in .benchwright/waves.")] = False,
    coverage: Annotated[bool, typer.Option("--coverage", help="Measure line and toggle coverage.")] = False,
    limit_s: Annotated[int, typer.Option(min=1, help="How long one simulation may take, in seconds.")] = _LIMIT_S,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: options.Json = False,
) -> None:
    """Run the cocotb tests and testbenches of a folder, with the tools of the hidden tests.

    The workspace of an attempt is left to the editor, which records runs. Exit status: 0 all passed, 1 some failed, 2
    they could not be run.
    """
    with plain_errors(), interruptible("Nothing was kept."):
        place = folder.resolve()
        if not place.is_dir():
            raise ServerError(f"{folder} is not a folder. Give the folder that has the design and its tests.")
        if workspace_folder(place) is not None:
            raise ServerError(
                f"{folder} is the workspace of an attempt. Run its tests in the editor, which records it."
            )
        from benchwright_server.own_tests.bench import Asked, TestBench
        from benchwright_verilog.semantics.project.folder_state import FolderState
        from benchwright_verilog.semantics.project.project import Project
        from benchwright_verilog.syntax.documents import Documents

        home = Home.find()
        box = open_sandbox(sandbox)
        bench = TestBench(box, partial(toolchain_for, box.name, home.cache), FolderState(home.state / "own-tests"))
        settings = OwnTests(simulator=simulator, top=top, limit_s=limit_s)
        project = Project(place, Documents(), ProjectSettings())
        asked = Asked(coverage=coverage, waves=waves)
        runs = asyncio.run(bench.run(project, test or (), settings, ProjectSettings(), asked))
    if json_output:
        print_json([_plain(one, place) for one in runs])
    else:
        for one in runs:
            _show(one, place)
    raise typer.Exit(0 if all(one.run.passed for one in runs) else 1)


def _show(one: FileRun, folder: Path) -> None:
    colours = {OwnReason.PASSED: "green", OwnReason.SKIPPED: "yellow"}
    for name, outcome in one.ids():
        word = outcome.reason.value.replace("_", " ")
        out.print(Text(word, style=colours.get(outcome.reason, "red")), Text(name), Text(f"({one.run.simulator})"))
        if outcome.message:
            where = f"{outcome.path}:{outcome.line}: " if outcome.path else ""
            out.print(Text(f"  {where}{outcome.message}"), soft_wrap=True)
    if one.waves is not None:
        out.print(Text(f"  waveform: {one.waves.relative_to(folder)}"), soft_wrap=True)
    for file in one.run.coverage:
        reached, total = sum(count > 0 for count in file.lines.values()), len(file.lines)
        bits = sum(toggle.count > 0 for toggle in file.toggles)
        out.print(Text(f"  {file.path}: {reached} of {total} lines, {bits} of {len(file.toggles)} toggles"))


def _plain(one: FileRun, folder: Path) -> dict[str, object]:
    return {
        "file": one.file.path,
        "top": one.top,
        "simulator": one.run.simulator,
        "passed": one.run.passed,
        "wall_s": one.run.wall_s,
        "waves": one.waves.relative_to(folder).as_posix() if one.waves is not None else None,
        "results": [
            {
                "id": name,
                "reason": outcome.reason.value,
                "message": outcome.message,
                "path": outcome.path or None,
                "line": outcome.line or None,
                "sim_time_ns": outcome.sim_time_ns,
            }
            for name, outcome in one.ids()
        ],
        "coverage": [
            {
                "path": file.path,
                "lines": {str(line): count for line, count in file.lines.items()},
                "toggles": {toggle.signal: toggle.count for toggle in file.toggles},
            }
            for file in one.run.coverage
        ],
        "output": one.run.output,
    }
