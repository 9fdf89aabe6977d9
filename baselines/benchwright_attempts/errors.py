"""Errors of attempts and their log, each with the next step in its message."""

from __future__ import annotations

from pathlib import Path

from benchwright_foundation.errors import BenchwrightError


class AttemptError(BenchwrightError):
    """Base of everything a person can act on: the message is one or two plain sentences."""


class UnknownAttemptError(AttemptError):
    """No attempt, or more than one, goes by this id."""

    def __init__(self, id_or_prefix: str, match_count: int = 0) -> None:
        """Takes the id, or beginning of an id, that was asked for, and how many attempts it fits."""
        self.attempt = id_or_prefix
        quoted_id = ascii(id_or_prefix)
        if match_count > 1:
            super().__init__(f"{match_count} attempts begin with {quoted_id}: give more characters of the id.")
        else:
            super().__init__(f"There is no attempt {quoted_id}: `benchwright attempts list` shows them all.")


class AttemptElsewhereError(AttemptError):
    """Another process works on the attempt."""

    def __init__(self, holder: str) -> None:
        """Takes who has it, in words."""
        super().__init__(
            f"This attempt is open in another window or server ({holder}), which records it. Here it is read-only: "
            "nothing that you do is recorded. Close it there to go on here."
        )


class ClaimLostError(AttemptElsewhereError):
    """This process worked on the attempt, and lost the right to."""

    def __init__(self) -> None:
        """Takes nothing."""
        AttemptError.__init__(
            self,
            "The connection to the log broke off, and another window or server may record this attempt meanwhile. Here "
            "it is read-only: nothing that you do is recorded until the log can be reached again, which is tried with "
            "every save.",
        )


class IllegalTransitionError(AttemptError):
    """The attempt is in a state that does not allow this step."""

    def __init__(self, state: str, event_type: str, message: str) -> None:
        """Takes the present state, the type of the refused event, and a message for people."""
        self.state = state
        self.step = event_type
        super().__init__(message)


class AidRefusedError(AttemptError):
    """The attempt does not let its solver use an aid, or not now."""


class LogError(AttemptError):
    """The attempt log cannot be used."""

    def __init__(self, path: Path | str, message: str) -> None:
        """Takes the database's file or address, and what happened and what to do: the path is put in front of it."""
        self.path = path
        super().__init__(f"Attempt log {path}: {message}")


class LogBusyError(LogError):
    """Another program held the database for longer than the time-out; nothing was written."""


class LogUnavailableError(LogError):
    """The file system refused: disk full, no permission, I/O error; nothing was written."""


class LogVersionError(LogError):
    """The database was written by a newer Benchwright."""


class LogDamagedError(LogError):
    """The file is not an attempt log, or its content cannot be read."""


class LogClosedError(LogError):
    """The log was closed before this event was handed over."""


class StudyError(AttemptError):
    """A study can't be found, or does not allow what was asked."""


class ConsentMissingError(StudyError):
    """Nothing of a study is recorded without its participant's consent."""

    def __init__(self, study: str, participant: str) -> None:
        """Takes the study and the pseudonym."""
        super().__init__(
            f"{participant} has not agreed to take part in the study {study}, so nothing of it is recorded. "
            "Read the consent text and agree to it first."
        )


class StudyClosedError(StudyError):
    """The study was closed: its data and rules are frozen."""

    def __init__(self, study: str) -> None:
        """Takes the study."""
        super().__init__(f"The study {study} is closed: nothing can be added or changed any more.")


class ExportError(AttemptError):
    """An exported attempt cannot be read."""

    def __init__(self, path: Path, line_number: int, message: str) -> None:
        """Takes the export file, the line number from 1, and what is wrong with that line."""
        self.path = path
        self.line = line_number
        super().__init__(f"{path}, line {line_number}: {message}")


class EvaluationError(AttemptError):
    """A model run was asked for that can't be made."""


class TrajectoryError(AttemptError):
    """A file is no trajectory that can be read."""
