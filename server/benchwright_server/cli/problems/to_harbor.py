"""`benchwright problems to-harbor`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.whole_pack import (
    author_folder_and_id,
    author_folder_if_any,
    pack_with_hidden_parts,
    problem_with_hidden_part,
)
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.errors import ServerError


def to_harbor(
    problems: Annotated[
        list[str], typer.Argument(metavar="PROBLEM...", help="PACK/ID, or PACK for all; an author's folder, too.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Gets a folder for each task, for you alone.")],
    image: Annotated[
        str,
        typer.Option(
            "--image",
            metavar="NAME",
            help="A Docker image with Python, pytest, cocotb and simulators; a Dockerfile installs them, if not given.",
        ),
    ] = "",
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out problems that can't be such a task, and say why.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Write design problems as task folders of Harbor, with hidden tests and solution.

    Each folder is called as its problem, and must not be there yet.
    """
    from benchwright_authoring.harbor.task_folder import NotExportableError, write_task_folder

    task_names: list[str] = []
    left_out: list[str] = []
    with exit_on_expected_error():
        for pack, problem in list(_chosen_problems(Store(Home.from_environment()), problems)):
            task_folder = folder / problem.id
            if task_folder.exists():
                raise ServerError(f"{task_folder} is there already; delete it, or choose another folder.")
            try:
                with explain_unwritable(task_folder):
                    write_task_folder(problem, pack.name, task_folder, image=image, canary=pack.canary or "")
            except NotExportableError as error:
                if not skip_invalid:
                    raise ServerError(f"{error}. --skip-invalid leaves it out.") from error
                left_out.append(str(error))
            else:
                task_names.append(str(task_folder))
    if json_output:
        print_json({"tasks": task_names, "left_out": left_out})
        return
    for reason in left_out:
        console.print(f"Left out: {reason}.", markup=False, soft_wrap=True)
    console.print(f"{counted(len(task_names), 'task')} written to {folder}.", markup=False, soft_wrap=True)


def _chosen_problems(store: Store, names: Sequence[str]) -> Iterator[tuple[Pack, Problem]]:
    for name in names:
        if author_folder_if_any(name) is not None or "/" not in name:
            pack = pack_with_hidden_parts(store, name)
            yield from ((pack, problem) for problem in pack.problems)
            continue
        pack_folder, _ = author_folder_and_id(name)
        source = str(pack_folder) if pack_folder is not None else name.partition("/")[0]
        pack = pack_with_hidden_parts(store, source) if pack_folder is not None else store.public_pack(source)
        yield pack, problem_with_hidden_part(store, name)
