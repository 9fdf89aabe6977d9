"""Diagnostics: slang's while typing, Verilator's and verible's on save, in one list per file.

A client that can pull them (`textDocument/diagnostic`) does; to any other they are pushed
(`textDocument/publishDiagnostics`). Never both.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.editor_server import ErrorsAndWarningsByTool, FindingReport
from benchwright_server.features.editor.project_of import ask_client_to_refetch_views
from benchwright_server.workspaces.workspace_search import workspace_folder_containing
from benchwright_verilog.findings.finding import Finding, Level, RelatedPlace
from benchwright_verilog.findings.merging import findings_to_show
from benchwright_verilog.findings.piecewise import PiecewiseDiagnostics, declared_module_names, words_of
from benchwright_verilog.findings.rules import reports_deprecated_code, reports_removable_code
from benchwright_verilog.findings.source import SLANG, FindingTool
from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity, SlangDiagnostic
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES
from benchwright_verilog.syntax.uri import document_path, local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_LARGE = 8_000
"""From this length, in characters, only the edited part is analysed again."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_LEVELS = {
    DiagnosticSeverity.ERROR: Level.ERROR,
    DiagnosticSeverity.WARNING: Level.WARNING,
    DiagnosticSeverity.NOTE: Level.INFORMATION,
}


def register(server: EditorServer) -> None:
    """Serve `textDocument/diagnostic`."""
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)(partial(_pull_diagnostics, server))


async def _pull_diagnostics(server: EditorServer, params: types.DocumentDiagnosticParams) -> JsonText:
    uri = params.text_document.uri
    await server.live.wait_for_typing_pause(uri)
    if server.expansions is not None:
        server.expansions.ask_client_to_reload_outdated()
    if not server.client.supports("workspace.diagnostics.refreshSupport"):
        # It would not learn that more is known later.
        await server.projects.wait_until_wholly_read(uri)
    report = await server.live.newest_report(uri)
    if report is None:
        report_json: dict[str, Any] = {"kind": "full", "items": []}
    elif report.id == params.previous_result_id:
        report_json = {"kind": "unchanged", "resultId": report.id}
    else:
        report_json = {"kind": "full", "resultId": report.id, "items": server.live.shown_diagnostics_json(report)}
    return JsonText(json.dumps(report_json))


@dataclass
class _OpenDocument:
    """The state of one open document."""

    first_change_s: float = 0.0
    last_change_s: float = 0.0
    is_analysed_since_typing: bool = True
    """True if nothing was typed since the last analysis."""
    timer: asyncio.TimerHandle | None = None
    lint_findings_by_tool: dict[FindingTool, tuple[Finding, ...]] = field(default_factory=dict)
    last_report: FindingReport | None = None
    piecewise_analysis: PiecewiseDiagnostics | None = None
    """Everything that is known of a large file by itself."""
    slang_report: tuple[Document, tuple[SlangDiagnostic, ...]] | None = None
    """The last report of slang."""


