"""Links that sign somebody in once: one for an editor on the student's page, and one that is sent by email.

What is in a link is a secret of 256 bits, of which the database has a digest.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.access_token import hash_secret
from benchwright_foundation.database import Database
from benchwright_remote.messages import LINK_PREFIX
from benchwright_service.accounts.roster_entries import note_arrival
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import ACCOUNTS, ROSTER, SIGN_IN_LINKS


class LinkKind(StrEnum):
    """Purpose of a link."""

    EDITOR = "editor"
    """On a page that its person looks at."""
    EMAIL = "email"
    """Sent to the address that a roster has."""
    PRINTED = "printed"
    """Given by whoever operates the service."""


LIFETIMES_S = {LinkKind.EDITOR: 900.0, LinkKind.EMAIL: 1_800.0, LinkKind.PRINTED: 86_400.0}
_NEXT_EMAIL_S = 120.0
"""Time before the same person is sent another link."""


@dataclass(frozen=True)
class AddressedLink:
    """A link for somebody at an email address."""

    email: str
    name: str
    code: str


class SignInLinks:
    """Makes and takes links.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def make_code(self, account: str, kind: LinkKind) -> str:
        """The code of a new link for an account."""
        async with self._database.write_transaction() as connection:
            return await self._new_code(connection, account, kind)

    async def make_links_for_email(self, email: str) -> Sequence[AddressedLink]:
        """Links for everybody whom a roster has at an email address, without those who were sent one just now."""
        current_time = self._now()
        async with self._database.write_transaction() as connection:
            query = (
                select(ROSTER.c.account, ROSTER.c.email, ACCOUNTS.c.name)
                .join(ACCOUNTS, ACCOUNTS.c.id == ROSTER.c.account)
                .where(ROSTER.c.email_key == email.casefold(), ROSTER.c.email_key != "")
                .where(ROSTER.c.dropped.is_(None), ACCOUNTS.c.disabled.is_(None))
                .order_by(ROSTER.c.created)
            )
            row_by_account = {row.account: row for row in await connection.execute(query)}
            recent = select(SIGN_IN_LINKS.c.account).where(
                SIGN_IN_LINKS.c.account.in_(row_by_account),
                SIGN_IN_LINKS.c.kind == LinkKind.EMAIL.value,
                SIGN_IN_LINKS.c.created > current_time - _NEXT_EMAIL_S,
            )
            for account in (await connection.execute(recent)).scalars():
                row_by_account.pop(account, None)
            return [
                AddressedLink(row.email, row.name, await self._new_code(connection, account, LinkKind.EMAIL))
                for account, row in row_by_account.items()
            ]

    async def make_code_for_person(self, course: str, account_or_roster_id: str) -> str:
        """The code of a link for somebody on a course's roster.

        Args:
            course: Its id.
            account_or_roster_id: Their account, address, student number, SIS id or login.

        Raises:
            BenchServiceError: The roster has nobody, or several, who are called that.
        """
        id_columns = (ROSTER.c.account, ROSTER.c.email, ROSTER.c.student_number, ROSTER.c.sis_id, ROSTER.c.login)
        query = select(ROSTER.c.account).where(
            ROSTER.c.course == course,
            ROSTER.c.dropped.is_(None),
            or_(*(column == account_or_roster_id for column in id_columns)),
        )
        async with self._database.write_transaction() as connection:
            accounts = list((await connection.execute(query)).scalars())
            if len(accounts) != 1:
                number = "nobody" if not accounts else f"{len(accounts)} people"
                raise BenchServiceError(
                    f"the roster of {course!r} has {number} with the account, address, number or login "
                    f"{account_or_roster_id!r}; `benchwright course people` lists the accounts"
                )
            return await self._new_code(connection, accounts[0], LinkKind.PRINTED)

    async def find_person_name(self, code: str) -> str | None:
        """The name of the person whom a link signs in; None if it signs in nobody any more."""
        query = (
            select(ACCOUNTS.c.name)
            .join(SIGN_IN_LINKS, SIGN_IN_LINKS.c.account == ACCOUNTS.c.id)
            .where(SIGN_IN_LINKS.c.digest == hash_secret(code), SIGN_IN_LINKS.c.expires > self._now())
            .where(ACCOUNTS.c.disabled.is_(None))
        )
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).scalar()

    async def redeem_and_get_account(self, code: str) -> str | None:
        """The account that a link signs in, once; None if it signs in nobody any more."""
        async with self._database.write_transaction() as connection:
            return await redeem_link_and_get_account(connection, code, self._now())

    async def _new_code(self, connection: AsyncConnection, account: str, kind: LinkKind) -> str:
        code, current_time = LINK_PREFIX + secrets.token_urlsafe(32), self._now()
        row = {"digest": hash_secret(code), "account": account, "kind": kind.value, "created": current_time}
        await connection.execute(delete(SIGN_IN_LINKS).where(SIGN_IN_LINKS.c.expires <= current_time))
        await connection.execute(insert(SIGN_IN_LINKS).values(row | {"expires": current_time + LIFETIMES_S[kind]}))
        return code


async def redeem_link_and_get_account(connection: AsyncConnection, code: str, current_time: float) -> str | None:
    """The account that a link signs in, once; None if it signs in nobody any more."""
    taking = (
        delete(SIGN_IN_LINKS)
        .where(SIGN_IN_LINKS.c.digest == hash_secret(code), SIGN_IN_LINKS.c.expires > current_time)
        .returning(SIGN_IN_LINKS.c.account)
    )
    account = (await connection.execute(taking)).scalar()
    disabled = select(ACCOUNTS.c.disabled).where(ACCOUNTS.c.id == account)
    if account is None or (await connection.execute(disabled)).scalar() is not None:
        return None
    await note_arrival(connection, account, current_time)
    return str(account)
