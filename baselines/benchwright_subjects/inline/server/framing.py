r"""Messages of the Language Server Protocol on a stream of bytes (LSP 3.18, *Base Protocol*).

A message is `Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}`. The other side is a subject and may be hostile, so what is
read has limits, and what is wrong has a name. pygls' client has neither: it keeps reading headers until one fits, takes
any length, and drops what it can't parse.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping

from pydantic import JsonValue

from benchwright_subjects.inline.failure import ServerFailure, SubjectError

MAX_HEADER_BYTES = 1 << 14
MAX_MESSAGE_BYTES = 8 << 20
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,20})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)

Message = Mapping[str, JsonValue]


def frame_message(message: Message) -> bytes:
    """A message as it is sent."""
    # Half of a surrogate pair has no UTF-8: JSON's escapes can say it.
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=True, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_body(stream: asyncio.StreamReader) -> bytes | None:
    """The bytes of the next message; None at the end of the stream.

    Args:
        stream: Opened with `MAX_HEADER_BYTES` as its limit.

    Raises:
        SubjectError: `MALFORMED` or `FLOODED`.
    """
    try:
        header = await stream.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise SubjectError(ServerFailure.MALFORMED, "The server printed text that is not a message.") from None
        return None
    except asyncio.LimitOverrunError:
        raise SubjectError(ServerFailure.MALFORMED, "The server printed text that is not a message.") from None
    length = _LENGTH.search(header)
    if length is None:
        raise SubjectError(ServerFailure.MALFORMED, "The server sent a message without a length.")
    size = int(length[1])
    if size > MAX_MESSAGE_BYTES:
        raise SubjectError(
            ServerFailure.FLOODED,
            f"The server sent a message of {size} bytes; {MAX_MESSAGE_BYTES} is most.",
            limit=f"{MAX_MESSAGE_BYTES >> 20} MiB in a message",
        )
    try:
        return await stream.readexactly(size)
    except asyncio.IncompleteReadError:
        raise SubjectError(ServerFailure.MALFORMED, "The server ended in the middle of a message.") from None


def parse_body(body: bytes) -> dict[str, JsonValue]:
    """The message that a body holds.

    Raises:
        SubjectError: `MALFORMED`.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise SubjectError(ServerFailure.MALFORMED, "The server sent a message that is not JSON.") from None
    if not isinstance(message, dict):
        raise SubjectError(ServerFailure.MALFORMED, "The server sent JSON that is not a message.")
    return message
