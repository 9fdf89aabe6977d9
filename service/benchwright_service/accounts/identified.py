"""People whom an identity provider or a learning management system names: their accounts, courses, roster entries."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Row, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_remote.messages import Role
from benchwright_service.accounts.person_names import displayable_name
from benchwright_service.accounts.roster_entries import (
    absorb_account,
    find_entry,
    has_roster,
    id_column_values,
    ids_of_row,
    new_account,
    new_entry_values,
    note_arrival,
)
from benchwright_service.storage.tables import ACCOUNTS, COURSES, IDENTITIES, MEMBERS, ROSTER
from benchwright_teaching.person_ids import PersonIds


@dataclass(frozen=True)
class IdentifiedPerson:
    """Somebody, as another system names them."""

    issuer: str
    subject: str
    """Their identity there: the same one is the same account."""
    name: str
    """The name by which the staff of courses call a new account."""
    role: Role = Role.PARTICIPANT
    """Role in the course, unless they have one."""
    ids: PersonIds = field(default_factory=PersonIds)
    is_enrolled: bool = True
    """True if the other system has them in the course; False if it only knows who they are."""
    is_listed: bool = False
    """True if its roster has them, whether or not they ever come."""
    has_come: bool = True
    """True if they are here; False if a roster names them."""


async def enter_course_and_get_enabled_account(
    connection: AsyncConnection, identity: IdentifiedPerson, course: str, current_time: float
) -> str | None:
    """The account of somebody, in a course from now on unless its roster says otherwise; made if they have none.

    Args:
        connection: Within a transaction.
        identity: What another system says of them.
        course: They belong to it from now on; none if empty.
        current_time: Seconds since 1970.

    Returns:
        None if the account was disabled.
    """
    courses = [course] if course else await _courses_listing_email(connection, identity.ids)
    # Who comes by two browsers at once, two who claim one entry, and a roster's file that is merged: one by one.
    turns = select(COURSES.c.id).where(COURSES.c.id.in_(courses)).order_by(COURSES.c.id)
    await connection.execute(turns.with_for_update(key_share=True))
    known_query = select(IDENTITIES.c.account).where(
        IDENTITIES.c.issuer == identity.issuer, IDENTITIES.c.subject == identity.subject
    )
    account: str | None = (await connection.execute(known_query)).scalar()
    known_account = account
    for listing_course in courses:
        account = await _claim_entry_and_get_account(connection, listing_course, identity, account)
    if account is None or known_account is None:
        account = await _attach_identity_and_get_account(connection, identity, account, current_time)
    disabled_query = select(ACCOUNTS.c.disabled).where(ACCOUNTS.c.id == account)
    if (await connection.execute(disabled_query)).scalar() is not None:
        return None
    if course:
        await _enter_course(connection, course, account, identity, current_time)
    if identity.has_come:
        await note_arrival(connection, account, current_time)
    return account


async def _attach_identity_and_get_account(
    connection: AsyncConnection, identity: IdentifiedPerson, account: str | None, current_time: float
) -> str:
    """The account that somebody's identity belongs to from now on: theirs, or else a new one."""
    names_identity = IDENTITIES.c.issuer == identity.issuer, IDENTITIES.c.subject == identity.subject
    try:
        async with connection.begin_nested():
            own_account = account or await new_account(connection, identity.name, current_time)
            values = {"issuer": identity.issuer, "subject": identity.subject, "account": own_account}
            await connection.execute(insert(IDENTITIES).values(values))
    except IntegrityError:
        # Another browser of theirs came at the same moment, and no course is there to take turns in.
        return str((await connection.execute(select(IDENTITIES.c.account).where(*names_identity))).scalar_one())
    return own_account


async def _courses_listing_email(connection: AsyncConnection, ids: PersonIds) -> Collection[str]:
    """The courses whose rosters have somebody's address, or the login that is it."""
    addresses = {value for namespace, value in ids.keys if namespace == "email"}
    query = select(ROSTER.c.course).where(ROSTER.c.email_key.in_(addresses), ROSTER.c.dropped.is_(None))
    return list(dict.fromkeys((await connection.execute(query.order_by(ROSTER.c.created))).scalars()))


