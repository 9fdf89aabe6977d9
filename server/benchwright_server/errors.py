"""Errors shown to users: each message is a plain sentence with the next step."""

from __future__ import annotations

import logging
import traceback

from benchwright_foundation.errors import BenchwrightError
from benchwright_verilog.errors import VerilogError

logger = logging.getLogger(__name__)


class ServerError(BenchwrightError):
    """Base of errors whose message is sent unchanged as the response to a request."""


class WorkspaceError(ServerError):
    """A workspace can't be created, found or read."""


class OwnTestError(ServerError):
    """A test of a folder can't be found or prepared."""


class WaveformError(ServerError):
    """A waveform can't be opened, read or shown."""


FORESEEN = (BenchwrightError, VerilogError)
"""Errors whose message is a sentence for users and reveals nothing hidden."""


def log_traceback(error: BaseException) -> None:
    """Log the traceback of an unexpected error without its message; see `user_sentence`."""
    logger.error("unexpected %s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))


def user_sentence(error: BaseException) -> str:
    """The sentence that a user sees of an error.

    The message of an unexpected error may quote the data being processed, hidden parts included, so only its type
    is shown.
    """
    return str(error) if isinstance(error, FORESEEN) else unexpected_error_sentence(type(error).__name__)


def unexpected_error_sentence(error_type_name: str) -> str:
    """The sentence that a user sees of an unexpected error of this type."""
    return (
        f"Unexpected error ({error_type_name}). Your files are unchanged. Try again; if it happens again,"
        " report it with the output in the editor's log."
    )
