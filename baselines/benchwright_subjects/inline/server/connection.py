"""Requests and notifications to one language server, and its answers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright_subjects.inline.failure import ServerFailure, SubjectError, printable_words
from benchwright_subjects.inline.server.framing import Message, frame_message, parse_body, read_body
from benchwright_subjects.inline.server.server_process import MAX_STDERR_BYTES, ServerProcess

MAX_UNASKED_MESSAGES = 20_000
"""Notifications and requests of the server in its whole life."""
MAX_BYTES = 256 << 20
"""All that it sends in its whole life."""
METHOD_NOT_FOUND = -32601
_MOST_TOLD = 200

ReplyFunction = Callable[[JsonValue], JsonValue]
"""Answers a request of the server; takes its parameters."""


@dataclass(frozen=True)
class ServerResponse:
    """The answer to a request."""

    result: JsonValue
    latency_ms: float
    """From when the request was handed to the system until the last byte of the answer was there."""


class RequestTimeoutError(Exception):
    """There was no answer in time; the request was cancelled."""


class ServerConnection:
    """JSON-RPC with one server.

    Args:
        process: The server.
        reply_functions: Answers to its own requests, by method; others are answered with *method not found*.
        on_notification: Called with method and parameters of its notifications.
    """

    def __init__(
        self,
        process: ServerProcess,
        reply_functions: Mapping[str, ReplyFunction],
        on_notification: Callable[[str, JsonValue], None] = lambda method, params: None,
    ) -> None:
        self._process = process
        self._replies = reply_functions
        self._heard = on_notification
        self._pending_answers: dict[int, asyncio.Future[tuple[dict[str, JsonValue], int]]] = {}
        self._given_up: set[int] = set()
        self._number = 0
        self._unasked = 0
        self._bytes = 0
        self._failure: SubjectError | None = None
        self._reading = asyncio.create_task(self._read_until_failure())

    async def request(self, method: str, params: JsonValue, timeout_s: float) -> ServerResponse:
        """Ask, and wait for the answer.

        Raises:
            RequestTimeoutError: The answer took longer.
            SubjectError: The server failed, or answered with an error.
        """
        self._number += 1
        number = self._number
        self._raise_if_failed()
        pending_answer = asyncio.get_running_loop().create_future()
        self._pending_answers[number] = pending_answer
        start = time.perf_counter_ns()
        try:
            async with asyncio.timeout(timeout_s):
                await self._write_and_drain({"id": number, "method": method, "params": params})
                message, received_ns = await pending_answer
        except TimeoutError:
            self._given_up.add(number)
            self.notify("$/cancelRequest", {"id": number})
            raise RequestTimeoutError from None
        finally:
            self._pending_answers.pop(number, None)
        return ServerResponse(_result_or_raise(message, method), (received_ns - start) / 1e6)

    def notify(self, method: str, params: JsonValue) -> None:
        """Tell something. What the server does not read stays in a buffer until a request waits for it."""
        self._write_unless_closed({"method": method, "params": params})

    async def close(self) -> None:
        """Stop reading."""
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading

    def _raise_if_failed(self) -> None:
        if self._process.flooded.is_set():
            raise _stderr_flood_error()
        if self._failure is not None:
            raise self._failure

    async def _write_and_drain(self, message: Message) -> None:
        self._write_unless_closed(message)
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    def _write_unless_closed(self, message: Message) -> None:
        # A pipe that is closed says so only later; the reader finds out at the end of its output.
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._process.stdin.write(frame_message(message))

    async def _read_until_failure(self) -> None:
        try:
            while (body := await read_body(self._process.stdout)) is not None:
                received_ns = time.perf_counter_ns()
                self._bytes += len(body)
                if self._bytes > MAX_BYTES:
                    raise SubjectError(
                        ServerFailure.FLOODED,
                        "The server sends messages forever.",
                        limit=f"{MAX_BYTES >> 20} MiB of messages",
                    )
                self._dispatch_message(parse_body(body), received_ns)
            failure = SubjectError(ServerFailure.ENDED, "The server ended.")
        except SubjectError as error:
            failure = error
        except ConnectionError:
            failure = SubjectError(ServerFailure.ENDED, "The server ended.")
        if self._process.flooded.is_set():
            failure = _stderr_flood_error()
        self._failure = failure
        for pending_answer in self._pending_answers.values():
            if not pending_answer.done():
                pending_answer.set_exception(failure)

    def _dispatch_message(self, message: dict[str, JsonValue], received_ns: int) -> None:
        method = message.get("method")
        if isinstance(method, str):
            self._unasked += 1
            if self._unasked > MAX_UNASKED_MESSAGES:
                raise SubjectError(
                    ServerFailure.FLOODED,
                    "The server sends notifications forever.",
                    limit=f"{MAX_UNASKED_MESSAGES:,} notifications",
                )
            if "id" in message:
                self._answer_server_request(message["id"], method, message.get("params"))
            else:
                self._heard(method, message.get("params"))
            return
        number = message.get("id")
        if isinstance(number, int) and number in self._pending_answers:
            pending_answer = self._pending_answers.pop(number)
            if not pending_answer.done():
                pending_answer.set_result((message, received_ns))
        elif isinstance(number, int) and number in self._given_up:
            self._given_up.discard(number)
        elif "result" in message or "error" in message:
            raise SubjectError(ServerFailure.UNASKED_ANSWER, "The server answered a request that nobody had sent.")
        else:
            raise SubjectError(ServerFailure.MALFORMED, "The server sent JSON that is not a message.")

    def _answer_server_request(self, identity: JsonValue, method: str, params: JsonValue) -> None:
        reply_function = self._replies.get(method)
        if reply_function is None:
            error: JsonValue = {"code": METHOD_NOT_FOUND, "message": f"This client does not serve {method[:100]}."}
            self._write_unless_closed({"id": identity, "error": error})
        else:
            self._write_unless_closed({"id": identity, "result": reply_function(params)})


def _stderr_flood_error() -> SubjectError:
    return SubjectError(
        ServerFailure.FLOODED,
        "The server wrote forever to standard error.",
        limit=f"{MAX_STDERR_BYTES >> 20} MiB on standard error",
    )


def _result_or_raise(message: Mapping[str, JsonValue], method: str) -> JsonValue:
    error = message.get("error")
    if error is None:
        if "result" not in message:
            raise SubjectError(ServerFailure.MALFORMED, f"The server answered {method} with neither result nor error.")
        return message["result"]
    code = error.get("code") if isinstance(error, dict) else None
    message_text = printable_words(str(error.get("message", "")))[:_MOST_TOLD] if isinstance(error, dict) else ""
    error_code = code if isinstance(code, int) else None
    failure = ServerFailure.NOT_SUPPORTED if error_code == METHOD_NOT_FOUND else ServerFailure.ERROR_ANSWER
    raise SubjectError(failure, f"The server answered {method} with error {error_code}: {message_text}", error_code)
