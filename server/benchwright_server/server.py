"""The language server: wires features to the protocol, and holds nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator
from typing import Any

from benchwright_harness.sandbox import Sandbox
from benchwright_problems.home import Home
from cattrs import Converter
from lsprotocol import converters, types
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from benchwright_server import __version__
from benchwright_server.attempts.session import Session
from benchwright_server.attempts.workbench import Workbench
from benchwright_server.features.code_lens import CodeLenses
from benchwright_server.features.diagnostics import LiveDiagnostics
from benchwright_server.features.requests import register_requests
from benchwright_server.features.run_progress import RunProgress
from benchwright_server.features.text_sync import TextSync
from benchwright_server.operations import CHANGED
from benchwright_server.syntax.documents import Documents

logger = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """pygls's protocol without its own copy of the documents.

    pygls splits lines where LSP does not, so the texts are kept by `Documents` alone.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand on to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand on to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand on to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class BenchwrightServer(LanguageServer):
    """One client's server.

    Args:
        home: The folders of this user.
        sandbox: Where hidden tests run.
    """

    def __init__(self, home: Home, sandbox: Sandbox) -> None:
        super().__init__(
            "benchwright",
            __version__,
            protocol_cls=Protocol,
            converter_factory=_converter,
        )
        self.documents = Documents()
        self.bench = Workbench(
            home,
            sandbox,
            on_change=self._attempt_changed,
            on_failure=self.tell_failure,
            progress=RunProgress(self).shown,
        )
        self.live = LiveDiagnostics(self.documents, self.bench, self.text_document_publish_diagnostics)
        self.lenses = CodeLenses(self)
        self._telling: dict[str, asyncio.Task[None]] = {}
        self.sync = TextSync(self)
        register_requests(self)

        @self.feature(types.INITIALIZE)
        def initialize(params: types.InitializeParams) -> None:
            self.documents.encoding = types.PositionEncodingKind(self.workspace.position_encoding)

        @self.feature(types.SHUTDOWN)
        async def shutdown(params: None) -> None:
            await self.bench.close()

    def tell_failure(self, error: BaseException) -> None:
        """Show an error that no request can answer."""
        logger.error("%s", error)
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(error)))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A handler failed in a way nobody foresaw: say so, and go on."""
        # The text may quote what the handler worked on, so it goes to nobody.
        logger.error("unexpected %s", type(error).__name__)

    def _attempt_changed(self, session: Session) -> None:
        def tell() -> None:
            attempt = session.header.id
            if attempt not in self._telling or self._telling[attempt].done():
                self._telling[attempt] = asyncio.ensure_future(self._tell_status(session))

        asyncio.get_running_loop().call_soon(tell)

    async def _tell_status(self, session: Session) -> None:
        status = await session.status()
        self.protocol.notify(CHANGED, status.model_dump(mode="json", by_alias=True))
        self.lenses.refresh()


def _converter() -> Converter:
    converter = converters.get_converter()

    # Without these pygls turns the parameters of our own messages into named tuples.
    def plain(value: dict[str, Any], kind: type[Any]) -> Any:
        return kind(**({"params": None} if "method" in value else {}) | value)

    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(kind, plain)
    return converter
