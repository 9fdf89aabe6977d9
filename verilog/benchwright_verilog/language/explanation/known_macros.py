"""The macros that are defined at the end of a file, with what their definitions say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchwright_verilog.language.explanation.macros import Macro, macro_at

if TYPE_CHECKING:
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.names.occurrence import Target

ReadText = Callable[[Path], str | None]
"""Gives the text of a file, open or not."""


class KnownMacros(Mapping[str, Macro]):
    """The macros that a file knows by name, each read when it is first asked for.

    Args:
        analysis: Analysis of the file.
        read_text: Gives the files that they are defined in.
        overriding_targets: Macros that the file does not know, by their names.
    """

    def __init__(
        self,
        analysis: FileAnalysis,
        read_text: ReadText,
        overriding_targets: Mapping[str, Target] = MappingProxyType({}),
    ) -> None:
        self._targets = {**analysis.macros.last_definitions_by_name, **overriding_targets}
        self._texts = read_text
        self._read: dict[str, Macro | None] = {}

    def __getitem__(self, name: str) -> Macro:
        if name not in self._read:
            self._read[name] = self._macro_if_readable(name)
        macro = self._read[name]
        if macro is None:
            raise KeyError(name)
        return macro

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def _macro_if_readable(self, name: str) -> Macro | None:
        """The macro, if its definition can be read."""
        target = self._targets.get(name)
        text = self._texts(target.path) if target is not None else None
        if target is None or text is None:
            return None
        start = target.start if text.isascii() else len(text.encode()[: target.start].decode(errors="replace"))
        return macro_at(text, start)
