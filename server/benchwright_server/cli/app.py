"""All commands but `lsp`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from benchwright_harness.verdict import Verdict
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind
from benchwright_problems.store import Store
from benchwright_server import __version__
from benchwright_server.attempts.workbench import Workbench
from benchwright_server.cli import attempts, problems
from benchwright_server.cli.output import EXIT_STATUS, color_of, err, out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_server.runs.grading import DEFAULT_SANDBOX, choose_sandbox, grade, judge
from benchwright_server.workspaces.workspace import snapshot

app = typer.Typer(
    help="Hardware-design benchmark problems, solved in an editor and run against a harness the solver cannot read.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.add_typer(problems.app, name="problems")
app.add_typer(attempts.app, name="attempts")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
Sandbox = Annotated[str, typer.Option(help="bwrap, or native, which runs without protection.")]
ProblemRef = Annotated[str, typer.Argument(metavar="PROBLEM", help="PACK/ID, such as starter/sync-fifo.")]

_MARKS = {"ok": "[green]✓ ok[/green]", "missing": "[red]✗ missing[/red]", "warning": "[yellow]! warning[/yellow]"}


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options of the command itself."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command("open")
def open_problem(
    problem: ProblemRef,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin a new attempt.")] = False,
    json_output: Json = False,
) -> None:
    """Make a workspace for a problem, or find the one of its unfinished attempt."""

    async def work() -> None:
        bench = Workbench(Home.find(), choose_sandbox(DEFAULT_SANDBOX))
        try:
            opened = await bench.open(problem, fresh)
        finally:
            await bench.close()
        if json_output:
            print_json(opened.model_dump(mode="json", by_alias=True))
        else:
            out.print(f"{opened.status.title}: {opened.status.workspace}", soft_wrap=True)

    with plain_errors():
        asyncio.run(work())


@app.command("grade")
def grade_command(
    problem: ProblemRef,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds the files to judge, as in a workspace.")],
    sandbox: Sandbox = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Run a problem's hidden tests on a folder. Exit status: 0 passed, 1 failed, 2 error."""
    with plain_errors():
        home = Home.find()
        hidden = Store(home).unseal(problem)
        if not folder.is_dir():
            raise ServerError(f"{folder} is not a folder. Give the folder that holds rtl/ and the like.")
        files = snapshot(folder, hidden)
        with Path(os.devnull).open("wb") as log, err.status(f"Running the hidden tests of {problem}"):
            verdict = asyncio.run(grade(hidden, files, home=home, sandbox=choose_sandbox(sandbox), log=log))
        _report(problem, verdict, json_output)


@app.command("answer")
def answer(
    problem: ProblemRef,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Holds the answer.")],
    json_output: Json = False,
) -> None:
    """Score an answer to a question. Exit status: 0 right, 1 not right, 2 undecided."""
    with plain_errors():
        hidden = Store(Home.find()).unseal(problem)
        if hidden.kind is Kind.DESIGN:
            raise ServerError(f"{problem} is not a question; use `benchwright grade {problem} DIR`.")
        try:
            text = file.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise ServerError(f"{file} can't be read: {error.strerror}.") from error
        _report(problem, judge(hidden, text), json_output)


@app.command("doctor")
def doctor(json_output: Json = False) -> None:
    """Tell what is installed, in which version, what is missing, and what that disables."""
    from benchwright_server.doctor import examine

    with err.status("Looking at this machine"):
        report = examine(Home.find())
    if json_output:
        print_json(report.model_dump(mode="json", by_alias=True))
    else:
        table = Table("what", "status", "version", "needed for", "next step", box=None)
        for item in report.items:
            mark = {"ok": "[green]✓ ok[/green]", "missing": "[red]✗ missing[/red]"}.get(
                item.status, "[yellow]! warning[/yellow]"
            )
            table.add_row(item.name, mark, item.version or "", item.needed_for, item.hint or "")
        out.print(table)
    raise typer.Exit(0 if report.ok else 1)


@app.command("lsp", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lsp() -> None:
    """Serve an editor over standard input and output. Options: --sandbox NAME."""


def _report(problem: str, verdict: Verdict, json_output: bool) -> None:
    if json_output:
        print_json(
            {
                "problem": problem,
                "verdict": verdict.outcome.value,
                "reason": verdict.detail,
                "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)},
                "wall_s": verdict.wall_s,
                "digests": verdict.digests.model_dump(mode="json"),
            }
        )
    else:
        counts = f" {verdict.passed_tests}/{len(verdict.tests)} tests," if verdict.tests else ""
        color = color_of(verdict.outcome)
        out.print(f"[{color}]{verdict.outcome.value}[/{color}]:{counts} {verdict.wall_s:.1f} s. ", end="")
        out.print(" ".join(filter(None, (verdict.detail, verdict.hint))), markup=False, soft_wrap=True)
    raise typer.Exit(EXIT_STATUS[verdict.outcome])


def run() -> None:
    """Parse the command line and do what it says."""
    app()
