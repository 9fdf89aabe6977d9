"""The file list that was chosen for a folder, and its target, kept from one start to the next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from benchwright_verilog.semantics.project.folder_state import FolderStateStore


@dataclass(frozen=True)
class ListChoice:
    """The one of a folder's file lists to use."""

    name: str = ""
    """Its file name. Empty for the one that the folder has."""
    target: str = ""
    """Its target, or those of a `Bender.yml`, separated by commas. Empty for its default."""
    declined: bool = False
    """True if none of several lists shall be used, so that nobody is asked again."""


NOTHING_CHOSEN = ListChoice()


class ListChoiceStore:
    """Keeps the choices of folders.

    Args:
        store_folder: Folder of the store; others can't read it.
    """

    def __init__(self, store_folder: Path) -> None:
        self._state = FolderStateStore(store_folder)

    def load(self, project_folder: Path) -> ListChoice:
        """Return the choice for a folder, if its list still exists."""
        stored_choice = self._state.load(project_folder)
        name, target = str(stored_choice.get("name", "")), str(stored_choice.get("target", ""))
        if name and not (project_folder / name).is_file():
            return NOTHING_CHOSEN
        return ListChoice(name, target, stored_choice.get("declined") is True)

    def save(self, project_folder: Path, list_choice: ListChoice) -> None:
        """Keep the choice for a folder. Where that can't be written, it ends with the program."""
        self._state.save(project_folder, asdict(list_choice) if list_choice != NOTHING_CHOSEN else {})
