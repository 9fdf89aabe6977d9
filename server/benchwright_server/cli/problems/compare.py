"""`benchwright problems compare`."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from benchwright_formal.limits import LIMIT_S
from benchwright_formal.opinion import ComparisonResult, ReferenceOpinion
from benchwright_formal.second_opinion import (
    SynthesisedSize,
    compare_with_reference,
    has_reference_design,
    modules_to_compare,
)
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.problem import Problem as BenchProblem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import MEASURES, ComparedQuality
from benchwright_server.cli.problems.whole_pack import problem_with_hidden_part
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace_search import workspace_folder_containing

_EXIT = {ComparisonResult.EQUIVALENT: 0, ComparisonResult.DIFFERS: 1, ComparisonResult.UNKNOWN: 2}


def compare(
    problem: options.AuthoredProblem,
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
    with exit_on_expected_error():
        home = Home.from_environment()
        if any(workspace_folder_containing(file.resolve().parent) is not None for file in files):
            raise ServerError("A file is in the workspace of an attempt. Compare a copy of it after the attempt.")
        compared_problem = problem_with_hidden_part(Store(home), problem)
        if not has_reference_design(compared_problem):
            raise ServerError(f"{problem} has no reference design. Choose a design problem with one.")
        solution = _solution_bytes_by_path(compared_problem, files)
        box, toolchain = open_sandbox(sandbox), toolchain_for(sandbox, home.cache)
        tops = [top] if top else modules_to_compare(compared_problem)
        comparison = asyncio.run(
            compare_with_reference(compared_problem, solution, tops, sandbox=box, toolchain=toolchain, limit_s=limit)
        )
    if json_output:
        quality = {
            name: design_size.quality.model_dump(mode="json")
            if design_size.quality is not None
            else {"reason": design_size.why}
            for name, design_size in (("reference", comparison.reference), ("solution", comparison.solution))
        }
        print_json(comparison.opinion.model_dump(mode="json") | {"quality": quality})
    else:
        _print_opinion(comparison.opinion)
        _print_quality(comparison.reference, comparison.solution)
    raise typer.Exit(_EXIT[comparison.opinion.result])


def _solution_bytes_by_path(problem: BenchProblem, files: list[Path]) -> dict[str, bytes]:
    by_name = {PurePosixPath(path).name: path for path in problem.public.expected}
    solution_files = {}
    for file in files:
        if file.name not in by_name:
            raise ServerError(f"{file}: no file of this problem has its name. It expects {', '.join(by_name)}.")
        try:
            solution_files[by_name[file.name]] = file.read_bytes()
        except OSError as error:
            raise ServerError(f"{file} can't be read: {error.strerror}. Check its path.") from error
    return solution_files


def _print_opinion(opinion: ReferenceOpinion) -> None:
    if opinion.result is ComparisonResult.UNKNOWN:
        console.print(f"unknown: {opinion.reason}.", markup=False)
    elif opinion.result is ComparisonResult.EQUIVALENT:
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
        table = TerminalTable("cycle", *names)
        for cycle, inputs in enumerate(opinion.stimulus):
            table.add_row(str(cycle), *(f"{inputs[name]:x}" for name in names))
        console.print("Inputs, in hexadecimal:")
        table.print_rows()


def _print_quality(reference_size: SynthesisedSize, solution_size: SynthesisedSize) -> None:
    for design_name, design_size in (("reference", reference_size), ("solution", solution_size)):
        if design_size.quality is None:
            console.print(f"The size of the {design_name} is unknown: {design_size.why}.", markup=False)
    reference, solution = reference_size.quality, solution_size.quality
    if reference is None or solution is None:
        return
    table = TerminalTable("", "solution", "reference", "ratio")
    for field, solution_measure, reference_measure in ComparedQuality(solution=solution, reference=reference).measures:
        cells = ["" if measure is None else str(measure) for measure in (solution_measure, reference_measure)]
        table.add_row(
            MEASURES[field],
            *cells,
            f"{solution_measure / reference_measure:.2f}" if solution_measure is not None and reference_measure else "",
        )
    table.print_rows()
