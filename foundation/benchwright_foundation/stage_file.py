"""Output of a stage, kept with the digest of what it was made from: an unchanged stage is skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model


class StageOutput(Model):
    """Output of a stage."""

    made_from: str
    """Digest of what it was made from, and of how."""


_M = TypeVar("_M", bound=StageOutput)


class StageFile(Generic[_M]):
    """One file of a stage.

    Args:
        file: Path of the file.
        model: Pydantic model of the file.
    """

    def __init__(self, file: Path, model: type[_M]) -> None:
        self._file = file
        self._model = model

    def output_if_made_from(self, input_digest: str) -> _M | None:
        """Return the output that was made from exactly this; None if there is none."""
        document = self.last_output()
        return document if document is not None and document.made_from == input_digest else None

    def last_output(self) -> _M | None:
        """Return the output that was made last, from whatever; None if there is none."""
        try:
            return self._model.model_validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return None

    def write_output(self, document: _M) -> _M:
        """Write what was made, and return it."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file, document.model_dump_json(indent=1).encode() + b"\n")
        return document
