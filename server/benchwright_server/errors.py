"""What the editor's side tells a person: each message is a plain sentence with the next step."""

from __future__ import annotations

import logging
import traceback

from benchwright_attempts.errors import AttemptError
from benchwright_harness.errors import HarnessError
from benchwright_judges.errors import JudgesError
from benchwright_problems.errors import ProblemsError
from benchwright_verilog.errors import VerilogError

logger = logging.getLogger(__name__)


class ServerError(Exception):
    """Base of errors that are answered to a request as they are."""


class WorkspaceError(ServerError):
    """A workspace can't be made, found or read."""


FORESEEN = (AttemptError, HarnessError, JudgesError, ProblemsError, ServerError, VerilogError)
"""Errors whose text is a sentence for people and gives nothing hidden away."""


def log_place(error: BaseException) -> None:
    """Log where an error that nobody foresaw came from, without its text; see `sentence_of`."""
    logger.error("unexpected %s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))


def sentence_of(error: BaseException) -> str:
    """What to tell a person of an error.

    The text of an error that nobody foresaw may quote what was worked on, hidden parts included: only
    its kind is told.
    """
    if isinstance(error, FORESEEN):
        return str(error)
    return (
        f"Something unexpected went wrong ({type(error).__name__}). Your files are as you left them; try again, and"
        " please report this together with what the editor's log shows."
    )
