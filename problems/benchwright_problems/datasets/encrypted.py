"""Data sets that their authors give out encrypted, with a key on request."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.errors import DatasetError

_FERNET = b"gAAAA"
"""How a Fernet token begins."""


def refuse_encrypted(file: Path) -> None:
    """Refuse a file that is still encrypted.

    Raises:
        DatasetError: It is, or it can't be read.
    """
    try:
        with file.open("rb") as stream:
            start = stream.read(len(_FERNET))
    except OSError as error:
        raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
    if start == _FERNET:
        raise DatasetError(
            file, "", "is encrypted; decrypt it with the key that the set's authors give, then import it"
        )
