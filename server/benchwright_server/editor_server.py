"""The server as the language features see it.

The server itself, which assembles all features, is in `server.py`; no feature imports it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pygls.lsp.server import LanguageServer

if TYPE_CHECKING:
    from pathlib import Path

    from lsprotocol import types

    from benchwright_foundation.home import Home
    from benchwright_harness.grading.two_sided import TwoSidedProof
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.attempts.sessions import EditorSessions
    from benchwright_server.client import Client
    from benchwright_server.own_tests.last_results import LastResults
    from benchwright_server.protocol.explanations import UnknownSignal
    from benchwright_server.protocol.messages import Wire
    from benchwright_server.settings import ServerSettings
    from benchwright_verilog.findings.finding import Finding
    from benchwright_verilog.findings.source import FindingTool
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.lists.file_list import FileList
    from benchwright_verilog.semantics.project.projects import Projects
    from benchwright_verilog.syntax.documents import Document, Documents
    from benchwright_verilog.syntax.json_form import JsonText

ErrorsAndWarningsByTool = dict[str, tuple[int, int]]
"""Errors and warnings by source."""


@dataclass(frozen=True)
class FindingReport:
    """The findings to show for one version of a file."""

    id: str
    """Changes only if the findings to show change."""
    document: Document
    findings: tuple[Finding, ...]
    slang_findings: tuple[Finding, ...]
    """Those of slang, before merging."""


class Diagnostics(Protocol):
    """The diagnostics of open files; see `features.diagnostics`."""

    def analyse_opened(self, uri: str) -> None:
        """A document was opened."""

    def analyse_changed_later(self, uri: str) -> None:
        """A document was changed."""

    def clear_closed(self, uri: str) -> None:
        """A document was closed."""

    def analyse_after_settings_change(self) -> None:
        """The settings that affect findings may have changed."""

    def analyse_after_indexing(self) -> None:
        """All files of a large folder have been read."""

    async def republish_if_changed(self, uris: Iterable[str]) -> None:
        """Shows again what is known of open documents besides their text, because it has changed."""

    async def wait_for_typing_pause(self, uri: str) -> None:
        """Wait until typing pauses, or has gone on for long enough."""

    async def lint_saved_file(self, uri: str) -> ErrorsAndWarningsByTool | None:
        """Lint a saved file; None for files of no workspace and for those that changed meanwhile."""

    def is_watched_design(self, uri: str) -> bool:
        """True if a document is a design that is analysed."""

    async def report_on_saved_file(self, path: Path) -> FindingReport | None:
        """The report on a file, open or not, as it is shown after saving."""
        ...

    async def newest_report(self, uri: str) -> FindingReport | None:
        """The report on a document; None if it is not a design."""

    def shown_diagnostics_json(self, report: FindingReport) -> list[dict[str, Any]]:
        """A report as plain JSON (LSP 3.18, `Diagnostic`)."""


@dataclass(frozen=True)
class RunMessage:
    """What a run says about a line of a file."""

    path: str
    """Inside the folder that the run was about."""
    line: int
    """From 1, as the file was when it was run."""
    text: str


class RunMessages(Protocol):
    """What the newest runs say about lines of files; see `features.run_messages`."""

    def findings_on_unchanged_lines(self, document: Document) -> list[Finding]:
        """Those about an open document."""

    async def replace_messages_of_source(
        self, source: FindingTool, folder: Path, run_messages: Collection[RunMessage]
    ) -> None:
        """Show these instead of all that this source said of the folder's files."""


