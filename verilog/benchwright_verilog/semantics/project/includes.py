"""Include folders and macros that files are read with, and the files that an `include` means."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from benchwright_verilog.semantics.compilation.trees import Preprocessing
from benchwright_verilog.semantics.project.index.entry import IndexEntry
from benchwright_verilog.semantics.project.index.inventory import Inventory, folder_distance
from benchwright_verilog.semantics.project.lists.file_list import FileList
from benchwright_verilog.semantics.project.texts import SourceTexts
from benchwright_verilog.syntax.suffixes import HEADERS

_MAX_INCLUDE_DIRS = 64

_MOST_NAMED = 3


class IncludeFinder:
    """Finds included files; what it found is kept until the disk is checked again. Not safe in several threads.

    Args:
        include_dirs: The include folders of the settings.
        defines: The macros of the settings, `NAME` or `NAME=text`.
        texts: The files as they are now.
        inventory: All files of the project's folder; None for a file by itself.
        verilog_files: The patterns of the settings for files of Verilog.
    """

    def __init__(
        self,
        include_dirs: Sequence[Path],
        defines: Sequence[str],
        texts: SourceTexts,
        inventory: Inventory | None,
        verilog_files: Sequence[str] = (),
    ) -> None:
        self._dirs = list(include_dirs)
        self._defines = list(defines)
        self._texts = texts
        self._inventory = inventory
        self._verilog_files = list(verilog_files)
        self._verilog_patterns = self._verilog_files
        self._chosen_macros: Mapping[str, bool] = {}
        self._lists: Sequence[FileList] = ()
        self.inferred: list[InferredInclude] = []
        """Headers that files include and no list has a folder for."""
        self._inferred_of: tuple[int, tuple[Path, ...], frozenset[Path]] | None = None
        self._found_paths: dict[tuple[Path, str], Path | None] = {}
        self._read_with: dict[Path, Preprocessing] = {}

    def with_texts(self, texts: SourceTexts, chosen_macros: Mapping[str, bool] = MappingProxyType({})) -> IncludeFinder:
        """The same for other versions of the files.

        Args:
            texts: The files.
            chosen_macros: Macros that are defined, or are not, whatever settings and lists say.
        """
        changed_includes = IncludeFinder(self._dirs, self._defines, texts, self._inventory, self._verilog_files)
        changed_includes._chosen_macros = chosen_macros
        changed_includes.use_lists_and_forget_findings(self._lists)
        return changed_includes

    def use_lists_and_forget_findings(self, lists: Sequence[FileList]) -> None:
        """Take the project's file lists, and what is on disk, as they are now."""
        self._lists = lists
        listed_patterns = (pattern for file_list in lists for pattern in file_list.verilog_files)
        self._verilog_patterns = [*self._verilog_files, *listed_patterns]
        self._found_paths.clear()
        self._read_with.clear()
        self._infer_missing_folders()

    def _infer_missing_folders(self) -> None:
        """Look for the folders that lists leave out, if what is on disk is new."""
        if self._inventory is None or not self._lists:
            self.inferred = []
            return
        dirs = dict.fromkeys(
            [*self._dirs, *(include_dir for listed in self._lists for include_dir in listed.include_dirs)]
        )
        listed_files = frozenset(path for file_list in self._lists for path in file_list.sources)
        inference_state = self._inventory.version, tuple(dirs), listed_files
        if inference_state != self._inferred_of:
            self._inferred_of = inference_state
            self.inferred = _infer_includes(
                self._inventory.entries,
                {*self._inventory.stamps, *self._inventory.included_files_with_other_suffixes},
                inference_state[1],
                listed_files,
                self._texts.is_file_or_open,
            )

    def included_file(self, includer: Path, name: str) -> Path | None:
        """The file that an `include` of a file means."""
        include_key = includer.parent, name
        if include_key not in self._found_paths:
            candidates = (
                Path(os.path.normpath(folder / name))
                for folder in (includer.parent, *self.preprocessing_of(includer).include_dirs)
            )
            self._found_paths[include_key] = next(filter(self._texts.is_file_or_open, candidates), None)
        return self._found_paths[include_key]

    def preprocessing_of(self, path: Path) -> Preprocessing:
        """Include folders and macros that a file is read with."""
        if path.parent not in self._read_with:
            self._read_with[path.parent] = self._find_preprocessing(path)
        preprocessing = self._read_with[path.parent]
        return replace(preprocessing, is_plain_verilog=True) if self._is_verilog(path) else preprocessing

    def _is_verilog(self, path: Path) -> bool:
        return any(path.match(pattern) for pattern in self._verilog_patterns)

    def _find_preprocessing(self, path: Path) -> Preprocessing:
        dirs, defines = [*self._dirs], [*self._defines]
        for file_list in self._lists:
            dirs += file_list.include_dirs
            defines += file_list.defines
        defines = [define for define in defines if define.partition("=")[0] not in self._chosen_macros]
        defines += [name for name, is_defined in self._chosen_macros.items() if is_defined]
        if self._inventory is not None and not self._lists:
            dirs += self._inventory.header_dirs_near(path)
        folders = {folder for inferred_include in self.inferred for folder in inferred_include.folders}
        dirs += sorted(folders, key=lambda folder: (folder_distance(folder / "x", path), folder))
        return Preprocessing(tuple(dict.fromkeys(dirs))[:_MAX_INCLUDE_DIRS], tuple(defines))


