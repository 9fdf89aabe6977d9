"""Locations in files, in the client's position encoding."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lsprotocol import types

from benchwright_verilog.syntax.byte_positions import BytePositions
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.uri import document_uri, local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.syntax.documents import Document


class Locations:
    """Turns bytes of files into locations for one answer, each file read once.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._lines: dict[Path, Lines] = {}

    def lines_of_file(self, path: Path) -> Lines:
        """The lines of a file, as open in the editor or else as on disk."""
        lines = self._lines.get(path)
        if lines is None:
            document = self._server.documents.get(document_uri(path))
            text = self._server.projects.read_text(path) or "" if document is None else ""
            lines = document.lines if document else Lines(text, self._server.documents.encoding)
            self._lines[path] = lines
        return lines

    def range_of_bytes(self, path: Path, start_byte: int, end_byte: int) -> types.Range:
        """The range of some bytes."""
        return self.lines_of_file(path).byte_range(start_byte, end_byte)

    def location_of_bytes(self, path: Path, start_byte: int, end_byte: int) -> types.Location:
        """The location of some bytes."""
        return types.Location(document_uri(path), self.range_of_bytes(path, start_byte, end_byte))

    def locations_json_of_spans(self, path: Path, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
        """The locations of spans of bytes of a file, each as JSON: there may be thousands."""
        uri_json = json.dumps(document_uri(path))
        return (f'{{"uri":{uri_json},"range":{range_json}}}' for range_json in self.ranges_json_of_spans(path, spans))

    def ranges_json_of_spans(self, path: Path, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
        """The ranges of spans of bytes of a file, each as JSON."""
        document = self._server.documents.get(document_uri(path))
        data = document.lines.data if document is not None else self._server.projects.read_data(path) or b""
        positions = BytePositions(data, self._server.documents.encoding)
        for start_byte, end_byte in spans:
            start_line, start_column = positions.line_and_column(start_byte)
            end_line, end_column = positions.line_and_column(end_byte)
            yield (
                f'{{"start":{{"line":{start_line},"character":{start_column}}},'
                f'"end":{{"line":{end_line},"character":{end_column}}}}}'
            )


class Positioned(Protocol):
    """The parameters of a request for a position in a document."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class Place(NamedTuple):
    """A place in a document, in the document's present version."""

    document: Document
    analysis: FileAnalysis
    byte_offset: int


async def place_in_design_file(server: EditorServer, params: Positioned) -> Place | None:
    """The place that a request is about; None if that is not in a design file.

    A place that the present defines leave out is analysed under defines that don't.
    """
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog or not document.uri.startswith(("file:", "untitled:")):
        return None
    analysis = await server.projects.analysis(document)
    # While a thread analysed it, the document may have changed.
    document = server.documents.get(params.text_document.uri) or document
    if document.lines.data != analysis.data:
        analysis = await server.projects.analysis(document)
    byte = min(document.lines.byte_at(params.position), len(analysis.data))
    if b"`if" in analysis.data and not analysis.occurrences_at(byte):
        from benchwright_verilog.semantics.names.branches import analysis_of_inactive_place

        project = server.projects.project_of(document)
        inactive = await asyncio.to_thread(analysis_of_inactive_place, project, document, analysis, byte)
        analysis = inactive[0] if inactive is not None else analysis
    return Place(document, analysis, byte)


async def place_once_project_is_read(server: EditorServer, params: Positioned) -> Place | None:
    """Like `place_in_design_file`, once all files of the project have been read."""
    analysed_place = await place_in_design_file(server, params)
    if analysed_place is not None and not server.projects.project_of(analysed_place.document).is_wholly_read:
        await server.projects.wait_until_wholly_read(analysed_place.document.uri)
        analysed_place = await place_in_design_file(server, params)
    return analysed_place


def file_of(uri: str) -> Path:
    """The file that a request names."""
    return local_path_of(uri)
