"""Browsers that are signed in. `SignInSessions.begin_session_with_cookie` is where every way to sign in ends."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from benchwright_foundation.access_token import hash_secret
from benchwright_foundation.database import Database
from benchwright_service.questions.notices import unread_count_column
from benchwright_service.storage.tables import ACCOUNTS, SESSIONS

LIFETIME_S = 12 * 3600.0
"""After this, a browser has to sign in again."""


@dataclass(frozen=True)
class BrowserSession:
    """A browser that is signed in."""

    account: str
    name: str
    """Of the account."""
    csrf: str
    """The token that every form of this session has to bring."""
    unread_notices: int = 0
    """Number of notices that wait for the person."""
    zone: str = ""
    """IANA name of the browser's time zone, as it says; empty if it does not."""
    kept_zone: str = ""
    """The one that the person's mail has times in; empty while no browser has said one."""


class SignInSessions:
    """Begins, finds and ends sessions.

    Args:
        database: Database of the service; it has digests only.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def begin_session_with_cookie(self, account: str) -> str:
        """Signs a browser in: returns the value of a cookie that nobody had before."""
        cookie = secrets.token_urlsafe(32)
        current_time = self._now()
        row = {
            "digest": hash_secret(cookie),
            "account": account,
            "created": current_time,
            "expires": current_time + LIFETIME_S,
        }
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= current_time))
            await connection.execute(insert(SESSIONS).values(row))
        return cookie

    async def find(self, cookie: str) -> BrowserSession | None:
        """The session of a cookie; None if there is none, it has expired, or the account is disabled."""
        current_time = self._now()
        query = (
            select(
                SESSIONS.c.account,
                ACCOUNTS.c.name,
                ACCOUNTS.c.zone,
                unread_count_column(ACCOUNTS.c.id, current_time).label("unread"),
            )
            .join(ACCOUNTS, ACCOUNTS.c.id == SESSIONS.c.account)
            .where(SESSIONS.c.digest == hash_secret(cookie), SESSIONS.c.expires > current_time)
            .where(ACCOUNTS.c.disabled.is_(None))
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        return BrowserSession(row.account, row.name, _csrf_token(cookie), row.unread, kept_zone=row.zone)

    async def keep_zone(self, account: str, zone_name: str) -> None:
        """Remembers the time zone of somebody's browser, for the times in their mail, if it is another one."""
        zone_update = (
            update(ACCOUNTS).where(ACCOUNTS.c.id == account, ACCOUNTS.c.zone != zone_name).values(zone=zone_name)
        )
        async with self._database.write_transaction() as connection:
            await connection.execute(zone_update)

    async def end(self, cookie: str) -> None:
        """Signs a browser out."""
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(SESSIONS).where(SESSIONS.c.digest == hash_secret(cookie)))


def _csrf_token(cookie: str) -> str:
    return hmac.new(cookie.encode(), b"benchwright forms", hashlib.sha256).hexdigest()
