"""`benchwright problems import`."""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated

import typer

from benchwright_problems import datasets
from benchwright_problems.datasets.dataset_format import recognised
from benchwright_problems.errors import DatasetError
from benchwright_problems.home import Home
from benchwright_problems.problem import Pack
from benchwright_problems.store import Store
from benchwright_server.cli.option_groups import with_signature
from benchwright_server.cli.options import Json
from benchwright_server.cli.output import out, plain_errors, print_json
from benchwright_server.errors import ServerError


def add_to(problems: typer.Typer) -> None:
    """Add the command to `benchwright problems`, with the options of every format."""
    fixed = [one for one in signature(import_dataset, eval_str=True).parameters.values() if one.name != "options"]
    options = [
        Parameter(
            option.name,
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Path | None, typer.Option(metavar="FILE", help=option.help)],
        )
        for one in datasets.FORMATS
        for option in one.options
    ]
    formats = "\n\n".join(f"{one.name}: {one.reads}." for one in datasets.FORMATS)
    problems.command("import", epilog=formats)(with_signature(import_dataset, [*fixed, *options]))


def import_dataset(
    dataset: Annotated[str, typer.Argument(metavar="FORMAT", help="One of the formats that are listed below.")],
    files: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files or folders of the data set.")],
    pack: Annotated[str, typer.Option(help="Name of the new pack.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a pack of that name.")] = False,
    json_output: Json = False,
    **options: Path | None,
) -> None:
    """Import a data set as a pack: all of it, or nothing."""
    with plain_errors():
        given = {name: file for name, file in options.items() if file is not None}
        imported = _imported(dataset, files, pack, given)
        Store(Home.find()).add(imported, replace=replace)
    if json_output:
        print_json({"pack": pack, "problems": [problem.id for problem in imported.problems]})
    else:
        count = len(imported.problems)
        out.print(f"{count} problem{'' if count == 1 else 's'} imported as {pack}.")


def _imported(dataset: str, files: list[Path], pack: str, options: dict[str, Path]) -> Pack:
    formats = {one.name: one for one in datasets.FORMATS}
    chosen = formats.get(dataset)
    if chosen is None:
        raise ServerError(f"There is no importer for {dataset!r}; choose one of: {', '.join(formats)}.")
    taken = {option.name for option in chosen.options}
    for name in options:
        if name not in taken:
            owners = ", ".join(one.name for one in formats.values() if name in {option.name for option in one.options})
            raise ServerError(f"--{name} is an option of {owners}, not of {dataset}.")
    try:
        return chosen.importer(files, pack, **options)
    except DatasetError as error:
        other = recognised(files, datasets.FORMATS)
        if other is None or other is chosen:
            raise
        raise ServerError(f"{error}. The data set looks like {other.name}, not {chosen.name}.") from error
