"""Problems in file lists (`.f`), shown as diagnostics of the lists."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import Locations
from benchwright_verilog.semantics.project.lists.file_list import Complaint, FileList

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_LEVELS = {True: types.DiagnosticSeverity.Error, False: types.DiagnosticSeverity.Warning}


class FileListProblems:
    """Publishes the problems of file lists each time that they are read.

    They are always pushed: no client pulls diagnostics of files that are not designs.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._shown_paths: set[Path] = set()
        self._told_messages: set[str] = set()
        self._asking: dict[Path, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def remember_running_loop(self) -> None:
        """Remember the loop that messages are sent from; lists may be read in threads."""
        self._loop = asyncio.get_running_loop()

    def show_problems_from_any_thread(self, read_lists: Sequence[FileList]) -> None:
        """File lists were read. May be called in any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._publish_problems_or_ask, tuple(read_lists))

    def is_asking_for_list(self, folder: Path) -> bool:
        """True if the user is being asked which list a folder uses."""
        question = self._asking.get(folder)
        return question is not None and not question.done()

    def _publish_problems_or_ask(self, read_lists: Sequence[FileList]) -> None:
        complaints: dict[Path, list[Complaint]] = {}
        for file_list in read_lists:
            if file_list.candidate_lists and self._server.settings.features.project_lists:
                self._ask_for_list_once(file_list)
                continue
            for complaint in file_list.complaints:
                if self._server.projects.is_file(complaint.path):
                    complaints.setdefault(complaint.path, []).append(complaint)
                elif complaint.message not in self._told_messages:
                    self._told_messages.add(complaint.message)
                    message_type = types.MessageType.Error if complaint.is_error else types.MessageType.Info
                    self._server.window_show_message(types.ShowMessageParams(message_type, complaint.message))
        locations = Locations(self._server)
        for path in self._shown_paths | complaints.keys():
            lines = locations.lines_of_file(path)
            diagnostics = [
                types.Diagnostic(
                    lines.range(complaint.start, complaint.end),
                    complaint.message,
                    severity=_LEVELS[complaint.is_error],
                    source="benchwright",
                )
                for complaint in complaints.get(path, ())
            ]
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(path.as_uri(), diagnostics))
        self._shown_paths = set(complaints)

    def _ask_for_list_once(self, undecided_list: FileList) -> None:
        from benchwright_server.features.design.project_lists import ask_and_choose_list_unless_declined

        if undecided_list.path not in self._asking:
            self._asking[undecided_list.path] = asyncio.ensure_future(
                ask_and_choose_list_unless_declined(self._server, undecided_list.path, undecided_list.candidate_lists)
            )
