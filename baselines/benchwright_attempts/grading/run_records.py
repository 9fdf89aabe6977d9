"""Verdicts and raw logs of runs, sealed beside the hidden parts: both may hold hidden text."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_problems.verdict import Verdict

_SHOWN_LOG_BYTES = 200_000


class RunRecords:
    """The runs of one attempt, by number.

    Args:
        home: Home with the store.
        attempt: The attempt's id.
    """

    def __init__(self, home: Home, attempt: str) -> None:
        self._folder = home.data / "sealed" / "@runs" / attempt

    @property
    def opinion_file(self) -> Path:
        """The file of a second opinion on the attempt."""
        return self._folder / "opinion.json"

    @property
    def checkpoint_file(self) -> Path:
        """The file of the point from which the solver could go on."""
        return self._folder / "checkpoint.json"

    def delete(self) -> None:
        """Remove everything that is kept of the attempt here."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def open_log(self, run_number: int) -> BinaryIO:
        """A file for the raw output of a run."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder.parent.parent).chmod(0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        return os.fdopen(os.open(self._folder / f"{run_number}.log", flags, 0o600), "wb")

    def delete_log(self, run_number: int) -> None:
        """Remove the raw output of a run."""
        (self._folder / f"{run_number}.log").unlink(missing_ok=True)

    def keep_verdict(self, run_number: int, verdict: Verdict) -> None:
        """Keep a verdict."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self._folder / f"{run_number}.json", verdict.model_dump_json().encode(), 0o600)

    def find_verdict(self, run_number: int) -> Verdict | None:
        """A stored verdict; None if it no longer exists."""
        try:
            return Verdict.model_validate_json((self._folder / f"{run_number}.json").read_bytes())
        except (OSError, ValidationError):
            return None

    def log_tail(self, run_number: int) -> str:
        """The last part of a run's raw log."""
        try:
            with (self._folder / f"{run_number}.log").open("rb") as stream:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - _SHOWN_LOG_BYTES))
                return stream.read().decode("utf-8", "replace")
        except OSError:
            return ""