async def _claim_entry_and_get_account(
    connection: AsyncConnection, course: str, identity: IdentifiedPerson, account: str | None
) -> str | None:
    """The account that somebody has by a course's roster, or else the one that they have."""
    if account is not None and await _has_listed_entry(connection, course, account):
        return account
    ids = identity.ids
    entry = await find_entry(connection, course, ids)
    if entry is None or entry.account == account:
        return account
    if account is None:
        numbers = ("number", "lms", "login")
        is_sure = any(key in ids_of_row(entry).keys for key in ids.keys if key[0] in numbers)
        # People can change their address in many systems: one that has come from there keeps what it has.
        if not is_sure and await _has_identity_of(connection, entry.account, identity.issuer):
            return None
        return str(entry.account)
    if entry.joined is None:
        await absorb_account(connection, course, entry.account, account)
    return account


async def _has_listed_entry(connection: AsyncConnection, course: str, account: str) -> bool:
    query = select(ROSTER.c.id).where(
        ROSTER.c.course == course, ROSTER.c.account == account, ROSTER.c.listed.is_not(None)
    )
    return (await connection.execute(query)).first() is not None


async def _has_identity_of(connection: AsyncConnection, account: str, issuer: str) -> bool:
    query = select(IDENTITIES.c.subject).where(IDENTITIES.c.account == account, IDENTITIES.c.issuer == issuer)
    return (await connection.execute(query)).first() is not None


async def _enter_course(
    connection: AsyncConnection, course: str, account: str, identity: IdentifiedPerson, current_time: float
) -> None:
    identity = replace(identity, ids=await _without_addresses_of_others(connection, course, account, identity.ids))
    entry_query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.account == account)
    entry = (await connection.execute(entry_query)).one_or_none()
    listed = {"listed": current_time} if identity.is_listed else {}
    if entry is None:
        if not identity.is_enrolled and await has_roster(connection, course):
            return
        name_query = select(ACCOUNTS.c.name).where(ACCOUNTS.c.id == account)
        name = str((await connection.execute(name_query)).scalar_one())
        values = new_entry_values(course, account, name, identity.ids, identity.role, "", current_time)
        await connection.execute(insert(ROSTER).values(values | listed))
    else:
        await _update_entry(connection, entry, identity)
        if listed:
            await connection.execute(update(ROSTER).where(ROSTER.c.id == entry.id).values(listed))
        if entry.dropped is not None:
            return
    is_member = and_(MEMBERS.c.course == course, MEMBERS.c.account == account)
    if (await connection.execute(select(MEMBERS.c.role).where(is_member))).first() is None:
        member_row = {"course": course, "account": account, "role": identity.role.value, "section": ""}
        await connection.execute(insert(MEMBERS).values(member_row))


async def _without_addresses_of_others(
    connection: AsyncConnection, course: str, account: str, ids: PersonIds
) -> PersonIds:
    """Names and numbers without the addresses that the course has for somebody else: who did not get their place."""
    account_columns = (func.lower(ROSTER.c.email), func.lower(ROSTER.c.login))
    others = select(ROSTER.c.id).where(ROSTER.c.course == course, ROSTER.c.account != account)
    changes = {}
    for column_name in ("email", "login"):
        address = ids.columns[column_name].casefold()
        is_of_other = others.where(or_(*(column == address for column in account_columns))).limit(1)
        if "@" in address and (await connection.execute(is_of_other)).first() is not None:
            changes[column_name] = ""
    return replace(ids, **changes)


async def _update_entry(connection: AsyncConnection, entry: Row[Any], identity: IdentifiedPerson) -> None:
    """What the other system says completes what a file says, and replaces what it said itself before."""
    old_ids = ids_of_row(entry)
    ids = old_ids.completed_by(identity.ids) if entry.listed is not None else identity.ids.completed_by(old_ids)
    if ids != old_ids:
        await connection.execute(update(ROSTER).where(ROSTER.c.id == entry.id).values(**id_column_values(ids)))
    if entry.listed is None and identity.name != entry.name:
        await connection.execute(
            update(ROSTER).where(ROSTER.c.id == entry.id).values(name=displayable_name(identity.name))
        )
