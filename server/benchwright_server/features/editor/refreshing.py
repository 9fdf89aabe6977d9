"""`workspace/…/refresh`: what an editor shows of one file may be out of date after a change in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def refresh_views(server: EditorServer) -> None:
    """Ask the client to fetch colours, hints and lenses again, as far as it can."""
    if server.client.can("workspace.semanticTokens.refreshSupport"):
        server.workspace_semantic_tokens_refresh(None)
    if server.client.can("workspace.inlayHint.refreshSupport"):
        server.workspace_inlay_hint_refresh(None)
    server.lenses.refresh()
