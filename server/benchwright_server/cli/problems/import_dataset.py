"""`benchwright problems import`."""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_problems import datasets
from benchwright_problems.datasets.dataset_format import recognised_format
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.errors import DatasetError
from benchwright_problems.partial_date import require_partial_date
from benchwright_problems.problem import Pack
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.left_out import write_left_out_if_any
from benchwright_server.cli.terminal.option_groups import with_signature
from benchwright_server.cli.terminal.options import Json, NewPack, Replace
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError


def add_to(problems_app: typer.Typer) -> None:
    """Add the command to `benchwright problems`, with the options of every format."""
    fixed = [
        parameter
        for parameter in signature(import_dataset, eval_str=True).parameters.values()
        if parameter.name != "options"
    ]
    option_parameters = [
        Parameter(
            option.name,
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Path | None, typer.Option(metavar="FILE", help=option.help)],
        )
        for option in dict.fromkeys(
            option for dataset_format in datasets.FORMATS for option in dataset_format.file_options
        )
    ]
    formats = "\n\n".join(f"{dataset_format.name}: {dataset_format.reads}." for dataset_format in datasets.FORMATS)
    problems_app.command("import", epilog=formats)(with_signature(import_dataset, [*fixed, *option_parameters]))


def import_dataset(
    dataset: Annotated[str, typer.Argument(metavar="FORMAT", help="One of the formats that are listed below.")],
    files: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files or folders of the data set.")],
    pack: NewPack,
    replace: Replace = False,
    skip_invalid: Annotated[
        bool,
        typer.Option(
            "--skip-invalid", help="Leave out records that can't be read, and list them in PACK-left-out.csv."
        ),
    ] = False,
    keep_unknown_fields: Annotated[
        bool,
        typer.Option(
            "--keep-unknown-fields",
            help="Import records with fields that the importer does not know; an export has them again.",
        ),
    ] = False,
    published: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="When the problems were published, as YYYY-MM-DD or YYYY-MM; the format's own date if not given.",
        ),
    ] = None,
    json_output: Json = False,
    **options: Path | None,
) -> None:
    """Import a data set as a pack: all of it, or nothing."""
    invalid = InvalidRecords(skip=skip_invalid, keeps_unknown_fields=keep_unknown_fields)
    with exit_on_expected_error():
        given_options = {name: file for name, file in options.items() if file is not None}
        day = _checked_date(published)
        imported = _import_files(dataset, _expanded_patterns(files), pack, given_options, invalid)
        if day:
            imported = imported.model_copy(update={"published": day})
        Store(Home.from_environment()).add(imported, replace=replace)
        report = write_left_out_if_any(invalid, pack)
    unprovable = [problem.id for problem in imported.problems if not problem.has_solution]
    if json_output:
        problems = [problem.id for problem in imported.problems]
        print_json(
            {"pack": pack, "problems": problems, "left_out": len(invalid.record_errors), "unprovable": unprovable}
        )
        return
    console.print(f"{_counted_noun(len(imported.problems), 'problem')} imported as {pack}.")
    if report:
        console.print(f"{_counted_noun(len(invalid.record_errors), 'record')} left out; the reasons are in {report}.")
    if unprovable:
        unprovable_problems = (
            "All" if len(unprovable) == len(imported.problems) else _counted_noun(len(unprovable), "problem")
        )
        console.print(
            f"{unprovable_problems} came without a reference solution or key: nothing proves that a right answer "
            "passes."
            f" `benchwright problems check {pack}` shows whether the harnesses execute.",
            soft_wrap=True,
        )


def _checked_date(date_text: str | None) -> str | None:
    try:
        return require_partial_date(date_text) if date_text is not None else None
    except ValueError as error:
        raise ServerError(f"--published: {error}.") from error


def _counted_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _expanded_patterns(paths_or_patterns: list[Path]) -> list[Path]:
    """The paths, with patterns such as `EN/*.json` expanded where the shell has not done so."""
    matching_paths: list[Path] = []
    for path in paths_or_patterns:
        matched = [] if path.exists() else sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if not matched and set("*?[") & set(str(path)):
            raise ServerError(f"No file matches {path}. Check the pattern, or name the folder that has the files.")
        matching_paths += matched or [path]
    return matching_paths


def _import_files(
    format_name: str, files: list[Path], pack: str, file_by_option: dict[str, Path], invalid_records: InvalidRecords
) -> Pack:
    formats = {dataset_format.name: dataset_format for dataset_format in datasets.FORMATS}
    chosen_format = formats.get(format_name)
    if chosen_format is None:
        raise ServerError(f"There is no importer for {format_name!r}; choose one of: {', '.join(formats)}.")
    known_options = {option.name for option in chosen_format.file_options}
    for name in file_by_option:
        if name not in known_options:
            owners = ", ".join(
                dataset_format.name
                for dataset_format in formats.values()
                if name in {option.name for option in dataset_format.file_options}
            )
            raise ServerError(f"--{name} is an option of {owners}, not of {format_name}.")
    try:
        return chosen_format.importer(files, pack, invalid=invalid_records, **file_by_option)
    except DatasetError as error:
        likely_format = recognised_format(files, datasets.FORMATS)
        if likely_format is None or likely_format is chosen_format:
            raise
        raise ServerError(
            f"{error}. The data set looks like {likely_format.name}, not {chosen_format.name}."
        ) from error
