"""What compilers of the last run said of a workspace's files, as diagnostics until the next run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.operations.catalogue import path_of
from benchwright_server.protocol.messages import AttemptStatus, CompilerLine
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.source import Source

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

_SOURCE = Source("hidden tests", 3, "")


@dataclass(frozen=True)
class _Said:
    line: int
    """From 1, as the file was when it was run."""
    code: str
    """The line, without the space around it: it is found again by this after edits elsewhere."""
    text: str


class BuildFailures:
    """The messages of the newest run of each workspace.

    Args:
        server: Whose client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._said: dict[str, tuple[_Said, ...]] = {}
        self._pushed: set[str] = set()

    def of(self, document: Document) -> list[Finding]:
        """Those about an open document; without messages whose line was changed."""
        said = self._said.get(document.uri)
        if not said:
            return []
        if document.uri in self._pushed:
            # From now on they are among the document's own.
            self._push(document.uri, ())
        lines = document.lines
        spans = [lines.line(number) for number in range(1, len(lines) + 1)]
        codes = [lines.text[start:end] for start, end in spans]
        found = []
        for one in said:
            away = [
                (abs(number - one.line), number) for number, code in enumerate(codes, 1) if code.strip() == one.code
            ]
            if away:
                number = min(away)[1]
                (start, end), code = spans[number - 1], codes[number - 1]
                begin = start + len(code) - len(code.lstrip())
                found.append(Finding(_SOURCE, begin, max(begin, end), Level.ERROR, "", one.text))
        return found

    async def show(self, status: AttemptStatus, folder: Path) -> None:
        """Show those of an attempt's newest verdict, and none while it is running.

        Args:
            status: Of the attempt.
            folder: Its workspace.
        """
        verdict = None if status.running else status.verdict
        # Without messages there is no file to read, and no thread is needed, which a server that ends has no more.
        said = await asyncio.to_thread(_located, folder, verdict.compiler) if verdict and verdict.compiler else {}
        here = {uri for uri in self._said if path_of(uri).is_relative_to(folder)}
        changed = [uri for uri in here | said.keys() if said.get(uri) != self._said.get(uri)]
        for uri in changed:
            self._said.pop(uri, None)
            if uri in said:
                self._said[uri] = said[uri]
            if uri in self._pushed or (uri in said and not self._server.live.is_followed(uri)):
                self._push(uri, said.get(uri, ()))
        if changed:
            await self._server.live.refresh(changed)

    def _push(self, uri: str, said: Iterable[_Said]) -> None:
        """Publish those of a file that is not open."""
        shown = [_diagnostic(one) for one in said] if self._server.settings.features.diagnostics else []
        (self._pushed.add if shown else self._pushed.discard)(uri)
        self._server.notify_plain(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, {"uri": uri, "diagnostics": shown})


def _located(folder: Path, messages: Iterable[CompilerLine]) -> dict[str, tuple[_Said, ...]]:
    found: dict[str, tuple[_Said, ...]] = {}
    for message in messages:
        file = folder / message.path
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        code = lines[message.line - 1].strip() if 0 < message.line <= len(lines) else ""
        found[file.as_uri()] = (*found.get(file.as_uri(), ()), _Said(message.line, code, message.text))
    return found


def _diagnostic(said: _Said) -> dict[str, Any]:
    line = max(said.line - 1, 0)
    place = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    return {"range": place, "severity": Level.ERROR.value, "source": str(_SOURCE), "message": said.text}
