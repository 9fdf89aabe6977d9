"""Problems in file lists (`.f`), shown as diagnostics of the lists."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.design.project_lists import ask_once
from benchwright_server.features.editor.locations import Locations
from benchwright_verilog.semantics.project.lists.file_list import Complaint, FileList

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_LEVELS = {True: types.DiagnosticSeverity.Error, False: types.DiagnosticSeverity.Warning}


class FileListProblems:
    """Publishes the problems of file lists each time that they are read.

    They are always pushed: no client pulls diagnostics of files that are not designs.

    Args:
        server: Whose client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._shown: set[Path] = set()
        self._told: set[str] = set()
        self._asking: dict[Path, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self) -> None:
        """Remember the loop that messages are sent from; lists may be read in threads."""
        self._loop = asyncio.get_running_loop()

    def show(self, lists: Sequence[FileList]) -> None:
        """File lists were read. May be called in any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._show, tuple(lists))

    def is_asking(self, folder: Path) -> bool:
        """Whether it is being asked which list a folder uses."""
        asked = self._asking.get(folder)
        return asked is not None and not asked.done()

    def _show(self, lists: Sequence[FileList]) -> None:
        found: dict[Path, list[Complaint]] = {}
        for one in lists:
            if one.several and self._server.settings.features.project_lists:
                self._ask(one)
                continue
            for complaint in one.complaints:
                if complaint.path.is_file():
                    found.setdefault(complaint.path, []).append(complaint)
                elif complaint.message not in self._told:
                    self._told.add(complaint.message)
                    kind = types.MessageType.Error if complaint.is_error else types.MessageType.Info
                    self._server.window_show_message(types.ShowMessageParams(kind, complaint.message))
        locations = Locations(self._server)
        for path in self._shown | found.keys():
            lines = locations.lines(path)
            shown = [
                types.Diagnostic(
                    lines.range(one.start, one.end),
                    one.message,
                    severity=_LEVELS[one.is_error],
                    source="benchwright",
                )
                for one in found.get(path, ())
            ]
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(path.as_uri(), shown))
        self._shown = set(found)

    def _ask(self, one: FileList) -> None:
        if one.path not in self._asking:
            self._asking[one.path] = asyncio.ensure_future(ask_once(self._server, one.path, one.several))
