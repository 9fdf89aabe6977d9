"""`benchwright course questions`: questions that a course's reviewers get from elsewhere than its people."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_service.command_line.options import DatabaseUrl, explained


def add_to(course: typer.Typer) -> None:
    """Adds the commands."""
    questions = typer.Typer(no_args_is_help=True, help="Questions that a course collects.")
    questions.command("add", help="Send the multiple-choice questions of a pack's folder to a course's reviewers.")(add)
    course.add_typer(questions, name="questions")


def add(
    course: Annotated[str, typer.Argument(help="The course's short name.")],
    folder: Annotated[Path, typer.Argument(help="The pack's, such as one with generated questions.")],
    database: DatabaseUrl = "",
) -> None:
    """They have no author, and no reviewer sees where they are from. What is there already is left out."""
    with explained(), needs("The bench service", "service"):
        from benchwright_service.bench import open_administration
        from benchwright_service.questions.adding import Added, add_questions

        pack = read_pack_folder(folder)

        async def added() -> Added:
            async with open_administration(Home.find(), database or None) as parts:
                await parts.courses.demand(course)
                return await add_questions(parts.database, course, pack)

        found = asyncio.run(added())
    for problem, why in found.left_out.items():
        typer.echo(f"Left out: {problem} {why}", err=True)
    noun = "question waits" if found.questions == 1 else "questions wait"
    typer.echo(f"{found.questions} {noun} for the reviewers of {course}.")
