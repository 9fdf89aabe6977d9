"""`benchwright problems`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_problems.datasets.cvdp import export_cvdp
from benchwright_problems.problem import Problem
from benchwright_problems.storage.conversion import Form, convert
from benchwright_problems.storage.labels import LabelKind, Settled
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems import import_dataset
from benchwright_server.cli.problems.audit import audit_command
from benchwright_server.cli.problems.audited import filter_pack
from benchwright_server.cli.problems.authoring import install, new, publish, twin
from benchwright_server.cli.problems.canaries import canaries
from benchwright_server.cli.problems.check import check
from benchwright_server.cli.problems.compare import compare
from benchwright_server.cli.problems.duplicates import duplicates
from benchwright_server.cli.problems.label import label_command
from benchwright_server.cli.problems.mutate import mutate
from benchwright_server.cli.problems.pack_records import A_DATA_SET, original_record, write_records
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.option_groups import grouped
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import out, plain_errors, print_json
from benchwright_server.cli.terminal.table import Table

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    problems = typer.Typer(help="Import, make, list, show, export, convert and check packs.", no_args_is_help=True)
    import_dataset.add_to(problems)
    problems.command("list")(list_packs)
    problems.command("show")(show)
    problems.command("export")(export)
    problems.command("convert")(convert_pack)
    problems.command("check")(grouped(check))
    problems.command("mutate")(mutate)
    problems.command("compare")(compare)
    problems.command("audit")(audit_command)
    problems.command("label")(grouped(label_command))
    problems.command("filter")(filter_pack)
    problems.command("new")(new)
    problems.command("twin")(twin)
    problems.command("publish")(publish)
    problems.command("install")(install)
    problems.command("canaries")(canaries)
    problems.command("duplicates")(duplicates)
    parent.add_typer(problems, name="problems")


def list_packs(
    pack: Annotated[str | None, typer.Argument(help="Only this pack.")] = None, json_output: Json = False
) -> None:
    """List packs and their problems."""
    with plain_errors():
        store = Store(Home.find())
        packs = [store.public(name) for name in ([pack] if pack else store.pack_names())]
        labels = {one.name: store.labels(one.name) for one in packs}
    rows = [(one, problem, labels[one.name].all_settled(problem)) for one in packs for problem in one.problems]
    if json_output:
        print_json(
            [
                {
                    "problem": f"{one.name}/{problem.id}",
                    "title": problem.title,
                    "kind": problem.kind.value,
                    "category": problem.category.value if problem.category else None,
                    "difficulty": _difficulty(problem, found),
                    "labels": _labels(found),
                }
                for one, problem, found in rows
            ]
        )
        return
    kinds = [kind for kind in (LabelKind.SKILL, LabelKind.TOPIC) if any(kind in found for *_, found in rows)]
    table = Table("problem", "kind", "category", "difficulty", *(kind.value for kind in kinds), "title")
    for one, problem, found in rows:
        question = problem.public.question
        category = problem.category.label if problem.category else question.format.value if question else ""
        said = [found[kind].value if kind in found else "" for kind in kinds]
        size = (problem.kind.value, category, _difficulty(problem, found))
        table.add_row(f"{one.name}/{problem.id}", *size, *said, problem.title)
    table.print()


def _difficulty(problem: Problem, labels: Mapping[LabelKind, Settled]) -> str:
    label = labels.get(LabelKind.DIFFICULTY)
    return label.value if label is not None else problem.difficulty.value


def _labels(labels: Mapping[LabelKind, Settled]) -> dict[str, dict[str, str]]:
    return {kind.value: {"value": one.value, "by": one.by} for kind, one in labels.items()}


def show(problem: options.Problem, json_output: Json = False) -> None:
    """Show what a solver may see of a problem."""
    with plain_errors():
        store = Store(Home.find())
        found = store.problem(problem)
        labels = store.labels(problem.partition("/")[0]).all_settled(found)
    if json_output:
        print_json({**found.model_dump(mode="json", exclude={"hidden"}), "labels": _labels(labels)})
        return
    # A stranger's words: nothing in them that a terminal obeys.
    out.print(_CONTROL.sub("�", found.public.statement), markup=False)
    for path in found.public.expected:
        out.print(f"to write: {path}", markup=False)
    for kind, one in labels.items():
        out.print(_CONTROL.sub("�", f"{kind.value}: {one.value} (by {one.by})"), markup=False)


def export(
    pack: Annotated[str, typer.Argument(help="An imported pack.")],
    file: options.RecordsFile,
) -> None:
    """Write a pack back in the format it was imported from; for folders, each line maps paths to file contents."""
    with plain_errors():
        count = write_records(_unsealed(pack), file, original_record, A_DATA_SET)
    out.print(f"{count} problems written to {file}.")


def convert_pack(
    pack: Annotated[str, typer.Argument(help="A pack imported from CVDP.")],
    file: options.RecordsFile,
    to: Annotated[Form, typer.Option(help="The form that the records are to have.")],
) -> None:
    """Write a pack of CVDP in its other form: agentic records as non-agentic ones, or the other way round."""
    with plain_errors():
        wanted = "CVDP can be converted"
        count = write_records(_unsealed(pack), file, lambda problem: convert(export_cvdp(problem), to), wanted)
    out.print(f"{count} problems written to {file}.")


def _unsealed(pack: str) -> Iterator[Problem]:
    store = Store(Home.find())
    return (store.unseal(f"{pack}/{problem.id}") for problem in store.public(pack).problems)
