"""`benchwright problems prune`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json


def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted, and its size.")] = False,
    json_output: Json = False,
) -> None:
    """Delete the files of repositories that no pack has any more.

    An attempt at such a problem, of a pack that was replaced meanwhile, can't be judged then. What is less than an hour
    old stays.
    """
    with exit_on_expected_error():
        pruning = Store(Home.from_environment()).prune_trees(deletes=not dry_run)
    if json_output:
        print_json({"repositories": pruning.tree_count, "bytes": pruning.freed_bytes, "removed": not dry_run})
        return
    verb = "would be" if dry_run else "are"
    repositories = counted(pruning.tree_count, "repository", "repositories")
    console.print(f"{repositories} and {pruning.freed_bytes / 1e6:.1f} MB {verb} deleted.")
