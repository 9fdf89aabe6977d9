"""Include folders that a file list should name and does not: those of files that are included and nowhere found."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_verilog.semantics.project.entry import Entry
from benchwright_verilog.semantics.project.plain_files import stamp_of
from benchwright_verilog.syntax.suffixes import HEADERS

_MOST_NAMED = 3


@dataclass(frozen=True)
class Inferred:
    """A name that files include and no folder of the list has."""

    name: str
    folders: tuple[Path, ...]
    """From where it leads to a file."""
    includers: int
    """How many of the list's files and of all headers include it."""

    def message(self, folder: Path) -> str:
        """What to tell about it.

        Args:
            folder: Whose paths are shortened.
        """
        shown = [_short(one, folder) for one in self.folders[:_MOST_NAMED]]
        files = "a file includes" if self.includers == 1 else f"{self.includers} files include"
        if len(self.folders) == 1:
            here = f"It is read from {shown[0]}: add +incdir+{shown[0]}."
            return f"No folder of this list has {self.name}, which {files}. {here}"
        others = ", …" if len(self.folders) > _MOST_NAMED else ""
        return (
            f"No folder of this list has {self.name}, which {files}. Several other folders have it "
            f"({', '.join(shown)}{others}), and the nearest is used: add the right one by +incdir+."
        )


def inferred(
    entries: Mapping[Path, Entry], paths: Collection[Path], dirs: Sequence[Path], listed: Collection[Path]
) -> list[Inferred]:
    """The names that are included and not found, and the folders below which there is such a file.

    Args:
        entries: What the files of a project include.
        paths: All of its files.
        dirs: The include folders.
        listed: The files of the list.
    """
    missing: dict[str, int] = {}
    in_dirs: dict[str, bool] = {}
    for path, entry in entries.items():
        for name in entry.includes:
            if name not in in_dirs:
                in_dirs[name] = any(_exists(folder / name, paths) for folder in dirs)
            if not in_dirs[name] and not _exists(path.parent / name, paths):
                missing[name] = missing.get(name, 0) + (path in listed or path.suffix in HEADERS)
    called: dict[str, list[Path]] = {}
    for path in paths if missing else ():
        called.setdefault(path.name, []).append(path)
    found = ((name, tuple(sorted(_folders(name, called))), number) for name, number in sorted(missing.items()))
    return [Inferred(*one) for one in found if one[1]]


def _folders(name: str, called: Mapping[str, Sequence[Path]]) -> Iterator[Path]:
    parts = Path(name).parts
    for path in called.get(parts[-1], ()) if parts and ".." not in parts else ():
        if path.parts[-len(parts) :] == parts:
            yield path.parents[len(parts) - 1]


def _exists(path: Path, paths: Collection[Path]) -> bool:
    return path in paths or stamp_of(path) is not None


def _short(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
