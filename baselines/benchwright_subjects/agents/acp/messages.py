"""The messages of one agent, a line of JSON each, as the transport of ACP's library.

The library reads lines of any length, skips what is no JSON, forgets answers that nobody asked for, and starts a task
for each message; it logs what it can't handle. Here each of these has a limit and a name; it gets no notification.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from benchwright_subjects.agents.acp.failure import AcpError
from benchwright_subjects.agents.launch import AgentEnding

MOST_LINE_BYTES = 8 << 20
MOST_BYTES = 256 << 20
"""All that it sends in its whole life."""
MOST_MESSAGES = 200_000
MOST_OPEN_REQUESTS = 100
"""Requests of its own that are being answered."""
MOST_PERMISSIONS = 1000
"""Number of times it may ask for permission."""

Message = dict[str, Any]
NotificationListener = Callable[[str, Any], None]
"""Called with method and parameters of each notification."""


class AcpTransport:
    """A transport of ACP's library (`acp._transport.Transport`).

    Args:
        stream_reader: The agent's output, opened with `MOST_LINE_BYTES` as its limit.
        writer: Its input.
        on_notification: Hears of its notifications.
    """

    def __init__(
        self, stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_notification: NotificationListener
    ) -> None:
        self._reader = stream_reader
        self._writer = writer
        self._heard = on_notification
        self._request_ids: set[int] = set()
        self._open = 0
        self._bytes = 0
        self._count = 0
        self._permissions = 0
        self.failure: AcpError | None = None
        """Why nothing more is read; None while it is, and if the agent only ended."""

    async def send(self, message: Message) -> None:
        """Sends a message; what an agent that has ended does not read is lost."""
        if "method" not in message:
            self._open -= 1
        elif "id" in message:
            self._request_ids.add(message["id"])
        with contextlib.suppress(ConnectionError):
            self._writer.write(json.dumps(message, default=str).encode() + b"\n")
            await self._writer.drain()

    async def receive(self) -> Message | None:
        """The next request or answer; None once the agent has ended or failed."""
        try:
            while self.failure is None and (line := await self._read_line_within_limits()):
                message = _parse_message(line)
                if not self._deliver_if_notification(message):
                    return message
                # What is in the buffer already is read without waiting.
                await asyncio.sleep(0)
        except AcpError as error:
            self.failure = error
        except ConnectionError:
            pass
        return None

    async def close(self) -> None:
        """Leaves the agent, which ends it."""
        self._writer.close()

    async def _read_line_within_limits(self) -> bytes:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            raise AcpError(AgentEnding.FLOODED, f"it sent a line of more than {MOST_LINE_BYTES} bytes") from None
        except asyncio.IncompleteReadError as error:
            if error.partial.strip():
                raise AcpError(AgentEnding.MALFORMED, "it ended in the middle of a message") from None
            return b""
        self._bytes += len(line)
        self._count += 1
        if self._bytes > MOST_BYTES or self._count > MOST_MESSAGES:
            raise AcpError(AgentEnding.FLOODED, "it sends messages forever")
        return line

    def _deliver_if_notification(self, message: Message) -> bool:
        """True if a message ends here, because it is a notification; others are counted."""
        if "method" not in message:
            self._refuse_unasked_answer(message)
            return False
        if "id" not in message:
            self._heard(message["method"], message.get("params"))
            return True
        self._permissions += message["method"] == "session/request_permission"
        if self._permissions > MOST_PERMISSIONS:
            raise AcpError(AgentEnding.FLOODED, f"it asked for permission more than {MOST_PERMISSIONS} times")
        self._open += 1
        if self._open > MOST_OPEN_REQUESTS:
            raise AcpError(
                AgentEnding.FLOODED, f"it has more than {MOST_OPEN_REQUESTS} requests that wait for an answer"
            )
        return False

    def _refuse_unasked_answer(self, message: Message) -> None:
        number, error = message.get("id"), message.get("error")
        if "result" not in message and "error" not in message:
            raise AcpError(AgentEnding.MALFORMED, "it sent JSON that is not a message")
        if error is not None and not (isinstance(error, dict) and isinstance(error.get("code"), int)):
            raise AcpError(AgentEnding.MALFORMED, "it sent an error without a code")
        if not isinstance(number, int) or number not in self._request_ids:
            raise AcpError(AgentEnding.UNASKED_ANSWER, "it answered a request that nobody had sent")
        self._request_ids.discard(number)


def _parse_message(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise AcpError(AgentEnding.MALFORMED, "it printed a line that is not JSON") from None
    if not isinstance(message, dict):
        raise AcpError(AgentEnding.MALFORMED, "it sent JSON that is not a message")
    if "method" not in message:
        return message
    if not isinstance(message["method"], str) or not isinstance(message.get("id", 0), int | str):
        raise AcpError(AgentEnding.MALFORMED, "it sent JSON that is not a message")
    # The library would take these for arguments.
    if isinstance(message.get("params"), dict):
        message["params"].pop("_meta", None)
    return message
