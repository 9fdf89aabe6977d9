"""All plain files below a folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

BUILD_FOLDERS = frozenset({"node_modules", "obj_dir", "sim_build", "__pycache__", "venv"})
"""Folders of tools, which hold no sources."""


def files_below(
    folder: Path, left_out_names: Collection[str] = BUILD_FOLDERS, left_out_folders: Collection[Path] = ()
) -> Iterator[os.DirEntry[str]]:
    """All plain files below a folder, without following links; hidden files and folders are left out.

    Args:
        folder: The folder; parts of it that can't be listed are left out.
        left_out_names: Names of folders that are left out too.
        left_out_folders: Folders that are left out wherever they are.
    """
    left_out_paths = frozenset(map(os.fspath, left_out_folders))
    pending_folders = [os.fspath(folder)]
    while pending_folders:
        try:
            with os.scandir(pending_folders.pop()) as listing:
                dir_entries = sorted(listing, key=lambda listed_entry: listed_entry.name)
        except OSError:
            continue
        for dir_entry in dir_entries:
            try:
                if dir_entry.is_symlink() or dir_entry.name.startswith("."):
                    continue
                if dir_entry.is_dir(follow_symlinks=False):
                    if dir_entry.name not in left_out_names and dir_entry.path not in left_out_paths:
                        pending_folders.append(dir_entry.path)
                elif dir_entry.is_file(follow_symlinks=False):
                    yield dir_entry
            except OSError:
                continue
