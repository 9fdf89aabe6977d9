"""The entries of rosters within a transaction: found by what identifies a person, made, and joined with accounts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Row, and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Role
from benchwright_service.accounts.person_names import displayable_name
from benchwright_service.accounts.roster_merge import RosterEntry
from benchwright_service.points.kept_worth import lock_assignments_of_courses, recompute_worth_of_people
from benchwright_service.storage.tables import (
    ACCOUNTS,
    INVITATIONS,
    MEMBERS,
    METADATA,
    ROSTER,
    SESSIONS,
    TOKENS,
    WORTH,
)
from benchwright_teaching.person_ids import PersonIds

_ID_COLUMNS = tuple(PersonIds().columns)
_COLUMNS_OF_NAMESPACE = {
    "number": ("sis_id", "student_number"),
    "lms": ("lms_id",),
    "login": ("login",),
    "email": ("email", "login"),
}


async def has_roster(connection: AsyncConnection, course: str) -> bool:
    """True if a roster says who takes part in a course."""
    query = select(ROSTER.c.id).where(ROSTER.c.course == course, ROSTER.c.listed.is_not(None)).limit(1)
    return (await connection.execute(query)).first() is not None


async def entries_of_course(connection: AsyncConnection, course: str) -> Sequence[RosterEntry]:
    """A course's roster, also those who were dropped."""
    is_member = and_(MEMBERS.c.course == ROSTER.c.course, MEMBERS.c.account == ROSTER.c.account)
    query = (
        select(ROSTER, MEMBERS.c.role.label("present_role"), MEMBERS.c.section.label("present_section"))
        .outerjoin(MEMBERS, is_member)
        .where(ROSTER.c.course == course)
        .order_by(ROSTER.c.created, ROSTER.c.id)
    )
    return [_entry(row) for row in await connection.execute(query)]


def ids_of_row(row: Row[Any]) -> PersonIds:
    """The names and numbers of a row of the roster."""
    return PersonIds(**{column: getattr(row, column) for column in _ID_COLUMNS})


def id_column_values(ids: PersonIds) -> Mapping[str, str]:
    """The same as values of a row."""
    return {**ids.columns, "email_key": ids.email.casefold()}


def new_entry_values(
    course: str, account: str, name: str, ids: PersonIds, role: Role, section: str, created: float
) -> dict[str, Any]:
    """A new row of the roster, of somebody whom no roster has listed and who has not come yet."""
    return {
        "id": uuid.uuid4().hex,
        "course": course,
        "account": account,
        "name": name,
        **id_column_values(ids),
        "role": role.value,
        "section": section,
        "team": "",
        "created": created,
        "listed": None,
        "joined": None,
        "dropped": None,
    }


async def find_entry(connection: AsyncConnection, course: str, ids: PersonIds) -> Row[Any] | None:
    """The entry that one of these names and numbers is of, the surest first; None if it is of nobody, or of several.

    Entries that were dropped count where no other has the same.
    """
    for namespace, value in ids.keys:
        namespace_columns = [ROSTER.c[name] for name in _COLUMNS_OF_NAMESPACE[namespace]]
        query = select(ROSTER).where(
            ROSTER.c.course == course, or_(*(func.lower(column) == value for column in namespace_columns))
        )
        rows = (await connection.execute(query)).all()
        rows = [row for row in rows if row.dropped is None] or rows
        if len(rows) == 1:
            return rows[0]
        if rows:
            return None
    return None


async def note_arrival(connection: AsyncConnection, account: str, current_time: float) -> None:
    """Notes that somebody whom rosters have has signed in."""
    first_arrival = update(ROSTER).where(ROSTER.c.account == account, ROSTER.c.joined.is_(None))
    await connection.execute(first_arrival.values(joined=current_time))


