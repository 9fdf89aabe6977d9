"""The files of a folder that a run of its tests gets: sources, headers, Python and data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_server.own_tests.design_files import DesignFiles
from benchwright_server.own_tests.errors import OwnTestError
from benchwright_server.own_tests.finding import plain_files
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES

_DATA = frozenset(
    {".bin", ".cfg", ".csv", ".dat", ".hex", ".ini", ".json", ".mem", ".mif", ".py", ".toml", ".txt", ".yaml", ".yml"}
)
_MAX_FILES = 5_000
_MAX_BYTES = 64 << 20
_OUTSIDE = "outside"
"""Where a run has the files that are not below the folder."""


@dataclass(frozen=True)
class Snapshot:
    """What a run gets, by relative path."""

    files: dict[str, bytes]
    sources: tuple[str, ...]
    include_dirs: tuple[str, ...]
    places: dict[str, Path]
    """Where each file is on this machine."""


def snapshot(folder: Path, design: DesignFiles) -> Snapshot:
    """Read the files of a folder, and what a design has elsewhere.

    Raises:
        OwnTestError: There are too many, or one that is compiled can't be read.
    """
    wanted = dict.fromkeys(design.sources)
    for path in plain_files(folder):
        if path.suffix in DESIGN_SUFFIXES or path.suffix.lower() in _DATA:
            wanted[path] = None
    for outer in (one for one in design.include_dirs if not one.is_relative_to(folder)):
        wanted |= dict.fromkeys(path for path in plain_files(outer) if path.suffix in DESIGN_SUFFIXES)
    files, places, room = dict[str, bytes](), dict[str, Path](), _MAX_BYTES
    for path in wanted:
        try:
            content = read_plain_file(path.parent, path.name, room)
        except FileTooLargeError:
            if path in design.sources:
                raise OwnTestError(_too_much(folder)) from None
            continue
        except (OSError, NotPlainFileError) as error:
            if path in design.sources:
                raise OwnTestError(f"{path} can't be read, and the test needs it.") from error
            continue
        room -= len(content)
        here = _inside(folder, path)
        files[here], places[here] = content, path
        if len(files) > _MAX_FILES:
            raise OwnTestError(_too_much(folder))
    return Snapshot(files, tuple(_all(folder, design.sources)), tuple(_all(folder, design.include_dirs)), places)


def _too_much(folder: Path) -> str:
    return (
        f"{folder} has more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MiB for a run. "
        "Open the folder of the design alone, or use a file list."
    )


def _all(folder: Path, paths: Iterable[Path]) -> list[str]:
    return [_inside(folder, path) for path in paths]


def _inside(folder: Path, path: Path) -> str:
    if path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return f"{_OUTSIDE}/{path.relative_to(path.anchor).as_posix()}"
