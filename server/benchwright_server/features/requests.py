"""The `benchwright/*` requests, and the same as `workspace/executeCommand`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from benchwright_attempts.actor import Actor, acting_as
from benchwright_server.errors import FORESEEN, ServerError, log_traceback, user_sentence
from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.operations.operation import Operation, R, S

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

REQUEST_FAILED = -32803
"""LSP 3.17, `LSPErrorCodes.RequestFailed`: a valid request that failed."""


def register_attempt_operations(server: EditorServer) -> None:
    """Serve every operation on attempts both ways."""
    for operation in OPERATIONS:
        register_operation(server, operation, lambda: server.sessions)


def register_operation(server: EditorServer, operation: Operation[S, Any, Any], get_target: Callable[[], S]) -> None:
    """Serve an operation as a request and as a command.

    Args:
        server: The server of the client.
        operation: The operation.
        get_target: Gives what it works on.
    """

    async def request(params: Any) -> dict[str, Any]:
        await server.sync.wait_until_recorded()
        # The one way in of an editor; tools for agents say themselves who uses them.
        with acting_as(Actor.PERSON):
            return await handle_operation_to_json(operation, get_target(), params)

    async def command(*arguments: Any) -> dict[str, Any]:
        return await request(arguments[0] if arguments else None)

    def notification(params: Any) -> None:
        async def work() -> None:
            # A notification has no response, so a rejection is not reported.
            with contextlib.suppress(JsonRpcException):
                await handle_operation_to_json(operation, get_target(), params)

        server.sync.run_in_order(work)

    server.served[operation.name] = lambda raw_params: operation.handle(
        get_target(), operation.params.model_validate(raw_params)
    )
    server.feature(f"benchwright/{operation.name}")(request if operation.is_request else notification)
    if operation.is_request:
        server.command(f"benchwright.{operation.name}")(command)


async def call_operation(server: EditorServer, operation_name: str, result_type: type[R], **params: Any) -> R:
    """The result of an operation that another feature serves.

    Args:
        server: The server that serves it; see `EditorServer.served`.
        operation_name: Name of the operation.
        result_type: Its type; `Wire` for any.
        params: Its parameters.

    Raises:
        ServerError: The parameters are invalid.
    """
    try:
        reply_message = await server.served[operation_name](params)
    except ValidationError as error:
        raise ServerError(f"{operation_name}: {first_invalid_field_and_reason(error)}") from None
    if not isinstance(reply_message, result_type):
        raise TypeError(f"{operation_name} has another result")
    return reply_message


async def handle_operation_to_json(operation: Operation[S, Any, Any], target: S, params: Any) -> dict[str, Any]:
    """The result of an operation as plain JSON.

    Raises:
        JsonRpcException: The parameters are invalid, or it failed; the message is for users.
    """
    try:
        parsed = operation.params.model_validate(params if params is not None else {})
    except ValidationError as error:
        raise JsonRpcInvalidParams(f"benchwright/{operation.name}: {first_invalid_field_and_reason(error)}") from None
    try:
        result = await operation.handle(target, parsed)
    except FORESEEN as error:
        raise JsonRpcException(user_sentence(error), REQUEST_FAILED) from None
    except Exception as error:
        log_traceback(error)
        raise JsonRpcInternalError(user_sentence(error)) from None
    plain_result: dict[str, Any] = result.model_dump(mode="json", by_alias=True)
    return plain_result


def first_invalid_field_and_reason(error: ValidationError) -> str:
    """The first field that is invalid, and why."""
    first_error = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first_error["loc"]) or "the parameters"
    return f"{field}: {first_error['msg']}"
