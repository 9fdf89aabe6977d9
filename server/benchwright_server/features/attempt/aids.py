"""Aids of the editor: allowed by the attempt that a file belongs to, and recorded in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_attempts.events.events import AidUsed
    from benchwright_problems.aids import Aid
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer


@dataclass(frozen=True)
class AidUse:
    """An aid's use on a file of an attempt, which may take longer than the attempt's time."""

    session: EditorSession
    file_uri: str
    is_begun_in_time: bool
    """False if the attempt had ended before it."""

    async def record_if_begun_in_time(self, event: AidUsed) -> None:
        """Records it; comes before the answer.

        Raises:
            AttemptError: The event could not be written.
        """
        if self.is_begun_in_time:
            relative = self.session.workspace.relative(local_path_of(self.file_uri))
            await self.session.attempt.record_finished_aid_use(event.model_copy(update={"path": relative}))


async def begin_use_if_in_attempt(server: EditorServer, file_uri: str, aid: Aid) -> AidUse | None:
    """The use of an aid that takes a while, which the file's attempt has to allow now; None for a file of no attempt.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    session = await _session_of_file_uri(server, file_uri)
    return (
        AidUse(session, file_uri, await session.attempt.refuse_aid_or_must_record(aid)) if session is not None else None
    )


async def require_aid_allowed_now(server: EditorServer, file_uri: str, aid: Aid) -> EditorSession | None:
    """The attempt that a file belongs to, which has to allow an aid; None for a file of no attempt.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    aid_use = await begin_use_if_in_attempt(server, file_uri, aid)
    return aid_use.session if aid_use is not None else None


async def check_aid_ever_allowed(server: EditorServer, file_uri: str, aid: Aid) -> None:
    """Refuses an aid that the attempt of a file never allows, whether or not its clock runs.

    Raises:
        AttemptError: The condition or the assignment forbids it.
    """
    session = await _session_of_file_uri(server, file_uri)
    if session is not None:
        session.attempt.refuse_forbidden_aid(aid)


async def files_ever_allowing_aid(server: EditorServer, files: Iterable[Path], aid: Aid) -> set[Path]:
    """Those of files whose attempts, if they belong to any, allow an aid, whether or not their clocks run."""
    unique_files = set(files)
    sessions = {folder: await server.find_or_open_session(folder) for folder in {file.parent for file in unique_files}}
    forbidding = {folder for folder, session in sessions.items() if session and not session.terms.allows_aid(aid)}
    return {file for file in unique_files if file.parent not in forbidding}


async def begin_uses_by_workspace(server: EditorServer, paths: Iterable[Path], aid: Aid) -> dict[Path, AidUse]:
    """The attempts that files belong to, each of which has to allow an aid: workspace → the use on a folder in it.

    A folder around a workspace must not be a way to what the attempt forbids.

    Raises:
        AttemptError: One of the attempts does not allow it, or not now.
    """
    uses: dict[Path, AidUse] = {}
    for folder in {path.parent: path for path in paths}.values():
        aid_use = await begin_use_if_in_attempt(server, folder.as_uri(), aid)
        if aid_use is not None:
            uses[aid_use.session.workspace.folder] = aid_use
    return uses


async def record_use_if_in_attempt(server: EditorServer, file_uri: str, event: AidUsed) -> None:
    """Records the use of an aid on a file, if it belongs to an attempt; comes before the answer.

    Raises:
        AttemptError: The attempt does not allow it, or not now.
    """
    session = await _session_of_file_uri(server, file_uri)
    if session is not None:
        relative = session.workspace.relative(local_path_of(file_uri))
        await session.attempt.record_aid_use(event.model_copy(update={"path": relative}))


async def _session_of_file_uri(server: EditorServer, file_uri: str) -> EditorSession | None:
    return await server.find_or_open_session(local_path_of(file_uri)) if file_uri.startswith("file:") else None
