"""Personal access tokens of teachers: each for some areas of the API and for a time, and its uses."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, insert, select, update

from benchwright_foundation.database import Database
from benchwright_remote.teaching_messages import Scope
from benchwright_service.accounts.accounts import Accounts, AccountTokenKind, ServiceToken
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import AUDIT, TOKENS, moment

LONGEST_DAYS = 366
"""Days for which a token may be valid."""
MOST_TOKENS = 50
"""Valid tokens of one account."""
_DAY_S = 86_400.0


@dataclass(frozen=True)
class PersonalToken:
    """A token as its owner sees it, without its secret."""

    id: str
    name: str
    scopes: Sequence[Scope]
    created: datetime
    expires: datetime | None
    used: datetime | None
    """Time of the last use; None if it was never used."""


class PersonalTokens:
    """Makes, lists and revokes them, and keeps their uses.

    Args:
        database: Database of the service; it has digests only.
        accounts: Make tokens.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, accounts: Accounts, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._accounts = accounts
        self._now = clock

    async def make_token(self, account: str, token_name: str, scopes: Collection[Scope], valid_days: int) -> str:
        """Makes a token; returns its text, which nobody can be shown again.

        Args:
            account: Account that the token acts for.
            token_name: Purpose of the token.
            scopes: Areas that it is for.
            valid_days: Days for which it is valid.

        Raises:
            BenchServiceError: The token has no name or no scope, or is valid for too long; or there are too many.
        """
        if not token_name:
            raise BenchServiceError("a token needs a name that says what it is for")
        if not scopes:
            raise BenchServiceError("a token needs at least one area")
        if not 1 <= valid_days <= LONGEST_DAYS:
            raise BenchServiceError(f"a token is valid for 1 to {LONGEST_DAYS} days")
        current_time = self._now()
        valid_count_query = select(func.count()).where(
            TOKENS.c.account == account,
            TOKENS.c.kind == AccountTokenKind.PERSONAL.value,
            TOKENS.c.revoked.is_(None),
            TOKENS.c.expires > current_time,
        )
        async with self._database.write_transaction() as connection:
            if (await connection.execute(valid_count_query)).scalar_one() >= MOST_TOKENS:
                raise BenchServiceError(f"there are {MOST_TOKENS} tokens already; revoke some")
            return await self._accounts.new_scoped_token(
                connection, account, token_name, " ".join(sorted(scopes)), current_time + valid_days * _DAY_S
            )

    async def valid_tokens_of(self, account: str) -> Sequence[PersonalToken]:
        """The tokens of somebody that are neither revoked nor expired, newest first."""
        query = (
            select(TOKENS)
            .where(TOKENS.c.account == account, TOKENS.c.kind == AccountTokenKind.PERSONAL.value)
            .where(TOKENS.c.revoked.is_(None), TOKENS.c.expires > self._now())
            .order_by(TOKENS.c.created.desc(), TOKENS.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            PersonalToken(
                row.id,
                row.name,
                [Scope(scope_name) for scope_name in row.scopes.split()],
                moment(row.created),
                moment(row.expires),
                moment(row.used),
            )
            for row in rows
        ]

    async def revoke_token(self, account: str, token_id: str) -> None:
        """Makes a token of somebody's invalid from now on.

        Raises:
            BenchServiceError: The account has no such token.
        """
        revocation = (
            update(TOKENS)
            .where(TOKENS.c.id == token_id, TOKENS.c.account == account)
            .where(TOKENS.c.kind == AccountTokenKind.PERSONAL.value, TOKENS.c.revoked.is_(None))
            .values(revoked=self._now())
        )
        async with self._database.write_transaction() as connection:
            if not (await connection.execute(revocation)).rowcount:
                raise BenchServiceError("there is no such token")
        self._accounts.forget_known_tokens()

    async def record_use(self, token: ServiceToken, course: str, request_line: str) -> None:
        """Notes in the audit log of a course that a token was used, and when it was used last."""
        current_time = self._now()
        audit_row = {"at": current_time, "account": token.account, "course": course}
        audit_row |= {"action": f"by API: {request_line}", "object": f"token {token.id} {token.name}"}
        async with self._database.write_transaction() as connection:
            await connection.execute(insert(AUDIT).values(audit_row))
            await connection.execute(update(TOKENS).where(TOKENS.c.id == token.id).values(used=current_time))