class LiveDiagnostics:
    """Analyses design files as they change, and shows what is found.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._watched: dict[str, _OpenDocument] = {}
        self._looking: set[asyncio.Task[None]] = set()
        self._refresh_timer: asyncio.TimerHandle | None = None
        self._is_all_old = False
        self._numbers = 0
        client = server.client
        self._pulls = client.supports("textDocument.diagnostic")
        self._is_shown = server.settings.features.diagnostics
        self._links = client.supports("textDocument.publishDiagnostics.codeDescriptionSupport")
        self._relates = client.supports("textDocument.publishDiagnostics.relatedInformation")
        self._tags = client.supports("textDocument.publishDiagnostics.tagSupport")

    # Events of documents

    def analyse_opened(self, uri: str) -> None:
        """A document was opened: analyse it at once."""
        if _is_local_design_file(uri):
            self._watched[uri] = _OpenDocument()
            if not self._pulls:
                self._start_task_that_reports_failure(self._analyse_and_publish(uri))

    def analyse_changed_later(self, uri: str) -> None:
        """A document was changed: analyse it when typing pauses."""
        watched = self._watched.get(uri)
        if watched is None:
            return
        # Linters' findings are about the saved version; their ranges are wrong now.
        watched.lint_findings_by_tool.clear()
        watched.last_change_s = time.monotonic()
        if watched.is_analysed_since_typing:
            watched.first_change_s = watched.last_change_s
            watched.is_analysed_since_typing = False
        if self._pulls:
            self._schedule_analysis_of_others()
            return
        if watched.timer is not None:
            watched.timer.cancel()
        loop = asyncio.get_running_loop()
        watched.timer = loop.call_later(
            self._seconds_until_analysis(watched),
            lambda: self._start_task_that_reports_failure(self._analyse_and_publish(uri)),
        )

    def clear_closed(self, uri: str) -> None:
        """A document was closed: its diagnostics are cleared, and changes that were not saved count no more."""
        watched = self._watched.pop(uri, None)
        if watched is not None:
            if watched.timer is not None:
                watched.timer.cancel()
            if not self._pulls:
                self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
            self._schedule_analysis_of_others(even_if_alone=True)

    def analyse_after_settings_change(self) -> None:
        """Analyse everything with the new settings."""
        self._is_all_old = True
        self._schedule_analysis_of_others(even_if_alone=True)

    def analyse_after_indexing(self) -> None:
        """All files of a large folder have been read: what was found before may be wrong now."""
        self._is_all_old = True
        self._start_task_that_reports_failure(self._analyse_all_again())

    async def republish_if_changed(self, uris: Iterable[str]) -> None:
        """Shows again what is known of open documents besides their text, because it has changed."""
        await self._show_changed_reports(uris)

    async def wait_for_typing_pause(self, uri: str) -> None:
        """Wait until typing pauses, or has gone on for long enough."""
        while (watched := self._watched.get(uri)) is not None and not watched.is_analysed_since_typing:
            wait = self._seconds_until_analysis(watched)
            if wait <= 0:
                watched.is_analysed_since_typing = True
                return
            await asyncio.sleep(wait)

    async def lint_saved_file(self, uri: str) -> ErrorsAndWarningsByTool | None:
        """Lint a saved file, and show everything known of it.

        Returns:
            Errors and warnings by source; `None` for files of no workspace and for those that changed meanwhile.
        """
        document, watched = self._server.documents.get(uri), self._watched.get(uri)
        if document is None or watched is None:
            return None
        if not self._pulls:
            await self._analyse_and_publish(uri)
        folder, lint_findings = await self._folder_and_lint_findings(document)
        if self._watched.get(uri) is not watched or self._server.documents.get(uri) is not document:
            return None
        watched.lint_findings_by_tool = dict(lint_findings)
        await self._show_changed_reports([uri])
        if folder is None or watched.last_report is None:
            return None
        findings_by_source = {SLANG: watched.last_report.slang_findings, **lint_findings}
        return {str(source): _error_and_warning_counts(group) for source, group in findings_by_source.items()}

    async def _folder_and_lint_findings(
        self, document: Document
    ) -> tuple[Path | None, Mapping[FindingTool, tuple[Finding, ...]]]:
        """The workspace's folder that a saved document is in, if any, and what lint tools find in it."""
        from benchwright_server.linters.lint_tool import SavedFile
        from benchwright_server.linters.registry import lint_file

        file = local_path_of(document.uri)
        folder = await asyncio.to_thread(workspace_folder_containing, file)
        saved_file = SavedFile(file, document.lines, folder, self._server.home.cache, self._server.settings.lint)
        return folder, await lint_file(saved_file, self._server.report_failure)

    # Findings

    async def report_on_saved_file(self, path: Path) -> FindingReport | None:
        """The report on a file, open or not, as it is shown after saving; None if it is not a design.

        What is typed and not saved is analysed, but not linted, as in the editor.
        """
        if path.suffix not in DESIGN_SUFFIXES:
            return None
        text = await asyncio.to_thread(self._server.projects.project_of_path(path).files.read_text, path)
        document = self._server.documents.get(path.as_uri())
        if document is None and text is not None:
            document = Document(path.as_uri(), 0, Lines(text, self._server.documents.encoding))
        if document is None:
            return None
        lint_findings = (await self._folder_and_lint_findings(document))[1] if document.text == text else {}
        return self._combined_report(document, await self._slang_findings(document), lint_findings)

    def is_watched_design(self, uri: str) -> bool:
        """True if a document is a design that is analysed."""
        return uri in self._watched

    async def newest_report(self, uri: str) -> FindingReport | None:
        """The report on the latest version of a document; None if it is not a design."""
        while (document := self._server.documents.get(uri)) is not None and uri in self._watched:
            report = await self._make_and_store_report(document)
            if self._server.documents.get(uri) is document:
                return report
        return None

    def shown_diagnostics_json(self, report: FindingReport) -> list[dict[str, Any]]:
        """A report as the client can show it (LSP 3.18, `Diagnostic`), as plain JSON: there may be hundreds."""
        return (
            [self._diagnostic_json(finding, report.document) for finding in report.findings] if self._is_shown else []
        )

    async def _make_and_store_report(self, document: Document) -> FindingReport:
        slang_findings = await self._slang_findings(document)
        watched = self._watched.get(document.uri) or _OpenDocument()
        report = self._combined_report(document, slang_findings, watched.lint_findings_by_tool)
        last_report = watched.last_report
        if last_report is not None and last_report.findings == report.findings:
            report = replace(report, id=last_report.id)
        watched.last_report = report
        return report

    async def _slang_findings(self, document: Document) -> tuple[Finding, ...]:
        return tuple(findings_from_slang(await self._slang_diagnostics(document), document.lines))

    def _combined_report(
        self,
        document: Document,
        slang_findings: tuple[Finding, ...],
        lint_findings_by_tool: Mapping[FindingTool, tuple[Finding, ...]],
    ) -> FindingReport:
        linted = (lint_finding for group in lint_findings_by_tool.values() for lint_finding in group)
        is_open = self._server.documents.get(document.uri) is document
        run_findings = self._server.run_messages.findings_on_unchanged_lines(document) if is_open else ()
        findings = findings_to_show(
            (*slang_findings, *linted, *run_findings),
            document.lines,
            self._server.settings.lint,
        )
        self._numbers += 1
        return FindingReport(str(self._numbers), document, tuple(findings), slang_findings)

    async def _slang_diagnostics(self, document: Document) -> tuple[SlangDiagnostic, ...]:
        if len(document.text) < _LARGE or not self._can_analyse_alone(document):
            return await self._server.projects.diagnostics(document)
        watched = self._watched.get(document.uri) or _OpenDocument()
        if watched.slang_report is not None and watched.slang_report[0] is document:
            return watched.slang_report[1]
        if watched.piecewise_analysis is None:
            project = self._server.projects.project_of(document)
            watched.piecewise_analysis = PiecewiseDiagnostics(
                document_path(document.uri), project.files, is_alone=project.folder is None
            )
            slang_diagnostics = await asyncio.to_thread(watched.piecewise_analysis.diagnostics, document.units)
        else:
            slang_diagnostics = watched.piecewise_analysis.diagnostics(document.units)
        watched.slang_report = document, slang_diagnostics
        return slang_diagnostics

    def _can_analyse_alone(self, document: Document) -> bool:
        """True if slang needs no other file to analyse a document."""
        project = self._server.projects.project_of(document)
        if (
            project.lists
            or b"`include" in document.lines.data
            or self._server.settings.project_settings != ProjectSettings()
        ):
            return False
        other_documents = [
            open_document
            for open_document in self._server.documents
            if open_document is not document and open_document.uri in self._watched
        ]
        inventory = project.inventory
        if inventory is None:
            return True
        project.refresh_if_stale()
        if not project.is_wholly_read:
            return False
        path = document_path(document.uri)
        if not project.uses_file_lists:
            return not other_documents and all(source == path for source in inventory.files_but_headers())
        foreign = {
            name.encode()
            for name, paths in inventory.declaring_files_by_unit.items()
            if any(declaring_path != path for declaring_path in paths)
        }
        foreign |= {name.encode() for name in project.read_foreign_units()}
        foreign = foreign.union(*(declared_module_names(other_document.units) for other_document in other_documents))
        return not foreign or foreign.isdisjoint(words_of(document.units))

    def _seconds_until_analysis(self, open_document: _OpenDocument) -> float:
        """Seconds until a document that is being edited should be analysed."""
        diagnostics_settings, current_time = self._server.settings.diagnostics, time.monotonic()
        quiet = open_document.last_change_s + diagnostics_settings.quiet_ms / 1000 - current_time
        return max(
            0.0, min(quiet, open_document.first_change_s + diagnostics_settings.patience_ms / 1000 - current_time)
        )

    def _start_task_that_reports_failure(self, coroutine: Coroutine[Any, Any, None]) -> None:
        async def looked() -> None:
            try:
                await coroutine
            except Exception as error:
                self._server.report_failure(error)

        task = asyncio.get_running_loop().create_task(looked())
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _analyse_and_publish(self, uri: str) -> None:
        watched = self._watched.get(uri)
        if watched is None:
            return
        watched.is_analysed_since_typing, watched.timer = True, None
        if self._server.expansions is not None:
            self._server.expansions.ask_client_to_reload_outdated()
        report = await self.newest_report(uri)
        if report is not None:
            self._publish_if_enabled(report)
            self._schedule_analysis_of_others()

    def _schedule_analysis_of_others(self, *, even_if_alone: bool = False) -> None:
        """An edit in one file may cause or fix findings in another: analyse those after a longer pause in typing."""
        if len(self._watched) > 1 or even_if_alone:
            if self._refresh_timer is not None:
                self._refresh_timer.cancel()
            wait = 2 * self._server.settings.diagnostics.quiet_ms / 1000
            self._refresh_timer = asyncio.get_running_loop().call_later(
                wait, lambda: self._start_task_that_reports_failure(self._analyse_all_again())
            )

    async def _analyse_all_again(self) -> None:
        self._refresh_timer = None
        if self._is_all_old:
            self._is_all_old = False
            ask_client_to_refetch_views(self._server)
        await self._show_changed_reports(
            [uri for uri, watched in self._watched.items() if self._pulls or watched.is_analysed_since_typing]
        )

    async def _show_changed_reports(self, uris: Iterable[str]) -> None:
        is_any_new = False
        for uri in uris:
            watched = self._watched.get(uri)
            previous_id = watched.last_report.id if watched is not None and watched.last_report is not None else None
            report = await self.newest_report(uri)
            if report is None or report.id == previous_id:
                continue
            is_any_new = True
            if not self._pulls:
                # At once: while others are analysed, the file may be closed or changed.
                self._publish_if_enabled(report)
        if is_any_new and self._pulls and self._server.client.supports("workspace.diagnostics.refreshSupport"):
            self._server.workspace_diagnostic_refresh(None)

    def _publish_if_enabled(self, report: FindingReport) -> None:
        if self._is_shown:
            document = report.document
            params = {
                "uri": document.uri,
                "version": document.version,
                "diagnostics": self.shown_diagnostics_json(report),
            }
            self._server.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _diagnostic_json(self, finding: Finding, document: Document) -> dict[str, Any]:
        diagnostic: dict[str, Any] = {
            "range": _range_json(document.lines, finding.start, max(finding.start, finding.end)),
            "severity": finding.level.value,
            "source": str(finding.source),
            "message": finding.message,
        }
        if finding.rule:
            diagnostic["code"] = finding.rule
        if self._links and (link := finding.source.rule_page_url(finding.rule)):
            diagnostic["codeDescription"] = {"href": link}
        if self._tags and (tags := list(_diagnostic_tags(finding))):
            diagnostic["tags"] = tags
        if self._relates and finding.related:
            diagnostic["relatedInformation"] = [self._related_information_json(related) for related in finding.related]
        return diagnostic

    def _related_information_json(self, related_place: RelatedPlace) -> dict[str, Any]:
        uri = related_place.path.as_uri()
        document = self._server.documents.get(uri)
        if document is None:
            point = {"line": max(0, related_place.line - 1), "character": max(0, related_place.column - 1)}
            related_range = {"start": point, "end": point}
        else:
            start, end = document.lines.line_bounds(related_place.line)
            offset = min(start + related_place.column - 1, end)
            related_range = _range_json(document.lines, offset, offset)
        return {"location": {"uri": uri, "range": related_range}, "message": related_place.message}


