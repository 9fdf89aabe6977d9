"""Delivery of notices by mail, beside what else a process does: each is sent once, and tried again if need be."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import smtplib
import time
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from itertools import groupby
from typing import Any

from sqlalchemy import Row

from benchwright_foundation.database import Database
from benchwright_service.mail.letters import Letter, Letters
from benchwright_service.mail.notice_rows import MOST_TRIES, TERM_S, NoticeRows
from benchwright_service.mail.smtp import Mailbox, disconnect
from benchwright_service.mail.timed_notices import TimedNotices

_ROUND_S = 2.0
_REFUSALS = (
    smtplib.SMTPDataError,
    smtplib.SMTPNotSupportedError,
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPSenderRefused,
    ValueError,
)
"""Of one mail; after others, the connection is of no use."""

logger = logging.getLogger(__name__)


class NoticeMailer:
    """Sends notices while it is open.

    Args:
        database: Database of the service.
        mailbox: Sends them.
        letters: Write them.
        count_sent: Is called for each mail that was sent.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        mailbox: Mailbox,
        letters: Letters,
        count_sent: Callable[[], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._rows = NoticeRows(database, clock)
        self._timed = TimedNotices(database, clock)
        self._mailbox = mailbox
        self._letters = letters
        self._count_sent = count_sent
        self._now = clock
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Sends what is due from now on."""
        self._task = asyncio.create_task(self._send_until_closed())

    async def close(self) -> None:
        """Ends after the mail that is being sent."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def _send_until_closed(self) -> None:
        while not self._closing.is_set():
            try:
                await self._timed.queue_due_notices_if_time()
                while not self._closing.is_set() and await self.try_to_deliver_some():
                    pass
            except Exception:
                # The database may be away: the next round has another try.
                logger.exception("notices can't be looked after")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ROUND_S):
                    await self._closing.wait()

    async def try_to_deliver_some(self) -> bool:
        """Sends some of what is due; False if nothing is, or the mail server can't be reached."""
        notice_rows = await self._rows.claim()
        give_back_time = time.monotonic() + TERM_S / 2
        mails = [[*rows] for _, rows in groupby(notice_rows, key=lambda row: (row.account, row.course, row.kind))]
        smtp: smtplib.SMTP | None = None
        try:
            while mails and not self._closing.is_set() and time.monotonic() < give_back_time:
                async with self._database.read_transaction() as connection:
                    letter = await self._letters.letter_or_none(connection, mails[0], self._now())
                if letter is None:
                    await self._rows.drop(mails.pop(0))
                    continue
                if smtp is None:
                    smtp = await asyncio.to_thread(self._mailbox.connect)
                await self._send(smtp, letter, mails[0])
                mails.pop(0)
        except OSError as error:
            logger.warning("the mail server can't be reached: %s", type(error).__name__)
            for rows in mails:
                await self._postpone_or_give_up(rows)
            mails.clear()
            return False
        finally:
            if smtp is not None:
                await asyncio.to_thread(disconnect, smtp)
            await self._rows.release([row for rows in mails for row in rows])
        return bool(notice_rows)

    async def _send(self, smtp: smtplib.SMTP, letter: Letter, rows: Sequence[Row[Any]]) -> None:
        try:
            await asyncio.to_thread(smtp.send_message, self._message(letter))
        except _REFUSALS as error:
            # The kind alone: what servers answer may hold addresses.
            logger.warning("the mail server does not take a notice: %s", type(error).__name__)
            await self._postpone_or_give_up(rows)
        else:
            await self._rows.mark_sent(rows)
            self._count_sent()

    async def _postpone_or_give_up(self, rows: Sequence[Row[Any]]) -> None:
        given_up = await self._rows.postpone_or_give_up(rows)
        if given_up:
            logger.error("notices were given up after %d tries: %d", MOST_TRIES, given_up)

    def _message(self, letter: Letter) -> EmailMessage:
        mail = self._mailbox.new_message(letter.email, letter.subject, letter.text)
        mail["Message-ID"] = letter.id
        mail["List-Unsubscribe"] = f"<{letter.turn_off_address}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        return mail
