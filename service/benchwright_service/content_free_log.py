"""The log of a service and its workers: what happened and where, without what it was about.

An exception's message quotes what it was raised over: a file of a student, a statement with its parameters, a token.
So of exceptions and of other packages' messages, only kind and place are logged. What repeats itself is counted: a full
disk fails every request, and would fill the log's disk as well.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TextIO

from benchwright_foundation.storage_failures import storage_failure_name

_OURS = "benchwright_"
_PLAIN = "uvicorn"
"""A package whose messages are plain sentences before their arguments are filled in."""
REPETITIONS_COUNTED_S = 60.0
"""Time for which what is logged again is only counted, in seconds."""
_MOST_REMEMBERED_RECORDS = 1_000


class ContentFreeFormatter(logging.Formatter):
    """Formats records without contents."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the places of the exception below it; of a disk or a database that fails, the line alone."""
        return f"{self.formatTime(record)} {text_without_contents(record)}"


def text_without_contents(record: logging.LogRecord) -> str:
    """What is logged of a record, without the time."""
    line = f"{record.levelname} {record.name}: {_message_without_contents(record)}"
    if not record.exc_info or record.exc_info[0] is None:
        return line
    kind, error, trace = record.exc_info
    failure = storage_failure_name(error) if error is not None else None
    return f"{line}: {kind.__name__} ({failure})" if failure is not None else f"{line}\n{_trace_places(kind, trace)}"


@dataclass
class _Repetition:
    logged_time: float
    count: int = 0


class RepetitionCountingHandler(logging.StreamHandler[TextIO]):
    """Writes a record once, and then how often it came again.

    Args:
        stream: Stream for the lines; standard error if not given.
        clock: Monotonic seconds.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self._clock = clock
        self._repetitions: dict[str, _Repetition] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Writes it, unless it was written a moment ago."""
        self._write_and_forget_counts(self._clock() - REPETITIONS_COUNTED_S)
        content = text_without_contents(record)
        repetition = self._repetitions.get(content)
        if repetition is not None:
            repetition.count += 1
            return
        if len(self._repetitions) < _MOST_REMEMBERED_RECORDS:
            self._repetitions[content] = _Repetition(self._clock())
        super().emit(record)

    def close(self) -> None:
        """Writes what was only counted."""
        self._write_and_forget_counts(float("inf"))
        super().close()

    def _write_and_forget_counts(self, latest_time: float) -> None:
        """Writes and forgets the counts of what was logged before a time."""
        due = [content for content, repetition in self._repetitions.items() if repetition.logged_time <= latest_time]
        for content in due:
            repetition = self._repetitions.pop(content)
            if repetition.count:
                text = f"{content.partition(chr(10))[0]} (again: {repetition.count:,} times)"
                self.stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}{self.terminator}")
                self.flush()


def log_without_contents(stream: TextIO | None = None) -> None:
    """Logs this process's warnings and errors, those of Python too, as lines without contents.

    Args:
        stream: Stream for the lines; standard error if not given.
    """
    handler = RepetitionCountingHandler(stream)
    handler.setFormatter(ContentFreeFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught_error


def _log_uncaught_error(error_type: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger(__name__).critical("The process ends.", exc_info=(error_type, error, trace))


def _message_without_contents(log_record: logging.LogRecord) -> str:
    if log_record.name.startswith(_OURS):
        return log_record.getMessage()
    if log_record.name.partition(".")[0] == _PLAIN:
        return str(log_record.msg).partition("\n")[0]
    return f"{log_record.filename}:{log_record.lineno}"


def _trace_places(error_type: type[BaseException], trace: TracebackType | None) -> str:
    return f"{error_type.__module__}.{error_type.__qualname__}\n" + "".join(traceback.format_tb(trace)).rstrip()
