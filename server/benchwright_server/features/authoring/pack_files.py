"""Packs and exams that somebody writes: diagnostics, completion and hover of their files."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.markup import supported_markup
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_authoring.problem_files.fields import FileFields
    from benchwright_authoring.problem_files.remark import Remark
    from benchwright_foundation.home import Home
    from benchwright_harness.grading.two_sided import TwoSidedProof
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

_PACK, _PROBLEM, _STATEMENT = "pack.toml", "problem.toml", "statement.md"
_EXAM, _REVIEW = "exam.toml", "review.toml"
_PAUSE_S = 0.3
_LEVELS = {True: types.DiagnosticSeverity.Error, False: types.DiagnosticSeverity.Warning}


class PackFiles:
    """Checks the packs and exams whose files are open, and publishes what is wrong with them.

    They are always pushed: no client pulls diagnostics of files that are not designs.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._open: dict[str, Path] = {}
        """URI → the folder of the problem or of an exam's question; that of the pack or exam for its own file."""
        self._remarked_files: dict[Path, set[Path]] = {}
        self._diagnostics_of: dict[Path, dict[Path, list[types.Diagnostic]]] = {}
        """Place → what was remarked on its files when they were last checked."""
        self._proofs: dict[Path, TwoSidedProof] = {}
        """Problem's folder → what its last proof says."""
        self._later: dict[Path, asyncio.TimerHandle] = {}
        self._checks: set[asyncio.Task[None]] = set()

    def check_opened(self, uri: str) -> None:
        """A document was opened."""
        folder = _folder_to_check_for_file(uri)
        if folder is not None:
            self._open[uri] = folder
            self._schedule_check(folder, 0.0)

    def check_changed_later(self, uri: str) -> None:
        """A document was changed."""
        if (folder := self._open.get(uri)) is not None:
            self._schedule_check(folder, _PAUSE_S)

    def check_folders_around_saved(self, uri: str) -> None:
        """A document was saved: it may belong to what other files are open of."""
        if self._open and uri.startswith("file:"):
            file = local_path_of(uri)
            for open_folder in {open_folder for open_folder in self._open.values() if file.is_relative_to(open_folder)}:
                self._schedule_check(open_folder, 0.0)

    def forget_closed(self, uri: str) -> None:
        """A document was closed; what is known of its problem stays as long as another file of it is open."""
        folder = self._open.pop(uri, None)
        if folder is not None and folder not in self._open.values():
            if (later := self._later.pop(folder, None)) is not None:
                later.cancel()
            self._publish_with_proof(folder, {}, {})

    def publish_proof(self, problem_folder: Path, two_sided: TwoSidedProof) -> None:
        """A problem was proved, or was not: the reasons are shown in its `problem.toml`."""
        self._proofs[problem_folder] = two_sided
        document = self._server.documents.get((problem_folder / _PROBLEM).as_uri())
        versions = {problem_folder / _PROBLEM: document.version} if document is not None else {}
        self._publish_with_proof(problem_folder, self._diagnostics_of.get(problem_folder, {}), versions)

    def toml_fields_if_open(self, uri: str) -> FileFields | None:
        """The fields that an open document may hold; None if it is none of these files, or not in TOML."""
        if uri not in self._open or uri.endswith(f"/{_STATEMENT}"):
            return None
        if uri.endswith((f"/{_EXAM}", f"/{_REVIEW}")):
            from benchwright_server.authoring.exam_files import EXAM_FIELDS, REVIEW_FIELDS

            return EXAM_FIELDS if uri.endswith(f"/{_EXAM}") else REVIEW_FIELDS
        from benchwright_authoring.problem_files.fields import PACK_FIELDS, PROBLEM_FIELDS

        return PACK_FIELDS if uri.endswith(f"/{_PACK}") else PROBLEM_FIELDS

    def field_hover(self, document: Document, position: types.Position) -> types.Hover | None:
        """The meaning of the field at a position."""
        from benchwright_authoring.problem_files.proposals import toml_hover

        fields = self.toml_fields_if_open(document.uri)
        hover = (
            toml_hover(fields, document.text, document.lines.code_point_at(position)) if fields is not None else None
        )
        if hover is None:
            return None
        span, meaning = hover
        markup = supported_markup(self._server, "textDocument.hover.contentFormat", meaning)
        return types.Hover(markup, document.lines.range(span.start, span.end))

    def field_proposals(self, document: Document, position: types.Position) -> types.CompletionList | None:
        """The proposals for a position."""
        from benchwright_authoring.problem_files.proposals import toml_proposals

        fields = self.toml_fields_if_open(document.uri)
        if fields is None:
            return None
        span, proposals = toml_proposals(fields, document.text, document.lines.code_point_at(position))
        edit_range = document.lines.range(span.start, span.end)
        form = "textDocument.completion.completionItem.documentationFormat"
        completion_items = [
            types.CompletionItem(
                label=proposal.label,
                kind=types.CompletionItemKind.Value if proposal.is_value else types.CompletionItemKind.Field,
                documentation=supported_markup(self._server, form, proposal.description),
                filter_text=proposal.label,
                text_edit=types.TextEdit(edit_range, proposal.text),
            )
            for proposal in proposals
        ]
        return types.CompletionList(is_incomplete=False, items=completion_items)

    def _schedule_check(self, checked_folder: Path, delay_s: float) -> None:
        if (earlier := self._later.get(checked_folder)) is not None:
            earlier.cancel()
        self._later[checked_folder] = asyncio.get_running_loop().call_later(
            delay_s, lambda: self._start_scheduled_check(checked_folder)
        )

    def _start_scheduled_check(self, checked_folder: Path) -> None:
        del self._later[checked_folder]
        task = asyncio.create_task(self._publish_check_if_current(checked_folder))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)

    async def _publish_check_if_current(self, checked_folder: Path) -> None:
        followed = (
            self._server.documents.get(uri) for uri, open_folder in self._open.items() if open_folder == checked_folder
        )
        documents = {local_path_of(document.uri): document for document in followed if document is not None}
        open_files = {file: document.text for file, document in documents.items()}
        try:
            diagnostics = await asyncio.to_thread(
                _diagnostics_by_file,
                checked_folder,
                open_files,
                self._server.documents.encoding,
                self._server.home,
            )
        except Exception as error:
            self._server.report_failure(error)
            return
        if checked_folder not in self._later and checked_folder in self._open.values():
            self._publish_with_proof(
                checked_folder, diagnostics, {file: document.version for file, document in documents.items()}
            )

    def _publish_with_proof(
        self,
        checked_folder: Path,
        checked_diagnostics: dict[Path, list[types.Diagnostic]],
        version_by_file: dict[Path, int],
    ) -> None:
        earlier_files = self._remarked_files.pop(checked_folder, set())
        self._diagnostics_of[checked_folder] = checked_diagnostics
        shown_diagnostics = checked_diagnostics
        if proof := self._failed_proof_diagnostics(checked_folder):
            file = checked_folder / _PROBLEM
            shown_diagnostics = checked_diagnostics | {file: [*checked_diagnostics.get(file, []), *proof]}
        if remarked := {file for file, remarks in shown_diagnostics.items() if remarks}:
            self._remarked_files[checked_folder] = remarked
        for file in sorted(earlier_files | set(shown_diagnostics) | set(version_by_file)):
            params = types.PublishDiagnosticsParams(
                file.as_uri(), shown_diagnostics.get(file, []), version_by_file.get(file)
            )
            self._server.text_document_publish_diagnostics(params)

    def _failed_proof_diagnostics(self, problem_folder: Path) -> list[types.Diagnostic]:
        """The reasons why the last proof of a problem failed, at its id."""
        from benchwright_authoring.problem_files.problem_folder import ProblemFolder
        from benchwright_authoring.problem_files.remark import Remark
        from benchwright_authoring.problem_files.toml_places import TomlPlaces
        from benchwright_harness.grading.two_sided import ProofState

        two_sided = self._proofs.get(problem_folder)
        if two_sided is None or not two_sided.reasons:
            return []
        document = self._server.documents.get((problem_folder / _PROBLEM).as_uri())
        open_files = {f"{problem_folder.name}/{_PROBLEM}": document.text} if document is not None else {}
        text = ProblemFolder(problem_folder, open_files).text(_PROBLEM)
        span, is_error = TomlPlaces(text).nearest_span(("id",)), two_sided.proof_state is ProofState.WRONG
        messages = [f"{reason[:1].upper()}{reason[1:]}." for reason in two_sided.reasons]
        messages += [
            f"The reference fails the test {test.name}{': ' if test.message else ''}{test.message}"
            for test in two_sided.reference.tests
            if not test.passed
        ]
        messages += [
            f"{compiler_message.path}:{compiler_message.line}: {compiler_message.text}"
            for compiler_message in two_sided.reference.compiler
        ]
        remarks = (Remark(_PROBLEM, span, message, is_error) for message in messages)
        return _diagnostics_from_remarks(remarks, Lines(text, self._server.documents.encoding))


