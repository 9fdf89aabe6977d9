"""`workspace/diagnostic`: findings in all files of the open folders, open or not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.editor_server import FindingReport
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_server.features.language.diagnostics import findings_from_slang
from benchwright_verilog.findings.merging import findings_to_show
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.suffixes import HEADERS

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project

_TOGETHER = 16
"""Number of files that are analysed before their reports are sent."""


@dataclass(frozen=True)
class _LastReport:
    """The last report on a file."""

    id: str
    version: int | None
    """None if the file is not open."""
    diagnostics_json: list[dict[str, Any]]


_Reports = Iterable[tuple[str, _LastReport]]
"""With the files' addresses."""


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.WORKSPACE_DIAGNOSTIC)(partial(WorkspaceDiagnostics(server).reports_on_all_files))


class WorkspaceDiagnostics:
    """The reports on all files of one client.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._made_of: object = None
        self._known_reports: dict[str, _LastReport] = {}
        """The reports on files that are not open, as long as nothing they depend on changes."""

    async def reports_on_all_files(self, params: types.WorkspaceDiagnosticParams) -> JsonText:
        """Reports on all files, in parts if the client asks for that."""
        previous_ids = {previous_result.uri: previous_result.value for previous_result in params.previous_result_ids}
        search = SearchRequest(self._server, params, "Diagnostics", min_batch_size=1, wrap_batch=_workspace_report_json)
        seen_uris: set[str] = set()

        def send(reports: _Reports) -> None:
            for uri, last_report in reports:
                seen_uris.add(uri)
                search.add_results([json.dumps(_document_report_json(uri, last_report, previous_ids.get(uri)))])

        send(await self._open_document_reports())
        await search.run_in_thread(lambda: self._send_closed_file_reports(search, send, frozenset(seen_uris)))
        # Without a report, the client would keep its findings in files that no longer exist.
        send((uri, _LastReport("", None, [])) for uri in previous_ids.keys() - seen_uris)
        return search.send_rest_and_make_response()

    async def _open_document_reports(self) -> list[tuple[str, _LastReport]]:
        reports = []
        for uri in [document.uri for document in self._server.documents]:
            await self._server.live.wait_for_typing_pause(uri)
            report = await self._server.live.newest_report(uri)
            if report is not None:
                reports.append(
                    (
                        uri,
                        _LastReport(
                            report.id, report.document.version, self._server.live.shown_diagnostics_json(report)
                        ),
                    )
                )
        return reports

    def _send_closed_file_reports(
        self, search_request: SearchRequest, send_reports: Callable[[_Reports], None], open_uris: frozenset[str]
    ) -> None:
        project_files = [
            (project, path)
            for project in self._server.projects.all_projects()
            for path, _ in project.words_by_file()
            if _is_included_or_no_header(project, path)
        ]
        project_files = [(project, path) for project, path in project_files if path.as_uri() not in open_uris]
        made_of = self._state_findings_depend_on()
        if made_of != self._made_of:
            self._known_reports.clear()
            self._made_of = made_of
        search_request.report_searched_or_stop(0, len(project_files))
        for batch_start in range(0, len(project_files), _TOGETHER):
            batch = project_files[batch_start : batch_start + _TOGETHER]
            unknown_files = [
                project_file for project_file in batch if project_file[1].as_uri() not in self._known_reports
            ]
            for path, analysis in _analyses_of_files(unknown_files, {path for _, path in project_files}):
                self._known_reports[path.as_uri()] = self._closed_file_report(path, analysis)
                search_request.report_searched_or_stop(batch_start, len(project_files))
            send_reports(
                (uri, self._known_reports[uri]) for _, path in batch if (uri := path.as_uri()) in self._known_reports
            )

    def _closed_file_report(self, path: Path, analysis: FileAnalysis) -> _LastReport:
        text = analysis.data.decode(errors="replace")
        document = Document(path.as_uri(), 0, Lines(text, self._server.documents.encoding))
        slang_findings = tuple(findings_from_slang(analysis.diagnostics, document.lines))
        findings = tuple(findings_to_show(slang_findings, document.lines, self._server.settings.lint))
        plain_diagnostics = self._server.live.shown_diagnostics_json(
            FindingReport("", document, findings, slang_findings)
        )
        return _LastReport(
            hashlib.sha256(json.dumps(plain_diagnostics).encode()).hexdigest()[:16], None, plain_diagnostics
        )

    def _state_findings_depend_on(self) -> object:
        """The state that findings depend on."""
        server = self._server
        versions = frozenset((document.uri, document.version) for document in server.documents)
        stamps = tuple(
            (id(project), hash(tuple(project.inventory.stamps.items())) if project.inventory is not None else 0)
            for project in server.projects.all_projects()
        )
        return versions, stamps, server.projects.disk_changes, server.projects.view_changes, id(server.settings)


def _analyses_of_files(
    project_files: list[tuple[Project, Path]], wanted_paths: set[Path]
) -> Iterator[tuple[Path, FileAnalysis]]:
    """The analysis of each file by slang. Those that are compiled together are elaborated once for all of them."""
    for project, path in project_files:
        analysis = project.analysis_of(path)
        if analysis is not None:
            for tree in analysis.trees:
                if tree.path in wanted_paths:
                    analysis.compiled.request_diagnostics_of(tree.path)
            yield path, analysis


def _is_included_or_no_header(project: Project, path: Path) -> bool:
    """True if findings in a file mean something: not in a header that no file includes."""
    return path.suffix not in HEADERS or project.files_to_compile_for([path]) != [path]


def _workspace_report_json(document_reports_json: str) -> str:
    return f'{{"items":{document_reports_json}}}'


def _document_report_json(uri: str, known_report: _LastReport, previous_id: str | None) -> dict[str, Any]:
    """A report (LSP 3.18, `WorkspaceDocumentDiagnosticReport`) as plain JSON."""
    report: dict[str, Any] = {"uri": uri, "version": known_report.version}
    if known_report.id and known_report.id == previous_id:
        return report | {"kind": "unchanged", "resultId": known_report.id}
    return (
        report
        | {"kind": "full", "items": known_report.diagnostics_json}
        | ({"resultId": known_report.id} if known_report.id else {})
    )
