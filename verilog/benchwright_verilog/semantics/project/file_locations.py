"""Places of slang's locations: the file, the byte, and whether a macro wrote what is there.

In

    `define DECLARE(name) wire name;
    `DECLARE(a)

the declaration of `a` is where the argument is written, and the `wire` is where the macro is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang import BufferID, SourceLocation, SourceManager


@dataclass(frozen=True)
class FileLocation:
    """A byte of a file."""

    path: Path
    offset: int
    is_generated: bool
    """True if a macro wrote it; then this is where the macro is used."""


class FileLocations:
    """Turns slang's locations into locations in files.

    Args:
        sources: Source manager of the locations.
        paths_by_name: The paths of the names that slang was given for files.
    """

    def __init__(self, sources: SourceManager, paths_by_name: Mapping[str, Path]) -> None:
        self._sources = sources
        self._names = paths_by_name
        self._paths: dict[int, Path | None] = {}

    def file_location_of(self, location: SourceLocation) -> FileLocation | None:
        """The location; None if it is in no file, as for built-in things."""
        sources, generated, given_location, is_argument = self._sources, False, location, False
        while sources.isMacroLoc(location):
            if sources.isMacroArgLoc(location):
                is_argument = True
                location = sources.getOriginalLoc(location)
            else:
                generated = True
                location = sources.getExpansionLoc(location)
        if is_argument and not self._is_in_macro_use(location, given_location):
            # The default of a macro's argument: it is written where the macro is defined.
            location, generated = sources.getFullyExpandedLoc(given_location), True
        path = self.path_of_buffer(location.buffer)
        return FileLocation(path, location.offset, generated) if path is not None else None

    def _is_in_macro_use(self, location: SourceLocation, expanded: SourceLocation) -> bool:
        """True if a place in a file is in the use of the macro that a location comes from in the end."""
        sources = self._sources
        while sources.isMacroLoc(expanded):
            inner_location, expanded = expanded, sources.getExpansionLoc(expanded)
        use_range = sources.getExpansionRange(inner_location)
        return (
            location.buffer.id == use_range.start.buffer.id
            and use_range.start.offset <= location.offset < use_range.end.offset
        )

    def path_of_buffer(self, buffer: BufferID) -> Path | None:
        """The file whose text a buffer holds."""
        number = buffer.id
        if number not in self._paths:
            name = self._sources.getRawFileName(buffer)
            if (path := self._names.get(name)) is None and name.startswith("/"):
                path = Path(os.path.normpath(name))
            self._paths[number] = path
        return self._paths[number]

    def is_outside_macros(self, location: SourceLocation) -> bool:
        """True if it is in a file's own text, not in a macro's."""
        return not self._sources.isMacroLoc(location)

    def byte_in_file(self, location: SourceLocation, path: Path) -> int | None:
        """The byte of a file where a location is written, its macro is used, or its file is included."""
        if not location:
            return None
        sources = self._sources
        if sources.isMacroLoc(location):
            location = sources.getFullyExpandedLoc(location)
        while location and (buffer_path := self.path_of_buffer(location.buffer)) is not path and buffer_path != path:
            if buffer_path is None:
                return None
            location = sources.getIncludedFrom(location.buffer)
        return location.offset if location else None
