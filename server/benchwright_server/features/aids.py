"""Aids of the editor: allowed by the attempt that a file belongs to, and recorded in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_server.operations import path_of

if TYPE_CHECKING:
    from benchwright_attempts.aid_used import AidUsed
    from benchwright_problems.aids import Aid
    from benchwright_server.attempts.session import Session
    from benchwright_server.editor_server import EditorServer


async def attempt_of(server: EditorServer, uri: str, aid: Aid) -> Session | None:
    """The attempt that a file belongs to, which has to allow an aid; None for a file of no attempt.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    session = await _session_of(server, uri)
    if session is not None:
        await session.attempt.check_aid(aid)
    return session


async def check_allowed(server: EditorServer, uri: str, aid: Aid) -> None:
    """Refuses an aid that the attempt of a file never allows, whether or not its clock runs.

    Raises:
        AttemptError: The condition or the assignment forbids it.
    """
    session = await _session_of(server, uri)
    if session is not None:
        session.attempt.check_allowed(aid)


async def attempts_among(server: EditorServer, paths: Iterable[Path], aid: Aid) -> dict[Path, str]:
    """The attempts that files belong to, each of which has to allow an aid: workspace → URI of a folder in it.

    A folder around a workspace must not be a way to what the attempt forbids.

    Raises:
        AttemptError: One of them does not allow it, or not now.
    """
    found: dict[Path, str] = {}
    for folder in {path.parent: path for path in paths}.values():
        session = await attempt_of(server, folder.as_uri(), aid)
        if session is not None:
            found[session.workspace.folder] = folder.as_uri()
    return found


async def use(server: EditorServer, uri: str, event: AidUsed) -> None:
    """Records the use of an aid on a file, if it belongs to an attempt; comes before the answer.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    session = await _session_of(server, uri)
    if session is not None:
        relative = session.workspace.relative(path_of(uri))
        await session.attempt.use(event.model_copy(update={"path": relative}))


async def _session_of(server: EditorServer, uri: str) -> Session | None:
    return await server.sessions.session(path_of(uri)) if uri.startswith("file:") else None
