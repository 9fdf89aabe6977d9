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
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError
from benchwright_server.settings import OwnTests
from benchwright_server.workspaces.workspace_search import workspace_folder_containing
from benchwright_verilog.settings import ProjectSettings as ProjectSettings

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
    with exit_on_expected_error(), end_cleanly_on_signal("Nothing was kept."):
        root = folder.resolve()
        if not root.is_dir():
            raise ServerError(f"{folder} is not a folder. Give the folder that has the design and its tests.")
        if workspace_folder_containing(root) is not None:
            raise ServerError(
                f"{folder} is the workspace of an attempt. Run its tests in the editor, which records it."
            )
        from benchwright_server.own_tests.bench import OwnTestRunner, RunRequest
        from benchwright_verilog.semantics.project.folder_state import FolderStateStore
        from benchwright_verilog.semantics.project.project import Project
        from benchwright_verilog.syntax.documents import Documents

        home = Home.from_environment()
        box = open_sandbox(sandbox)
        bench = OwnTestRunner(
            box, partial(toolchain_for, box.name, home.cache), FolderStateStore(home.state / "own-tests")
        )
        test_settings = OwnTests(simulator=simulator, top=top, limit_s=limit_s)
        project = Project(root, Documents(), ProjectSettings())
        run_request = RunRequest(coverage=coverage, waves=waves)
        file_runs = asyncio.run(bench.run(project, test or (), test_settings, ProjectSettings(), run_request))
    if json_output:
        print_json([_file_run_json(file_run, root) for file_run in file_runs])
    else:
        for file_run in file_runs:
            _print_results(file_run, root)
    raise typer.Exit(0 if all(file_run.own_run.passed for file_run in file_runs) else 1)


def _print_results(file_run: FileRun, folder: Path) -> None:
    colours = {OwnReason.PASSED: "green", OwnReason.SKIPPED: "yellow"}
    for name, outcome in file_run.test_ids_and_outcomes():
        word = outcome.reason.value.replace("_", " ")
        console.print(
            Text(word, style=colours.get(outcome.reason, "red")), Text(name), Text(f"({file_run.own_run.simulator})")
        )
        if outcome.message:
            location = f"{outcome.path}:{outcome.line}: " if outcome.path else ""
            console.print(Text(f"  {location}{outcome.message}"), soft_wrap=True)
    if file_run.waves is not None:
        console.print(Text(f"  waveform: {file_run.waves.relative_to(folder)}"), soft_wrap=True)
    for file_coverage in file_run.own_run.coverage:
        reached_lines, total = sum(count > 0 for count in file_coverage.lines.values()), len(file_coverage.lines)
        bits = sum(toggle.count > 0 for toggle in file_coverage.toggles)
        console.print(
            Text(
                f"  {file_coverage.path}: {reached_lines} of {total} lines, {bits} of {len(file_coverage.toggles)} "
                "toggles"
            )
        )


def _file_run_json(file_run: FileRun, folder: Path) -> dict[str, object]:
    return {
        "file": file_run.test_file.path,
        "top": file_run.top_module,
        "simulator": file_run.own_run.simulator,
        "passed": file_run.own_run.passed,
        "wall_s": file_run.own_run.wall_s,
        "waves": file_run.waves.relative_to(folder).as_posix() if file_run.waves is not None else None,
        "results": [
            {
                "id": name,
                "reason": outcome.reason.value,
                "message": outcome.message,
                "path": outcome.path or None,
                "line": outcome.line or None,
                "sim_time_ns": outcome.sim_time_ns,
            }
            for name, outcome in file_run.test_ids_and_outcomes()
        ],
        "coverage": [
            {
                "path": file_coverage.path,
                "lines": {str(line): count for line, count in file_coverage.lines.items()},
                "toggles": {toggle.signal: toggle.count for toggle in file_coverage.toggles},
            }
            for file_coverage in file_run.own_run.coverage
        ],
        "output": file_run.own_run.output,
    }
