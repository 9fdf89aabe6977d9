"""Why a test can't be run; each message is a sentence with the next step."""

from __future__ import annotations

from benchwright_server.errors import ServerError


class OwnTestError(ServerError):
    """A test can't be found or prepared."""
