"""Ways in which a language server can fail at a site."""

from __future__ import annotations

import signal
from enum import StrEnum

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.model import Model


class ServerFailure(StrEnum):
    """Failure of the server, by name."""

    NOT_STARTED = "not_started"
    """Its program can't be started, or ended before it answered `initialize`."""
    NOT_SUPPORTED = "not_supported"
    """It does not know the request of this dialect."""
    NOT_SIGNED_IN = "not_signed_in"
    """It says that its user has to sign in first."""
    ENDED = "ended"
    """Its process ended while it was needed."""
    NO_ANSWER = "no_answer"
    """It let requests time out, or stopped reading."""
    ERROR_ANSWER = "error_answer"
    """It answered a request with an error."""
    MALFORMED = "malformed"
    """It sent what is not a message of JSON-RPC."""
    FLOODED = "flooded"
    """It sent more than a driver has to bear: a huge message, endless notifications, endless diagnostics."""
    UNASKED_ANSWER = "unasked_answer"
    """It answered a request that nobody had sent."""
    BAD_OFFER = "bad_offer"
    """Its items are not what the protocol says."""
    OUT_OF_RANGE = "out_of_range"
    """It offered to replace text beyond the cursor's line or outside the document."""
    CHANGED_FILES = "changed_files"
    """It changed, added or removed files of the workspace by itself."""


class EndedBy(StrEnum):
    """Who ended a server's process."""

    SERVER = "server"
    """The server itself."""
    DRIVER = "driver"
    """Benchwright, because of the failure."""
    SANDBOX = "sandbox"
    """The sandbox that it ran in, or who ended that."""


class ServerEnd(Model):
    """End of the process of a server that failed."""

    ended_by: EndedBy
    exit_status: int | None = None
    """As a shell counts: 128 and more for a signal. None if it still ran when Benchwright ended it."""
    limit: str = ""
    """The limit after which Benchwright ended it; empty if it was not for a limit."""

    @property
    def sentence(self) -> str:
        """Who ended whom, and how, for people."""
        match self.ended_by:
            case EndedBy.SERVER:
                return f"The server ended by itself{_exit_status_phrase(self.exit_status)}."
            case EndedBy.SANDBOX:
                return f"The sandbox ended{_exit_status_phrase(self.exit_status)}, and the server with it."
            case EndedBy.DRIVER:
                return f"Benchwright ended the server{f' after {self.limit}' if self.limit else ''}."


def _exit_status_phrase(exit_status: int | None) -> str:
    if exit_status is None:
        return ""
    signal_number = exit_status - 128
    as_after = f", as after {signal.Signals(signal_number).name}" if signal_number in _SIGNAL_NUMBERS else ""
    return f" with exit status {exit_status}{as_after}"


_SIGNAL_NUMBERS = frozenset(int(known_signal) for known_signal in signal.Signals)


def printable_words(text: str) -> str:
    """Words of a server, without what a terminal would obey."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


HOPELESS = frozenset({ServerFailure.NOT_STARTED, ServerFailure.NOT_SUPPORTED, ServerFailure.NOT_SIGNED_IN})
"""These would happen at every site, so they end the run instead of one site."""


class SubjectError(EvaluationError):
    """A language server failed.

    Args:
        failure: Kind of the failure.
        message: A sentence for the user. It may quote the server, so it is not recorded.
        code: Code of its error, where it answered with one.
        limit: The limit that it went over, where it did, such as "60 s for `initialize`".
    """

    def __init__(self, failure: ServerFailure, message: str, code: int | None = None, limit: str = "") -> None:
        super().__init__(message)
        self.failure = failure
        self.code = code
        self.limit = limit
        self.end: ServerEnd | None = None
        """How its process ended then; None if no process was ended by this failure."""

    def __str__(self) -> str:
        return super().__str__() if self.end is None else f"{super().__str__()} {self.end.sentence}"
