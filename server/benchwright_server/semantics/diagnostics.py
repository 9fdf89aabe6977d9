"""What slang says about a file, elaborated with the other files of its workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.syntax import SyntaxTree


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


@dataclass(frozen=True)
class Analysis:
    """What is known of one file."""

    diagnostics: tuple[SlangDiagnostic, ...]
    modules: tuple[ModuleName, ...]


def analyse(path: str, text: str, others: Mapping[str, str]) -> Analysis:
    """Parse and elaborate one file.

    Args:
        path: Its name; only tells it from the others.
        text: Its text.
        others: The other design files, so that their modules and packages are known.
    """
    import pyslang  # Imported late: it is not needed to answer `initialize`.
    from pyslang.ast import Compilation
    from pyslang.syntax import SyntaxTree

    sources = pyslang.SourceManager()
    # Else file names come back relative to the working directory.
    sources.setDisableProximatePaths(True)
    compilation = Compilation()
    tree = SyntaxTree.fromText(_encodable(text), sources, path)
    compilation.addSyntaxTree(tree)
    for name, other in others.items():
        compilation.addSyntaxTree(SyntaxTree.fromText(_encodable(other), sources, name))
    engine = pyslang.DiagnosticEngine(sources)
    size = len(text.encode("utf-8", "surrogatepass"))
    found: dict[SlangDiagnostic, None] = {}
    for diagnostic in compilation.getAllDiagnostics():
        place = sources.getFullyExpandedLoc(diagnostic.location)
        severity = _SEVERITIES.get(engine.getSeverity(diagnostic.code, place).name)
        if severity is None or sources.getFileName(place) != path:
            continue
        if not others and str(diagnostic.code) == _UNKNOWN_MODULE:
            continue
        start = place.offset
        ends = [span.end.offset for span in diagnostic.ranges if span.start == diagnostic.location]
        end = min(max(ends, default=start), size)
        message = engine.formatMessage(diagnostic)
        found[SlangDiagnostic(start, end, severity, engine.getOptionName(diagnostic.code), message)] = None
    return Analysis(tuple(found), tuple(_modules(tree)))


_SURROGATE = re.compile("[\ud800-\udfff]")
_UNKNOWN_MODULE = "DiagCode(UnknownModule)"
_SEVERITIES = {
    "Fatal": Severity.ERROR,
    "Error": Severity.ERROR,
    "Warning": Severity.WARNING,
    "Note": Severity.NOTE,
}


def _modules(tree: SyntaxTree) -> Iterator[ModuleName]:
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    members = tree.root.members if isinstance(tree.root, CompilationUnitSyntax) else [tree.root]
    for member in members:
        if isinstance(member, ModuleDeclarationSyntax) and member.kind == SyntaxKind.ModuleDeclaration:
            name = member.header.name
            # A name that is missing, or comes out of a macro, has no place of its own in the file.
            if name.valueText and not name.isMissing:
                start = name.location.offset
                yield ModuleName(name.valueText, start, start + len(name.rawText.encode()))


def _encodable(text: str) -> str:
    # Half of a surrogate pair can't be UTF-8; its replacement has as many bytes as we count for it.
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