def _folder_to_check_for_file(file_uri: str) -> Path | None:
    """The folder that a file of an author's says something of."""
    names = (_PACK, _PROBLEM, _STATEMENT, _EXAM, _REVIEW)
    if not file_uri.startswith("file:") or not file_uri.endswith(tuple(f"/{name}" for name in names)):
        return None
    file = local_path_of(file_uri)
    if file.name == _PACK:
        # Other programs have files of this name.
        return file.parent if any(file.parent.glob(f"*/{_PROBLEM}")) else None
    if file.name in (_EXAM, _REVIEW):
        from benchwright_server.authoring.exam_files import is_exam_file

        return file.parent if is_exam_file(file) else None
    from benchwright_authoring.problem_files.problem_folder import is_authored_problem_folder

    return file.parent if is_authored_problem_folder(file.parent) else None


def _diagnostics_by_file(
    checked_folder: Path, open_texts: dict[Path, str], encoding: types.PositionEncodingKind, home: Home
) -> dict[Path, list[types.Diagnostic]]:
    separate_files = {file: text for file, text in open_texts.items() if file.name not in (_PROBLEM, _STATEMENT)}
    diagnostics = {
        file: _diagnostics_from_remarks(_remarks_on_lone_file(file, text, home), Lines(text, encoding))
        for file, text in separate_files.items()
    }
    return diagnostics | (
        _problem_diagnostics_by_file(checked_folder, open_texts, encoding)
        if len(separate_files) < len(open_texts)
        else {}
    )


