"""Failures of disks and databases: what is behind an error, in words that hold no contents."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from benchwright_foundation.errors import StorageError

_FULL = frozenset({"SQLITE_FULL", "DiskFull", "ENOSPC", "EDQUOT", "EFBIG"})
_READ_ONLY = frozenset({"SQLITE_READONLY", "ReadOnlySqlTransaction", "EROFS", "EACCES", "EPERM"})
# SQLite says only that writing failed.
_UNWRITABLE = frozenset({"SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR", "EIO"})


def storage_failure_name(error: BaseException) -> str | None:
    """The name that the driver or the system has for a failure, such as `DiskFull`; None if it was another error."""
    name = None
    for cause in _error_and_causes(error):
        if isinstance(cause, sqlite3.Error):
            name = getattr(cause, "sqlite_errorname", type(cause).__name__)
        elif isinstance(cause, DBAPIError) and cause.orig is not None:
            name = getattr(cause.orig, "sqlite_errorname", type(cause.orig).__name__)
        elif isinstance(cause, OSError):
            name = errno.errorcode.get(cause.errno or 0, type(cause).__name__)
        elif isinstance(cause, StorageError | SQLAlchemyError):
            name = name or type(cause).__name__
    return name


def is_write_failure(failure_name: str | None) -> bool:
    """True if nothing more can be written where it happened, until somebody has fixed the cause."""
    return failure_name is not None and bool({failure_name} & (_FULL | _READ_ONLY | _UNWRITABLE))


def describe_failure(failure_name: str) -> str:
    """The failure in words for an operator."""
    if failure_name in _FULL:
        return f"there is no space left ({failure_name})"
    if failure_name in _READ_ONLY:
        return f"it can't be written ({failure_name})"
    return f"it can't be used ({failure_name})"


def _error_and_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen_ids = set[int]()
    while error is not None and id(error) not in seen_ids:
        seen_ids.add(id(error))
        yield error
        error = error.__cause__