async def absorb_account(connection: AsyncConnection, course: str, absorbed_account: str, kept_account: str) -> None:
    """Makes two accounts of one person one: what belongs to the first belongs to the second from now on.

    Args:
        connection: Within a transaction.
        course: The course by whose roster they are one person.
        absorbed_account: It is deleted.
        kept_account: The person's own.

    Raises:
        RefusalError: They are two people of one roster.
    """
    if absorbed_account == kept_account:
        return
    kept_entry_query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.account == kept_account)
    kept_entry = (await connection.execute(kept_entry_query)).one_or_none()
    if kept_entry is not None and kept_entry.listed is not None:
        raise RefusalError(
            RefusalKind.CONFLICT,
            f"You are signed in as {kept_entry.name}, who is in this course already.",
            "Sign out first if the invitation is somebody else's; it signs in whom it was sent to.",
        )
    if kept_entry is not None:
        # A launch has made it, before anybody knew who this is.
        await connection.execute(delete(ROSTER).where(ROSTER.c.id == kept_entry.id))
        entry_query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.account == absorbed_account)
        entry = (await connection.execute(entry_query)).one()
        completed = ids_of_row(entry).completed_by(ids_of_row(kept_entry))
        await connection.execute(update(ROSTER).where(ROSTER.c.id == entry.id).values(**id_column_values(completed)))
    courses_query = select(MEMBERS.c.course).where(MEMBERS.c.account.in_((absorbed_account, kept_account))).distinct()
    courses = (await connection.execute(courses_query)).scalars().all()
    await lock_assignments_of_courses(connection, courses)
    mates = await _accounts_of_group_mates(connection, absorbed_account)
    membership_query = select(MEMBERS).where(MEMBERS.c.course == course, MEMBERS.c.account == absorbed_account)
    membership = (await connection.execute(membership_query)).one_or_none()
    # Whoever sent an invitation to the one account does not come into the other's courses.
    codes_of_absorbed = update(INVITATIONS).where(INVITATIONS.c.account == absorbed_account)
    await connection.execute(codes_of_absorbed.values(account=None, uses_left=0))
    # Processes remember whose a token is: its programs sign in again.
    for table in (SESSIONS, TOKENS, WORTH):
        await connection.execute(delete(table).where(table.c.account == absorbed_account))
    for table in METADATA.sorted_tables:
        for column in table.columns:
            if any(key.target_fullname == "service_accounts.id" for key in column.foreign_keys):
                await _move_rows(connection, column, absorbed_account, kept_account)
    if membership is not None:
        is_member = and_(MEMBERS.c.course == course, MEMBERS.c.account == kept_account)
        await connection.execute(update(MEMBERS).where(is_member).values(section=membership.section))
    for course_of_either in courses:
        await recompute_worth_of_people(connection, course_of_either, [kept_account, *mates])
    # The course's staff have given the name.
    name = select(ACCOUNTS.c.name).where(ACCOUNTS.c.id == absorbed_account).scalar_subquery()
    await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == kept_account).values(name=name))
    await connection.execute(delete(ACCOUNTS).where(ACCOUNTS.c.id == absorbed_account))


async def _accounts_of_group_mates(connection: AsyncConnection, account: str) -> Sequence[str]:
    """The accounts of the groups that somebody is in."""
    membership = MEMBERS.alias()
    query = (
        select(MEMBERS.c.account)
        .join(membership, and_(membership.c.course == MEMBERS.c.course, membership.c.team == MEMBERS.c.team))
        .where(membership.c.account == account, membership.c.team != "", MEMBERS.c.account != account)
    )
    return (await connection.execute(query)).scalars().all()


async def _move_rows(
    connection: AsyncConnection, account_column: Column[Any], absorbed_account: str, kept_account: str
) -> None:
    """Gives the rows of an account to another, without those that the other has of its own."""
    table = account_column.table
    try:
        async with connection.begin_nested():
            await connection.execute(
                update(table).where(account_column == absorbed_account).values({account_column: kept_account})
            )
    except IntegrityError:
        key_columns = list(table.primary_key)
        for row in (await connection.execute(select(*key_columns).where(account_column == absorbed_account))).all():
            is_row = and_(*(key == value for key, value in zip(key_columns, row, strict=True)))
            try:
                async with connection.begin_nested():
                    await connection.execute(update(table).where(is_row).values({account_column: kept_account}))
            except IntegrityError:
                await connection.execute(delete(table).where(is_row))


async def new_account(connection: AsyncConnection, name: str, created: float) -> str:
    """A new account."""
    account = uuid.uuid4().hex
    await connection.execute(insert(ACCOUNTS).values(id=account, name=displayable_name(name), created=created))
    return account


def _entry(row: Row[Any]) -> RosterEntry:
    return RosterEntry(
        row.id,
        row.account,
        row.name,
        ids_of_row(row),
        Role(row.present_role or row.role),
        row.present_section if row.present_section is not None else row.section,
        is_listed=row.listed is not None,
        has_joined=row.joined is not None,
        is_dropped=row.dropped is not None,
    )
