"""Reads and writes an agent's files for it, in its folder and nowhere else."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path, PurePosixPath

from benchwright_subjects.agents.folder_watch import MOST_BYTES, FileState, open_parent_and_name, path_state

PLACE = "/code"
"""Path at which the agent sees its folder."""
_MOST_FOLDERS = 32


class AccessError(Exception):
    """A file can't be read or written.

    Args:
        message: Message for the agent. It names nothing of this machine.
        outside: True if it asked for something that is not in its folder.
    """

    def __init__(self, message: str, *, outside: bool = False) -> None:
        super().__init__(message)
        self.outside = outside


def read_agent_file(folder: Path, agent_path: str, first_line: int | None, line_limit: int | None) -> str:
    """Text of a file, or some of its lines.

    Args:
        folder: The agent's, on this machine.
        agent_path: As the agent names it.
        first_line: The first line, from 1.
        line_limit: The most lines.

    Raises:
        AccessError: The file can't be read, or is not UTF-8.
    """
    found_file = path_state(folder, _relative_path_or_error(agent_path))
    if found_file.content is None:
        messages = {
            FileState.MISSING: "There is no such file.",
            FileState.TOO_LARGE: f"The file has more than {MOST_BYTES} bytes.",
        }
        raise AccessError(messages.get(found_file.state, "This is no plain file."))
    try:
        text = found_file.content.decode()
    except UnicodeDecodeError:
        raise AccessError("The file is not UTF-8 text.") from None
    if first_line is None and line_limit is None:
        return text
    start = max(0, (first_line or 1) - 1)
    return "\n".join(text.split("\n")[start : None if line_limit is None else start + max(0, line_limit)])


def write_agent_file(folder: Path, agent_path: str, text: str, owner_uid: int | None) -> None:
    """Write a whole file; no link is followed, and a link at its place is replaced.

    Args:
        folder: The agent's, on this machine.
        agent_path: As the agent names it.
        text: The whole text.
        owner_uid: Owner of the file; None if that is who this runs as.

    Raises:
        AccessError: The file could not be written.
    """
    relative_path = _relative_path_or_error(agent_path)
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise AccessError("The text has halves of characters.") from None
    if len(content) > MOST_BYTES:
        raise AccessError(f"A file can have {MOST_BYTES} bytes at most.")
    try:
        _make_folders(folder, PurePosixPath(relative_path), owner_uid)
        with open_parent_and_name(folder, relative_path) as (parent, name):
            _replace_file_atomically(parent, name, content, owner_uid)
    except OSError as error:
        raise AccessError(f"The file can't be written: {error.strerror}.") from None


def _relative_path_or_error(agent_path: str) -> str:
    """A path relative to the folder."""
    path_parts = PurePosixPath(agent_path).parts
    if path_parts[:2] != ("/", PLACE[1:]) or ".." in path_parts or "\0" in agent_path:
        raise AccessError(f"Only files below {PLACE} can be read and written.", outside=True)
    if len(path_parts) == 2 or len(path_parts) > _MOST_FOLDERS or not agent_path.isprintable():
        raise AccessError("A file's path has to be given.")
    return PurePosixPath(*path_parts[2:]).as_posix()


def _make_folders(folder: Path, relative_path: PurePosixPath, owner_uid: int | None) -> None:
    for parent in reversed(relative_path.parents[:-1]):
        with open_parent_and_name(folder, parent.as_posix()) as (handle, name), contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=handle)
            if owner_uid is not None:
                descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
                try:
                    os.fchown(descriptor, owner_uid, owner_uid)
                finally:
                    os.close(descriptor)


def _replace_file_atomically(folder_descriptor: int, name: str, content: bytes, owner_uid: int | None) -> None:
    temporary_name = f".{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(temporary_name, flags, 0o644, dir_fd=folder_descriptor)
    try:
        with os.fdopen(file, "wb") as stream:
            if owner_uid is not None:
                os.fchown(file, owner_uid, owner_uid)
            stream.write(content)
        os.rename(temporary_name, name, src_dir_fd=folder_descriptor, dst_dir_fd=folder_descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary_name, dir_fd=folder_descriptor)
        raise
