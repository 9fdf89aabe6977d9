"""Rosters of courses: a file is merged into one, after a look at what it changes, and invitations are made."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation import access_token
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Role
from benchwright_service.accounts.roster import Seat
from benchwright_service.accounts.roster_entries import (
    entries_of_course,
    id_column_values,
    new_entry_values,
)
from benchwright_service.accounts.roster_merge import EntryMatch, RosterEntry, RosterPlan, plan_merge
from benchwright_service.errors import BenchServiceError
from benchwright_service.points.kept_worth import lock_assignments_of_courses, recompute_worth_of_people
from benchwright_service.storage.tables import ACCOUNTS, COURSES, INVITATIONS, MEMBERS, ROSTER


@dataclass(frozen=True)
class RosterFile:
    """A file that is to be merged."""

    seats: Sequence[Seat]
    name: str
    """Its name in messages."""
    drops_missing: bool = True
    """True if who is not in it takes part no longer."""
    is_by_owner: bool = True
    """False for staff, who can't change other staff."""


@dataclass(frozen=True)
class Invited:
    """Somebody who is to be sent an invitation."""

    seat: Seat
    code: str


@dataclass(frozen=True)
class MergedRoster:
    """A file that was merged."""

    plan: RosterPlan
    invited: Sequence[Invited]
    """The new people."""


class Rosters:
    """Merges and reads rosters.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def entries(self, course: str) -> Sequence[RosterEntry]:
        """A course's roster, also those who were dropped."""
        async with self._database.read_transaction() as connection:
            return await entries_of_course(connection, course)

    async def preview(self, course: str, file: RosterFile) -> RosterPlan:
        """What a file would change.

        Raises:
            BenchServiceError: The course does not exist, or the file contradicts itself or the roster.
        """
        async with self._database.read_transaction() as connection:
            return await _merge_plan(connection, course, file)

    async def merge(
        self, course: str, file: RosterFile, *, expected_digest: str = "", expire_time: float | None = None
    ) -> MergedRoster:
        """Merges a file: new people get an account and an invitation, others stay who they are.

        Nobody is deleted: who is dropped keeps all that they have done, and has it again when a file has them again.

        Args:
            course: Its id.
            file: The file.
            expected_digest: Of the preview that somebody has agreed to; empty for any.
            expire_time: The end of the invitations; None for no end.

        Raises:
            BenchServiceError: The course does not exist, or the file contradicts itself or the roster.
            RefusalError: The roster has changed since the preview.
        """
        current_time = self._now()
        async with self._database.write_transaction() as connection:
            # One file at a time.
            await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course).with_for_update(key_share=True))
            plan = await _merge_plan(connection, course, file)
            if expected_digest and plan.digest != expected_digest:
                raise RefusalError(
                    RefusalKind.CONFLICT,
                    "The roster has changed since you looked at it.",
                    "Upload the file again, and look at what it changes now.",
                )
            concerned_accounts = _accounts_whose_work_counts_otherwise(plan, file)
            if concerned_accounts:
                await lock_assignments_of_courses(connection, [course])
            accounts = await _add_people_and_get_accounts(connection, course, plan.additions, current_time)
            for match in plan.matches:
                await _update_entry_and_membership(connection, course, match, current_time)
            if file.drops_missing:
                await _drop_entries(connection, course, plan.drops, current_time)
            await recompute_worth_of_people(connection, course, concerned_accounts)
            codes = await _make_invitation_codes(
                connection, course, plan.additions, accounts, current_time, expire_time
            )
        return MergedRoster(plan, [Invited(seat, code) for seat, code in zip(plan.additions, codes, strict=True)])

    async def renew_invitations(
        self, course: str, *, by_owner: bool = True, expire_time: float | None = None
    ) -> Sequence[Invited]:
        """New invitations for everybody on the roster who has not come yet; their older ones end.

        Args:
            course: Its id.
            by_owner: False for staff, who can't invite other staff.
            expire_time: The end of the invitations; None for no end.
        """
        current_time = self._now()
        async with self._database.write_transaction() as connection:
            entries_to_invite = [
                entry
                for entry in await entries_of_course(connection, course)
                if not entry.has_joined and not entry.is_dropped and (by_owner or entry.role is Role.PARTICIPANT)
            ]
            seats = [Seat(0, entry.name, entry.ids, entry.section, entry.role) for entry in entries_to_invite]
            accounts = [entry.account for entry in entries_to_invite]
            older = and_(INVITATIONS.c.course == course, INVITATIONS.c.account.in_(accounts))
            await connection.execute(delete(INVITATIONS).where(older))
            codes = await _make_invitation_codes(connection, course, seats, accounts, current_time, expire_time)
        return [Invited(seat, code) for seat, code in zip(seats, codes, strict=True)]


