"""Slang's diagnostics of a file, elaborated with the other files of its workspace."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang import DiagCode, Diagnostic, SourceManager
    from pyslang.ast import Compilation
    from pyslang.parsing import Token
    from pyslang.syntax import SyntaxTree

    from benchwright_verilog.semantics.project.file_locations import FileLocations


DEFAULT_WARNINGS = ("default", "implicit-net")
"""slang's own, and one for a misspelt net in a connection, which nothing else reports."""


class DiagnosticSeverity(Enum):
    """Severity of a diagnostic."""

    ERROR = 1
    WARNING = 2
    NOTE = 3


@dataclass(frozen=True)
class SlangDiagnostic:
    """One diagnostic. Offsets are UTF-8 bytes."""

    start: int
    end: int
    severity: DiagnosticSeverity
    rule: str
    """slang's option name, such as `width-trunc`; of an error that has none, slang's name for it: `unknown-module`."""
    message: str


@dataclass(frozen=True)
class ModuleNamePlace:
    """Place where a file declares a module, by UTF-8 bytes of the name."""

    name: str
    start: int
    end: int


def diagnostics_by_file(
    compilation: Compilation,
    sources: SourceManager,
    locations: FileLocations,
    paths: Collection[Path],
    *,
    is_alone: bool,
    is_partial: bool = False,
    warning_options: Sequence[str] = (),
) -> dict[Path, tuple[SlangDiagnostic, ...]]:
    """Return slang's diagnostics of some files.

    Args:
        compilation: All files.
        sources: The source files.
        locations: Resolves slang's locations.
        paths: The files.
        is_alone: True if it is unknown which other files there are; then unknown modules are not reported.
        is_partial: True if files that these may need have not been read yet; then of a file in which something seems to
            be wrong, only syntax errors are reported: the cause may be in one of those.
        warning_options: Changes to what slang reports by default, each as after its `-W`: `extra`, `no-unused`; also
            of errors: `no-unknown-module`.

    Returns:
        By file; those about which it says nothing are absent.
    """
    import pyslang

    engine = pyslang.DiagnosticEngine(sources)
    engine.setWarningOptions([*DEFAULT_WARNINGS, *warning_options])
    engine.setMappingsFromPragmas()
    left_out = {_NO_TIME_SCALE, *([_UNKNOWN_MODULE] if is_alone or is_partial else [])}

    def by_file(diagnostics: Iterable[Diagnostic]) -> dict[Path, tuple[SlangDiagnostic, ...]]:
        diagnostics_by_path: dict[Path, dict[SlangDiagnostic, None]] = {}
        for diagnostic in diagnostics:
            location = sources.getFullyExpandedLoc(diagnostic.location)
            path = locations.path_of_buffer(location.buffer)
            if path is None or path not in paths:
                continue
            severity = _SEVERITIES.get(engine.getSeverity(diagnostic.code, location).name)
            if severity is None or str(diagnostic.code) in left_out:
                continue
            start = location.offset
            span_ends = [span.end.offset for span in diagnostic.ranges if span.start == diagnostic.location]
            message, option = engine.formatMessage(diagnostic), engine.getOptionName(diagnostic.code)
            rule = option or _rule_of_error(diagnostic.code)
            if not option and f"no-{rule}" in warning_options:
                continue
            if str(diagnostic.code) == _NOT_OPENED:
                # Why is nobody's business: what may not be read is like what is missing.
                message = f"{message.rpartition(': ')[0]}: No such file or directory"
            slang_diagnostic = SlangDiagnostic(start, max(span_ends, default=start), severity, rule, message)
            diagnostics_by_path.setdefault(path, {})[slang_diagnostic] = None
        return {path: tuple(path_diagnostics) for path, path_diagnostics in diagnostics_by_path.items()}

    all_diagnostics = by_file(
        (*compilation.getAllDiagnostics(), *_data_flow_diagnostics(compilation, includes_unused=bool(warning_options)))
    )
    if not is_partial:
        return all_diagnostics
    of_syntax = by_file(compilation.getParseDiagnostics())
    return {
        path: of_syntax.get(path, ())
        if any(diagnostic.severity is DiagnosticSeverity.ERROR for diagnostic in path_diagnostics)
        else path_diagnostics
        for path, path_diagnostics in all_diagnostics.items()
    }


def _data_flow_diagnostics(compilation: Compilation, *, includes_unused: bool) -> Iterable[Diagnostic]:
    """Return what slang finds by following values: several drivers, latches, what is unused.

    Args:
        compilation: Compilation whose diagnostics were asked for already; it is frozen.
        includes_unused: True to look for what is unused, of which nothing is reported by default.
    """
    from pyslang.analysis import AnalysisFlags, AnalysisManager, AnalysisOptions

    analysis_options = AnalysisOptions()
    if includes_unused:
        analysis_options.flags = AnalysisFlags.CheckUnused
    compilation.freeze()
    manager = AnalysisManager(analysis_options)
    manager.analyze(compilation)
    return manager.getDiagnostics()


def module_name_places(tree: SyntaxTree, locations: FileLocations, path: Path) -> Iterator[ModuleNamePlace]:
    """The modules that a file declares."""
    for name in _module_name_tokens(tree):
        # One that comes out of a macro has no place of its own in the file.
        if locations.path_of_buffer(name.location.buffer) == path:
            start = name.location.offset
            yield ModuleNamePlace(name.valueText, start, start + len(name.rawText.encode()))


def module_names_with_includes(tree: SyntaxTree) -> Iterator[str]:
    """The modules that a file and what it includes declare."""
    return (name.valueText for name in _module_name_tokens(tree))


def _module_name_tokens(tree: SyntaxTree) -> Iterator[Token]:
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    root_members = tree.root.members if isinstance(tree.root, CompilationUnitSyntax) else [tree.root]
    for root_member in root_members:
        if isinstance(root_member, ModuleDeclarationSyntax) and root_member.kind == SyntaxKind.ModuleDeclaration:
            name = root_member.header.name
            if name.valueText and not name.isMissing:
                yield name


def _rule_of_error(code: DiagCode) -> str:
    name = str(code).removeprefix("DiagCode(").removesuffix(")")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


_UNKNOWN_MODULE = "DiagCode(UnknownModule)"
_NOT_OPENED = "DiagCode(CouldNotOpenIncludeFile)"
_NO_TIME_SCALE = "DiagCode(MissingTimeScale)"
"""Simulators take a default where one file has a time scale and another has none, as with most testbenches."""
_SEVERITIES = {
    "Fatal": DiagnosticSeverity.ERROR,
    "Error": DiagnosticSeverity.ERROR,
    "Warning": DiagnosticSeverity.WARNING,
    "Note": DiagnosticSeverity.NOTE,
}