class Lenses(Protocol):
    """The code lenses of open files; see `features.code_lens`."""

    def forget_sizes_after_save(self) -> None:
        """A file was saved."""

    async def lenses_of_file(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """The lenses of a file."""

    async def with_instance_count_command(self, lens: types.CodeLens) -> types.CodeLens:
        """A lens with its command."""

    async def show_first_instance_or_list(self, *arguments: object) -> None:
        """Show where a module is instantiated."""


class Expansions(Protocol):
    """The expanded macros that the client shows; see `features.macro_expansion`."""

    def ask_client_to_reload_outdated(self) -> None:
        """Typing has paused: the client has to ask again for what has changed."""


class FileListReports(Protocol):
    """Problems in file lists; see `features.file_lists`."""

    def remember_running_loop(self) -> None:
        """Remember the loop that messages are sent from."""

    def show_problems_from_any_thread(self, lists: Sequence[FileList]) -> None:
        """File lists were read."""

    def is_asking_for_list(self, folder: Path) -> bool:
        """True if the user is being asked which list a folder uses."""


class PackFiles(Protocol):
    """Packs that somebody writes; see `features.pack_files`."""

    def check_opened(self, uri: str) -> None:
        """A document was opened."""

    def check_changed_later(self, uri: str) -> None:
        """A document was changed."""

    def check_folders_around_saved(self, uri: str) -> None:
        """A document was saved."""

    def forget_closed(self, uri: str) -> None:
        """A document was closed."""

    def publish_proof(self, folder: Path, two_sided: TwoSidedProof) -> None:
        """A problem was proved, or was not."""

    def field_hover(self, document: Document, position: types.Position) -> types.Hover | None:
        """The meaning of the field at a position."""

    def field_proposals(self, document: Document, position: types.Position) -> types.CompletionList | None:
        """The proposals for a position."""


class Proofs(Protocol):
    """Proofs of the problems that somebody writes; see `features.authoring`."""

    def schedule_proofs_of_changed(self, files: Iterable[Path]) -> None:
        """Files were saved, or changed on disk."""

    async def cancel_all(self) -> None:
        """Ends what is running."""


class Indexing(Protocol):
    """Progress of reading the files of a large folder; see `features.index_progress`."""

    def remember_running_loop(self) -> None:
        """Remember the loop that messages are sent from."""


class Sync(Protocol):
    """The order of the client's messages; see `features.text_sync`."""

    async def wait_until_recorded(self) -> None:
        """Wait until everything the client has sent so far is recorded."""

    def run_in_order(self, action: Callable[[], Awaitable[None]]) -> None:
        """Do something after everything that the client sent before it, and before what it sends later."""


class Agents(Protocol):
    """The channel on which agents on this computer ask; see `features.agent_channel`."""

    def listen_unless_listening(self, attempt_id: str) -> None:
        """Answer agents that work on an attempt of this server."""

    async def close(self) -> None:
        """Answer nobody any more."""


class Waveforms(Protocol):
    """The waveforms of the client; see `features.waveforms`."""

    @property
    def cursor(self) -> CursorValues:
        """The values of it that the source shows."""

    async def signals_unknown_at_end(self, waveform_uri: str, max_count: int) -> list[UnknownSignal]:
        """Signals with a bit that is x at a waveform's end."""

    async def close_all(self) -> None:
        """Ends reading all of them."""


class CursorValues(Protocol):
    """The values of a waveform in the source; see `features.waveform_values`."""

    async def value_hints_if_allowed(
        self, document: Document, analysis: FileAnalysis, start_byte: int, end_byte: int
    ) -> list[types.InlayHint]:
        """Those between two bytes of a file."""


class EditorServer(LanguageServer):
    """One client's server, as its features see it."""

    client: Client
    settings: ServerSettings
    home: Home
    documents: Documents
    projects: Projects
    live: Diagnostics
    run_messages: RunMessages
    expansions: Expansions | None
    """None if they are turned off."""
    file_lists: FileListReports
    pack_files: PackFiles
    proofs: Proofs | None
    """None if they are turned off."""
    indexing: Indexing
    sync: Sync
    last_results: LastResults
    agents: Agents | None
    """None if they are turned off."""
    agents_own_connection: str
    """Id of the connection if the client is an agent's alone; else empty."""
    served: dict[str, Callable[[Mapping[str, Any]], Awaitable[Wire]]]
    """By its name, what each operation that is served does with its parameters."""
    waveforms: Waveforms | None
    """None if they are turned off."""

    @property
    def sessions(self) -> EditorSessions:
        """The attempts of the client's workspaces. Loads what has to do with attempts, and nobody needs before."""
        raise NotImplementedError

    @property
    def has_sessions(self) -> bool:
        """True once `sessions` was used."""
        raise NotImplementedError

    @property
    def lenses(self) -> Lenses:
        """The code lenses of open files."""
        raise NotImplementedError

    async def find_or_open_session(self, path: Path) -> EditorSession | None:
        """The session of the workspace that contains a file or folder; None outside workspaces."""
        raise NotImplementedError

    def replace_settings(self, settings: ServerSettings) -> None:
        """Use these settings from now on; which features there are was decided at the start."""
        raise NotImplementedError

    def report_failure(self, error: BaseException) -> None:
        """Show an error that no request can answer."""
        raise NotImplementedError

    def notify_json(self, method: str, params: dict[str, Any] | JsonText) -> None:
        """Send a notification whose parameters are plain JSON already."""
        raise NotImplementedError
