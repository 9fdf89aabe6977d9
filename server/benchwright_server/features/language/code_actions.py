"""`textDocument/codeAction`: what can be done here; `source.fixAll` also before a file is saved, if set."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_harness.errors import HarnessError
from benchwright_server.features.attempt.explanations import explanation_actions
from benchwright_server.features.authoring.survivor_tests import actions_adding_killing_tests
from benchwright_server.features.design.macro_expansion import expansion_actions
from benchwright_server.linters import registry as linters
from benchwright_verilog.actions import catalogue
from benchwright_verilog.actions.action import Action, ActionKind, CodeSelection, TextChange
from benchwright_verilog.actions.line_fix import Fix
from benchwright_verilog.actions.missing_declarations import include_and_import_fixes
from benchwright_verilog.actions.missing_modules import missing_module_fixes
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.uri import document_path, document_uri

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve `textDocument/codeAction` and `codeAction/resolve`; `textDocument/willSaveWaitUntil` if set."""
    actions = CodeActions(server)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION)(partial(actions.actions_at_selection))
    server.feature(types.CODE_ACTION_RESOLVE)(partial(actions.with_edit))
    if server.settings.code_actions.fix_all_on_save:
        server.feature(types.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)(partial(actions.safe_fix_edits))


class CodeActions:
    """The code actions of one client's documents.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._resolves = "edit" in server.client.capability_strings("textDocument.codeAction.resolveSupport.properties")
        self._versioned = server.client.supports("workspace.workspaceEdit.documentChanges")
        self._can_create_files = self._versioned and "create" in server.client.capability_strings(
            "workspace.workspaceEdit.resourceOperations"
        )
        self._fixes: tuple[Document, dict[FindingTool, list[Fix]]] | None = None

    async def actions_at_selection(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The actions available at a selection."""
        document = self._server.documents.get(params.text_document.uri)
        report = await self._server.live.newest_report(params.text_document.uri)
        if document is None or report is None:
            return []
        # The document may have changed since the selection was made.
        document, lines = report.document, report.document.lines
        action_context = CodeSelection(
            document, lines.code_point_at(params.range.start), lines.code_point_at(params.range.end)
        )
        wanted_kinds = _RequestedKinds(params.context.only)
        touched_findings = [
            finding for finding in report.findings if _touches_selection(finding, action_context, lines)
        ]
        offered_actions: list[Action] = []
        if wanted_kinds.is_requested(ActionKind.QUICK_FIX):
            offered_actions += await self._fixes_for_findings(action_context, touched_findings)
            offered_actions += await actions_adding_killing_tests(action_context, self._open_or_read_document)
        if wanted_kinds.is_requested(ActionKind.REWRITE):
            offered_actions += catalogue.possible_rewrites(
                action_context, await self._server.projects.analysis(document)
            )
        actions = [
            self._code_action(document, action, params.context.diagnostics)
            for action in _without_duplicates(offered_actions)
        ]
        if params.context.only is None:
            actions += await expansion_actions(self._server, document, lines.to_byte(action_context.start))
        if wanted_kinds.is_requested(ActionKind.QUICK_FIX):
            actions += await explanation_actions(self._server, document.uri, touched_findings)
        if wanted_kinds.is_requested_by_name(ActionKind.FIX_ALL):
            actions += await self._fix_all_action(document)
        return actions

    async def with_edit(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an action that was offered without one."""
        data: Any = action.data
        uri = data.get("uri") if isinstance(data, dict) else None
        document = self._server.documents.get(uri) if isinstance(uri, str) else None
        if action.edit is None and document is not None:
            fix = catalogue.fix_all_safe_action(document, await self._all_tool_fixes(document))
            action.edit = self._workspace_edit(document, fix.changes if fix is not None else (), {})
        return action

    async def safe_fix_edits(self, params: types.WillSaveTextDocumentParams) -> list[types.TextEdit]:
        """Every safe fix."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None or not self._server.live.is_watched_design(document.uri):
            return []
        fix = catalogue.fix_all_safe_action(document, await self._all_tool_fixes(document))
        return _text_edits(document.lines, fix.changes) if fix is not None else []

    async def _fixes_for_findings(self, action_context: CodeSelection, findings: Sequence[Finding]) -> list[Action]:
        document = action_context.document
        actions: list[Action] = []
        for source in {finding.source: None for finding in findings}:
            if any(tool.source is source and tool.fixes is not None for tool in linters.lint_tools().values()):
                offered_fixes = (await self._cached_fixes_by_tool(document)).get(source, [])
                actions += catalogue.tool_fixes(document, source, findings, offered_fixes)
        project = self._server.projects.project_of(document)
        for finding in findings:
            actions += await asyncio.to_thread(list, include_and_import_fixes(action_context, finding, project))
            actions += await asyncio.to_thread(
                list,
                missing_module_fixes(action_context, finding, project, can_create_files=self._can_create_files),
            )
        analysis = await self._server.projects.analysis(document)
        return [*actions, *catalogue.fixes_and_waivers(action_context, findings, analysis, self._open_or_read_document)]

    async def _fix_all_action(self, document: Document) -> list[types.CodeAction]:
        kind = types.CodeActionKind.SourceFixAll
        title = "Fix everything that is safe to fix"
        if self._resolves:
            return [types.CodeAction(title, kind=kind, data={"uri": document.uri})]
        fix = catalogue.fix_all_safe_action(document, await self._all_tool_fixes(document))
        return [types.CodeAction(title, kind=kind, edit=self._workspace_edit(document, fix.changes, {}))] if fix else []

    async def _all_tool_fixes(self, document: Document) -> list[Fix]:
        return [fix for fixes in (await self._cached_fixes_by_tool(document)).values() for fix in fixes]

    async def _cached_fixes_by_tool(self, document: Document) -> dict[FindingTool, list[Fix]]:
        """The fixes that each tool can make itself, asked for once for each version of a document."""
        if self._fixes is None or self._fixes[0] is not document:
            settings, name = self._server.settings.lint, document_path(document.uri).name
            fixes: dict[FindingTool, list[Fix]] = {}
            for tool in linters.lint_tools().values():
                if tool.fixes is not None:
                    # An error in a tool's settings was shown when the file was linted.
                    with contextlib.suppress(HarnessError, OSError):
                        fixes[tool.source] = list(await tool.fixes(name, document.text, settings))
            self._fixes = document, fixes
        return self._fixes[1]

    def _open_or_read_document(self, path: Path) -> Document | None:
        document = self._server.documents.get(document_uri(path))
        if document is not None:
            return document
        text = self._server.projects.read_text(path)
        if text is None:
            return None
        return Document(document_uri(path), 0, Lines(text, self._server.documents.encoding))

    def _code_action(
        self, document: Document, action: Action, requested_diagnostics: Sequence[types.Diagnostic]
    ) -> types.CodeAction:
        settled = [
            diagnostic
            for diagnostic in requested_diagnostics
            if action.finding is not None and _is_diagnostic_of_finding(diagnostic, action.finding)
        ]
        changes_by_path = {path: changes for path, changes in action.changes_elsewhere.items() if changes}
        return types.CodeAction(
            action.title,
            kind=types.CodeActionKind(action.kind.value),
            diagnostics=settled or None,
            is_preferred=action.is_preferred or None,
            edit=self._workspace_edit(document, action.changes, changes_by_path, action.new_files),
        )

    def _workspace_edit(
        self,
        document: Document,
        changes: Sequence[TextChange],
        changes_by_path: Mapping[Path, tuple[TextChange, ...]],
        new_files: Mapping[Path, str] = MappingProxyType({}),
    ) -> types.WorkspaceEdit:
        document_edits: list[tuple[str, int | None, list[types.TextEdit]]] = []
        if changes:
            document_edits.append((document.uri, document.version, _text_edits(document.lines, changes)))
        for path, other_changes in changes_by_path.items():
            other_document = self._open_or_read_document(path)
            if other_document is not None:
                version = (
                    other_document.version if self._server.documents.get(other_document.uri) is other_document else None
                )
                document_edits.append((other_document.uri, version, _text_edits(other_document.lines, other_changes)))
        if not self._versioned:
            return types.WorkspaceEdit(changes={uri: text_edits for uri, _, text_edits in document_edits})
        file_start = types.Range(types.Position(0, 0), types.Position(0, 0))
        document_edits += [
            (path.as_uri(), None, [types.TextEdit(file_start, text)]) for path, text in new_files.items()
        ]
        return types.WorkspaceEdit(
            document_changes=[
                *(types.CreateFile(path.as_uri()) for path in new_files),
                *(
                    types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), [*text_edits])
                    for uri, version, text_edits in document_edits
                ),
            ]
        )


