"""The folders that an editor has open, and changes in them on disk."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.errors import ServerError
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_SUFFIXES = ("v", "sv", "vh", "svh", "f", "core")
_NAMES = ("Bender.yml", "verible.filelist")
_WATCHED = (f"**/*.{{{','.join(_SUFFIXES)}}}", *(f"**/{name}" for name in _NAMES))
_OF_PROBLEMS = ("hidden", "public", "figures")
"""Folders with files of any kind, which say something of a problem and, but for designs, nothing of a project."""
_REGISTRATION = "benchwright/design-files"


def follow_folder_and_disk_changes(server: EditorServer) -> None:
    """Follow them from now on; call this before the client has sent `initialized`."""
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(_add_and_remove_folders, server))
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(_reread_changed_files, server))


def add_initial_folders(server: EditorServer, initialize_params: Mapping[str, Any]) -> None:
    """Use the folders that the client named in `initialize` (LSP 3.18, `InitializeParams`)."""
    client_folders = initialize_params.get("workspaceFolders")
    folders = (
        [folder.get("uri") for folder in client_folders if isinstance(folder, dict)]
        if isinstance(client_folders, list)
        else []
    )
    if not folders:
        folders = [initialize_params.get("rootUri")]
    server.projects.change_folders(_local_paths(uri for uri in folders if isinstance(uri, str)), ())


async def watch_files_if_supported(server: EditorServer) -> None:
    """Ask the client to report changes on disk, if it can; otherwise the disk is checked from time to time."""
    if server.client.capability("workspace.didChangeWatchedFiles.dynamicRegistration") is not True:
        return
    of_problems = [f"**/{folder}/**" for folder in _OF_PROBLEMS if server.settings.features.authoring]
    watch_options = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in (*_WATCHED, *of_problems)]
    )
    registration = types.Registration(_REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watch_options)
    # If the client refuses, the disk is checked from time to time.
    with contextlib.suppress(JsonRpcException):
        await server.client_register_capability_async(types.RegistrationParams([registration]))


def _add_and_remove_folders(server: EditorServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    added_folders, removed = params.event.added, params.event.removed
    server.projects.change_folders(
        _local_paths(folder.uri for folder in added_folders), _local_paths(folder.uri for folder in removed)
    )
    server.live.analyse_after_settings_change()


def _reread_changed_files(server: EditorServer, params: types.DidChangeWatchedFilesParams) -> None:
    changed_files = _local_paths(change.uri for change in params.changes)
    if server.proofs is not None:
        server.proofs.schedule_proofs_of_changed(changed_files)
    # A project is read again, which takes long.
    of_projects = [file for file in changed_files if not _is_non_design_in_problem_folder(file)]
    if of_projects or not changed_files:
        server.projects.note_disk_changes(of_projects)
        server.live.analyse_after_settings_change()


def _is_non_design_in_problem_folder(path: Path) -> bool:
    is_design = path.suffix[1:] in _SUFFIXES or path.name in _NAMES
    return not is_design and any(part in _OF_PROBLEMS for part in path.parts)


def _local_paths(uris: Iterable[str]) -> list[Path]:
    paths = []
    for uri in uris:
        try:
            paths.append(local_path_of(uri))
        except ServerError:
            # A remote or virtual folder has no files to analyse.
            continue
    return paths
