"""`benchwright course`: courses with their people, assignments and questions; the service's tokens, keys, backups."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import AllowedHelp
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_remote.messages import Role
from benchwright_service.command_line.options import Course, DatabaseUrl, explain_errors
from benchwright_service.courses.assistance_rule import assistance_rule
from benchwright_service.errors import BenchServiceError

if TYPE_CHECKING:
    from benchwright_service.accounts.people import People
    from benchwright_service.bench import Administration

T = TypeVar("T")

Person = Annotated[str, typer.Argument(help="The account, as `benchwright course people` prints it.")]


def add_to(parent: typer.Typer) -> None:
    """Adds the commands."""
    course = typer.Typer(no_args_is_help=True, help="Set up the courses of the bench service on this machine.")
    course.command("create", help="Make a course.")(create)
    course.command("invite", help="Print an invitation to a course.")(invite)
    course.command("roster", help="Merge a CSV file into a course's roster, and invite who is new.")(roster)
    course.command("link", help="Print a link that signs somebody in, once, within a day.")(link)
    course.command("assign", help="Give a course a pack, or some of its problems, to work on.")(assign)
    course.command("assign-weeks", help="Give a course an assignment for each week of a course file.")(
        assign_weeks_of_file
    )
    course.command("archive", help="End a course: it can be read, and nothing of it changes.")(archive)
    course.command("token", help="Print a token for somebody whom another program has signed in.")(token)
    course.command("worker-token", help="Print a token for workers on other machines.")(worker_token)
    course.command("backup", help="Pack all that the service keeps into one file, while it may run.")(backup)
    course.command("restore", help="Unpack such a file where there is nothing yet.")(restore)
    course.command("rotate-key", help="Sign receipts with a new key from now on, while the service may run.")(
        rotate_key
    )
    course.command("accept-keys", help="Go on with this folder's signing keys where the service's own are lost.")(
        accept_keys
    )
    course.command("revoke-key", help="Say that receipts of a key prove nothing from a time on.")(revoke_key)
    course.command("people", help="List everybody in a course.")(people)
    course.command("export-person", help="Write what the service has of a person in a course.")(export_person)
    course.command("delete-person", help="Delete what the service has of a person in a course.")(delete_person)
    course.command("clean-up", help="Delete records of students of courses that ended long enough ago.")(clean_up)
    questions_app = typer.Typer(no_args_is_help=True, help="Questions that a course collects.")
    questions_app.command("add", help="Send the multiple-choice questions of a pack's folder to a course's reviewers.")(
        add_questions
    )
    course.add_typer(questions_app, name="questions")
    parent.add_typer(course, name="course")


def create(course: Course, title: Annotated[str, typer.Option(help="For people.")], database: DatabaseUrl = "") -> None:
    """Makes a course."""
    _run_with_administration(database, lambda administration: administration.courses.create(course, title))
    typer.echo(f"Made. Next: benchwright course assign {course} starter, and benchwright course invite {course}")


def invite(
    course: Course,
    role: Annotated[Role, typer.Option(help="What who joins will be.")] = Role.PARTICIPANT,
    section: Annotated[str, typer.Option(help="Of the course.")] = "",
    uses: Annotated[int, typer.Option(min=1, help="How many people can join with it.")] = 1,
    expires: Annotated[datetime | None, typer.Option(help="Until when, in UTC.")] = None,
    database: DatabaseUrl = "",
) -> None:
    """Prints a code; it can't be shown again."""
    expiry = expires.replace(tzinfo=UTC).timestamp() if expires else None
    typer.echo(
        _run_with_administration(
            database,
            lambda administration: administration.accounts.make_invitation(
                course, role, section=section, uses=uses, expire_time=expiry
            ),
        )
    )