class _RequestedKinds:
    """The kinds that a client asks for; a kind includes those below it."""

    def __init__(self, requested_kinds: Sequence[types.CodeActionKind | str] | None) -> None:
        self._only = None if requested_kinds is None else [getattr(kind, "value", kind) for kind in requested_kinds]

    def is_requested(self, kind: ActionKind) -> bool:
        """True if a kind is asked for, or none in particular."""
        return self._only is None or self.is_requested_by_name(kind)

    def is_requested_by_name(self, kind: ActionKind) -> bool:
        """True if a kind is asked for by name."""
        return any(f"{kind}.".startswith(f"{only}.") or not only for only in self._only or ())


def _touches_selection(finding: Finding, action_context: CodeSelection, lines: Lines) -> bool:
    if action_context.start == action_context.end and finding.start == finding.end:
        return lines.line_index(finding.start) == lines.line_index(action_context.start)
    return finding.start <= action_context.end and action_context.start <= finding.end


def _without_duplicates(actions: Sequence[Action]) -> Iterator[Action]:
    """Each action only once, however many findings it fixes."""
    seen_keys = set()
    for action in actions:
        action_key = (action.title, action.changes, tuple(action.new_files.items()))
        if action_key not in seen_keys:
            seen_keys.add(action_key)
            yield action


def _is_diagnostic_of_finding(diagnostic: types.Diagnostic, finding: Finding) -> bool:
    return diagnostic.message == finding.message and (diagnostic.code or "") == finding.rule


def _text_edits(lines: Lines, changes: Sequence[TextChange]) -> list[types.TextEdit]:
    return [types.TextEdit(lines.range(change.start, change.end), change.text) for change in changes]
