"""The workspace that a file belongs to. Loads what workspaces are only where there is one."""

from __future__ import annotations

from pathlib import Path

from benchwright_server.workspaces.marker import is_in_marked_folder


def workspace_folder_containing(path: Path) -> Path | None:
    """The folder of the workspace that a file or folder belongs to, if there is one."""
    if not is_in_marked_folder(path):
        return None
    from benchwright_server.workspaces.workspace import Workspace

    workspace = Workspace.find_containing(path)
    return workspace.folder if workspace is not None else None


def holds_repository(workspace_folder: Path) -> bool:
    """True if a workspace is that of a repository problem."""
    if not is_in_marked_folder(workspace_folder):
        return False
    from benchwright_server.workspaces.workspace import Workspace

    workspace = Workspace.find_containing(workspace_folder)
    return workspace is not None and workspace.marker.is_repository
