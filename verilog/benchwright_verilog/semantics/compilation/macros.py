"""Names of macros and included files: what the preprocessor takes away before names get a meaning."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from benchwright_verilog.semantics.names.occurrence import NameRole, Occurrence, Target, TargetKind
from benchwright_verilog.semantics.project.index.outline import Include, MacroName, Outline

_MAX_DEPTH = 64


class Macros:
    """The macros of one file and of all that it includes, in the order in which the preprocessor meets them.

    Conditions are not evaluated: a definition that a condition leaves out counts like any other.

    Args:
        root: The file that is compiled.
        outline_of: Gives a file's text.
        find_include: Finds an included file by the file that includes it and the name it gives.
        predefined_macros: Macros that no file defines, `NAME` or `NAME=text`.
    """

    def __init__(
        self,
        root: Path,
        outline_of: Callable[[Path], Outline | None],
        find_include: Callable[[Path, str], Path | None],
        predefined_macros: Sequence[str] = (),
    ) -> None:
        self._root = root
        self._predefined = predefined_macros
        self._outline = outline_of
        self._find = find_include

    def occurrence_at(self, path: Path, byte: int) -> Occurrence | None:
        """The macro or included file that is named at a byte or ends there."""
        occurrences, occurrence_starts = self._occurrences_and_starts_by_file.get(path, ((), ()))
        # A macro's backtick belongs to it.
        index = bisect_right(occurrence_starts, byte + 1) - 1
        for candidate_occurrence in occurrences[max(0, index - 1) : index + 1]:
            is_use = (
                candidate_occurrence.target.target_kind is TargetKind.MACRO
                and candidate_occurrence.role is NameRole.READ
            )
            if candidate_occurrence.start - is_use <= byte <= candidate_occurrence.end:
                return candidate_occurrence
        return None

    def occurrences(self, path: Path, start_byte: int, end_byte: int) -> Iterator[Occurrence]:
        """The macros and included files that are named between two bytes."""
        for occurrence in self._occurrences_and_starts_by_file.get(path, ((), ()))[0]:
            if start_byte <= occurrence.start < end_byte:
                yield occurrence

    def may_generate_name(self, name: str) -> bool:
        """True if a macro may write a name that is not between its parentheses."""
        texts = [outline.macro_definitions_text for path in self._files if (outline := self._outline(path)) is not None]
        texts += [text.encode() for text in self._predefined]
        return any(b"``" in text or name.encode() in text for text in texts)

    @cached_property
    def _files(self) -> frozenset[Path]:
        return frozenset(path for path, _ in self._macros_and_includes_in_order)

    @cached_property
    def last_definitions_by_name(self) -> dict[str, Target]:
        """The last definition of every macro."""
        return {target.name: target for target in self._definitions}

    @cached_property
    def _definitions(self) -> list[Target]:
        return [
            _macro_target(path, item)
            for path, item in self._macros_and_includes_in_order
            if isinstance(item, MacroName) and item.is_definition
        ]

    @cached_property
    def _macros_and_includes_in_order(self) -> list[tuple[Path, MacroName | Include]]:
        met: list[tuple[Path, MacroName | Include]] = []
        self._collect_macros_and_includes(self._root, met, ())
        return met

    def _collect_macros_and_includes(
        self, path: Path, collected: list[tuple[Path, MacroName | Include]], includers: tuple[Path, ...]
    ) -> None:
        outline = self._outline(path)
        if outline is None or path in includers or len(includers) > _MAX_DEPTH:
            return
        outline_parts: list[MacroName | Include] = [*outline.macros, *outline.includes]
        for outline_part in (
            sorted(outline_parts, key=lambda text_part: text_part.start) if outline.includes else outline_parts
        ):
            collected.append((path, outline_part))
            if isinstance(outline_part, Include) and (included_path := self._find(path, outline_part.name)) is not None:
                self._collect_macros_and_includes(included_path, collected, (*includers, path))

    @cached_property
    def _occurrences_and_starts_by_file(self) -> dict[Path, tuple[list[Occurrence], list[int]]]:
        first_targets: dict[str, Target] = {}
        for target in self._definitions:
            first_targets.setdefault(target.name, target)
        latest: dict[str, Target] = {}
        by_path: dict[Path, dict[int, Occurrence]] = {}
        for path, named_part in self._macros_and_includes_in_order:
            file_occurrences = by_path.setdefault(path, {})
            if isinstance(named_part, Include):
                included = self._find(path, named_part.name)
                if included is not None:
                    target = Target(included, 0, 0, included.name, TargetKind.FILE)
                    file_occurrences.setdefault(
                        named_part.start, Occurrence(path, named_part.start, named_part.end, target, NameRole.INCLUDE)
                    )
                continue
            role = (
                NameRole.DECLARATION
                if named_part.is_definition
                else NameRole.TEST
                if named_part.is_condition
                else NameRole.READ
            )
            if named_part.is_definition:
                latest[named_part.name] = _macro_target(path, named_part)
            meant_target = latest.get(named_part.name) or first_targets.get(named_part.name)
            if meant_target is not None:
                file_occurrences.setdefault(
                    named_part.start, Occurrence(path, named_part.start, named_part.end, meant_target, role)
                )
        ordered_occurrences = {
            path: sorted(file_occurrences.values(), key=lambda occurrence: occurrence.start)
            for path, file_occurrences in by_path.items()
        }
        return {
            path: (file_occurrences, [occurrence.start for occurrence in file_occurrences])
            for path, file_occurrences in ordered_occurrences.items()
        }


def _macro_target(path: Path, macro_name: MacroName) -> Target:
    return Target(path, macro_name.start, macro_name.end, macro_name.name, TargetKind.MACRO)
