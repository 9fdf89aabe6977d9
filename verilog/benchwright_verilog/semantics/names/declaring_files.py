"""Choice of the file that declares a unit, without a file list, where several do and none is nearer than the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchwright_verilog.semantics.project.folder_state import FolderStateStore
from benchwright_verilog.semantics.project.index.inventory import folder_distance, nearest_path


class DeclaringFileChoices:
    """Decides for one folder, and notes what it could not decide.

    Args:
        folder: The folder.
        folder_state: Keeps what somebody has chosen.
    """

    def __init__(self, folder: Path | None = None, folder_state: FolderStateStore | None = None) -> None:
        self._folder = folder
        self._state = folder_state
        stored_choice = folder_state.load(folder) if folder_state is not None and folder is not None else {}
        units = stored_choice.get("units")
        self._chosen = {str(name): str(file) for name, file in units.items()} if isinstance(units, dict) else {}
        self.ambiguous_files_by_unit: dict[str, tuple[Path, ...]] = {}
        """The files that declare a unit, of which one had to be taken though another is as near."""

    @property
    def chosen_paths_by_unit(self) -> Mapping[str, str]:
        """The file of each unit for which somebody has chosen one, below the folder; empty for the nearest."""
        return self._chosen

    @property
    def undecided_files_by_unit(self) -> Mapping[str, tuple[Path, ...]]:
        """The units that are ambiguous and for which no file was chosen yet."""
        return {
            name: files
            for name, files in self.ambiguous_files_by_unit.copy().items()
            if name not in self._chosen and self._only_file_beside_chosen(files) is None
        }

    def chosen_or_nearest_file(self, unit_name: str, candidates: Iterable[Path], naming_file: Path) -> Path | None:
        """The file whose declaration a file means: the chosen one, or one beside a chosen one, else the nearest.

        Args:
            unit_name: Name of the unit.
            candidates: The files that declare it.
            naming_file: The file that names it.
        """
        paths = sorted(candidates)
        if self._folder is not None and (chosen := self._chosen.get(unit_name)) and self._folder / chosen in paths:
            self.ambiguous_files_by_unit[unit_name] = tuple(paths)
            return self._folder / chosen
        nearest_file = nearest_path(paths, naming_file)
        if (
            nearest_file is not None
            and sum(folder_distance(path, naming_file) == folder_distance(nearest_file, naming_file) for path in paths)
            > 1
        ):
            self.ambiguous_files_by_unit[unit_name] = tuple(paths)
            if unit_name not in self._chosen:
                return self._only_file_beside_chosen(paths) or nearest_file
        return nearest_file

    def _only_file_beside_chosen(self, files: Iterable[Path]) -> Path | None:
        """The only one of some files that is in the folder of a chosen file: one choice does for `prim_generic/`."""
        folder = self._folder
        folders = {(folder / file).parent for file in self._chosen.values() if file} if folder is not None else ()
        beside_paths = [path for path in files if path.parent in folders]
        return beside_paths[0] if len(beside_paths) == 1 else None

    def choose_declaring_file(self, unit_name: str, path_below_folder: str) -> None:
        """Take this file for a unit from now on, also after the next start.

        Args:
            unit_name: Name of the unit.
            path_below_folder: Below the folder; empty for the nearest.
        """
        self._chosen[unit_name] = path_below_folder
        if self._state is not None and self._folder is not None:
            self._state.save(self._folder, {"units": self._chosen})