async def _merge_plan(connection: AsyncConnection, course: str, file: RosterFile) -> RosterPlan:
    if (await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course))).scalar() is None:
        raise BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")
    plan = plan_merge(await entries_of_course(connection, course), file.seats, file.name)
    if not file.is_by_owner:
        plan.require_participants_only()
    return plan


def _accounts_whose_work_counts_otherwise(plan: RosterPlan, file: RosterFile) -> Sequence[str]:
    """Accounts of who is dropped, comes back, or gets another role."""
    changed_entries = [
        match.entry for match in plan.matches if match.entry.is_dropped or match.role is not match.entry.role
    ]
    return [entry.account for entry in (*changed_entries, *(plan.drops if file.drops_missing else ()))]


async def _add_people_and_get_accounts(
    connection: AsyncConnection, course: str, seats: Sequence[Seat], current_time: float
) -> Sequence[str]:
    """Makes accounts for new people; returns them."""
    accounts = [uuid.uuid4().hex for _ in seats]
    if not accounts:
        return accounts
    account_rows = [
        {"id": account, "name": seat.name, "created": current_time}
        for account, seat in zip(accounts, seats, strict=True)
    ]
    member_rows = []
    roster_rows = []
    for account, seat in zip(accounts, seats, strict=True):
        role = seat.role or Role.PARTICIPANT
        member_rows.append({"course": course, "account": account, "role": role.value, "section": seat.section})
        entry_values = new_entry_values(course, account, seat.name, seat.ids, role, seat.section, current_time)
        roster_rows.append(entry_values | {"listed": current_time})
    await connection.execute(insert(ACCOUNTS), account_rows)
    await connection.execute(insert(MEMBERS), member_rows)
    await connection.execute(insert(ROSTER), roster_rows)
    return accounts


async def _update_entry_and_membership(
    connection: AsyncConnection, course: str, match: EntryMatch, current_time: float
) -> None:
    entry = match.entry
    values: dict[str, Any] = {"listed": current_time}
    if match.differences or match.ids != entry.ids:
        values |= {
            "name": match.name,
            **id_column_values(match.ids),
            "role": match.role.value,
            "section": match.section,
        }
        values["dropped"] = None
    await connection.execute(update(ROSTER).where(ROSTER.c.id == entry.id).values(values))
    if not match.differences:
        return
    if match.name != entry.name:
        await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == entry.account).values(name=match.name))
    place = {"role": match.role.value, "section": match.section}
    if entry.is_dropped:
        team = select(ROSTER.c.team).where(ROSTER.c.id == entry.id).scalar_subquery()
        await connection.execute(insert(MEMBERS).values(course=course, account=entry.account, team=team, **place))
    else:
        is_member = and_(MEMBERS.c.course == course, MEMBERS.c.account == entry.account)
        await connection.execute(update(MEMBERS).where(is_member).values(place))


async def _drop_entries(
    connection: AsyncConnection, course: str, entries: Sequence[RosterEntry], current_time: float
) -> None:
    if not entries:
        return
    teams = select(MEMBERS.c.team).where(MEMBERS.c.course == course, MEMBERS.c.account == ROSTER.c.account)
    dropping = update(ROSTER).where(ROSTER.c.id == bindparam("entry"))
    dropping = dropping.values(
        dropped=current_time,
        role=bindparam("kept_role"),
        section=bindparam("kept_section"),
        team=func.coalesce(teams.scalar_subquery(), ""),
    )
    rows = [{"entry": entry.id, "kept_role": entry.role.value, "kept_section": entry.section} for entry in entries]
    await connection.execute(dropping, rows)
    accounts = [entry.account for entry in entries]
    await connection.execute(delete(MEMBERS).where(MEMBERS.c.course == course, MEMBERS.c.account.in_(accounts)))


async def _make_invitation_codes(
    connection: AsyncConnection,
    course: str,
    seats: Sequence[Seat],
    accounts: Sequence[str],
    current_time: float,
    expire_time: float | None,
) -> Sequence[str]:
    codes = [access_token.new_id_and_secret()[1] for _ in seats]
    rows: list[Mapping[str, Any]] = [
        {
            "digest": access_token.hash_secret(code),
            "course": course,
            "role": (seat.role or Role.PARTICIPANT).value,
            "section": seat.section,
            "uses": 1,
            "uses_left": 1,
            "created": current_time,
            "expires": expire_time,
            "account": account,
        }
        for code, seat, account in zip(codes, seats, accounts, strict=True)
    ]
    if rows:
        await connection.execute(insert(INVITATIONS), rows)
    return codes
