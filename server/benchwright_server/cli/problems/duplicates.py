"""`benchwright problems duplicates`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.problem import Pack
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.whole_pack import author_folder_if_any, pack_with_hidden_parts
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable


def duplicates(
    packs: Annotated[
        list[str] | None, typer.Argument(metavar="[PACK]...", help="Packs, or folders of authors; all packs if none.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0.1, max=1, help="The least similarity: the share of runs of five words in common.")
    ] = 0.8,
    json_output: Json = False,
) -> None:
    """Find problems that are nearly the same, by their statements and by their references.

    Exit status: 0 there are none, 1 there are some.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright problems duplicates`", "authoring"):
        from benchwright_authoring.duplicates import near_copy_pairs

        store = Store(Home.from_environment())
        read_packs = [_pack_to_compare(store, name) for name in packs or store.pack_names()]
        with progress("comparing", 0, "texts") as meter:
            duplicate_pairs = near_copy_pairs(
                read_packs, threshold, lambda compared_count, total: meter.show_counts(compared_count, total, 0)
            )
    publications = {
        f"{pack.name}/{problem.id}": problem.published or pack.published or ""
        for pack in read_packs
        for problem in pack.problems
    }
    if json_output:
        print_json(
            [
                {
                    "problems": [duplicate_pair.first_ref, duplicate_pair.second_ref],
                    "published": [publications[ref] for ref in (duplicate_pair.first_ref, duplicate_pair.second_ref)],
                    "part": duplicate_pair.alike_part.value,
                    "similarity": round(duplicate_pair.similarity, 4),
                }
                for duplicate_pair in duplicate_pairs
            ]
        )
    else:
        table = TerminalTable("problem", "published", "problem", "published", "alike", "similarity")
        for duplicate_pair in duplicate_pairs:
            cells = [
                cell
                for ref in (duplicate_pair.first_ref, duplicate_pair.second_ref)
                for cell in (ref, publications[ref])
            ]
            table.add_row(*cells, duplicate_pair.alike_part.value, f"{duplicate_pair.similarity:.2f}")
        table.print_rows()
        count = len(duplicate_pairs)
        console.print(f"{count} pair{'' if count == 1 else 's'} of problems at least {threshold:g} alike.")
    raise typer.Exit(1 if duplicate_pairs else 0)


def _pack_to_compare(store: Store, folder_or_pack_name: str) -> Pack:
    is_assigned = (
        author_folder_if_any(folder_or_pack_name) is None and store.assignment_if_any(folder_or_pack_name) is not None
    )
    return store.public_pack(folder_or_pack_name) if is_assigned else pack_with_hidden_parts(store, folder_or_pack_name)
