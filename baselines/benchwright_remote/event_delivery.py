"""Hands the events of assignments' attempts to their services as they happen, and keeps the receipts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.log.anchors import Anchor, read_anchors
from benchwright_foundation.home import Home
from benchwright_problems.assignment import Assignment
from benchwright_remote.errors import RefusedError
from benchwright_remote.known_keys import KnownKeys, receipts_folder
from benchwright_remote.messages import MOST_EVENTS
from benchwright_remote.service_client import ServiceClient

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog


class EventDelivery:
    """Of every attempt of a process.

    Args:
        home: Place of the receipts: `data/receipts/ATTEMPT.jsonl`, an anchor in each line; beside them the keys that
            services publish.
        open_log: The event log, opened once it is needed.
    """

    def __init__(self, home: Home, open_log: Callable[[], EventLog]) -> None:
        self._folder = receipts_folder(home)
        self._keys = KnownKeys(self._folder)
        self._log = open_log
        self._turns: dict[str, asyncio.Lock] = {}

    def receipts_file(self, attempt: str) -> Path:
        """The file of an attempt's receipts; may not be there."""
        return self._folder / f"{attempt}.jsonl"

    def acknowledged_count(self, attempt: str) -> int:
        """Number of events that the service has acknowledged. Reads a file."""
        newest_anchor = _newest_anchor_in(self.receipts_file(attempt))
        return newest_anchor.events if newest_anchor is not None else 0

    async def deliver_missing_events(self, client: ServiceClient, assignment: Assignment, attempt: str) -> None:
        """Delivers what the service lacks; returns once it has acknowledged all that was recorded before.

        Raises:
            ServiceError: The service refuses, does not answer, or sends a receipt that proves nothing.
            LogError: The log can't be read.
        """
        async with self._turns.setdefault(attempt, asyncio.Lock()):
            log = self._log()
            await log.wait_until_settled()
            header = await asyncio.to_thread(log.header, attempt)
            last_seq_acknowledged = await asyncio.to_thread(self.acknowledged_count, attempt)
            has_asked = False
            while rows := await asyncio.to_thread(
                lambda last_seq: log.rows(attempt, after_seq=last_seq, limit=MOST_EVENTS), last_seq_acknowledged
            ):
                try:
                    acknowledgement = await client.deliver_events_or_ask_position(header, assignment.id, rows)
                except RefusedError as error:
                    if error.status != HTTPStatus.CONFLICT or has_asked:
                        raise
                    # The service may have been set back to an older state: it says how far it is.
                    has_asked = True
                    acknowledgement = await client.deliver_events_or_ask_position(header, assignment.id, ())
                if acknowledgement.anchor is None:
                    last_seq_acknowledged = 0
                    continue
                await self._keys.check_receipt_and_keep_keys(client, acknowledgement.anchor)
                await asyncio.to_thread(self._keep_receipt, acknowledgement.anchor)
                last_seq_acknowledged = acknowledgement.anchor.events
                if len(rows) < MOST_EVENTS and not has_asked:
                    return

    def _keep_receipt(self, countersigned_anchor: Anchor) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with self.receipts_file(countersigned_anchor.attempt).open("ab") as stream:
            stream.write(f"{countersigned_anchor.as_line()}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())


def _newest_anchor_in(file: Path) -> Anchor | None:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            return read_anchors(line)[-1]
        except ValueError:
            # A line that a crash cut short.
            continue
    return None