def _problem_diagnostics_by_file(
    problem_folder: Path, open_texts: dict[Path, str], encoding: types.PositionEncodingKind
) -> dict[Path, list[types.Diagnostic]]:
    from benchwright_authoring.problem_files.problem_folder import ProblemFolder
    from benchwright_authoring.problem_files.remarks import remarks_on_problem

    texts = {file.relative_to(problem_folder.parent).as_posix(): text for file, text in open_texts.items()}
    problem = ProblemFolder(problem_folder, texts)
    problem_remarks = remarks_on_problem(problem)
    names = {remark.file for remark in problem_remarks}
    return {
        problem_folder / name: _diagnostics_from_remarks(
            (file_remark for file_remark in problem_remarks if file_remark.file == name),
            Lines(problem.text(name), encoding),
        )
        for name in names
    }


def _remarks_on_lone_file(file: Path, file_text: str, home: Home) -> list[Remark]:
    """Of a file that is checked alone."""
    if file.name == _PACK:
        from benchwright_authoring.problem_files.remarks import pack_remarks

        return pack_remarks(file_text, file.parent)
    from benchwright_server.authoring.exam_files import exam_remarks, review_remarks

    return exam_remarks(file, file_text) if file.name == _EXAM else review_remarks(file.parent, file_text, home)


def _diagnostics_from_remarks(file_remarks: Iterable[Remark], lines: Lines) -> list[types.Diagnostic]:
    return [
        types.Diagnostic(
            range=lines.range(remark.span.start, remark.span.end),
            message=remark.message,
            severity=_LEVELS[remark.is_error],
            source="benchwright",
        )
        for remark in file_remarks
    ]
