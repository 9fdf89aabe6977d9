"""What slang says about a file, elaborated with the other files of its workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.ast import Compilation
    from pyslang.syntax import SyntaxTree

    from benchwright_verilog.semantics.file_locations import FileLocations


class Severity(Enum):
    """How bad it is."""

    ERROR = 1
    WARNING = 2
    NOTE = 3


@dataclass(frozen=True)
class SlangDiagnostic:
    """One diagnostic. Offsets are UTF-8 bytes."""

    start: int
    end: int
    severity: Severity
    rule: str
    """slang's option name, such as `width-trunc`; empty for errors that have none."""
    message: str


@dataclass(frozen=True)
class ModuleName:
    """Where a file declares a module, by UTF-8 bytes of the name."""

    name: str
    start: int
    end: int


def diagnose(
    compilation: Compilation, sources: SourceManager, locations: FileLocations, path: Path, size: int, *, is_alone: bool
) -> tuple[SlangDiagnostic, ...]:
    """What slang says about one file.

    Args:
        compilation: All files.
        sources: The source files.
        locations: Where locations are.
        path: The file.
        size: How many bytes it has.
        is_alone: Whether it is unknown which other files there are; then unknown modules are not reported.
    """
    import pyslang

    engine = pyslang.DiagnosticEngine(sources)
    engine.setMappingsFromPragmas()
    found: dict[SlangDiagnostic, None] = {}
    for diagnostic in compilation.getAllDiagnostics():
        location = sources.getFullyExpandedLoc(diagnostic.location)
        severity = _SEVERITIES.get(engine.getSeverity(diagnostic.code, location).name)
        if severity is None or locations.path(location.buffer) != path:
            continue
        if str(diagnostic.code) == _NO_TIME_SCALE or (is_alone and str(diagnostic.code) == _UNKNOWN_MODULE):
            continue
        start = location.offset
        ends = [span.end.offset for span in diagnostic.ranges if span.start == diagnostic.location]
        end = min(max(ends, default=start), size)
        message = engine.formatMessage(diagnostic)
        found[SlangDiagnostic(start, end, severity, engine.getOptionName(diagnostic.code), message)] = None
    return tuple(found)


def modules_of(tree: SyntaxTree, locations: FileLocations, path: Path) -> Iterator[ModuleName]:
    """The modules that a file declares."""
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    members = tree.root.members if isinstance(tree.root, CompilationUnitSyntax) else [tree.root]
    for member in members:
        if isinstance(member, ModuleDeclarationSyntax) and member.kind == SyntaxKind.ModuleDeclaration:
            name = member.header.name
            # A name that is missing, or comes out of a macro, has no place of its own in the file.
            if name.valueText and not name.isMissing and locations.path(name.location.buffer) == path:
                start = name.location.offset
                yield ModuleName(name.valueText, start, start + len(name.rawText.encode()))


_UNKNOWN_MODULE = "DiagCode(UnknownModule)"
_NO_TIME_SCALE = "DiagCode(MissingTimeScale)"
"""Simulators take a default where one file has a time scale and another has none, as with most testbenches."""
_SEVERITIES = {
    "Fatal": Severity.ERROR,
    "Error": Severity.ERROR,
    "Warning": Severity.WARNING,
    "Note": Severity.NOTE,
}
