"""An operation: its name, parameters, result and handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchwright_server.attempts.session import EditorSession
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.protocol.messages import Wire, WorkspaceParams
from benchwright_verilog.syntax.uri import local_path_of

S = TypeVar("S")
P = TypeVar("P", bound=Wire)
R = TypeVar("R", bound=Wire)


@dataclass(frozen=True)
class Operation(Generic[S, P, R]):
    """One request, which is also a command; or a notification, which has no result."""

    name: str
    params: type[P]
    result_type: type[R]
    does: str
    """One sentence for the reference."""
    handle: Callable[[S, P], Awaitable[R]]
    """Takes what it works on: the attempts of this user, or the server."""
    is_request: bool = True


async def session_of(sessions: EditorSessions, params: WorkspaceParams) -> EditorSession:
    """The session that an operation applies to.

    Raises:
        WorkspaceError: Its file does not belong to a workspace of this user.
    """
    return await sessions.require_session(local_path_of(params.uri))
