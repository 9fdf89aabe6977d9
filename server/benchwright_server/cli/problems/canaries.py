"""`benchwright problems canaries`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_problems.canary import canaries_in
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import out, plain_errors, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import Table
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
    with plain_errors():
        store = Store(Home.find())
        known = {name: canary for name in store.pack_names() if (canary := store.public(name).canary)}
        if not files:
            _list(known, json_output=json_output)
            return
        found = _found(list(_all(files)), known)
    if json_output:
        print_json([{"file": str(file), "packs": sorted(packs)} for file, packs in found.items()])
    else:
        for file, packs in found.items():
            out.print(f"{file}: the canary of {', '.join(sorted(packs))}", markup=False, soft_wrap=True)
        if not found:
            out.print(f"No canary of {len(known)} {'pack' if len(known) == 1 else 'packs'} is in them.")
    raise typer.Exit(1 if found else 0)


def _list(known: Mapping[str, str], *, json_output: bool) -> None:
    if json_output:
        print_json(dict(known))
        return
    table = Table("pack", "canary")
    for name, canary in known.items():
        table.add_row(name, canary)
    table.print()


def _all(files: list[Path]) -> Iterator[Path]:
    for file in files:
        if not file.exists():
            raise ServerError(f"There is no {file}.")
        yield from sorted(path for path in file.rglob("*") if path.is_file()) if file.is_dir() else [file]


def _found(files: list[Path], known: Mapping[str, str]) -> dict[Path, set[str]]:
    found = {}
    with progress("reading", len(files), "files") as meter:
        for number, file in enumerate(files, 1):
            try:
                packs = _in_log(file, known) if file.suffix == _EVAL_LOG else _in_file(file, known)
            except OSError as error:
                raise ServerError(f"{file} can't be read: {error.strerror}.") from error
            if packs:
                found[file] = packs
            meter.show(number, 0)
    return found


def _in_file(file: Path, known: Mapping[str, str]) -> set[str]:
    with file.open("rb") as stream:
        return canaries_in(stream, known)


def _in_log(file: Path, known: Mapping[str, str]) -> set[str]:
    """In the samples of a log, which is compressed."""
    with needs("Reading Inspect's logs", "baselines"):
        from inspect_ai.log import read_eval_log_samples

    found: set[str] = set()
    try:
        for sample in read_eval_log_samples(str(file), all_samples_required=False):
            found |= canaries_in(io.BytesIO(sample.model_dump_json().encode(errors="replace")), known)
    except ValueError as error:
        raise ServerError(f"{file} is no log of Inspect's: {error}.") from error
    return found
