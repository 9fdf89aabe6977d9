"""Aids of the editor: allowed by the attempt that a file belongs to, and recorded in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_problems.aids import Aid
from benchwright_server.operations import path_of

if TYPE_CHECKING:
    from benchwright_attempts.aid_used import AidUsed
    from benchwright_server.attempts.session import Session
    from benchwright_server.editor_server import EditorServer


async def attempt_of(server: EditorServer, uri: str, aid: Aid) -> Session | None:
    """The attempt that a file belongs to, which has to allow an aid; None for a file of no attempt.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    if not uri.startswith("file:"):
        return None
    session = await server.sessions.session(path_of(uri))
    if session is not None:
        await session.attempt.check_aid(aid)
    return session


async def use(server: EditorServer, uri: str, event: AidUsed) -> None:
    """Records the use of an aid on a file, if it belongs to an attempt; comes before the answer.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    session = await attempt_of(server, uri, Aid(event.aid))
    if session is not None:
        relative = session.workspace.relative(path_of(uri))
        await session.attempt.use(event.model_copy(update={"path": relative}))
