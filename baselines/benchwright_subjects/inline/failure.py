"""Ways in which a language server can fail at a site."""

from __future__ import annotations

from enum import StrEnum

from benchwright_attempts.errors import EvaluationError


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
    """

    def __init__(self, failure: ServerFailure, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.failure = failure
        self.code = code
