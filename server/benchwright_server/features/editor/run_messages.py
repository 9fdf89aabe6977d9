"""What the newest runs said about lines of files, as diagnostics: compilers in hidden tests, the solver's own tests."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.editor_server import RunMessage
from benchwright_verilog.findings.finding import Finding, Level
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

HIDDEN_TESTS = FindingTool("hidden tests", 3, "")
OWN_TESTS = FindingTool("own tests", 3, "")


@dataclass(frozen=True)
class _ToolMessage:
    source: FindingTool
    line_number: int
    """From 1, as the file was when it was run."""
    line_text: str
    """The line, without the space around it: it is found again by this after edits elsewhere."""
    text: str


class LatestRunMessages:
    """The messages of the newest runs in each folder.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._messages: dict[str, tuple[_ToolMessage, ...]] = {}
        self._pushed: set[str] = set()

    def findings_on_unchanged_lines(self, document: Document) -> list[Finding]:
        """Those about an open document; without messages whose line was changed."""
        tool_messages = self._messages.get(document.uri)
        if not tool_messages:
            return []
        if document.uri in self._pushed:
            # From now on they are among the document's own.
            self._publish_for_closed_file(document.uri, ())
        lines = document.lines
        spans = [lines.line_bounds(number) for number in range(1, len(lines) + 1)]
        codes = [lines.text[start:end] for start, end in spans]
        findings = []
        for message in tool_messages:
            distances = [
                (abs(number - message.line_number), number)
                for number, code in enumerate(codes, 1)
                if code.strip() == message.line_text
            ]
            if distances:
                number = min(distances)[1]
                (start, end), code = spans[number - 1], codes[number - 1]
                code_start = start + len(code) - len(code.lstrip())
                findings.append(
                    Finding(message.source, code_start, max(code_start, end), Level.ERROR, "", message.text)
                )
        return findings

    async def replace_messages_of_source(
        self, source: FindingTool, folder: Path, run_messages: Collection[RunMessage]
    ) -> None:
        """Show these instead of all that this source said of the folder's files.

        Args:
            source: What their diagnostics name as their source.
            folder: The folder.
            run_messages: What the newest run said; nothing while it continues.
        """
        # Without messages there is no file to read, and no thread is needed, which a server that ends has no more.
        new_messages = (
            await asyncio.to_thread(_messages_by_file_uri, source, folder, run_messages) if run_messages else {}
        )
        shown_uris = {uri for uri in self._messages if local_path_of(uri).is_relative_to(folder)}
        changed_uris = []
        for uri in shown_uris | new_messages.keys():
            others = tuple(message for message in self._messages.get(uri, ()) if message.source is not source)
            file_messages = (*others, *new_messages.get(uri, ()))
            if file_messages == self._messages.get(uri, ()):
                continue
            changed_uris.append(uri)
            self._messages.pop(uri, None)
            if file_messages:
                self._messages[uri] = file_messages
            if uri in self._pushed or (file_messages and not self._server.live.is_watched_design(uri)):
                self._publish_for_closed_file(uri, file_messages)
        if changed_uris:
            await self._server.live.republish_if_changed(changed_uris)

    def _publish_for_closed_file(self, file_uri: str, tool_messages: Iterable[_ToolMessage]) -> None:
        """Publish those of a file that is not open."""
        diagnostics = (
            [_line_diagnostic_json(message) for message in tool_messages]
            if self._server.settings.features.diagnostics
            else []
        )
        (self._pushed.add if diagnostics else self._pushed.discard)(file_uri)
        self._server.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, {"uri": file_uri, "diagnostics": diagnostics})


def _messages_by_file_uri(
    source: FindingTool, folder: Path, run_messages: Iterable[RunMessage]
) -> dict[str, tuple[_ToolMessage, ...]]:
    located_messages: dict[str, tuple[_ToolMessage, ...]] = {}
    files = ReadableFiles.below(folder)
    for run_message in run_messages:
        file = folder / run_message.path
        text = files.read_text(file)
        if text is None:
            continue
        lines = text.splitlines()
        code = lines[run_message.line - 1].strip() if 0 < run_message.line <= len(lines) else ""
        located_messages[file.as_uri()] = (
            *located_messages.get(file.as_uri(), ()),
            _ToolMessage(source, run_message.line, code, run_message.text),
        )
    return located_messages


def _line_diagnostic_json(message: _ToolMessage) -> dict[str, Any]:
    line = max(message.line_number - 1, 0)
    line_range = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    return {"range": line_range, "severity": Level.ERROR.value, "source": str(message.source), "message": message.text}
