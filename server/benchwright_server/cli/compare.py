"""`benchwright problems compare`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from benchwright_formal.opinion import LIMIT_S, Opinion, Result, opinion
from benchwright_harness.grade import solved_files
from benchwright_harness.sandboxes import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind
from benchwright_problems.problem import Problem as BenchProblem
from benchwright_problems.store import Store
from benchwright_server.cli import options
from benchwright_server.cli.output import out, plain_errors, print_json
from benchwright_server.cli.table import Table
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import workspace_folder

_EXIT = {Result.EQUIVALENT: 0, Result.DIFFERS: 1, Result.UNKNOWN: 2}
_NOT_DESIGN = ("docs", "verif")
"""Folders of what a design is given with, and is not part of."""


def add_to(problems: typer.Typer) -> None:
    """Add the command to `benchwright problems`."""
    problems.command("compare")(compare)


def compare(
    problem: options.Problem,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="A solution's files, by their names.")],
    top: Annotated[
        str | None, typer.Option(help="The module to compare; the one called as its file if not given.")
    ] = None,
    limit: Annotated[float, typer.Option(min=1, max=3600, help="Seconds for the proof.")] = LIMIT_S,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: options.Json = False,
) -> None:
    """Compare a solution with the reference by proof, for all inputs.

    For authors: the inputs that it shows say what the reference does.
    Exit status: 0 equivalent, 1 different, 2 unknown.
    """
    with plain_errors():
        home = Home.find()
        if any(workspace_folder(one.resolve().parent) is not None for one in files):
            raise ServerError("A file is in the workspace of an attempt. Compare a copy of it after the attempt.")
        asked = Store(home).unseal(problem)
        if asked.kind is not Kind.DESIGN or not asked.hidden.reference:
            raise ServerError(f"{problem} has no reference design. Choose a design problem with one.")
        found = asyncio.run(
            opinion(
                _design(asked, solved_files(asked)),
                _design(asked, _solution(asked, files)),
                top or PurePosixPath(asked.public.expected[0]).stem,
                sandbox=open_sandbox(sandbox),
                toolchain=toolchain_for(sandbox, home.cache),
                limit_s=limit,
            )
        )
    if json_output:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)
    raise typer.Exit(_EXIT[found.result])


def _solution(problem: BenchProblem, files: list[Path]) -> dict[str, bytes]:
    by_name = {PurePosixPath(path).name: path for path in problem.public.expected}
    read = {}
    for file in files:
        if file.name not in by_name:
            raise ServerError(f"{file}: no file of this problem has its name. It expects {', '.join(by_name)}.")
        try:
            read[by_name[file.name]] = file.read_bytes()
        except OSError as error:
            raise ServerError(f"{file} can't be read: {error.strerror}. Check its path.") from error
    return read


def _design(problem: BenchProblem, solution: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a design: the solution's and those that it was given."""
    given = {path: text.encode() for path, text in problem.public.files.items()}
    return {path: text for path, text in (given | dict(solution)).items() if path.split("/")[0] not in _NOT_DESIGN}


def _print(found: Opinion) -> None:
    if found.result is Result.UNKNOWN:
        out.print(f"unknown: {found.reason}.", markup=False)
    elif found.result is Result.EQUIVALENT:
        out.print("equivalent" if found.depth is None else f"equivalent for {found.depth} cycles from power-up")
    else:
        out.print(
            f"differs at cycle {found.cycle}: {found.output} is {found.found}, and {found.expected} in the reference",
            markup=False,
        )
        names = list(found.stimulus[0])
        table = Table("cycle", *names)
        for cycle, inputs in enumerate(found.stimulus):
            table.add_row(str(cycle), *(f"{inputs[name]:x}" for name in names))
        out.print("Inputs, in hexadecimal:")
        table.print()
