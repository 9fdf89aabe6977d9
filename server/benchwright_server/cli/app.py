"""All commands but `lsp`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from benchwright_attempts.judging import Judging, judge_answer
from benchwright_harness.cluster.choice import open_executor
from benchwright_harness.sandbox.choice import DEFAULT_SANDBOX, choose_sandbox
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_problems.verdict import Verdict
from benchwright_server import __version__
from benchwright_server.attempts.workbench import Workbench
from benchwright_server.cli import attempts, evaluate, problems, report, study, toolchains
from benchwright_server.cli import judge as judge_commands
from benchwright_server.cli.answers import print_summary, score_responses
from benchwright_server.cli.batch import grade_responses
from benchwright_server.cli.cluster import Cluster, ClusterOption
from benchwright_server.cli.output import EXIT_STATUS, color_of, err, out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_server.runs.grading import grade
from benchwright_server.workspaces.workspace import snapshot

app = typer.Typer(
    help="Hardware-design benchmark problems, solved in an editor and run against a harness the solver cannot read.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.add_typer(problems.app, name="problems")
app.add_typer(attempts.app, name="attempts")
app.add_typer(study.app, name="study")
app.add_typer(judge_commands.app, name="judge")
app.add_typer(evaluate.app, name="eval")
app.add_typer(toolchains.app, name="toolchain")
report.add_to(app)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
Sandbox = Annotated[str, typer.Option(help="bwrap, docker, or native, which runs without protection.")]
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
    problem: Annotated[str, typer.Argument(metavar="PROBLEM|PACK", help="PACK/ID; a pack with --responses.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Holds the files to judge, as in a workspace.")
    ] = None,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    responses: Annotated[Path | None, typer.Option(help="Answers to problems of a pack, as JSON Lines.")] = None,
    output: Annotated[Path | None, typer.Option("--out", help="Folder for the verdicts and reports of these.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at a time; one per core if not given.")] = None,
    cluster: Cluster = None,
    cluster_option: ClusterOption = None,
    solver: Annotated[str, typer.Option(help="Who answered, for the reports.")] = "",
    k: Annotated[int, typer.Option(min=1, help="Of pass@k, where there are several answers per problem.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run also what is known from before.")] = False,
    json_output: Json = False,
) -> None:
    """Run a problem's hidden tests on a folder, or those of a pack on many answers.

    Exit status for a folder: 0 passed, 1 failed, 2 error; for many answers: 0, or 2 if some could not be decided.
    """
    with plain_errors():
        home = Home.find()
        if responses is not None:
            if output is None or folder is not None:
                raise ServerError("With --responses give --out DIR, and no folder to judge.")
            executor = open_executor(home, jobs=jobs, cluster=cluster, options=cluster_option or ())
            box = choose_sandbox(sandbox)
            decided = grade_responses(
                *(problem, responses, output), executor=executor, sandbox=box, solver=solver, k=k, fresh=fresh
            )
            raise typer.Exit(0 if decided else 2)
        if folder is None:
            raise ServerError(f"Give the folder that holds the files to judge: benchwright grade {problem} DIR.")
        hidden = Store(home).unseal(problem)
        if not folder.is_dir():
            raise ServerError(f"{folder} is not a folder. Give the folder that holds rtl/ and the like.")
        files = snapshot(folder, hidden)
        with Path(os.devnull).open("wb") as log, err.status(f"Running the hidden tests of {problem}"):
            verdict = asyncio.run(grade(hidden, files, home=home, sandbox=choose_sandbox(sandbox), log=log))
        _report(problem, verdict, json_output)


@app.command("answer")
def answer(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM|PACK", help="PACK/ID; a pack with --responses.")],
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Holds the answer.")] = None,
    responses: Annotated[
        Path | None, typer.Option(help="Answers to questions of a pack, as JSON Lines; scored without a judge.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="File for a line about each of these answers.")] = None,
    judge_url: Annotated[str, typer.Option(metavar="URL", help="Have a judge service score it; one answer only.")] = "",
    json_output: Json = False,
) -> None:
    """Score an answer to a question, or a file of answers to a pack's questions.

    Exit status for one answer: 0 right, 1 not right, 2 undecided; for a file: 0.
    """
    with plain_errors():
        if responses is not None:
            if file is not None or judge_url:
                raise ServerError("With --responses give no other file, and no --judge-url.")
            summary = score_responses(problem, responses, scores)
            if json_output:
                print_json(summary)
            else:
                print_summary(summary)
            return
        if file is None:
            raise ServerError(f"Give the file that holds the answer: benchwright answer {problem} FILE.")
        home = Home.find()
        hidden = Store(home).unseal(problem)
        if hidden.kind is Kind.DESIGN:
            raise ServerError(f"{problem} is not a question; use `benchwright grade {problem} DIR`.")
        try:
            text = file.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise ServerError(f"{file} can't be read: {error.strerror}.") from error
        _report(problem, asyncio.run(_judged(home, problem, hidden, text, judge_url)), json_output)


async def _judged(home: Home, ref: str, problem: Problem, text: str, judge_url: str) -> Verdict:
    judging = Judging(home)
    judging.service_url = judge_url
    try:
        verdict, _ = await judge_answer(ref, problem, text, judging)
    finally:
        await judging.close()
    return verdict


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
    """Serve an editor over standard input and output. Options: --sandbox NAME, --judge-url URL."""


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
