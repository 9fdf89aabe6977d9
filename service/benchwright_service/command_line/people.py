"""`benchwright course people`, `export-person` and `delete-person`: the people of a course."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_service.command_line.options import DatabaseUrl, explained
from benchwright_service.errors import BenchServiceError

if TYPE_CHECKING:
    from benchwright_service.accounts.people import People

T = TypeVar("T")

Course = Annotated[str, typer.Argument(help="The course's short name.")]
Person = Annotated[str, typer.Argument(help="The account, as `benchwright course people` prints it.")]


def add_to(course: typer.Typer) -> None:
    """Adds the commands."""
    course.command("people", help="List everybody in a course.")(people)
    course.command("export-person", help="Write what the service has of a person in a course.")(export)
    course.command("delete-person", help="Delete what the service has of a person in a course.")(delete)


def people(course: Course, database: DatabaseUrl = "") -> None:
    """A line for each: account, role, section, group and name, with tabs between."""
    for one in _with_people(database, lambda found: found.of(course)):
        typer.echo("\t".join((one.account, one.role.value, one.section or "-", one.group or "-", one.name)))


def export(
    course: Course,
    person: Person,
    file: Annotated[Path, typer.Argument(help="The ZIP archive to write.")],
    database: DatabaseUrl = "",
) -> None:
    """Events, files, verdicts as they were shown, and grades; nothing hidden and nothing of other people."""
    with explained():
        if file.exists():
            raise BenchServiceError(f"{file} is there already; choose another name")
    content = _with_people(database, lambda found: found.export(course, person))
    with explained():
        try:
            write_atomically(file.absolute(), content, 0o600)
        except OSError as error:
            raise BenchServiceError(f"{file} can't be written: {error.strerror}") from error
    typer.echo(f"{file} has what the service keeps of {person} in {course}. Only you can read it.")


def delete(
    course: Course,
    person: Person,
    reason: Annotated[str, typer.Option(help="Kept with the tombstones; no names.")] = "asked for",
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Their account too, if they are in no other course. Backups that were made before have all of it still."""
    one = _with_people(database, lambda found: found.find(course, person))
    if not yes:
        if not sys.stdin.isatty():
            with explained():
                raise BenchServiceError(f"Give --yes to delete what the service has of {one.name} in {course}")
        typer.confirm(f"Delete all that the service has of {one.name} in {course}?", abort=True, err=True)
    count = _with_people(database, lambda found: found.delete(course, person, reason))
    typer.echo(f"Deleted, with {count} attempt{'' if count == 1 else 's'}.")


def _with_people(database_url: str, ask: Callable[[People], Awaitable[T]]) -> T:
    with explained(), needs("The bench service", "service"):
        from benchwright_service.bench import open_people

        async def asked() -> T:
            async with open_people(Home.find(), database_url or None) as found:
                return await ask(found)

        return asyncio.run(asked())
