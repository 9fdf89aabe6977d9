"""Choices of people: which mail they don't want, and where their mail goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from sqlalchemy import ColumnElement, Double, delete, func, literal, select

from benchwright_foundation.database import Database
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.storage.tables import ACCOUNTS, ROSTER, UNWANTED_MAIL


class MailChoices:
    """Reads and keeps them.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def unwanted_kinds(self, account: str) -> frozenset[MailKind]:
        """Kinds of mail that somebody has turned off."""
        query = select(UNWANTED_MAIL.c.kind).where(UNWANTED_MAIL.c.account == account)
        async with self._database.read_transaction() as connection:
            return frozenset(MailKind(word) for word in (await connection.execute(query)).scalars())

    async def turn_off(self, account: str, kinds: Collection[MailKind]) -> None:
        """Turns kinds off, beside those that are off."""
        await self._write(account, kinds, ())

    async def choose(self, account: str, wanted: Collection[MailKind], offered: Collection[MailKind]) -> None:
        """Turns kinds on and off.

        Args:
            account: Whose mail it is.
            wanted: Kinds that are on from now on.
            offered: Kinds that there was a choice of; others stay as they are.
        """
        await self._write(account, set(offered) - set(wanted), set(offered) & set(wanted))

    async def email_address(self, account: str) -> str:
        """The address that mail to somebody goes to; empty if no roster has one."""
        async with self._database.read_transaction() as connection:
            return (await connection.execute(select(email_column(literal(account))))).scalar() or ""

    async def _write(self, account: str, turned_off: Collection[MailKind], turned_on: Collection[MailKind]) -> None:
        off_words, on_words = ([kind.value for kind in kinds] for kinds in (turned_off, turned_on))
        turned_on_again = UNWANTED_MAIL.c.account == account, UNWANTED_MAIL.c.kind.in_(on_words)
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(UNWANTED_MAIL).where(*turned_on_again))
            for word in off_words:
                # Nobody has an account any more that was found to be somebody else's.
                choice_query = select(ACCOUNTS.c.id, literal(word), literal(self._now(), Double())).where(
                    ACCOUNTS.c.id == account
                )
                insertion = self._database.insert_into(UNWANTED_MAIL).from_select(
                    ["account", "kind", "at"], choice_query
                )
                await connection.execute(insertion.on_conflict_do_nothing())


def email_column(account: ColumnElement[str], course_column: ColumnElement[str] | None = None) -> ColumnElement[str]:
    """The address of an account by rosters, as a column of another query; null if none has one.

    Args:
        account: The account.
        course_column: The course whose roster counts first. None for the oldest entry.
    """
    query = (
        select(ROSTER.c.email)
        .where(ROSTER.c.account == account, ROSTER.c.email != "", ROSTER.c.dropped.is_(None))
        .order_by(ROSTER.c.created)
        .limit(1)
        .correlate_except(ROSTER)
    )
    oldest = query.scalar_subquery()
    return (
        oldest
        if course_column is None
        else func.coalesce(query.where(ROSTER.c.course == course_column).scalar_subquery(), oldest)
    )
