"""Packs that somebody writes: diagnostics, completion and hover of `pack.toml`, `problem.toml` and `statement.md`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.markup import content_of
from benchwright_server.operations import path_of
from benchwright_verilog.syntax.lines import Lines

if TYPE_CHECKING:
    from benchwright_authoring.problem_files.remark import Remark
    from benchwright_harness.two_sided import TwoSided
    from benchwright_problems.problem import Model
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

_PACK, _PROBLEM, _STATEMENT = "pack.toml", "problem.toml", "statement.md"
_PAUSE_S = 0.3
_LEVELS = {True: types.DiagnosticSeverity.Error, False: types.DiagnosticSeverity.Warning}


class PackFiles:
    """Checks the packs whose files are open, and publishes what is wrong with them.

    They are always pushed: no client pulls diagnostics of files that are not designs.

    Args:
        server: Whose client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._open: dict[str, Path] = {}
        """URI → problem's folder, or the pack's for its own file."""
        self._shown: dict[Path, set[Path]] = {}
        self._found: dict[Path, dict[Path, list[types.Diagnostic]]] = {}
        """Place → what was remarked on its files when they were last checked."""
        self._proofs: dict[Path, TwoSided] = {}
        """Problem's folder → what its last proof says."""
        self._later: dict[Path, asyncio.TimerHandle] = {}
        self._checks: set[asyncio.Task[None]] = set()

    def opened(self, uri: str) -> None:
        """A document was opened."""
        place = _place(uri)
        if place is not None:
            self._open[uri] = place
            self._check_later(place, 0.0)

    def changed(self, uri: str) -> None:
        """A document was changed."""
        if (place := self._open.get(uri)) is not None:
            self._check_later(place, _PAUSE_S)

    def saved(self, uri: str) -> None:
        """A document was saved: it may be a file of a pack whose other files are open."""
        if self._open and uri.startswith("file:"):
            file = path_of(uri)
            for place in {place for place in self._open.values() if file.is_relative_to(place)}:
                self._check_later(place, 0.0)

    def closed(self, uri: str) -> None:
        """A document was closed; what is known of its problem stays as long as another file of it is open."""
        place = self._open.pop(uri, None)
        if place is not None and place not in self._open.values():
            if (later := self._later.pop(place, None)) is not None:
                later.cancel()
            self._publish(place, {}, {})

    def proved(self, folder: Path, two_sided: TwoSided) -> None:
        """A problem was proved, or was not: the reasons are shown in its `problem.toml`."""
        self._proofs[folder] = two_sided
        document = self._server.documents.get((folder / _PROBLEM).as_uri())
        versions = {folder / _PROBLEM: document.version} if document is not None else {}
        self._publish(folder, self._found.get(folder, {}), versions)

    def model(self, uri: str) -> type[Model] | None:
        """What the fields of an open document are; None if it is none of these files."""
        if uri not in self._open or uri.endswith(f"/{_STATEMENT}"):
            return None
        from benchwright_problems.pack_files_schema import PackFile, ProblemFile

        return PackFile if uri.endswith(f"/{_PACK}") else ProblemFile

    def hover(self, document: Document, position: types.Position) -> types.Hover | None:
        """What the field at a position means."""
        from benchwright_authoring.problem_files.proposals import toml_hover

        model = self.model(document.uri)
        found = toml_hover(model, document.text, document.lines.offset(position)) if model is not None else None
        if found is None:
            return None
        span, about = found
        content = content_of(self._server, "textDocument.hover.contentFormat", about)
        return types.Hover(content, document.lines.range(span.start, span.end))

    def complete(self, document: Document, position: types.Position) -> types.CompletionList | None:
        """What can be written at a position."""
        from benchwright_authoring.problem_files.proposals import toml_proposals

        model = self.model(document.uri)
        if model is None:
            return None
        span, proposals = toml_proposals(model, document.text, document.lines.offset(position))
        place = document.lines.range(span.start, span.end)
        form = "textDocument.completion.completionItem.documentationFormat"
        items = [
            types.CompletionItem(
                label=one.label,
                kind=types.CompletionItemKind.Value if one.is_value else types.CompletionItemKind.Field,
                documentation=content_of(self._server, form, one.about),
                filter_text=one.label,
                text_edit=types.TextEdit(place, one.text),
            )
            for one in proposals
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    def _check_later(self, place: Path, wait_s: float) -> None:
        if (earlier := self._later.get(place)) is not None:
            earlier.cancel()
        self._later[place] = asyncio.get_running_loop().call_later(wait_s, lambda: self._begin(place))

    def _begin(self, place: Path) -> None:
        del self._later[place]
        task = asyncio.create_task(self._check(place))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)

    async def _check(self, place: Path) -> None:
        followed = (self._server.documents.get(uri) for uri, one in self._open.items() if one == place)
        documents = {path_of(document.uri): document for document in followed if document is not None}
        open_files = {file: document.text for file, document in documents.items()}
        try:
            found = await asyncio.to_thread(_remarks, place, open_files, self._server.documents.encoding)
        except Exception as error:
            self._server.report_failure(error)
            return
        if place not in self._later and place in self._open.values():
            self._publish(place, found, {file: document.version for file, document in documents.items()})

    def _publish(self, place: Path, found: dict[Path, list[types.Diagnostic]], versions: dict[Path, int]) -> None:
        before = self._shown.pop(place, set())
        self._found[place] = found
        shown = found
        if proof := self._proof(place):
            file = place / _PROBLEM
            shown = found | {file: [*found.get(file, []), *proof]}
        if remarked := {file for file, remarks in shown.items() if remarks}:
            self._shown[place] = remarked
        for file in sorted(before | set(shown) | set(versions)):
            params = types.PublishDiagnosticsParams(file.as_uri(), shown.get(file, []), versions.get(file))
            self._server.text_document_publish_diagnostics(params)

    def _proof(self, place: Path) -> list[types.Diagnostic]:
        """Why the last proof of a problem failed, at its id."""
        from benchwright_authoring.problem_files.problem_folder import ProblemFolder
        from benchwright_authoring.problem_files.remark import Remark
        from benchwright_authoring.problem_files.toml_places import TomlPlaces
        from benchwright_harness.two_sided import Proof

        two_sided = self._proofs.get(place)
        if two_sided is None or not two_sided.reasons:
            return []
        document = self._server.documents.get((place / _PROBLEM).as_uri())
        open_files = {f"{place.name}/{_PROBLEM}": document.text} if document is not None else {}
        text = ProblemFolder(place, open_files).text(_PROBLEM)
        span, is_error = TomlPlaces(text).span(("id",)), two_sided.proof is Proof.WRONG
        messages = [f"{reason[:1].upper()}{reason[1:]}." for reason in two_sided.reasons]
        messages += [
            f"The reference fails the test {test.name}{': ' if test.message else ''}{test.message}"
            for test in two_sided.reference.tests
            if not test.passed
        ]
        messages += [f"{one.path}:{one.line}: {one.text}" for one in two_sided.reference.compiler]
        remarks = (Remark(_PROBLEM, span, message, is_error) for message in messages)
        return _diagnostics(remarks, Lines(text, self._server.documents.encoding))


