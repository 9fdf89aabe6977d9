"""What the editor's side tells a person: each message is a plain sentence with the next step."""

from __future__ import annotations


class ServerError(Exception):
    """Base of errors that are answered to a request as they are."""


class WorkspaceError(ServerError):
    """A workspace can't be made, found or read."""
