"""Paths that data sets name. They are untrusted: one names something inside the workspace and nothing else."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from benchwright_problems.editor_files import is_obeyed_by_editors

FOLDERS = ("docs", "rtl", "rundir", "verif")
"""Folders that every run has; no file can have these names."""

_MAX_PATH = 1000
_MAX_NAME = 200


def _require_path_inside(path: str) -> str:
    pure = PurePosixPath(path)
    if (
        not path
        or pure.is_absolute()
        or ".." in pure.parts
        or "\\" in path
        or len(path.encode(errors="replace")) > _MAX_PATH
        or any(len(part.encode(errors="replace")) > _MAX_NAME for part in pure.parts)
        or any(ord(c) < 32 for c in path)
        or str(pure) != path
        or pure.parts[0].startswith(".benchwright")
    ):
        raise ValueError(f"{path!r} is not a plain relative path such as 'rtl/top.sv'")
    return path


def _require_not_workspace_folder(path: str) -> str:
    if path in FOLDERS:
        raise ValueError(f"{path!r} is not a plain relative path such as 'rtl/top.sv'")
    return path


def _require_not_obeyed_by_editors(path: str) -> str:
    if is_obeyed_by_editors(path):
        raise ValueError(
            f"{path!r} is a file that editors or their assistants may run or obey; remove it from the problem"
        )
    return path


RelativeFolder = Annotated[str, AfterValidator(_require_path_inside)]
RelativePath = Annotated[RelativeFolder, AfterValidator(_require_not_workspace_folder)]
"""A file."""
WorkspacePath = Annotated[RelativePath, AfterValidator(_require_not_obeyed_by_editors)]
"""A file that a solver's editor opens."""
