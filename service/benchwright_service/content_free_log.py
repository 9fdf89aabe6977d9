"""The log of a service and its workers: what happened and where, without what it was about.

An exception's message quotes what it was raised over: a file of a student, a statement with its parameters, a token.
So of exceptions and of other packages' messages, only kind and place are logged.
"""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType
from typing import TextIO

_OURS = "benchwright_"
_PLAIN = "uvicorn"
"""A package whose messages are plain sentences before their arguments are filled in."""


class PlainFormatter(logging.Formatter):
    """Formats records without contents."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the places of the exception below it."""
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {_logged_text(record)}"
        if record.exc_info and record.exc_info[0] is not None:
            line += "\n" + _trace_places(record.exc_info[0], record.exc_info[2])
        return line


def log_without_contents(stream: TextIO | None = None) -> None:
    """Logs this process's warnings and errors, those of Python too, as lines without contents.

    Args:
        stream: Stream for the lines; standard error if not given.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PlainFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught_error


def _log_uncaught_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger(__name__).critical("The process ends.", exc_info=(kind, error, trace))


def _logged_text(log_record: logging.LogRecord) -> str:
    if log_record.name.startswith(_OURS):
        return log_record.getMessage()
    if log_record.name.partition(".")[0] == _PLAIN:
        return str(log_record.msg).partition("\n")[0]
    return f"{log_record.filename}:{log_record.lineno}"


def _trace_places(kind: type[BaseException], trace: TracebackType | None) -> str:
    return f"{kind.__module__}.{kind.__qualname__}\n" + "".join(traceback.format_tb(trace)).rstrip()
