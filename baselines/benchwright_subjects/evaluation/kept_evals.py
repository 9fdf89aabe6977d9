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
    """Where they are kept."""
    return home.data / "evals"


def keep(folder: Path, log: Path, attempts: Iterable[str]) -> None:
    """Keep a log, and note beside it which attempts it covers.

    Args:
        folder: Where.
        log: An `.eval` file, which stays where it is.
        attempts: Their ids.

    Raises:
        OSError: The folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / log.name
    if not (kept.exists() and kept.samefile(log)):
        kept.unlink(missing_ok=True)
        try:
            os.link(log, kept)
        except OSError:
            shutil.copyfile(log, kept)
    write_atomically(_note_of(kept), json.dumps(sorted(attempts)).encode())


def logs_of(folder: Path, attempts: Iterable[str]) -> Sequence[Path]:
    """The logs that cover any of these attempts, the oldest first."""
    wanted = set(attempts)
    return [log for log in sorted(folder.glob("*.eval")) if wanted.intersection(_noted(log))]


def _note_of(log: Path) -> Path:
    return log.with_suffix(".attempts.json")


def _noted(log: Path) -> list[str]:
    try:
        found = json.loads(_note_of(log).read_bytes())
    except (OSError, ValueError):
        return []
    return [str(attempt) for attempt in found] if isinstance(found, list) else []
