"""The pack that an author's command is about: an installed one, or the folder that its author works on."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.problem import Pack
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder
from benchwright_problems.storage.store import Store


def author_folder(name: str) -> Path | None:
    """The folder that a name means; None if it is a pack's name."""
    return Path(name) if (Path(name) / PACK_FILE).is_file() else None


def pack_with_hidden_parts(store: Store, name: str) -> Pack:
    """A pack with its hidden parts.

    Raises:
        DatasetError: The folder can't be read as a pack.
        UnknownProblemError: No such pack exists, or its hidden parts are at a service.
    """
    folder = author_folder(name)
    if folder is not None:
        return read_pack_folder(folder)
    pack = store.public(name)
    return pack.model_copy(
        update={"problems": tuple(store.unseal(f"{name}/{problem.id}") for problem in pack.problems)}
    )
