"""The project that a request is about, and what follows when it changes otherwise than by its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_server.features.editor.locations import file_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project


def project_and_inner_path(server: EditorServer, file_or_folder_uri: str) -> tuple[Project, Path]:
    """The project of a file or folder, and a path in it; a folder belongs to the project of what is in it."""
    path = file_of(file_or_folder_uri)
    inner_path = path / "design.sv" if path.is_dir() else path
    return server.projects.project_of_path(inner_path), inner_path


def reanalyse_and_refetch_views(server: EditorServer) -> None:
    """Makes again all that editors show of a project, because what was read of it is read in another way now."""
    server.live.analyse_after_settings_change()
    ask_client_to_refetch_views(server)


def ask_client_to_refetch_views(server: EditorServer) -> None:
    """Ask the client to fetch colours, hints and lenses again, as far as it can."""
    if server.client.supports("workspace.semanticTokens.refreshSupport"):
        server.workspace_semantic_tokens_refresh(None)
    if server.client.supports("workspace.inlayHint.refreshSupport"):
        server.workspace_inlay_hint_refresh(None)
    ask_client_to_refetch_lenses(server)


def ask_client_to_refetch_lenses(server: EditorServer) -> None:
    """Ask the client to fetch the lenses again, if it can."""
    if server.client.supports("workspace.codeLens.refreshSupport"):
        server.workspace_code_lens_refresh(None)
