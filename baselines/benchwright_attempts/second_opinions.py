"""Second opinions on what attempts ended with, kept beside the log until a report is made."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pydantic import ValidationError

from benchwright_formal.second_opinion import SecondOpinion
from benchwright_problems.atomic import write_atomically
from benchwright_problems.home import Home
from benchwright_problems.verdict import Model


class KeptOpinion(Model):
    """The opinion on one try of an attempt."""

    number: int
    """Of the try, from 1."""
    made_by: str
    """Digest of the problem and of the tools."""
    found: SecondOpinion


class SecondOpinions:
    """Keeps them; their inputs say what references do, so they are where hidden parts are.

    Args:
        home: The user's folders.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.data / "sealed" / "@attempts"

    def keep(self, attempt: str, opinion: KeptOpinion) -> None:
        """Keeps one in place of an older one.

        Raises:
            OSError: The folder can't be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self._file(attempt), opinion.model_dump_json().encode(), 0o600)

    def find(self, attempt: str) -> KeptOpinion | None:
        """The one on an attempt; None if there is none, or it is unreadable."""
        with contextlib.suppress(OSError, ValidationError):
            return KeptOpinion.model_validate_json(self._file(attempt).read_bytes())
        return None

    def _file(self, attempt: str) -> Path:
        return self._folder / f"{attempt}.json"
