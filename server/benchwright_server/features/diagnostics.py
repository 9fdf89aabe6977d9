"""Diagnostics: slang's while typing, Verilator's on save, in one list per file."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol.types import Diagnostic, DiagnosticSeverity, PublishDiagnosticsParams

from benchwright_harness.errors import HarnessError
from benchwright_harness.lint import Finding, verilator_lint
from benchwright_harness.lint import Severity as LintSeverity
from benchwright_harness.toolchain import Toolchain
from benchwright_server.attempts.workbench import Workbench
from benchwright_server.operations import path_of
from benchwright_server.semantics.diagnostics import Analysis, Severity, analyse
from benchwright_server.syntax.documents import Document, Documents
from benchwright_server.workspaces.workspace import Workspace

DESIGN_SUFFIXES = frozenset({".v", ".vh", ".sv", ".svh"})

QUIET_S = 0.15
"""How long typing has to rest before a file is looked at."""
PATIENCE_S = 0.5
"""How long it may take at most while typing goes on."""

_MAX_OTHER_FILES = 200
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}


@dataclass
class _Watched:
    """What is known of one open document."""

    first_change: float | None = None
    timer: asyncio.TimerHandle | None = None
    sources: dict[str, list[Diagnostic]] = field(default_factory=dict)
    analysis: tuple[int, Analysis] | None = None


class LiveDiagnostics:
    """Looks at design files as they change, and publishes what it finds.

    Args:
        documents: The open documents.
        bench: Knows the workspaces.
        publish: Sends a file's diagnostics to the client.
    """

    def __init__(
        self, documents: Documents, bench: Workbench, publish: Callable[[PublishDiagnosticsParams], None]
    ) -> None:
        self._documents = documents
        self._bench = bench
        self._publish = publish
        self._watched: dict[str, _Watched] = {}

    def changed(self, uri: str) -> None:
        """A document was opened or changed: look at it once typing rests."""
        if not _is_design(uri):
            return
        watched = self._watched.setdefault(uri, _Watched())
        # Verilator's findings are about the saved text; they would stand at wrong places.
        watched.sources.pop("verilator", None)
        now = time.monotonic()
        if watched.first_change is None:
            watched.first_change = now
        if watched.timer is not None:
            watched.timer.cancel()
        wait = min(QUIET_S, max(0.0, watched.first_change + PATIENCE_S - now))
        watched.timer = asyncio.get_running_loop().call_later(wait, self._look, uri)

    def closed(self, uri: str) -> None:
        """A document was closed: its diagnostics go away."""
        watched = self._watched.pop(uri, None)
        if watched is not None:
            if watched.timer is not None:
                watched.timer.cancel()
            self._publish(PublishDiagnosticsParams(uri, []))

    async def lint(self, uri: str) -> dict[str, tuple[int, int]] | None:
        """Lint a saved file, and publish everything known of it.

        Returns:
            Errors and warnings by source; `None` for files of no workspace, which only slang looks at, and
            for those that changed meanwhile.
        """
        document = self._documents.get(uri)
        if document is None or not _is_design(uri):
            return None
        self._look(uri)
        file = path_of(uri)
        workspace = await asyncio.to_thread(Workspace.around, file)
        if workspace is None:
            return None
        folder = workspace.folder
        try:
            toolchain = Toolchain.find(self._bench.home.cache)
            findings = await verilator_lint(folder, file.relative_to(folder).as_posix(), toolchain)
        except (HarnessError, OSError):
            findings = []
        watched = self._watched.get(uri)
        if watched is None or self._documents.get(uri) is not document:
            return None
        here = file.relative_to(folder).as_posix()
        watched.sources["verilator"] = [_from_finding(found, document) for found in findings if found.path == here]
        self._send(document, watched)
        return {source: _count(diagnostics) for source, diagnostics in watched.sources.items()}

    def analysis(self, document: Document) -> Analysis:
        """Slang's view of a document, kept per version."""
        watched = self._watched.setdefault(document.uri, _Watched())
        if watched.analysis is None or watched.analysis[0] != document.version:
            file = path_of(document.uri)
            watched.analysis = (document.version, analyse(str(file), document.text, self._others(file)))
        return watched.analysis[1]

    def _look(self, uri: str) -> None:
        document, watched = self._documents.get(uri), self._watched.get(uri)
        if document is None or watched is None:
            return
        watched.first_change = watched.timer = None
        # Another file may have changed since, so the kept view is not enough here.
        watched.analysis = None
        analysis = self.analysis(document)
        lines = document.lines
        watched.sources["slang"] = [
            Diagnostic(
                lines.range(
                    lines.from_byte(found.start), max(lines.from_byte(found.end), lines.from_byte(found.start))
                ),
                found.message,
                severity=_SEVERITIES[found.severity],
                code=found.rule or None,
                source="slang",
            )
            for found in analysis.diagnostics
        ]
        self._send(document, watched)

    def _others(self, file: Path) -> dict[str, str]:
        workspace = Workspace.around(file)
        if workspace is None:
            return {}
        others: dict[str, str] = {}
        for other in sorted(workspace.folder.rglob("*")):
            if other.suffix in DESIGN_SUFFIXES and other != file and other.is_file() and not other.is_symlink():
                document = self._documents.get(other.as_uri())
                others[str(other)] = (
                    document.text if document else other.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
                )
                if len(others) == _MAX_OTHER_FILES:
                    break
        return others

    def _send(self, document: Document, watched: _Watched) -> None:
        merged: list[Diagnostic] = []
        seen: set[tuple[int, str]] = set()
        for diagnostic in (found for source in sorted(watched.sources) for found in watched.sources[source]):
            # Two tools often say the same of one line: one error there is enough.
            key = (diagnostic.range.start.line, _subject(diagnostic))
            if key not in seen:
                seen.add(key)
                merged.append(diagnostic)
        self._publish(PublishDiagnosticsParams(document.uri, merged, version=document.version))


def _subject(diagnostic: Diagnostic) -> str:
    # slang says "expected ';'" where Verilator says "syntax error, unexpected …, expecting ';'".
    if diagnostic.severity is DiagnosticSeverity.Error and re.search("expect(ed|ing)", diagnostic.message):
        return "syntax"
    return f"{diagnostic.source}:{diagnostic.code}:{diagnostic.message}:{diagnostic.range.start.character}"


def _from_finding(found: Finding, document: Document) -> Diagnostic:
    lines = document.lines
    line_start, line_end = lines.line(found.line)
    line = document.text[line_start:line_end]
    start, end = line_start + found.column - 1, line_start + found.end_column - 1
    # Verilator counts columns once comments are out and macros are in, and bytes.
    if end > line_end or not line.isascii() or "/*" in line or "`" in line:
        start, end = line_end - len(line.lstrip()), line_start + len(line.rstrip())
    is_error = found.severity is LintSeverity.ERROR
    return Diagnostic(
        lines.range(start, max(start, end)),
        found.message,
        severity=DiagnosticSeverity.Error if is_error else DiagnosticSeverity.Warning,
        code=found.rule or None,
        source="verilator",
    )


def _count(diagnostics: list[Diagnostic]) -> tuple[int, int]:
    errors = sum(diagnostic.severity is DiagnosticSeverity.Error for diagnostic in diagnostics)
    warnings = sum(diagnostic.severity is DiagnosticSeverity.Warning for diagnostic in diagnostics)
    return errors, warnings


def _is_design(uri: str) -> bool:
    return uri.startswith("file:") and Path(uri).suffix in DESIGN_SUFFIXES
