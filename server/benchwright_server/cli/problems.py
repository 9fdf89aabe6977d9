"""`benchwright problems`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.table import Table

from benchwright_harness.check import TwoSided, check_design
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_judges.check import check_question
from benchwright_problems.atomic import write_atomically
from benchwright_problems.datasets.cvdp import export_cvdp, import_cvdp
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_server.cli.output import color_of, out, plain_errors, print_json, progress_bar
from benchwright_server.errors import ServerError
from benchwright_server.runs.grading import DEFAULT_SANDBOX, as_verdict, choose_sandbox

app = typer.Typer(help="Import, list, show, export and check packs.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_IMPORTERS = {"cvdp": import_cvdp}


@app.command("import")
def import_command(
    dataset: Annotated[str, typer.Argument(metavar="FORMAT", help="cvdp")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON Lines files of the data set.")],
    pack: Annotated[str, typer.Option(help="Name of the new pack.")],
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of a pack of that name.")] = False,
    json_output: Json = False,
) -> None:
    """Import a data set as a pack: all of it, or nothing."""
    with plain_errors():
        importer = _IMPORTERS.get(dataset)
        if importer is None:
            raise ServerError(f"There is no importer for {dataset!r}; there are: {', '.join(_IMPORTERS)}.")
        imported = importer(files, pack)
        Store(Home.find()).add(imported, replace=replace)
    if json_output:
        print_json({"pack": pack, "problems": [problem.id for problem in imported.problems]})
    else:
        count = len(imported.problems)
        out.print(f"{count} problem{'' if count == 1 else 's'} imported as {pack}.")


@app.command("list")
def list_command(
    pack: Annotated[str | None, typer.Argument(help="Only this pack.")] = None, json_output: Json = False
) -> None:
    """List packs and their problems."""
    with plain_errors():
        store = Store(Home.find())
        packs = [store.public(name) for name in ([pack] if pack else store.pack_names())]
    rows = [(one, problem) for one in packs for problem in one.problems]
    if json_output:
        print_json(
            [
                {
                    "problem": f"{one.name}/{problem.id}",
                    "title": problem.title,
                    "kind": problem.kind.value,
                    "category": problem.category.value if problem.category else None,
                    "difficulty": problem.difficulty.value,
                }
                for one, problem in rows
            ]
        )
        return
    table = Table("problem", "kind", "category", "difficulty", "title", box=None)
    for one, problem in rows:
        question = problem.public.question
        category = problem.category.label if problem.category else question.format.value if question else ""
        table.add_row(f"{one.name}/{problem.id}", problem.kind.value, category, problem.difficulty.value, problem.title)
    out.print(table)


@app.command("show")
def show(problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="PACK/ID")], json_output: Json = False) -> None:
    """Show what a solver may see of a problem."""
    with plain_errors():
        found = Store(Home.find()).problem(problem)
    if json_output:
        print_json(found.model_dump(mode="json", exclude={"hidden"}))
        return
    # A stranger's words: nothing in them that a terminal obeys.
    out.print(_CONTROL.sub("�", found.public.statement), markup=False)
    for path in found.public.expected:
        out.print(f"to write: {path}", markup=False)


@app.command("export")
def export(
    pack: Annotated[str, typer.Argument(help="A pack imported from CVDP.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines, with solutions and harnesses.")],
) -> None:
    """Write a pack back in the format it was imported from."""
    with plain_errors():
        store = Store(Home.find())
        lines = []
        for problem in store.public(pack).problems:
            try:
                lines.append(json.dumps(export_cvdp(store.unseal(f"{pack}/{problem.id}"))))
            except ValueError as error:
                raise ServerError(f"{error}; only packs imported from CVDP can be exported.") from error
        try:
            write_atomically(file.absolute(), "".join(f"{line}\n" for line in lines).encode(), 0o600)
        except OSError as error:
            raise ServerError(f"{file} can't be written: {error.strerror}.") from error
    out.print(f"{len(lines)} problems written to {file}.")


@app.command("check")
def check(
    pack: Annotated[str, typer.Argument(help="The pack to prove.")],
    sandbox: Annotated[str, typer.Option(help="bwrap, or native, which runs without protection.")] = DEFAULT_SANDBOX,
    jobs: Annotated[int, typer.Option(min=1, help="Problems at a time; all cores if not given.")] = os.cpu_count() or 1,
    json_output: Json = False,
) -> None:
    """Prove each problem from both sides: its reference passes, its starting files fail.

    Exit status: 0 all proved, 1 some are wrong, 2 some could not be decided and none is wrong.
    """
    with plain_errors():
        home = Home.find()
        store = Store(home)
        refs = [f"{pack}/{problem.id}" for problem in store.public(pack).problems]
        toolchain = Toolchain.find(home.cache)
        with Path(os.devnull).open("wb") as log:
            rows = asyncio.run(_check_all(store, refs, choose_sandbox(sandbox), toolchain, jobs, log))
    proved = sum(two_sided.ok for _, two_sided, _ in rows)
    if json_output:
        problems = [_row(problem, two_sided, wall_s) for problem, two_sided, wall_s in rows]
        print_json({"pack": pack, "total": len(rows), "ok": proved, "problems": problems})
    else:
        table = Table("problem", "reference", "starting", "seconds", "", box=None)
        for problem, two_sided, wall_s in rows:
            sides = (
                f"[{color_of(side.outcome)}]{side.outcome.value}[/]"
                for side in (two_sided.reference, two_sided.starting)
            )
            mark = "[green]✓[/green]" if two_sided.ok else f"✗ {two_sided.reason}"
            table.add_row(problem.id, *sides, f"{wall_s:.1f}", mark)
        out.print(table)
        out.print(f"{proved} of {len(rows)} problems proved from both sides.")
    if proved < len(rows):
        undecided = all(two_sided.ok or two_sided.reason.startswith("error") for _, two_sided, _ in rows)
        raise typer.Exit(2 if undecided else 1)


def _row(problem: Problem, two_sided: TwoSided, wall_s: float) -> dict[str, str | bool | float]:
    question = problem.public.question
    category = problem.category.value if problem.category else question.format.value if question else ""
    return {
        "id": problem.id,
        "category": category,
        "reference": two_sided.reference.outcome.value,
        "starting": two_sided.starting.outcome.value,
        "ok": two_sided.ok,
        "reason": two_sided.reason,
        "wall_s": wall_s,
    }


async def _check_all(
    store: Store, refs: list[str], sandbox: Sandbox, toolchain: Toolchain, jobs: int, log: BinaryIO
) -> list[tuple[Problem, TwoSided, float]]:
    turn = asyncio.Semaphore(jobs)
    with progress_bar("checking", len(refs)) as progress:

        async def one(ref: str) -> tuple[Problem, TwoSided, float]:
            async with turn:
                start = time.monotonic()
                problem = store.unseal(ref)
                if problem.kind is Kind.DESIGN:
                    two_sided = await check_design(problem, sandbox, toolchain, log)
                else:
                    reference, starting = check_question(problem)
                    two_sided = TwoSided(reference=as_verdict(reference), starting=as_verdict(starting))
                progress.advance(progress.task_ids[0])
                return problem, two_sided, round(time.monotonic() - start, 3)

        return await asyncio.gather(*(one(ref) for ref in refs))
