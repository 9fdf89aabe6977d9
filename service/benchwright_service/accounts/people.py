"""The people of a course: their groups, and export and deletion of one person's data."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
import zipfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Table, delete, func, insert, select, tuple_, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.database import Database
from benchwright_foundation.home import Home
from benchwright_judges.records.records import Records
from benchwright_remote.messages import Role
from benchwright_service.accounts.accounts import DELETED
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.errors import BenchServiceError
from benchwright_service.points.kept_worth import lock_assignments_of_courses, recompute_worth_of_teams
from benchwright_service.questions.personal_data import (
    erase_person_from_questions,
    export_question_pictures,
    export_questions_and_reviews,
)
from benchwright_service.runs.run_views import RunViews
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    APPEALS,
    ASSIGNMENTS,
    ASSISTANCE_CHECKS,
    ATTEMPTS_HELD,
    DEVICES,
    EXTENSION_HISTORY,
    EXTENSIONS,
    HINTS,
    IDENTITIES,
    INVITATIONS,
    LATE_DAYS,
    LTI_CONTEXTS,
    LTI_PEOPLE,
    LTI_SCORES,
    MAILED_NOTICES,
    MEMBERS,
    RECEIPTS,
    RECORDING_CHOICES,
    REGRADED,
    ROSTER,
    RUNS,
    SESSIONS,
    SHARES,
    SIGN_IN_LINKS,
    TOKENS,
    UNWANTED_MAIL,
    USES,
    WORTH,
)
from benchwright_studies.conduct.study_log import StudyLog

_OF_ASSIGNMENTS = (EXTENSIONS, EXTENSION_HISTORY, LATE_DAYS, ADJUSTMENTS, APPEALS, LTI_SCORES)
_OF_ACCOUNTS = (IDENTITIES, INVITATIONS, LTI_PEOPLE, SIGN_IN_LINKS, TOKENS, SESSIONS, DEVICES, UNWANTED_MAIL)


@dataclass(frozen=True)
class Person:
    """Somebody in a course."""

    account: str
    name: str
    role: Role
    section: str
    group: str


class People:
    """Lists, exports and deletes them.

    Args:
        database: Database of the service.
        log: The service's.
        snapshots: Contents of files.
        run_views: Show runs as their solver may see them.
        home: Folder of the raw logs.
        read_records: Opens the database of judgements.
        read_owed_adjustment_rows: Rows of adjustments that keep the points of a person's group, for a course and an
            account.
        forget_known_tokens: Called once an account is disabled: its tokens are good for nothing from then on.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        log: StudyLog,
        snapshots: Snapshots,
        run_views: RunViews,
        home: Home,
        read_records: Callable[[], Awaitable[Records]],
        read_owed_adjustment_rows: Callable[[str, str], Awaitable[Sequence[Mapping[str, Any]]]],
        forget_known_tokens: Callable[[], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._log = log
        self._snapshots = snapshots
        self._views = run_views
        self._home = home
        self._records = read_records
        self._points_owed = read_owed_adjustment_rows
        self._forget_known_tokens = forget_known_tokens
        self._now = clock

    @property
    def database(self) -> Database:
        """Database of the service."""
        return self._database

    async def members(self, course: str) -> Sequence[Person]:
        """Everybody in a course, by name."""
        query = (
            select(ACCOUNTS.c.id, ACCOUNTS.c.name, MEMBERS.c.role, MEMBERS.c.section, MEMBERS.c.team)
            .join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
            .where(MEMBERS.c.course == course)
            .order_by(func.lower(ACCOUNTS.c.name), ACCOUNTS.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [Person(row.id, row.name, Role(row.role), row.section, row.team) for row in rows]

    async def dropped_people(self, course: str) -> Sequence[Person]:
        """Everybody who was dropped from the roster of a course, by name; the service has their work still."""
        query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.dropped.is_not(None))
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query.order_by(func.lower(ROSTER.c.name), ROSTER.c.account))).all()
        return [Person(row.account, row.name, Role(row.role), row.section, row.team) for row in rows]

    async def member_or_dropped(self, course: str, account: str) -> Person:
        """One of them, or one who was dropped from its roster.

        Raises:
            BenchServiceError: The person is not in the course.
        """
        for read_people in (self.members, self.dropped_people):
            for person in await read_people(course):
                if person.account == account:
                    return person
        raise BenchServiceError(f"the course {course!r} has nobody {account!r}; `benchwright course people` lists them")

    async def change_groups_and_find_conflicts(
        self, course: str, old_and_new_group_by_account: Mapping[str, tuple[str, str]]
    ) -> list[str]:
        """Puts people in other groups.

        Args:
            course: Its id.
            old_and_new_group_by_account: Account → the group that it is to leave and the one that it is to join;
                empty for working alone.

        Returns:
            The accounts that somebody else has moved meanwhile: they stay where they are.
        """
        moved_accounts = []
        async with self._database.write_transaction() as connection:
            for account, (old_group, new_group) in old_and_new_group_by_account.items():
                membership = MEMBERS.c.course == course, MEMBERS.c.account == account
                is_there = MEMBERS.c.team.in_((old_group, new_group))
                move = update(MEMBERS).where(*membership, is_there).values(team=new_group)
                if not (await connection.execute(move)).rowcount:
                    moved_accounts.append(account)
            teams = {team for groups in old_and_new_group_by_account.values() for team in groups}
            await recompute_worth_of_teams(connection, course, [*teams], [*old_and_new_group_by_account])
        return moved_accounts

    async def change_section_or_group(
        self, course: str, account: str, *, section: str | None, group: str | None
    ) -> None:
        """Puts somebody in another section or group; None for the one that they are in.

        Raises:
            BenchServiceError: The person is not in the course.
        """
        person = await self.member_or_dropped(course, account)
        values = {
            "section": person.section if section is None else section.strip(),
            "team": person.group if group is None else group.strip(),
        }
        move = update(MEMBERS).where(MEMBERS.c.course == course, MEMBERS.c.account == account).values(values)
        async with self._database.write_transaction() as connection:
            await connection.execute(move)
            await recompute_worth_of_teams(connection, course, [person.group, values["team"]], [account])

    async def export_person_zip(self, course: str, account: str) -> bytes:
        """Everything that the service has of a person in a course, as far as they may see it: a ZIP archive.

        It has `person.json`, the figures of their questions, and a folder for each attempt with `events.jsonl`,
        `receipts.jsonl`, `runs.json`, `hints.json` if hints were taken, and the files of each run. Of verdicts it has
        what the person was shown, and nothing hidden.

        Raises:
            BenchServiceError: The person is not in the course.
        """
        person = await self.member_or_dropped(course, account)
        attempt_rows = await self._attempt_rows(course, account)
        person_facts = await self._person_facts(course, person)
        async with self._database.read_transaction() as connection:
            figures = await export_question_pictures(connection, course, account)
        with tempfile.TemporaryFile() as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("person.json", _json_text(person_facts))
                for path, content in figures.items():
                    archive.writestr(path, content)
                for attempt in attempt_rows:
                    await self._export_attempt(archive, attempt)
            file.seek(0)
            return await asyncio.to_thread(file.read)

    async def delete_person_and_count_attempts(self, course: str, account: str, reason: str) -> int:
        """Deletes what the service has of a person in a course; the account too, if they are in no other.

        Of each attempt, a tombstone stays in the log: how many events there were, and the hash of the last. Other
        people's records are as they were, and their groups keep the points of the work that is deleted. If this ends
        in the middle, call it again.

        Returns:
            How many attempts there were.

        Raises:
            BenchServiceError: The person is not in the course.
            LogError: Nothing of the log was deleted.
        """
        person = await self.member_or_dropped(course, account)
        attempt_ids = [row.attempt for row in await self._attempt_rows(course, account)]
        other_courses = union(
            *(
                select(table.c.course).where(table.c.account == account, table.c.course != course)
                for table in (MEMBERS, ROSTER)
            )
        )
        async with self._database.write_transaction() as connection:
            is_last = (await connection.execute(other_courses)).first() is None
            if is_last:
                # From now on, nothing more comes from them.
                await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account).values(disabled=self._now()))
        self._forget_known_tokens()
        owed_rows = await self._points_owed(course, account)
        await asyncio.to_thread(self._log.delete_attempts, attempt_ids, reason)
        await self._delete_attempt_files(attempt_ids)
        await (await self._records()).delete_answers_of_attempts(attempt_ids)
        async with self._database.write_transaction() as connection:
            # First: who has a run and waits for its assignment might be waited for.
            await lock_assignments_of_courses(connection, [course])
            await _delete_person_rows(connection, course, account, attempt_ids)
            await recompute_worth_of_teams(connection, course, [person.group], [account])
            if owed_rows:
                await connection.execute(insert(ADJUSTMENTS), owed_rows)
            if is_last:
                for table in _OF_ACCOUNTS:
                    await connection.execute(delete(table).where(table.c.account == account))
                await connection.execute(delete(SHARES).where(SHARES.c.owner == account))
                await connection.execute(delete(USES).where(USES.c.key.endswith(f":{account}", autoescape=True)))
                await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account).values(name=DELETED, zone=""))
        return len(attempt_ids)

    async def _attempt_rows(self, course: str, account: str) -> Sequence[Row[Any]]:
        query = (
            select(ATTEMPTS_HELD)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == course, ATTEMPTS_HELD.c.account == account)
            .order_by(ATTEMPTS_HELD.c.created)
        )
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).all()

    async def _person_facts(self, course: str, person: Person) -> Mapping[str, Any]:
        person_facts: dict[str, Any] = {"course": course, "account": person.account, "name": person.name}
        person_facts |= {"role": person.role.value, "section": person.section, "group": person.group}
        chosen = select(RECORDING_CHOICES.c.agrees, RECORDING_CHOICES.c.at).where(
            RECORDING_CHOICES.c.course == course, RECORDING_CHOICES.c.account == person.account
        )
        entry_columns = [column for column in ROSTER.c if column.name not in ("id", "course", "account", "email_key")]
        entry_query = select(*entry_columns).where(ROSTER.c.course == course, ROSTER.c.account == person.account)
        zone_query = select(ACCOUNTS.c.zone).where(ACCOUNTS.c.id == person.account)
        mailed = select(*(MAILED_NOTICES.c[name] for name in ("kind", "subject", "deadline", "due", "sent"))).where(
            MAILED_NOTICES.c.course == course, MAILED_NOTICES.c.account == person.account
        )
        unwanted = select(UNWANTED_MAIL.c.kind, UNWANTED_MAIL.c.at).where(UNWANTED_MAIL.c.account == person.account)
        logins = select(IDENTITIES.c.issuer, IDENTITIES.c.subject).where(IDENTITIES.c.account == person.account)
        async with self._database.read_transaction() as connection:
            person_facts["logins"] = [dict(row) for row in (await connection.execute(logins)).mappings()]
            person_facts["roster"] = [dict(row) for row in (await connection.execute(entry_query)).mappings()]
            person_facts["time_zone"] = (await connection.execute(zone_query)).scalar_one()
            person_facts["mailed_notices"] = [dict(row) for row in (await connection.execute(mailed)).mappings()]
            person_facts["unwanted_mail"] = [dict(row) for row in (await connection.execute(unwanted)).mappings()]
            person_facts["recording"] = [dict(row) for row in (await connection.execute(chosen)).mappings()]
            for table in _OF_ASSIGNMENTS:
                person_rows = (await connection.execute(_person_rows_query(table, course, person.account))).mappings()
                # Of staff, who they are is theirs.
                hidden_columns = {"account", "by"}
                person_facts[table.name.removeprefix("service_")] = [
                    {key: value for key, value in person_row.items() if key not in hidden_columns}
                    for person_row in person_rows
                ]
            person_facts |= await export_questions_and_reviews(connection, course, person.account)
        return person_facts

    async def _export_attempt(self, archive: zipfile.ZipFile, attempt: Row[Any]) -> None:
        folder = f"attempts/{attempt.attempt}"
        with suppress(UnknownAttemptError):
            header, rows = await asyncio.to_thread(self._log.stored_attempt, attempt.attempt)
            lines = [header.model_dump_json(), *(row.as_json_line() for row in rows)]
            archive.writestr(f"{folder}/events.jsonl", "".join(f"{line}\n" for line in lines))
        own_runs = RUNS.c.attempt == attempt.attempt
        signed = select(RECEIPTS.c.anchor).where(RECEIPTS.c.attempt == attempt.attempt).order_by(RECEIPTS.c.events)
        check_query = select(ASSISTANCE_CHECKS.c.found).where(ASSISTANCE_CHECKS.c.attempt == attempt.attempt)
        hints_query = select(HINTS.c.number, HINTS.c.cost, HINTS.c.at).where(HINTS.c.attempt == attempt.attempt)
        async with self._database.read_transaction() as connection:
            run_rows = (await connection.execute(select(RUNS).where(own_runs).order_by(RUNS.c.number))).all()
            anchors = (await connection.execute(signed)).scalars().all()
            check = (await connection.execute(check_query)).scalar()
            taken_hints = (await connection.execute(hints_query)).mappings().all()
        archive.writestr(f"{folder}/receipts.jsonl", "".join(f"{anchor}\n" for anchor in anchors))
        run_views = []
        for run_row in run_rows:
            view = await self._views.run_view(run_row, attempt.problem, revision=0, queue_rank=None, step="")
            run_views.append(
                view.model_dump(mode="json", exclude={"revision", "place", "step"}) | {"queued": run_row.queued}
            )
            for path, digest in json.loads(run_row.files).items():
                content = await asyncio.to_thread(self._snapshots.content, digest)
                archive.writestr(f"{folder}/runs/{run_row.number}/{path}", content)
        if check is not None:
            archive.writestr(f"{folder}/assistance.json", f"{check}\n")
        if taken_hints:
            archive.writestr(f"{folder}/hints.json", _json_text([dict(row) for row in taken_hints]))
        archive.writestr(f"{folder}/runs.json", _json_text({"problem": attempt.problem, "runs": run_views}))

    async def _delete_attempt_files(self, attempt_ids: Sequence[str]) -> None:
        own_digests: set[str] = set()
        other_digests: set[str] = set()
        async with self._database.read_transaction() as connection:
            for row in await connection.execute(select(RUNS.c.attempt, RUNS.c.files)):
                (own_digests if row.attempt in attempt_ids else other_digests).update(json.loads(row.files).values())

        def deleted() -> None:
            for attempt in attempt_ids:
                RunRecords(self._home, attempt).delete()
            for digest in own_digests - other_digests:
                self._snapshots.delete(digest)

        await asyncio.to_thread(deleted)


