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
from benchwright_server.cli.terminal.output import console, plain_errors, print_json
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
        labels = {listed_pack.name: store.labels(listed_pack.name) for listed_pack in packs}
    rows = [
        (listed_pack, problem, labels[listed_pack.name].all_settled(problem))
        for listed_pack in packs
        for problem in listed_pack.problems
    ]
    if json_output:
        print_json(
            [
                {
                    "problem": f"{listed_pack.name}/{problem.id}",
                    "title": problem.title,
                    "kind": problem.kind.value,
                    "category": problem.category.value if problem.category else None,
                    "difficulty": _difficulty(problem, settled_labels),
                    "labels": _labels(settled_labels),
                }
                for listed_pack, problem, settled_labels in rows
            ]
        )
        return
    kinds = [
        kind
        for kind in (LabelKind.SKILL, LabelKind.TOPIC)
        if any(kind in settled_labels for *_, settled_labels in rows)
    ]
    table = Table("problem", "kind", "category", "difficulty", *(kind.value for kind in kinds), "title")
    for listed_pack, problem, settled_labels in rows:
        question = problem.public.question
        category = problem.category.label if problem.category else question.format.value if question else ""
        label_cells = [settled_labels[kind].value if kind in settled_labels else "" for kind in kinds]
        size = (problem.kind.value, category, _difficulty(problem, settled_labels))
        table.add_row(f"{listed_pack.name}/{problem.id}", *size, *label_cells, problem.title)
    table.print()


def _difficulty(problem: Problem, labels: Mapping[LabelKind, Settled]) -> str:
    label = labels.get(LabelKind.DIFFICULTY)
    return label.value if label is not None else problem.difficulty.value


def _labels(labels: Mapping[LabelKind, Settled]) -> dict[str, dict[str, str]]:
    return {kind.value: {"value": label.value, "by": label.by} for kind, label in labels.items()}


def show(problem: options.Problem, json_output: Json = False) -> None:
    """Show what a solver may see of a problem."""
    with plain_errors():
        store = Store(Home.find())
        public_problem = store.problem(problem)
        labels = store.labels(problem.partition("/")[0]).all_settled(public_problem)
    if json_output:
        print_json({**public_problem.model_dump(mode="json", exclude={"hidden"}), "labels": _labels(labels)})
        return
    # A stranger's words: nothing in them that a terminal obeys.
    console.print(_CONTROL.sub("�", public_problem.public.statement), markup=False)
    for path in public_problem.public.expected:
        console.print(f"to write: {path}", markup=False)
    for kind, label in labels.items():
        console.print(_CONTROL.sub("�", f"{kind.value}: {label.value} (by {label.by})"), markup=False)


def export(
    pack: Annotated[str, typer.Argument(help="An imported pack.")],
    file: options.RecordsFile,
) -> None:
    """Write a pack back in the format it was imported from; for folders, each line maps paths to file contents."""
    with plain_errors():
        count = write_records(_unsealed(pack), file, original_record, A_DATA_SET)
    console.print(f"{count} problems written to {file}.")


def convert_pack(
    pack: Annotated[str, typer.Argument(help="A pack imported from CVDP.")],
    file: options.RecordsFile,
    to: Annotated[Form, typer.Option(help="The form that the records are to have.")],
) -> None:
    """Write a pack of CVDP in its other form: agentic records as non-agentic ones, or the other way round."""
    with plain_errors():
        writable_packs = "CVDP can be converted"
        count = write_records(_unsealed(pack), file, lambda problem: convert(export_cvdp(problem), to), writable_packs)
    console.print(f"{count} problems written to {file}.")


def _unsealed(pack: str) -> Iterator[Problem]:
    store = Store(Home.find())
    return (store.unseal(f"{pack}/{problem.id}") for problem in store.public(pack).problems)
