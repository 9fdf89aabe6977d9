"""The pack that an author's command is about: an installed one, or the folder that its author works on."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.problem import Pack
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder
from benchwright_problems.storage.store import Store


def author_folder_if_any(folder_or_pack_name: str) -> Path | None:
    """The folder that a name means; None if it is a pack's name."""
    return Path(folder_or_pack_name) if (Path(folder_or_pack_name) / PACK_FILE).is_file() else None


def pack_with_hidden_parts(store: Store, folder_or_pack_name: str) -> Pack:
    """A pack with its hidden parts.

    Raises:
        DatasetError: The folder can't be read as a pack.
        UnknownProblemError: No such pack exists, or its hidden parts are at a service.
    """
    folder = author_folder_if_any(folder_or_pack_name)
    if folder is not None:
        return read_pack_folder(folder)
    pack = store.public_pack(folder_or_pack_name)
    return pack.model_copy(
        update={"problems": tuple(store.unseal(f"{folder_or_pack_name}/{problem.id}") for problem in pack.problems)}
    )
