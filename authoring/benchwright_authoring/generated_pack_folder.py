"""A pack folder that a command makes, and makes again when it is run again."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.pack_folder import PACK_FILE
from benchwright_problems.storage.pack_name import is_pack_name


def require_writable_pack_folder(folder: Path, report_file_name: str) -> None:
    """Makes sure that a pack can be written there, over nobody's work.

    Args:
        folder: May be missing.
        report_file_name: Name of the file that shows that the same command made the folder.

    Raises:
        ProblemsError: Its name can't be a pack's, or it holds another pack.
    """
    name = folder.absolute().name
    if not is_pack_name(name):
        raise ProblemsError(f"{name!r} can't be a pack's name; use lower-case letters, digits, '.', '_' and '-'")
    if (folder / PACK_FILE).exists() and not (folder / report_file_name).exists():
        raise ProblemsError(f"{folder} holds another pack; choose another folder")