def _place(uri: str) -> Path | None:
    """The folder that a file of an author's pack says something of."""
    if not uri.startswith("file:") or not uri.endswith((f"/{_PACK}", f"/{_PROBLEM}", f"/{_STATEMENT}")):
        return None
    file = path_of(uri)
    if file.name == _PACK:
        return file.parent
    from benchwright_authoring.problem_files.problem_folder import is_authored

    return file.parent if is_authored(file.parent) else None


def _remarks(
    place: Path, open_files: dict[Path, str], encoding: types.PositionEncodingKind
) -> dict[Path, list[types.Diagnostic]]:
    from benchwright_authoring.problem_files.problem_folder import ProblemFolder
    from benchwright_authoring.problem_files.remarks import pack_remarks, remarks

    if not (place / _PROBLEM).is_file():
        text = open_files.get(place / _PACK, "")
        return {place / _PACK: _diagnostics(pack_remarks(text, place), Lines(text, encoding))}
    texts = {file.relative_to(place.parent).as_posix(): text for file, text in open_files.items()}
    problem = ProblemFolder(place, texts)
    found = remarks(problem)
    names = {remark.file for remark in found}
    return {
        place / name: _diagnostics((one for one in found if one.file == name), Lines(problem.text(name), encoding))
        for name in names
    }


def _diagnostics(found: Iterable[Remark], lines: Lines) -> list[types.Diagnostic]:
    return [
        types.Diagnostic(
            range=lines.range(remark.span.start, remark.span.end),
            message=remark.message,
            severity=_LEVELS[remark.is_error],
            source="benchwright",
        )
        for remark in found
    ]
