"""`benchwright problems`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.datasets.cvdp import export_cvdp
from benchwright_problems.problem import Problem
from benchwright_problems.storage.conversion import RecordForm, convert_record
from benchwright_problems.storage.labels import LabelKind, SettledLabel
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems import import_dataset
from benchwright_server.cli.problems.audit import audit_command
from benchwright_server.cli.problems.audited import filter_pack
from benchwright_server.cli.problems.authoring import install, new, publish, twin
from benchwright_server.cli.problems.canaries import canaries
from benchwright_server.cli.problems.check import check
from benchwright_server.cli.problems.compare import compare
from benchwright_server.cli.problems.duplicates import duplicates
from benchwright_server.cli.problems.from_commit import from_commit
from benchwright_server.cli.problems.label import label_command
from benchwright_server.cli.problems.mutate import mutate
from benchwright_server.cli.problems.pack_records import EXPORTABLE_PACKS_IN_WORDS, original_record, write_records
from benchwright_server.cli.problems.pack_statistics import statistics
from benchwright_server.cli.problems.prune import prune
from benchwright_server.cli.problems.to_harbor import to_harbor
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    problems_app = typer.Typer(help="Import, make, list, show, export, convert and check packs.", no_args_is_help=True)
    import_dataset.add_to(problems_app)
    problems_app.command("list")(list_packs)
    problems_app.command("show")(show)
    problems_app.command("export")(export)
    problems_app.command("convert")(convert_pack)
    problems_app.command("to-harbor")(to_harbor)
    problems_app.command("check")(flatten_option_groups(check))
    problems_app.command("mutate")(mutate)
    problems_app.command("compare")(compare)
    problems_app.command("audit")(audit_command)
    problems_app.command("label")(flatten_option_groups(label_command))
    problems_app.command("filter")(filter_pack)
    problems_app.command("new")(new)
    problems_app.command("from-commit")(from_commit)
    problems_app.command("twin")(twin)
    problems_app.command("publish")(publish)
    problems_app.command("install")(install)
    problems_app.command("canaries")(canaries)
    problems_app.command("duplicates")(duplicates)
    problems_app.command("statistics")(statistics)
    problems_app.command("prune")(prune)
    parent.add_typer(problems_app, name="problems")


def list_packs(
    pack: Annotated[str | None, typer.Argument(help="Only this pack.")] = None, json_output: Json = False
) -> None:
    """List packs and their problems."""
    with exit_on_expected_error():
        store = Store(Home.from_environment())
        packs = [store.public_pack(name) for name in ([pack] if pack else store.pack_names())]
        labels_by_pack = {listed_pack.name: store.question_labels(listed_pack.name) for listed_pack in packs}
    problem_rows = [
        (listed_pack, problem, labels_by_pack[listed_pack.name].settled_labels(problem))
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
                    "difficulty": _settled_or_stated_difficulty(problem, settled_labels),
                    "labels": _labels_json(settled_labels),
                }
                for listed_pack, problem, settled_labels in problem_rows
            ]
        )
        return
    shown_kinds = [
        kind
        for kind in (LabelKind.SKILL, LabelKind.TOPIC)
        if any(kind in settled_labels for *_, settled_labels in problem_rows)
    ]
    table = TerminalTable("problem", "kind", "category", "difficulty", *(kind.value for kind in shown_kinds), "title")
    for listed_pack, problem, settled_labels in problem_rows:
        question = problem.public.question
        category = problem.category.label if problem.category else question.format.value if question else ""
        label_cells = [settled_labels[kind].value if kind in settled_labels else "" for kind in shown_kinds]
        kind_cells = (problem.kind.value, category, _settled_or_stated_difficulty(problem, settled_labels))
        table.add_row(f"{listed_pack.name}/{problem.id}", *kind_cells, *label_cells, problem.title)
    table.print_rows()


def _settled_or_stated_difficulty(problem: Problem, settled_labels: Mapping[LabelKind, SettledLabel]) -> str:
    difficulty_label = settled_labels.get(LabelKind.DIFFICULTY)
    return difficulty_label.value if difficulty_label is not None else problem.difficulty.value


def _labels_json(settled_labels: Mapping[LabelKind, SettledLabel]) -> dict[str, dict[str, str]]:
    return {kind.value: {"value": label.value, "by": label.by} for kind, label in settled_labels.items()}


def show(problem: options.Problem, json_output: Json = False) -> None:
    """Show what a solver may see of a problem."""
    with exit_on_expected_error():
        store = Store(Home.from_environment())
        public_problem = store.problem(problem)
        settled_labels = store.question_labels(problem.partition("/")[0]).settled_labels(public_problem)
    if json_output:
        print_json(
            {**public_problem.model_dump(mode="json", exclude={"hidden"}), "labels": _labels_json(settled_labels)}
        )
        return
    # A stranger's words: nothing in them that a terminal obeys.
    console.print(_CONTROL.sub("�", public_problem.public.statement), markup=False)
    for path in public_problem.public.expected:
        console.print(f"to write: {path}", markup=False)
    for kind, settled_label in settled_labels.items():
        console.print(_CONTROL.sub("�", f"{kind.value}: {settled_label.value} (by {settled_label.by})"), markup=False)


def export(
    pack: Annotated[str, typer.Argument(help="An imported pack.")],
    file: options.RecordsFile,
) -> None:
    """Write a pack back in the format it was imported from; for folders, each line maps paths to file contents."""
    with exit_on_expected_error():
        count = write_records(_unsealed_problems(pack), file, original_record, EXPORTABLE_PACKS_IN_WORDS)
    console.print(f"{counted(count, 'problem')} written to {file}.")


def convert_pack(
    pack: Annotated[str, typer.Argument(help="A pack imported from CVDP.")],
    file: options.RecordsFile,
    to: Annotated[RecordForm, typer.Option(help="The form that the records are to have.")],
) -> None:
    """Write a pack of CVDP in its other form: agentic records as non-agentic ones, or the other way round."""
    with exit_on_expected_error():
        writable_packs = "CVDP can be converted"
        count = write_records(
            _unsealed_problems(pack), file, lambda problem: convert_record(export_cvdp(problem), to), writable_packs
        )
    console.print(f"{counted(count, 'problem')} written to {file}.")


def _unsealed_problems(pack: str) -> Iterator[Problem]:
    store = Store(Home.from_environment())
    return (store.unseal(f"{pack}/{problem.id}") for problem in store.public_pack(pack).problems)
