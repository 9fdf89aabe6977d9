"""`benchwright problems`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_problems import datasets
from benchwright_problems.atomic import write_atomically
from benchwright_problems.conversion import Form, convert
from benchwright_problems.datasets.cvdp import export_cvdp
from benchwright_problems.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.store import Store
from benchwright_server.cli import audit, check, import_dataset, options
from benchwright_server.cli.options import Json
from benchwright_server.cli.output import out, plain_errors, print_json, table_of, writing
from benchwright_server.errors import ServerError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    problems = typer.Typer(help="Import, list, show, export, convert and check packs.", no_args_is_help=True)
    import_dataset.add_to(problems)
    problems.command("list")(list_packs)
    problems.command("show")(show)
    problems.command("export")(export)
    problems.command("convert")(convert_pack)
    check.add_to(problems)
    audit.add_to(problems)
    parent.add_typer(problems, name="problems")


def list_packs(
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
    table = table_of("problem", "kind", "category", "difficulty", "title")
    for one, problem in rows:
        question = problem.public.question
        category = problem.category.label if problem.category else question.format.value if question else ""
        table.add_row(f"{one.name}/{problem.id}", problem.kind.value, category, problem.difficulty.value, problem.title)
    out.print(table)


def show(problem: options.Problem, json_output: Json = False) -> None:
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


def export(
    pack: Annotated[str, typer.Argument(help="An imported pack.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines, with solutions and harnesses.")],
) -> None:
    """Write a pack back in the format it was imported from; for folders, each line maps paths to file contents."""
    with plain_errors():
        count = _write_records(pack, file, _record, "a data set can be exported")
    out.print(f"{count} problems written to {file}.")


def convert_pack(
    pack: Annotated[str, typer.Argument(help="A pack imported from CVDP.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines, with solutions and harnesses.")],
    to: Annotated[Form, typer.Option(help="The form that the records are to have.")],
) -> None:
    """Write a pack of CVDP in its other form: agentic records as non-agentic ones, or the other way round."""
    with plain_errors():
        wanted = "CVDP can be converted"
        count = _write_records(pack, file, lambda problem: convert(export_cvdp(problem), to), wanted)
    out.print(f"{count} problems written to {file}.")


def _record(problem: Problem) -> dict[str, JsonValue]:
    source = problem.provenance.source
    found = next((one for one in datasets.FORMATS if one.source == source), None)
    if found is None:
        raise ValueError(f"{problem.id} was not imported from a data set")
    return found.export(problem)


def _write_records(pack: str, file: Path, record: Callable[[Problem], dict[str, JsonValue]], wanted: str) -> int:
    store = Store(Home.find())
    lines = []
    for problem in store.public(pack).problems:
        try:
            lines.append(json.dumps(record(store.unseal(f"{pack}/{problem.id}"))))
        except ValueError as error:
            raise ServerError(f"{error}; only packs imported from {wanted}.") from error
    with writing(file):
        write_atomically(file.absolute(), "".join(f"{line}\n" for line in lines).encode(), 0o600)
    return len(lines)