@dataclass(frozen=True)
class InferredInclude:
    """A name that files include and no folder of the list has."""

    name: str
    folders: tuple[Path, ...]
    """From where it leads to a file."""
    includer_count: int
    """Number of the list's files and of all headers that include it."""

    def message(self, base_folder: Path) -> str:
        """The message to the user about it.

        Args:
            base_folder: Folder whose paths are shortened.
        """
        shown_folders = [_shortened_path(folder_, base_folder) for folder_ in self.folders[:_MOST_NAMED]]
        files = "a file includes" if self.includer_count == 1 else f"{self.includer_count} files include"
        if len(self.folders) == 1:
            advice = f"It is read from {shown_folders[0]}: add +incdir+{shown_folders[0]}."
            return f"No folder of this list has {self.name}, which {files}. {advice}"
        ellipsis = ", …" if len(self.folders) > _MOST_NAMED else ""
        return (
            f"No folder of this list has {self.name}, which {files}. Several other folders have it "
            f"({', '.join(shown_folders)}{ellipsis}), and the nearest is used: add the right one by +incdir+."
        )


def _infer_includes(
    entries: Mapping[Path, IndexEntry],
    paths: Collection[Path],
    include_dirs: Sequence[Path],
    listed_files: Collection[Path],
    path_exists: Callable[[Path], bool],
) -> list[InferredInclude]:
    """The names that are included and not found, and the folders below which there is such a file.

    Args:
        entries: Entries of a project's files, with what each includes.
        paths: All of its files.
        include_dirs: The include folders.
        listed_files: The files of the list.
        path_exists: True of a file that may be read.
    """

    def is_found(path: Path) -> bool:
        return path in paths or path_exists(path)

    missing: dict[str, int] = {}
    in_dirs: dict[str, bool] = {}
    for path, file_entry in entries.items():
        for name in file_entry.includes:
            if name not in in_dirs:
                in_dirs[name] = any(is_found(folder / name) for folder in include_dirs)
            if not in_dirs[name] and not is_found(path.parent / name):
                missing[name] = missing.get(name, 0) + (path in listed_files or path.suffix in HEADERS)
    paths_by_name: dict[str, list[Path]] = {}
    for path in paths if missing else ():
        paths_by_name.setdefault(path.name, []).append(path)
    inferred_headers = (
        (name, tuple(sorted(_possible_include_folders(name, paths_by_name))), number)
        for name, number in sorted(missing.items())
    )
    return [InferredInclude(*header) for header in inferred_headers if header[1]]


def _possible_include_folders(name: str, paths_by_name: Mapping[str, Sequence[Path]]) -> Iterator[Path]:
    path_parts = Path(name).parts
    for path in paths_by_name.get(path_parts[-1], ()) if path_parts and ".." not in path_parts else ():
        if path.parts[-len(path_parts) :] == path_parts:
            yield path.parents[len(path_parts) - 1]


def _shortened_path(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
