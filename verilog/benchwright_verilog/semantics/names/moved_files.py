"""Edits that keep `include`s and file lists right when files or folders get other names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchwright_verilog.semantics.names.renaming import RenameEdit
from benchwright_verilog.semantics.project.project import Project

_BEFORE_PATH = r"(?<![\w./$-])(?:\./)?"
_AFTER_PATH = r"(?=/|(?![\w./-]))"


def edits_for_moved_files(project: Project, new_paths: Mapping[Path, Path]) -> Iterator[RenameEdit]:
    """Yield edits of includes and of file lists. Blocks on the disk.

    What a file declares keeps its name. A list names a file through a variable: that entry is left as it is.

    Args:
        project: As it is before.
        new_paths: Files and folders, each with its new path.
    """
    for includer in _files_with_affected_includes(project, new_paths):
        yield from _include_edits(project, includer, new_paths)
    for file_list in project.lists:
        for list_path in file_list.read_lists:
            yield from _list_edits(project, list_path, file_list.path, new_paths)


def _new_path(path: Path, new_paths: Mapping[Path, Path]) -> Path:
    for around in (path, *path.parents):
        if around in new_paths:
            return new_paths[around] / path.relative_to(around)
    return path


def _files_with_affected_includes(project: Project, new_paths: Mapping[Path, Path]) -> list[Path]:
    words_by_file = list(project.words_by_file())
    moved_files = {path for path, _ in words_by_file if _new_path(path, new_paths) != path} | {*new_paths}
    moved_names = {path.name for path in moved_files}
    return [
        path
        for path, outline in words_by_file
        if outline.includes
        and (
            path in moved_files
            or any(
                (include if isinstance(include, str) else include.name).rpartition("/")[2] in moved_names
                for include in outline.includes
            )
        )
    ]


def _include_edits(project: Project, includer: Path, new_paths: Mapping[Path, Path]) -> Iterator[RenameEdit]:
    outline = project.outline(includer)
    folders = [includer.parent, *project.include_dirs_of(includer)]
    new_folders = [_new_path(includer, new_paths).parent, *(_new_path(folder, new_paths) for folder in folders[1:])]
    for include in outline.includes if outline is not None else ():
        header = project.find_include(includer, include.name)
        if header is None:
            continue
        new_header = _new_path(header, new_paths)
        # A way up was written for the file's own folder, even if it leads there from another too.
        tried_folders = new_folders[:1] if ".." in include.name.split("/") else new_folders
        is_still_found = any(_normalised_path(folder, include.name) == new_header for folder in tried_folders)
        is_found_by_name = not project.lists and include.name == new_header.name
        if is_still_found or is_found_by_name or include.name.startswith("/"):
            continue
        index = next(index for index, folder in enumerate(folders) if _normalised_path(folder, include.name) == header)
        name = _include_name_of_header(new_header, new_folders, index)
        yield RenameEdit(includer, include.start, include.end, name)


def _include_name_of_header(header: Path, folders: list[Path], folder_index: int) -> str:
    """The name by which a header is included: below the folder that led to it before, else by another, else by `..`."""
    if header.is_relative_to(folders[folder_index]):
        return header.relative_to(folders[folder_index]).as_posix()
    names = [header.relative_to(folder).as_posix() for folder in folders if header.is_relative_to(folder)]
    return min(names, key=len) if folder_index and names else Path(os.path.relpath(header, folders[0])).as_posix()


def _normalised_path(folder: Path, relative_path: str) -> Path:
    return Path(os.path.normpath(folder / relative_path))


def _list_edits(
    project: Project, list_path: Path, outermost_list: Path, new_paths: Mapping[Path, Path]
) -> Iterator[RenameEdit]:
    text = project.list_text(list_path) if _new_path(list_path, new_paths) == list_path else None
    if text is None:
        return
    seen_starts: set[int] = set()
    for folder in dict.fromkeys((list_path.parent, outermost_list.parent)):
        for old_path, new_path in new_paths.items():
            for old_name, new_name in (
                (os.path.relpath(old_path, folder), os.path.relpath(new_path, folder)),
                (os.fspath(old_path), os.fspath(new_path)),
            ):
                for match in re.finditer(_BEFORE_PATH + re.escape(Path(old_name).as_posix()) + _AFTER_PATH, text):
                    start = len(text[: match.start()].encode())
                    if start not in seen_starts:
                        seen_starts.add(start)
                        yield RenameEdit(list_path, start, start + len(match[0].encode()), Path(new_name).as_posix())
