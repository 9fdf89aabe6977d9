"""`benchwright problems compare`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from benchwright_formal.errors import NotModelledError
from benchwright_formal.opinion import LIMIT_S, Opinion, Result, opinion
from benchwright_formal.quality import Quality, quality
from benchwright_harness.grade import solved_files
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandboxes import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
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
    """Compare a solution with the reference by proof, for all inputs, and in size and depth.

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
        designs = (_design(asked, solved_files(asked)), _design(asked, _solution(asked, files)))
        module = top or PurePosixPath(asked.public.expected[0]).stem
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        found, *sizes = asyncio.run(_compared(designs, module, box, toolchain, limit))
    if json_output:
        quality = {
            name: size.model_dump(mode="json") if isinstance(size, Quality) else {"reason": size}
            for name, size in zip(("reference", "solution"), sizes, strict=True)
        }
        print_json(found.model_dump(mode="json") | {"quality": quality})
    else:
        _print(found)
        _print_quality(*sizes)
    raise typer.Exit(_EXIT[found.result])


async def _compared(
    designs: tuple[Mapping[str, bytes], Mapping[str, bytes]],
    top: str,
    sandbox: Sandbox,
    toolchain: Toolchain,
    limit_s: float,
) -> tuple[Opinion, Quality | str, Quality | str]:
    """The opinion, and the quality of the reference and of the solution, or why it is unknown."""
    found = await opinion(*designs, top, sandbox=sandbox, toolchain=toolchain, limit_s=limit_s)
    sizes: list[Quality | str] = []
    for design in designs:
        try:
            sizes.append(await quality(design, top, sandbox=sandbox, toolchain=toolchain))
        except NotModelledError as error:
            sizes.append(str(error))
    return found, sizes[0], sizes[1]


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


def _print_quality(reference: Quality | str, solution: Quality | str) -> None:
    for whose, size in (("reference", reference), ("solution", solution)):
        if not isinstance(size, Quality):
            out.print(f"The size of the {whose} is unknown: {size}.", markup=False)
    if not (isinstance(reference, Quality) and isinstance(solution, Quality)):
        return
    table = Table("in gates", "solution", "reference", "ratio")
    for name, ours, theirs in (
        ("gates", solution.gates, reference.gates),
        ("flip-flops", solution.flip_flops, reference.flip_flops),
        ("latches", solution.latches, reference.latches),
        ("longest path", solution.depth, reference.depth),
    ):
        table.add_row(name, str(ours), str(theirs), f"{ours / theirs:.2f}" if theirs else "")
    table.print()
