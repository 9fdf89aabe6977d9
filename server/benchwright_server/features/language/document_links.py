"""`textDocument/documentLink`: included files, and the files that a statement names."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.workspaces.marker import MARKER
from benchwright_server.workspaces.workspace_search import workspace_folder_containing
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.links import files_named_in_markdown, includes_of
from benchwright_verilog.syntax.units import results_by_unit
from benchwright_verilog.syntax.uri import document_path

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

_MARKDOWN = frozenset({".md", ".markdown"})


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(partial(_document_links, server))


async def _document_links(server: EditorServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.uri.startswith("file:"):
        return []
    if document.is_verilog:
        return await _links_of_includes(server, document)
    if PurePosixPath(document.uri).suffix in _MARKDOWN:
        return await asyncio.to_thread(_links_of_workspace_files, server.projects.project_of(document), document)
    return []


async def _links_of_includes(server: EditorServer, document: Document) -> list[types.DocumentLink]:
    named_files = [
        (unit.start, include)
        for unit, unit_includes in await results_by_unit(document.units, includes_of)
        for include in unit_includes
    ]
    if not named_files:
        return []
    project, file = server.projects.project_of(document), document_path(document.uri)
    files = await asyncio.to_thread(
        lambda: [_included_file_if_found(project, file, include.name) for _, include in named_files]
    )
    return [
        types.DocumentLink(
            document.lines.byte_range(start + include.start, start + include.end), target=included_file.as_uri()
        )
        for (start, include), included_file in zip(named_files, files, strict=True)
        if included_file is not None
    ]


def _included_file_if_found(project: Project, including_file: Path, included_name: str) -> Path | None:
    return project.find_include(including_file, included_name) if included_name and "\0" not in included_name else None


def _links_of_workspace_files(project: Project, document: Document) -> list[types.DocumentLink]:
    """The files of a workspace that its statement names; nothing outside the workspace."""
    file = document_path(document.uri)
    workspace_folder = workspace_folder_containing(file)
    if workspace_folder is None:
        return []
    links = []
    for named_file in files_named_in_markdown(document.text):
        path = PurePosixPath(named_file.name)
        if (
            not named_file.name
            or path.is_absolute()
            or ".." in path.parts
            or "\0" in named_file.name
            or path.name == MARKER
        ):
            continue
        linked_file = next(
            filter(project.files.is_file, (base / path for base in (file.parent, workspace_folder))), None
        )
        if linked_file is not None:
            link_range = document.lines.range(named_file.start, named_file.end)
            links.append(types.DocumentLink(link_range, target=linked_file.as_uri()))
    return links
