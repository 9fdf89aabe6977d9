"""Names of macros and included files: what the preprocessor takes away before names get a meaning."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from benchwright_verilog.semantics.names.occurrence import Occurrence, Role, Target, TargetKind
from benchwright_verilog.semantics.project.index.outline import Include, MacroName, Outline

_MAX_DEPTH = 64


class Macros:
    """The macros of one file and of all that it includes, in the order in which the preprocessor meets them.

    Conditions are not evaluated: a definition that a condition leaves out counts like any other.

    Args:
        root: The file that is compiled.
        outline: Gives a file's text.
        find: Finds an included file by the file that includes it and the name it gives.
        predefined: Macros that no file defines, `NAME` or `NAME=text`.
    """

    def __init__(
        self,
        root: Path,
        outline: Callable[[Path], Outline | None],
        find: Callable[[Path, str], Path | None],
        predefined: Sequence[str] = (),
    ) -> None:
        self._root = root
        self._predefined = predefined
        self._outline = outline
        self._find = find

    def occurrence_at(self, path: Path, byte: int) -> Occurrence | None:
        """The macro or included file that is named at a byte or ends there."""
        occurrences, starts = self._by_file.get(path, ((), ()))
        # A macro's backtick belongs to it.
        index = bisect_right(starts, byte + 1) - 1
        for candidate in occurrences[max(0, index - 1) : index + 1]:
            is_use = candidate.target.kind is TargetKind.MACRO and candidate.role is Role.READ
            if candidate.start - is_use <= byte <= candidate.end:
                return candidate
        return None

    def occurrences(self, path: Path, start: int, end: int) -> Iterator[Occurrence]:
        """The macros and included files that are named between two bytes."""
        for occurrence in self._by_file.get(path, ((), ()))[0]:
            if start <= occurrence.start < end:
                yield occurrence

    def may_write(self, name: str) -> bool:
        """True if a macro may write a name that is not between its parentheses."""
        texts = [outline.definitions for path in self._files if (outline := self._outline(path)) is not None]
        texts += [text.encode() for text in self._predefined]
        return any(b"``" in text or name.encode() in text for text in texts)

    @cached_property
    def _files(self) -> frozenset[Path]:
        return frozenset(path for path, _ in self._met)

    @cached_property
    def definitions(self) -> dict[str, Target]:
        """The last definition of every macro."""
        return {target.name: target for target in self._definitions}

    @cached_property
    def _definitions(self) -> list[Target]:
        return [_target(path, item) for path, item in self._met if isinstance(item, MacroName) and item.defines]

    @cached_property
    def _met(self) -> list[tuple[Path, MacroName | Include]]:
        met: list[tuple[Path, MacroName | Include]] = []
        self._walk(self._root, met, ())
        return met

    def _walk(self, path: Path, met: list[tuple[Path, MacroName | Include]], includers: tuple[Path, ...]) -> None:
        outline = self._outline(path)
        if outline is None or path in includers or len(includers) > _MAX_DEPTH:
            return
        items: list[MacroName | Include] = [*outline.macros, *outline.includes]
        for item in sorted(items, key=lambda text_part: text_part.start) if outline.includes else items:
            met.append((path, item))
            if isinstance(item, Include) and (included_path := self._find(path, item.name)) is not None:
                self._walk(included_path, met, (*includers, path))

    @cached_property
    def _by_file(self) -> dict[Path, tuple[list[Occurrence], list[int]]]:
        first: dict[str, Target] = {}
        for target in self._definitions:
            first.setdefault(target.name, target)
        latest: dict[str, Target] = {}
        by_path: dict[Path, dict[int, Occurrence]] = {}
        for path, item in self._met:
            file_occurrences = by_path.setdefault(path, {})
            if isinstance(item, Include):
                included = self._find(path, item.name)
                if included is not None:
                    target = Target(included, 0, 0, included.name, TargetKind.FILE)
                    file_occurrences.setdefault(
                        item.start, Occurrence(path, item.start, item.end, target, Role.INCLUDE)
                    )
                continue
            role = Role.DECLARATION if item.defines else Role.TEST if item.tests else Role.READ
            if item.defines:
                latest[item.name] = _target(path, item)
            meant_target = latest.get(item.name) or first.get(item.name)
            if meant_target is not None:
                file_occurrences.setdefault(item.start, Occurrence(path, item.start, item.end, meant_target, role))
        ordered = {
            path: sorted(file_occurrences.values(), key=lambda occurrence: occurrence.start)
            for path, file_occurrences in by_path.items()
        }
        return {
            path: (file_occurrences, [occurrence.start for occurrence in file_occurrences])
            for path, file_occurrences in ordered.items()
        }


def _target(path: Path, item: MacroName) -> Target:
    return Target(path, item.start, item.end, item.name, TargetKind.MACRO)
