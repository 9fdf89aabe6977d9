"""`workspace/willRenameFiles`: includes and file lists follow files that get other names."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.language.rename import workspace_edit_json
from benchwright_verilog.errors import NotAFileError
from benchwright_verilog.semantics.names.moved_files import edits_for_moved_files
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.WORKSPACE_WILL_RENAME_FILES)(partial(_edits_for_renamed_files, server))


async def _edits_for_renamed_files(server: EditorServer, params: types.RenameFilesParams) -> JsonText:
    new_paths = {}
    for file in params.files:
        # What is elsewhere, or goes there, is in no include or list.
        with contextlib.suppress(NotAFileError):
            new_paths[local_path_of(file.old_uri)] = local_path_of(file.new_uri)
    versions = {document.uri: document.version for document in server.documents}

    def find() -> JsonText:
        edits = {
            (edit.path, edit.start): edit
            for project in server.projects.all_projects()
            for edit in edits_for_moved_files(project, new_paths)
        }
        return workspace_edit_json(server, list(edits.values()), versions)

    return await asyncio.to_thread(find)
