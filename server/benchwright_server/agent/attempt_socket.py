"""The address at which the language server that works on an attempt answers agents of the same user."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from benchwright_server.errors import ServerError

LONGEST = 4_000_000
"""Bytes of a message: a line of JSON."""
MCP_CLIENT = "benchwright mcp"
"""Name of the client whose language server works for an agent alone."""


def private_socket_path(attempt_id: str) -> Path:
    """The socket of an attempt, in a folder that only this user can enter.

    Raises:
        ServerError: Somebody else has that folder.
    """
    # Not in the home folder: the path of a socket has 107 bytes at most.
    folder = Path(tempfile.gettempdir()) / f"benchwright-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise ServerError(f"{folder} is not a folder of this user alone. Delete it, and try again.")
    return folder / f"{attempt_id}.sock"
