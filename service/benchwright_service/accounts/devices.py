"""Signing a program in by a browser, as OAuth's device flow does (RFC 8628): the program shows a code and waits.

What the program proves itself with is a secret of 256 bits, of which the database has a digest. What a person types is
short, so it is worth something only for who is signed in and confirms it, and only for some minutes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from benchwright_foundation.access_token import hash_secret
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Device, DeviceProgress, DeviceState, Joined
from benchwright_service.accounts.accounts import Accounts
from benchwright_service.accounts.person_names import displayable_name
from benchwright_service.storage.tables import DEVICES

LIFETIME_S = 600.0
INTERVAL_S = 2.0
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels, so that a code is no word, and without letters that look alike."""
_LENGTH = 8


@dataclass(frozen=True)
class WaitingDevice:
    """A program that waits."""

    code: str
    name: str
    """The name that it calls itself, such as the computer's name."""


class Devices:
    """Makes and confirms codes.

    Args:
        database: Database of the service.
        accounts: Make the token in the end.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, accounts: Accounts, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._accounts = accounts
        self._now = clock

    async def make_device_code(self, program_name: str, service_address: str) -> Device:
        """A code for a program.

        Args:
            program_name: The name that the program calls itself.
            service_address: Address of the service, as its users have it.
        """
        secret, current_time = secrets.token_urlsafe(32), self._now()
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        row = {
            "digest": hash_secret(secret),
            "code": code,
            "name": displayable_name(program_name),
            "created": current_time,
            "polled": 0.0,
        }
        row |= {"expires": current_time + LIFETIME_S, "state": DeviceState.WAITING}
        try:
            async with self._database.write_transaction() as connection:
                await connection.execute(delete(DEVICES).where(DEVICES.c.expires <= current_time))
                await connection.execute(insert(DEVICES).values(row))
        except IntegrityError:
            return await self.make_device_code(program_name, service_address)
        return Device(
            secret=secret,
            code=_dashed_code(code),
            address=f"{service_address.rstrip('/')}/device",
            expires_s=LIFETIME_S,
            interval_s=INTERVAL_S,
        )

    async def find_waiting_device(self, typed_code: str) -> WaitingDevice | None:
        """The program that waits with a code, however it was typed."""
        query = select(DEVICES.c.code, DEVICES.c.name).where(self._waiting_condition(typed_code))
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        return WaitingDevice(_dashed_code(row.code), row.name) if row is not None else None

    async def decide_if_waiting(self, typed_code: str, account: str, *, granted: bool) -> bool:
        """Signs the program in, or refuses to; False if none waits with this code."""
        state = DeviceState.GRANTED if granted else DeviceState.DENIED
        decision_update = (
            update(DEVICES).where(self._waiting_condition(typed_code)).values(state=state, account=account)
        )
        async with self._database.write_transaction() as connection:
            return bool((await connection.execute(decision_update)).rowcount)

    async def progress_with_token_once(self, secret: str) -> DeviceProgress:
        """The progress of the request; the token, once, if it was granted.

        Raises:
            RefusalError: The secret is unknown, or the program asks too often.
        """
        digest, current_time = hash_secret(secret), self._now()
        # Locked: a confirmation meanwhile must not be taken for a code that nobody has, and one request gets the token.
        query = select(DEVICES).where(DEVICES.c.digest == digest).with_for_update()
        async with self._database.write_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
            if row is None or row.state == DeviceState.TAKEN:
                raise RefusalError(RefusalKind.NOT_FOUND, "Nobody waits with this code.", "Begin to sign in again.")
            if row.state == DeviceState.WAITING and row.expires <= current_time:
                return DeviceProgress(state=DeviceState.EXPIRED)
            if current_time - row.polled < INTERVAL_S / 2:
                raise RefusalError(
                    RefusalKind.RATE_LIMITED, "This was asked too often.", "Wait as long as was said.", retry_after_s=5
                )
            is_granted = row.state == DeviceState.GRANTED
            values = {"polled": current_time} | ({"state": DeviceState.TAKEN} if is_granted else {})
            await connection.execute(update(DEVICES).where(DEVICES.c.digest == digest).values(values))
            if not is_granted:
                return DeviceProgress(state=DeviceState(row.state))
            token = await self._accounts.new_person_token(connection, row.account, row.name)
        return DeviceProgress(
            state=DeviceState.GRANTED, joined=Joined(token=token, me=await self._accounts.me(row.account))
        )

    def _waiting_condition(self, typed_code: str) -> ColumnElement[bool]:
        plain_code = "".join(letter for letter in typed_code.upper() if letter in _LETTERS)
        return and_(
            DEVICES.c.code == plain_code, DEVICES.c.state == DeviceState.WAITING, DEVICES.c.expires > self._now()
        )


def _dashed_code(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"