def _range_json(lines: Lines, start_offset: int, end_offset: int) -> dict[str, Any]:
    first_position, last_position = lines.line_and_column(start_offset), lines.line_and_column(end_offset)
    return {
        "start": {"line": first_position[0], "character": first_position[1]},
        "end": {"line": last_position[0], "character": last_position[1]},
    }


def findings_from_slang(slang_diagnostics: Iterable[SlangDiagnostic], lines: Lines) -> Iterator[Finding]:
    """Slang's findings in a file with these lines."""
    for slang_diagnostic in slang_diagnostics:
        start, end = lines.from_byte(slang_diagnostic.start), lines.from_byte(slang_diagnostic.end)
        if start >= end:
            # slang marks only a point; if a name is there, all of it is marked.
            word = _WORD.match(lines.text, start)
            end = word.end() if word else start
        yield Finding(
            SLANG, start, end, _LEVELS[slang_diagnostic.severity], slang_diagnostic.rule, slang_diagnostic.message
        )


def _diagnostic_tags(finding: Finding) -> Iterator[int]:
    if reports_removable_code(finding.rule):
        yield types.DiagnosticTag.Unnecessary.value
    if reports_deprecated_code(finding.rule, finding.message):
        yield types.DiagnosticTag.Deprecated.value


def _error_and_warning_counts(findings: Iterable[Finding]) -> tuple[int, int]:
    levels = [finding.level for finding in findings]
    return levels.count(Level.ERROR), levels.count(Level.WARNING)


def _is_local_design_file(uri: str) -> bool:
    return uri.startswith("file:") and Path(uri).suffix in DESIGN_SUFFIXES
