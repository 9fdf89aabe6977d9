"""The file that marks a folder as a workspace. Imports nothing heavy: most files are in none."""

from __future__ import annotations

import os
from pathlib import Path

MARKER = ".benchwright.json"


def workspace_folder_containing(path: Path) -> Path | None:
    """The folder of the workspace that a file or folder belongs to, if there is one."""
    if not is_marked(path):
        return None
    from benchwright_server.workspaces.workspace import Workspace

    workspace = Workspace.find_containing(path)
    return workspace.folder if workspace is not None else None


def is_marked(path: Path) -> bool:
    """True if there is a marker in a folder, or around a file or folder."""
    return any(os.access(folder / MARKER, os.F_OK) for folder in (path, *path.parents))
