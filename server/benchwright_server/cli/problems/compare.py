"""`benchwright problems compare`."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from benchwright_formal.limits import LIMIT_S
from benchwright_formal.opinion import Opinion, Result
from benchwright_formal.second_opinion import Size, can_be_compared, second_opinion, tested_modules
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.problem import Problem as BenchProblem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import MEASURES, ComparedQuality
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, plain_errors, print_json
from benchwright_server.cli.terminal.table import Table
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import workspace_folder

_EXIT = {Result.EQUIVALENT: 0, Result.DIFFERS: 1, Result.UNKNOWN: 2}


def compare(
    problem: options.Problem,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="A solution's files, by their names.")],
    top: Annotated[
        str | None, typer.Option(help="The module to compare; the one that the hidden tests test if not given.")
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
        if any(workspace_folder(file.resolve().parent) is not None for file in files):
            raise ServerError("A file is in the workspace of an attempt. Compare a copy of it after the attempt.")
        compared_problem = Store(home).unseal(problem)
        if not can_be_compared(compared_problem):
            raise ServerError(f"{problem} has no reference design. Choose a design problem with one.")
        solution = _solution(compared_problem, files)
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        tops = [top] if top else tested_modules(compared_problem)
        comparison = asyncio.run(
            second_opinion(compared_problem, solution, tops, sandbox=box, toolchain=toolchain, limit_s=limit)
        )
    if json_output:
        quality = {
            name: size.quality.model_dump(mode="json") if size.quality is not None else {"reason": size.why}
            for name, size in (("reference", comparison.reference), ("solution", comparison.solution))
        }
        print_json(comparison.opinion.model_dump(mode="json") | {"quality": quality})
    else:
        _print(comparison.opinion)
        _print_quality(comparison.reference, comparison.solution)
    raise typer.Exit(_EXIT[comparison.opinion.result])


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


def _print(opinion: Opinion) -> None:
    if opinion.result is Result.UNKNOWN:
        console.print(f"unknown: {opinion.reason}.", markup=False)
    elif opinion.result is Result.EQUIVALENT:
        console.print("equivalent" if opinion.depth is None else f"equivalent for {opinion.depth} cycles from power-up")
    else:
        difference = (
            f"cycle {opinion.cycle}{f' with {parameter_text(opinion.parameters)}' if opinion.parameters else ''}"
        )
        console.print(
            f"differs at {difference}: {opinion.output} is {opinion.found}, and {opinion.expected} in the reference",
            markup=False,
        )
        names = list(opinion.stimulus[0])
        table = Table("cycle", *names)
        for cycle, inputs in enumerate(opinion.stimulus):
            table.add_row(str(cycle), *(f"{inputs[name]:x}" for name in names))
        console.print("Inputs, in hexadecimal:")
        table.print()


def _print_quality(of_reference: Size, of_solution: Size) -> None:
    for owner, size in (("reference", of_reference), ("solution", of_solution)):
        if size.quality is None:
            console.print(f"The size of the {owner} is unknown: {size.why}.", markup=False)
    reference, solution = of_reference.quality, of_solution.quality
    if reference is None or solution is None:
        return
    table = Table("", "solution", "reference", "ratio")
    for field, ours, theirs in ComparedQuality(solution=solution, reference=reference).measures:
        cells = ["" if measure is None else str(measure) for measure in (ours, theirs)]
        table.add_row(MEASURES[field], *cells, f"{ours / theirs:.2f}" if ours is not None and theirs else "")
    table.print()
