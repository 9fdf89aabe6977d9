"""`benchwright open`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from benchwright_attempts.actor import Actor, acting_as
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.cli.problems.whole_pack import author_folder_and_id, install_author_folder
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("open")(open_problem)


def open_problem(
    problem: options.AuthoredProblem,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin a new attempt.")] = False,
    json_output: options.Json = False,
) -> None:
    """Create a workspace for a problem, or find that of the unfinished attempt.

    FOLDER/ID installs the pack in the folder first, as it is now, instead of what an earlier call installed.
    """

    async def work() -> None:
        home = Home.from_environment()
        folder, problem_id = author_folder_and_id(problem)
        problem_ref = problem if folder is None else f"{install_author_folder(home, folder).name}/{problem_id}"
        sessions = EditorSessions(home, open_sandbox(DEFAULT_SANDBOX))
        try:
            with acting_as(Actor.TERMINAL):
                opened_problem = await sessions.open(problem_ref, fresh)
        finally:
            await sessions.close()
        if json_output:
            print_json(opened_problem.model_dump(mode="json", by_alias=True))
        else:
            console.print(f"{opened_problem.status.title}: {opened_problem.status.workspace}", soft_wrap=True)

    with exit_on_expected_error():
        asyncio.run(work())
