from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from benchwright_server.client import Client
from benchwright_server.features.language.diagnostics import LiveDiagnostics
from benchwright_server.settings import ServerSettings
from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity, SlangDiagnostic
from benchwright_verilog.syntax.documents import Document, Documents


class Server:
    """Parts of a server that diagnostics need; slang takes as long as a test wants."""

    def __init__(self) -> None:
        self.client = Client({"textDocument": {"publishDiagnostics": {}}})
        self.settings = ServerSettings()
        self.documents = Documents()
        self.projects = self
        self.protocol = self
        self.lenses = SimpleNamespace(reload=lambda: None)
        self.run_messages = SimpleNamespace(findings_on_unchanged_lines=lambda document: ())
        self.messages: list[str] = []
        self.rule = "one"
        self.expansions = None
        self.slow: set[str] = set()
        self.request_arrived = asyncio.Event()
        self.go_on = asyncio.Event()
        self.problem_counts: dict[str, int] = {}
        """Number of problems that are marked, by file."""

    async def diagnostics(self, document: Document) -> tuple[SlangDiagnostic, ...]:
        if document.uri in self.slow:
            self.request_arrived.set()
            await self.go_on.wait()
        return (SlangDiagnostic(0, 1, DiagnosticSeverity.ERROR, self.rule, "wrong"),)

    def notify_json(self, method: str, params: dict[str, Any]) -> None:
        self.problem_counts[params["uri"]] = len(params["diagnostics"])

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        self.problem_counts[params.uri] = len(params.diagnostics)

    def report_failure(self, error: BaseException) -> None:
        self.messages.append(str(error))


@pytest.mark.asyncio
async def test_a_file_that_is_closed_while_another_is_looked_at_stays_clear() -> None:
    server = Server()
    live = LiveDiagnostics(server)  # type: ignore[arg-type]
    first_uri, second_uri = "file:///first.sv", "file:///second.sv"
    for uri in (first_uri, second_uri):
        server.documents.open(uri, 1, "module m;\n")
        live.analyse_opened(uri)
    await asyncio.gather(*live._looking)
    assert server.problem_counts == {first_uri: 1, second_uri: 1}
    server.rule, server.slow = "another", {second_uri}
    live.analyse_after_settings_change()
    await server.request_arrived.wait()
    server.documents.close(first_uri)
    live.clear_closed(first_uri)
    server.go_on.set()
    await asyncio.gather(*live._looking)
    assert server.problem_counts == {first_uri: 0, second_uri: 1}
    assert server.messages == []
