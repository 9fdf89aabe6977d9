"""The file lists of a project, or its `Bender.yml` or `.core` file, read again when they change."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import Stamp
from benchwright_verilog.semantics.project.lists import bender, fusesoc
from benchwright_verilog.semantics.project.lists.file_list import Complaint, FileList, read_file_list
from benchwright_verilog.semantics.project.plain_files import ReadableFiles, stamp_of

_MOST_NAMED = 10
_PATTERNS = ("*.f", "verible.filelist", bender.NAME, f"*{fusesoc.SUFFIX}")


def file_lists_in(folder: Path) -> list[Path]:
    """All file lists directly in a folder, by kind and name."""
    files = ReadableFiles.below(folder)
    return [path for pattern in _PATTERNS for path in files.files_matching(folder, pattern)]


def selectable_targets(
    list_path: Path,
    project_folder: Path,
    text_if_open: Callable[[Path], str | None],
    files: ReadableFiles | None = None,
) -> tuple[str, ...]:
    """Targets that can be chosen of a list; none for a `.f` file.

    Args:
        list_path: The list.
        project_folder: Folder of the project.
        text_if_open: Gives the text of a list that an editor has open.
        files: The files that may be read; all if none are given.
    """
    if list_path.name == bender.NAME:
        return bender.read_bender(list_path, text_if_open, files=files).targets
    if list_path.suffix == fusesoc.SUFFIX:
        return fusesoc.read_core(list_path, project_folder, text_if_open, files=files).targets
    return ()


class ProjectLists:
    """The file lists that the settings name, else the one directly in the folder.

    That is its only `.f` file, else its `verible.filelist`, its `Bender.yml`, or its only `.core` file.

    Args:
        named_lists: The lists of the settings.
        folder: Folder to look for a list in if none is named; None for nowhere.
        text_if_open: Gives the text of a list that an editor has open.
        on_read: Called with the lists whenever they were read, in whatever thread that was.
        variables: Values that `$NAME` stands for in a list, before the environment's.
        target: Target chosen of a list that has several; those of Bender are separated by commas.
        files: The files that lists may lead to; all if none are given.
    """

    def __init__(
        self,
        named_lists: Sequence[Path],
        folder: Path | None,
        text_if_open: Callable[[Path], str | None],
        on_read: Callable[[Sequence[FileList]], None] | None,
        variables: Mapping[str, str] | None = None,
        target: str = "",
        files: ReadableFiles | None = None,
    ) -> None:
        self._files = files or ReadableFiles.everywhere()
        self._named_lists = list(named_lists)
        self._folder = folder
        self._text_if_open = text_if_open
        self._on_read = on_read
        self._variables = variables or {}
        self._target = target
        self._stamps: dict[Path, Stamp | None] = {}
        self._found_lists: list[Path] = []
        self._candidate_lists: list[Path] = []
        self._told_also: list[str] = []
        self.lists: tuple[FileList, ...] = ()

    def reread_if_changed(self, *, looks_for_lists: bool = True) -> bool:
        """Read the lists again if one of them, or one that they name, has changed.

        Args:
            looks_for_lists: True to look for lists in the folder.

        Returns:
            Whether they were read.
        """
        if looks_for_lists and not self._named_lists and self._folder is not None:
            lists_by_kind = (self._files.files_matching(self._folder, pattern) for pattern in _PATTERNS)
            found_lists = next((files for files in lists_by_kind if files), [])
            self._found_lists = found_lists if len(found_lists) == 1 else []
            self._report_ambiguous_lists(found_lists[:_MOST_NAMED] if len(found_lists) > 1 else [])
        paths = self._named_lists or self._found_lists
        if self._stamps_of(paths) == self._stamps:
            return False
        variables = {**os.environ, **self._variables}
        self.lists = tuple(self._read(path, variables) for path in paths)
        self._stamps = self._stamps_of(paths)
        self._told_also = []
        if self._on_read is not None:
            self._on_read(self.lists)
        return True

    def _report_ambiguous_lists(self, lists: list[Path]) -> None:
        if lists == self._candidate_lists:
            return
        self._candidate_lists = lists
        if lists and self._on_read is not None and self._folder is not None:
            names = ", ".join(path.name for path in lists)
            message = (
                f"{self._folder.name} has several file lists ({names}), and none is used. Choose one, or name those "
                "that belong together in benchwright.project.fileLists."
            )
            complaint = Complaint(self._folder, 0, 0, message, False)
            self._on_read([FileList(self._folder, complaints=(complaint,), candidate_lists=tuple(lists))])

    def report_with_first_list(self, messages: Sequence[str]) -> None:
        """Tell about the first list what only shows in its files, unless that was just told."""
        if self._told_also == messages or not self.lists or self._on_read is None:
            return
        self._told_also = [*messages]
        first_list, *other_lists = self.lists
        added_complaints = tuple(Complaint(first_list.path, 0, 0, message, False) for message in messages)
        self._on_read([replace(first_list, complaints=(*first_list.complaints, *added_complaints)), *other_lists])

    def copy_lists_from(self, original: ProjectLists) -> None:
        """Take what another project with the same settings has read."""
        self.lists, self._stamps, self._found_lists = original.lists, original._stamps, original._found_lists
        self._candidate_lists = original._candidate_lists

    def _read(self, path: Path, variables: Mapping[str, str]) -> FileList:
        if path.name == bender.NAME:
            targets = tuple(name.strip() for name in self._target.split(",") if name.strip())
            return bender.read_bender(path, self._text_if_open, targets, self._files)
        if path.suffix == fusesoc.SUFFIX:
            return fusesoc.read_core(path, self._folder or path.parent, self._text_if_open, self._target, self._files)
        return read_file_list(path, self._text_if_open, variables, self._files)

    def _stamps_of(self, lists: Sequence[Path]) -> dict[Path, Stamp | None]:
        stamps: dict[Path, Stamp | None] = {}
        for path in [*lists, *(read_path for file_list in self.lists for read_path in file_list.read_lists)]:
            text = self._text_if_open(path)
            stamps[path] = stamp_of(path) if text is None else (hash(text), len(text))
        return stamps