async def _delete_person_rows(
    connection: AsyncConnection, course: str, account: str, attempt_ids: Sequence[str]
) -> None:
    for table in (*_OF_ASSIGNMENTS, WORTH):
        await connection.execute(
            delete(table).where(table.c.account == account, _assignment_in_course_condition(table, course))
        )
    await erase_person_from_questions(connection, course, account)
    run_query = select(RUNS.c.id).where(RUNS.c.attempt.in_(attempt_ids))
    await connection.execute(delete(REGRADED).where(REGRADED.c.run.in_(run_query)))
    for table in (RUNS, RECEIPTS, ASSISTANCE_CHECKS, HINTS, ATTEMPTS_HELD):
        await connection.execute(delete(table).where(table.c.attempt.in_(attempt_ids)))
    context_columns = LTI_PEOPLE.c.issuer, LTI_PEOPLE.c.client_id, LTI_PEOPLE.c.context
    contexts = select(LTI_CONTEXTS.c.issuer, LTI_CONTEXTS.c.client_id, LTI_CONTEXTS.c.context)
    of_course = tuple_(*context_columns).in_(contexts.where(LTI_CONTEXTS.c.course == course))
    await connection.execute(delete(LTI_PEOPLE).where(LTI_PEOPLE.c.account == account, of_course))
    for table in (RECORDING_CHOICES, MAILED_NOTICES, MEMBERS, ROSTER, INVITATIONS):
        await connection.execute(delete(table).where(table.c.course == course, table.c.account == account))


def _person_rows_query(table: Table, course: str, account: str) -> Any:
    return select(table).where(table.c.account == account, _assignment_in_course_condition(table, course))


def _assignment_in_course_condition(table: Table, course: str) -> Any:
    return table.c.assignment.in_(select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.course == course))


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
