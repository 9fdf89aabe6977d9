"""Which files are compiled together with a file.

In a folder with

    top.sv      module top; fifo u_fifo (); endmodule
    fifo.sv     `include "ports.svh"
                module fifo; ram u_ram (); endmodule
    ram.sv      module ram; endmodule
    other.sv    module other; endmodule

`top.sv` is compiled with `fifo.sv` and `ram.sv`, and the header `ports.svh` as a part of `fifo.sv`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchwright_verilog.semantics.file_list import FileList
from benchwright_verilog.semantics.inventory import Inventory, nearest, stamp_of
from benchwright_verilog.semantics.outline import Outline
from benchwright_verilog.semantics.texts import SourceTexts
from benchwright_verilog.syntax.suffixes import HEADERS

_MAX_FILES = 200
_MAX_BYTES = 4 * 1024**2
"""Up to how much all files of a workspace or file list are always compiled together."""


class CompilationFiles:
    """Chooses files for one question; what is on disk may change after it.

    Args:
        texts: The files as they are now.
        inventory: All files of the project's folder; None for a file by itself.
        lists: The project's file lists.
        find_include: Gives the file that an `include` of a file means.
        takes_all: Whether all files of the folder belong together, as in a problem's workspace.
    """

    def __init__(
        self,
        texts: SourceTexts,
        inventory: Inventory | None,
        lists: Sequence[FileList],
        find_include: Callable[[Path, str], Path | None],
        *,
        takes_all: bool,
    ) -> None:
        self._texts = texts
        self._inventory = inventory
        self._lists = lists
        self._find_include = find_include
        self._takes_all = takes_all

    def root_of(self, path: Path) -> Path:
        """The file to compile for a file: itself, or for a header the nearest that includes it."""
        seen = {path}
        current = path
        while current.suffix in HEADERS and self._inventory is not None:
            candidates = [
                found
                for found in self._inventory.including.get(current.name, ())
                if found not in seen and self._includes(found, current)
            ]
            following = nearest(candidates, current)
            if following is None:
                return path
            seen.add(following)
            current = following
        return current

    def together(self, root: Path) -> list[Path]:
        """The files to compile for a file: those of the lists, of the workspace, or those that it needs."""
        listed = dict.fromkeys(path for one in self._lists for path in one.sources)
        libraries = [path for one in self._lists for path in one.libraries]
        if listed and _bytes_of(listed) <= _MAX_BYTES:
            # slang's own order is the list's, and a file that is in no list comes last.
            together = list(listed if root in listed else {**listed, root: None})
            return self._needed(together, libraries) if libraries else together
        if self._inventory is None:
            return [root]
        if self._takes_all:
            sources = list(self._inventory.sources())
            if len(sources) <= _MAX_FILES and _bytes_of(sources) <= _MAX_BYTES:
                return [root, *(path for path in sources if path != root)]
        return self._needed([root], [*listed, *libraries])

    def _includes(self, includer: Path, header: Path) -> bool:
        entry = self._inventory.entries[includer] if self._inventory is not None else None
        names = entry.includes if entry is not None else ()
        return any(
            name.rpartition("/")[2] == header.name and self._find_include(includer, name) == header for name in names
        )

    def _needed(self, roots: Sequence[Path], limits: Sequence[Path]) -> list[Path]:
        """Files, those that declare what they name, and so on.

        Args:
            roots: The files to begin with.
            limits: Which files may be taken; any if none are given.
        """
        root = roots[0]
        declaring = self._declared_in(limits) if limits else self._declaring(root)
        together = dict.fromkeys(roots)
        waiting = list(roots)
        while waiting:
            path = waiting.pop()
            for name in self._named(path, declaring, set()):
                candidates = declaring[name]
                if any(candidate in together for candidate in candidates) or self._declares(root, name):
                    continue
                chosen = nearest(candidates, root)
                if chosen is not None and len(together) < _MAX_FILES:
                    together[chosen] = None
                    waiting.append(chosen)
        return list(together)

    def _declares(self, path: Path, name: str) -> bool:
        outline = self._texts.outline(path)
        return outline is not None and outline.declares(name)

    def _declared_in(self, paths: Iterable[Path]) -> dict[str, list[Path]]:
        declaring: dict[str, list[Path]] = {}
        for path in paths:
            for name in _units(self._texts.outline(path)):
                declaring.setdefault(name, []).append(path)
        return declaring

    def _declaring(self, root: Path) -> Mapping[str, list[Path]]:
        """The inventory's, corrected by what is open; what `root` itself declares does not matter."""
        if self._inventory is None:
            return {}
        declaring = self._inventory.declaring
        for path, _ in self._texts.open_designs():
            entry = self._inventory.entries.get(path)
            text = self._texts.known(path)
            is_saved = entry is not None and text is not None and text.stamp == entry.stamp
            if path.suffix in HEADERS or is_saved or path == root:
                continue
            known = {unit.name for unit in entry.units} if entry is not None else set()
            new = _units(self._texts.outline(path))
            if known != new:
                declaring = {name: [one for one in paths if one != path] for name, paths in declaring.items()}
                for name in new:
                    declaring[name] = [*declaring.get(name, ()), path]
                declaring = {name: paths for name, paths in declaring.items() if paths}
        return declaring

    def _named(self, path: Path, declaring: Mapping[str, list[Path]], seen: set[Path]) -> Iterator[str]:
        """The names of units in a file and in what it includes."""
        outline = self._texts.outline(path)
        if outline is None or path in seen:
            return
        seen.add(path)
        if len(declaring) <= _MAX_FILES:
            # Not only whole words: a file too many does no harm, and this is quick.
            yield from (name for name in declaring if name.encode() in outline.data)
        else:
            yield from sorted(outline.words & declaring.keys())
        for include in outline.includes:
            found = self._find_include(path, include.name)
            if found is not None:
                yield from self._named(found, declaring, seen)


def _units(outline: Outline | None) -> set[str]:
    return {unit.name for unit in outline.units} if outline is not None else set()


def _bytes_of(paths: Iterable[Path]) -> int:
    return sum(stamp[1] for path in paths if (stamp := stamp_of(path)) is not None)
