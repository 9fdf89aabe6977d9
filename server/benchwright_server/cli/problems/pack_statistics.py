"""`benchwright problems statistics`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from benchwright_authoring.pack_statistics import GroupProperty, ProblemGroup, group_counts, problem_groups
from benchwright_foundation.home import Home
from benchwright_judges.reading.text_length import ENCODING, TokenCounter, TokenEncoding
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.whole_pack import pack_with_hidden_parts
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable


def statistics(
    pack: Annotated[str, typer.Argument(metavar="PACK", help="A pack, or the folder of its author.")],
    by: Annotated[GroupProperty, typer.Option(help="How problems are grouped.")] = GroupProperty.CATEGORY,
    encoding: Annotated[TokenEncoding, typer.Option(help="The encoding whose tokens are counted.")] = ENCODING,
    json_output: Json = False,
) -> None:
    """Show how many problems of each kind a pack has, and how long their statements, files and references are."""
    with exit_on_expected_error():
        home = Home.from_environment()
        whole_pack = pack_with_hidden_parts(Store(home), pack)
        counter = TokenCounter(home.cache, encoding)
        with progress("counting", len(whole_pack.problems), "problems") as meter:
            sized_groups = problem_groups(whole_pack, by, counter.count)
            meter.show_counts(len(whole_pack.problems), len(whole_pack.problems), 0)
    counts = group_counts(whole_pack)
    if json_output:
        print_json(
            {
                "pack": whole_pack.name,
                "problems": len(whole_pack.problems),
                "encoding": encoding.value,
                "counts": {
                    counted_property.value: dict(sorted(group_counter.items()))
                    for counted_property, group_counter in counts.items()
                },
                "by": by.value,
                "groups": [asdict(problem_group) for problem_group in sized_groups],
            }
        )
        return
    for counted_property, group_counter in counts.items():
        numbers = ", ".join(f"{group} {number}" for group, number in sorted(group_counter.items()))
        console.print(f"{counted_property.value}: {numbers}", markup=False, soft_wrap=True)
    _print_sizes_by_group(sized_groups, by.value)
    console.print(f"Tokens are those of {encoding}.")


def _print_sizes_by_group(sized_groups: list[ProblemGroup], group_property: str) -> None:
    table = TerminalTable(
        group_property, "problems", "part", "lines, mean", "lines, most", "tokens, mean", "tokens, most"
    )
    for problem_group in sized_groups:
        for size in problem_group.sizes:
            table.add_row(
                problem_group.name,
                str(size.problems),
                size.part.value,
                f"{size.mean_lines:,.0f}",
                f"{size.most_lines:,}",
                "unknown" if size.mean_tokens is None else f"{size.mean_tokens:,.0f}",
                "unknown" if size.most_tokens is None else f"{size.most_tokens:,}",
            )
    table.print_rows()
