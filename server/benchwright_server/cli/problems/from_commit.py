"""`benchwright problems from-commit`."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.run import run_harness
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox, toolchain_for
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Verdict
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError


def from_commit(
    repository: Annotated[Path, typer.Argument(metavar="REPO", help="The folder of a Git repository.")],
    fix: Annotated[str, typer.Argument(metavar="FIX", help="The commit that fixes something, tests included.")],
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The pack's folder; a new one becomes a pack of its name.")
    ],
    problem: Annotated[str, typer.Argument(metavar="ID", help="The problem's name, such as stale-forwarding.")],
    tests: Annotated[
        list[str],
        typer.Option("--tests", metavar="PATH", help="A file or folder of the commit that stays hidden; repeatable."),
    ],
    run: Annotated[
        str,
        typer.Option(
            "--run",
            metavar="COMMAND",
            help="Runs the tests, at the root of the repository; pytest on what --tests names, if not given.",
        ),
    ] = "",
    editable: Annotated[
        list[str] | None,
        typer.Option("--editable", metavar="PATH", help="A file or folder that the solver may change; repeatable."),
    ] = None,
    statement: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the solver reads, Markdown, beginning with # TITLE.")
    ] = None,
    license_name: Annotated[str, typer.Option("--license", help="Of a new pack, as SPDX calls it.")] = "CC-BY-4.0",
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    json_output: options.Json = False,
) -> None:
    """Make a problem of a commit that fixes a bug: its solver starts before it, and its tests decide.

    Tests that fail before the commit and pass with it have to pass, and so do those that pass before and after. Nothing
    is written unless that is proved from both sides.
    """
    from benchwright_authoring.from_commit import CommitProblem, make_problem_of_commit

    with exit_on_expected_error():
        home = Home.from_environment()
        box, toolchain, verdicts = (
            open_sandbox(sandbox),
            toolchain_for(sandbox, home.cache),
            VerdictStore.from_home(home),
        )

        async def run_side(draft: Problem, solution: Mapping[str, bytes], log: io.BytesIO) -> Verdict:
            return await run_harness(draft, solution, sandbox=box, toolchain=toolchain, log=log)

        async def prove(draft: Problem) -> TwoSidedProof:
            executor = LocalExecutor(home.cache, open_log=lambda task: verdicts.open_log(task.key))
            (proof,) = await ProblemChecker(executor, box, toolchain, verdicts).check_problems([draft])
            return proof

        try:
            statement_text = statement.read_text(encoding="utf-8") if statement is not None else ""
            commit_problem = CommitProblem(repository, fix, tests, run, editable or (), statement_text)
            made = asyncio.run(
                make_problem_of_commit(
                    commit_problem, folder, problem, license_name=license_name, run_side=run_side, prove=prove
                )
            )
        except UnicodeDecodeError as error:
            raise ServerError(f"{statement} is not UTF-8.") from error
        except OSError as error:
            raise ServerError(f"{error.filename} can't be read or written: {error.strerror}.") from error
    if json_output:
        print_json(
            {
                "problem": str(made.folder),
                "fail_to_pass": list(made.fail_to_pass),
                "pass_to_pass": list(made.pass_to_pass),
                "failing": list(made.failing),
                "left_out": list(made.left_out),
            }
        )
        return
    console.print(
        f"{made.folder} is there, and proved from both sides: fail to pass {len(made.fail_to_pass)}, pass to pass "
        f"{len(made.pass_to_pass)}.",
        markup=False,
        soft_wrap=True,
    )
    if made.failing:
        names = ", ".join(made.failing)
        console.print(f"Fail with the commit too, and decide nothing: {names}.", markup=False, soft_wrap=True)
    if made.left_out:
        console.print(
            f"Left out, because an editor may run or obey them: {', '.join(made.left_out)}.",
            markup=False,
            soft_wrap=True,
        )
    if statement is None:
        console.print(f"{made.folder / 'statement.md'} says only that tests fail.", markup=False, soft_wrap=True)
