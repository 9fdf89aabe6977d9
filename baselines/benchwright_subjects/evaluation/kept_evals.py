"""Inspect's logs as they are kept beside the event log, so that a report finds those of its attempts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home


def folder_of(home: Home) -> Path:
    """Folder in which they are kept."""
    return home.data / "evals"


def keep_eval_log(folder: Path, log: Path, attempts: Iterable[str]) -> None:
    """Keep a log, and note beside it which attempts it covers.

    Args:
        folder: Folder in which the log is kept.
        log: An `.eval` file, which stays where it is.
        attempts: Their ids.

    Raises:
        OSError: The folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept_log = folder / log.name
    if not (kept_log.exists() and kept_log.samefile(log)):
        kept_log.unlink(missing_ok=True)
        try:
            os.link(log, kept_log)
        except OSError:
            shutil.copyfile(log, kept_log)
    write_atomically(_note_of(kept_log), json.dumps(sorted(attempts)).encode())


def eval_logs_of(folder: Path, attempts: Iterable[str]) -> Sequence[Path]:
    """The logs that cover any of these attempts, the oldest first."""
    attempt_ids = set(attempts)
    return [log for log in sorted(folder.glob("*.eval")) if attempt_ids.intersection(_noted_attempts(log))]


def _note_of(log: Path) -> Path:
    return log.with_suffix(".attempts.json")


def _noted_attempts(log: Path) -> list[str]:
    try:
        noted_attempts = json.loads(_note_of(log).read_bytes())
    except (OSError, ValueError):
        return []
    return [str(attempt) for attempt in noted_attempts] if isinstance(noted_attempts, list) else []
