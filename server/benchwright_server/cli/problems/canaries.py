"""`benchwright problems canaries`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.canary import packs_with_canary_in
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

_EVAL_LOG = ".eval"


def canaries(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="What models said: replies, Inspect's .eval logs, folders of them."),
    ] = None,
    json_output: Json = False,
) -> None:
    """Find the canaries of packs in what models said; without files, list them.

    No workspace and no prompt has a canary: a model that says one was trained on the pack's files, or has read them.
    Exit status: 0 there is none, 1 there is one.
    """
    with exit_on_expected_error():
        store = Store(Home.from_environment())
        canary_by_pack = {name: canary for name in store.pack_names() if (canary := store.public_pack(name).canary)}
        if not files:
            _print_canaries(canary_by_pack, json_output=json_output)
            return
        packs_of_files = _canary_packs_by_file(list(_expanded_files(files)), canary_by_pack)
    if json_output:
        print_json([{"file": str(file), "packs": sorted(packs)} for file, packs in packs_of_files.items()])
    else:
        for file, packs in packs_of_files.items():
            console.print(f"{file}: the canary of {', '.join(sorted(packs))}", markup=False, soft_wrap=True)
        if not packs_of_files:
            console.print(
                f"No canary of {len(canary_by_pack)} {'pack' if len(canary_by_pack) == 1 else 'packs'} is in them."
            )
    raise typer.Exit(1 if packs_of_files else 0)


def _print_canaries(canary_by_pack: Mapping[str, str], *, json_output: bool) -> None:
    if json_output:
        print_json(dict(canary_by_pack))
        return
    table = TerminalTable("pack", "canary")
    for name, canary in canary_by_pack.items():
        table.add_row(name, canary)
    table.print_rows()


def _expanded_files(files_or_folders: list[Path]) -> Iterator[Path]:
    for file in files_or_folders:
        if not file.exists():
            raise ServerError(f"There is no {file}.")
        yield from sorted(path for path in file.rglob("*") if path.is_file()) if file.is_dir() else [file]


def _canary_packs_by_file(files: list[Path], canary_by_pack: Mapping[str, str]) -> dict[Path, set[str]]:
    packs_of_files = {}
    with progress("reading", len(files), "files") as meter:
        for number, file in enumerate(files, 1):
            try:
                packs = (
                    _canary_packs_in_log(file, canary_by_pack)
                    if file.suffix == _EVAL_LOG
                    else _canary_packs_in_file(file, canary_by_pack)
                )
            except OSError as error:
                raise ServerError(f"{file} can't be read: {error.strerror}.") from error
            if packs:
                packs_of_files[file] = packs
            meter.show_counts(number, 0)
    return packs_of_files


def _canary_packs_in_file(file: Path, canary_by_pack: Mapping[str, str]) -> set[str]:
    with file.open("rb") as stream:
        return packs_with_canary_in(stream, canary_by_pack)


def _canary_packs_in_log(log_file: Path, canary_by_pack: Mapping[str, str]) -> set[str]:
    """In the samples of a log, which is compressed."""
    with explain_missing_extra("Reading Inspect's logs", "baselines"):
        from inspect_ai.log import read_eval_log_samples

    packs: set[str] = set()
    try:
        for sample in read_eval_log_samples(str(log_file), all_samples_required=False):
            packs |= packs_with_canary_in(io.BytesIO(sample.model_dump_json().encode(errors="replace")), canary_by_pack)
    except ValueError as error:
        raise ServerError(f"{log_file} is no log of Inspect's: {error}.") from error
    return packs