def roster(
    course: Course,
    file: Annotated[
        Path, typer.Argument(help="CSV as Canvas, Moodle or a spreadsheet writes it, with names and emails or numbers.")
    ],
    output: Annotated[
        Path, typer.Argument(help="CSV to write: the people who are new, with an invitation in each row.")
    ],
    address: Annotated[
        str, typer.Option(envvar="BENCHWRIGHT_SERVICE_ADDRESS", help="The service's, as its users have it.")
    ] = "",
    expires: Annotated[datetime | None, typer.Option(help="Until when, in UTC.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what would change, and change nothing.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Drop nobody whom the file does not have.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Drop people without asking.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Merges the file into the course's roster; people who are on it get no second invitation.

    Who is dropped can't work in the course any more, and nothing of them is deleted. Each invitation signs its person
    in as long as it holds; it can't be shown again.
    """
    with explain_errors():
        from benchwright_service.accounts.roster import invitation_csv, read_roster
        from benchwright_service.accounts.roster_merge import plan_lines
        from benchwright_service.accounts.rosters import RosterFile

        roster_file = RosterFile(read_roster(file), str(file), drops_missing=not keep)
        if not preview and output.exists():
            raise BenchServiceError(f"{output} is there already; choose another name")
        if not preview and not os.access(output.absolute().parent, os.W_OK):
            raise BenchServiceError(f"{output} can't be written; choose another folder")
    plan = _run_with_administration(
        database, lambda administration: administration.rosters.preview(course, roster_file)
    )
    for line in plan_lines(plan, drops_missing=not keep):
        typer.echo(line)
    if preview:
        return
    if plan.drops and not keep and not yes:
        if not sys.stdin.isatty():
            with explain_errors():
                raise BenchServiceError(
                    f"Give --yes to drop {len(plan.drops)} people from {course}, or --keep to keep them"
                )
        typer.confirm(f"Drop {len(plan.drops)} people from {course}?", abort=True, err=True)
    expiry = expires.replace(tzinfo=UTC).timestamp() if expires else None
    merged = _run_with_administration(
        database,
        lambda administration: administration.rosters.merge(
            course, roster_file, expected_digest=plan.digest, expire_time=expiry
        ),
    )
    with explain_errors():
        sign_in = f"{address.rstrip('/')}/sign-in" if address else ""
        seats, codes = [invited.seat for invited in merged.invited], [invited.code for invited in merged.invited]
        write_atomically(output.absolute(), invitation_csv(seats, codes, sign_in), 0o600)
    typer.echo(f"{output} has {len(codes)} invitations. Send each to its person only; only you can read the file.")


def link(
    course: Course,
    person: Annotated[str, typer.Argument(help="On the roster: an email, student number, login or account.")],
    address: Annotated[
        str, typer.Option(envvar="BENCHWRIGHT_SERVICE_ADDRESS", help="The service's, as its users have it.")
    ],
    database: DatabaseUrl = "",
) -> None:
    """For somebody who has lost their invitation, where no mail server is configured. Send it to its person only."""
    code = _run_with_administration(
        database, lambda administration: administration.links.make_code_for_person(course, person)
    )
    with explain_errors():
        from benchwright_service.sign_in.mail import link_address

        typer.echo(link_address(address, code))


def assign(
    course: Course,
    pack: Annotated[str, typer.Argument(help="A pack of this machine.")],
    problem: Annotated[list[str] | None, typer.Option(help="A problem of it; all if none is named.")] = None,
    title: Annotated[str, typer.Option(help="For people; the pack's if not given.")] = "",
    opens: Annotated[datetime | None, typer.Option(help="When work on it may start, in UTC.")] = None,
    due: Annotated[datetime | None, typer.Option(help="When it is due, in UTC.")] = None,
    closes: Annotated[datetime | None, typer.Option(help="After this nothing is graded, in UTC.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="How many runs an attempt may ask for.")] = None,
    reveal: Annotated[Reveal | None, typer.Option(help="The most that is shown of a verdict.")] = None,
    reveal_after_due: Annotated[Reveal | None, typer.Option(help="The same once it is due.")] = None,
    reveal_after_closing: Annotated[Reveal | None, typer.Option(help="The same once it is closed.")] = None,
    assistance: Annotated[
        AllowedHelp | None, typer.Option(help="Which models may help; nothing is said, or checked, if not given.")
    ] = None,
    extension: Annotated[
        list[str] | None,
        typer.Option(help="With --assistance named: one that may help, such as github.copilot.", show_default=False),
    ] = None,
    aid: Annotated[
        list[Aid] | None, typer.Option(help="An aid that students may use; all if none is named.", show_default=False)
    ] = None,
    no_aids: Annotated[bool, typer.Option("--no-aids", help="Students may use no aid.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Makes an assignment; prints its id."""
    if no_aids and aid:
        raise typer.BadParameter("it can't be given with --aid", param_hint="--no-aids")
    with explain_errors():
        rule = assistance_rule(assistance, extension or ())
    typer.echo(
        _run_with_administration(
            database,
            lambda administration: administration.courses.make_assignment(
                course,
                pack,
                title=title,
                problems=problem or None,
                opens=_as_utc(opens),
                due=_as_utc(due),
                closes=_as_utc(closes),
                most_runs=runs,
                reveal=reveal,
                reveal_after_due=reveal_after_due,
                reveal_after_closing=reveal_after_closing,
                assistance=rule,
                aids=() if no_aids else aid or None,
            ),
        )
    )


def assign_weeks_of_file(
    course: Course,
    file: Annotated[str, typer.Argument(help="The course file, or a built-in pack that has one: architecture-labs.")],
    starts: Annotated[datetime, typer.Option(help="When the first week begins, in UTC.")],
    database: DatabaseUrl = "",
) -> None:
    """Makes the assignments; prints their ids."""
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.courses.course_file import assign_weeks, read_course_file

        course_file = read_course_file(file)
    starts_in_utc = starts.replace(tzinfo=UTC)
    for assignment in _run_with_administration(
        database,
        lambda administration: assign_weeks(
            administration.database, administration.courses, course, course_file, starts_in_utc
        ),
    ):
        typer.echo(assignment)


def archive(
    course: Course,
    restore: Annotated[bool, typer.Option("--restore", help="Have an archived course go on.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Nothing is deleted."""
    _run_with_administration(
        database, lambda administration: administration.courses.archive_or_restore(course, restore=restore)
    )
    typer.echo(f"{course} goes on." if restore else f"{course} is archived. --restore has it go on.")


def token(
    course: Course,
    person: Annotated[str, typer.Argument(help="Who they are there; the same one is the same account.")],
    name: Annotated[str, typer.Option(help="What the course's staff call them.", show_default=False)] = "",
    signed_in_by: Annotated[str, typer.Option(help="The program, such as a hub.")] = "hub",
    role: Annotated[Role, typer.Option(help="In the course, unless they have one.")] = Role.PARTICIPANT,
    database: DatabaseUrl = "",
) -> None:
    """Prints a token for `benchwright login`; it can't be shown again. They are in the course from now on."""
    typer.echo(
        _run_with_administration(
            database,
            lambda administration: administration.accounts.enrol_identity_and_make_token(
                signed_in_by, person, name or person, course, role
            ),
        )
    )


def worker_token(
    name: Annotated[str, typer.Argument(help="For whom, such as the other machine.")], database: DatabaseUrl = ""
) -> None:
    """Prints a token; it can't be shown again."""
    typer.echo(
        _run_with_administration(database, lambda administration: administration.accounts.new_worker_token(name))
    )


def backup(file: Annotated[Path, typer.Argument(help="What to write, such as bench-2026-11-23.tar.gz.")]) -> None:
    """Of a PostgreSQL database make a dump before."""
    with explain_errors():
        from benchwright_service.storage.backup import back_up_and_count_files

        count = back_up_and_count_files(Home.from_environment(), file)
    typer.echo(
        f"{file} has {counted(count, 'file')}: hidden parts, the signing key, what solvers did. Only you can read it."
    )


def restore(file: Annotated[Path, typer.Argument(help="What `benchwright course backup` has written.")]) -> None:
    """Of a PostgreSQL database restore the dump before."""
    with explain_errors():
        from benchwright_service.storage import backup as backups

        count = backups.restore_and_count_files(Home.from_environment(), file)
    typer.echo(f"{count} files are back. Next: benchwright serve")


def rotate_key() -> None:
    """Receipts of older keys stay valid: all keys are published, with the time in which each signed."""
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.evidence.signing_keys import rotate_signing_key

        signing_key = rotate_signing_key(Home.from_environment().data / "service")
    typer.echo(
        f"The service signs with {signing_key.key} since {signing_key.begins:%Y-%m-%d %H:%M:%S} UTC. Back up the "
        "data folder."
    )


def accept_keys(database: DatabaseUrl = "") -> None:
    """Receipts of the keys that are lost stay valid for who kept the list that the service published."""

    async def accept() -> str:
        from benchwright_service.bench import open_administration
        from benchwright_service.evidence.signing_keys import existing_or_new_keys_file, read_keys
        from benchwright_service.storage.facts import Facts

        home = Home.from_environment()
        newest = read_keys(existing_or_new_keys_file(home.data / "service")).published().keys[-1].key
        async with open_administration(home, database or None) as parts:
            await Facts(parts.database).set_common_key(newest)
        return newest

    with explain_errors(), explain_missing_extra("The bench service", "service"):
        newest_key = asyncio.run(accept())
    typer.echo(f"The service signs with {newest_key}. Start its processes again, with this data folder.")


def revoke_key(
    key: Annotated[str, typer.Argument(help="A key as /api/v1/keys shows it, or its beginning.")],
    since: Annotated[datetime, typer.Option(help="From when on somebody else may have had it, in UTC.")],
) -> None:
    """If it is the present key, a new one signs from now on."""
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.evidence.signing_keys import revoke_signing_key

        revoked = revoke_signing_key(Home.from_environment().data / "service", key, since.replace(tzinfo=UTC))
    typer.echo(f"Receipts of {revoked.key} prove nothing since {revoked.revoked:%Y-%m-%d %H:%M:%S} UTC.")


def people(course: Course, database: DatabaseUrl = "") -> None:
    """A line for each: account, role, section, group and name, with tabs between."""
    for person in _run_with_people(database, lambda course_people: course_people.members(course)):
        typer.echo(
            "\t".join((person.account, person.role.value, person.section or "-", person.group or "-", person.name))
        )


def export_person(
    course: Course,
    person: Person,
    file: Annotated[Path, typer.Argument(help="The ZIP archive to write.")],
    database: DatabaseUrl = "",
) -> None:
    """Events, files, verdicts as they were shown, and grades; nothing hidden and nothing of other people."""
    with explain_errors():
        if file.exists():
            raise BenchServiceError(f"{file} is there already; choose another name")
    content = _run_with_people(database, lambda course_people: course_people.export_person_zip(course, person))
    with explain_errors():
        try:
            write_atomically(file.absolute(), content, 0o600)
        except OSError as error:
            raise BenchServiceError(f"{file} can't be written: {error.strerror}") from error
    typer.echo(f"{file} has what the service keeps of {person} in {course}. Only you can read it.")


def delete_person(
    course: Course,
    person: Person,
    reason: Annotated[str, typer.Option(help="Kept with the tombstones; no names.")] = "asked for",
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Their account too, if they are in no other course. Backups that were made before have all of it still."""
    found_person = _run_with_people(database, lambda course_people: course_people.member_or_dropped(course, person))
    if not yes:
        if not sys.stdin.isatty():
            with explain_errors():
                raise BenchServiceError(f"Give --yes to delete what the service has of {found_person.name} in {course}")
        typer.confirm(f"Delete all that the service has of {found_person.name} in {course}?", abort=True, err=True)
    count = _run_with_people(
        database, lambda course_people: course_people.delete_person_and_count_attempts(course, person, reason)
    )
    typer.echo(f"Deleted, with {_count_phrase(count, 'attempt')}.")


def clean_up(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted; delete nothing.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Courses whose settings have an end and a number of days. The service may run."""

    async def cleaned(course_people: People) -> list[str]:
        from benchwright_service.accounts.retention import Retention

        retention = Retention(course_people.database, course_people)
        lines = []
        for overdue in await retention.overdue_courses():
            if not dry_run:
                await retention.delete_students_and_count(overdue)
            verb = "would be deleted" if dry_run else "deleted"
            lines.append(
                f"{overdue.course}: ended {overdue.ends:%Y-%m-%d}, kept {counted(overdue.kept_days, 'day')}; "
                f"{_count_phrase(overdue.students, 'student')} with {_count_phrase(overdue.attempts, 'attempt')} {verb}"
            )
        return lines

    lines = _run_with_people(database, cleaned)
    for line in lines or ["No course has records that are kept no longer."]:
        typer.echo(line)


def add_questions(
    course: Course,
    folder: Annotated[Path, typer.Argument(help="The pack's, such as one with generated questions.")],
    database: DatabaseUrl = "",
) -> None:
    """They have no author, and no reviewer sees where they are from. What is there already is left out."""
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.questions import pack_questions

        pack = read_pack_folder(folder)

        async def added(administration: Administration) -> pack_questions.PackAddition:
            await administration.courses.require_course(course)
            return await pack_questions.send_questions_to_reviewers(administration.database, course, pack)

    addition = _run_with_administration(database, added)
    for problem, reason in addition.left_out.items():
        typer.echo(f"Left out: {problem} {reason}", err=True)
    noun = "question waits" if addition.questions == 1 else "questions wait"
    typer.echo(f"{addition.questions} {noun} for the reviewers of {course}.")


def _count_phrase(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _as_utc(time: datetime | None) -> datetime | None:
    return time and time.replace(tzinfo=UTC)


def _run_with_administration(database_url: str, operation: Callable[[Administration], Awaitable[T]]) -> T:
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.bench import open_administration

        async def ask_parts() -> T:
            async with open_administration(Home.from_environment(), database_url or None) as parts:
                return await operation(parts)

        return asyncio.run(ask_parts())


def _run_with_people(database_url: str, operation: Callable[[People], Awaitable[T]]) -> T:
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_service.bench import open_people

        async def ask_people() -> T:
            async with open_people(Home.from_environment(), database_url or None) as course_people:
                return await operation(course_people)

        return asyncio.run(ask_people())
