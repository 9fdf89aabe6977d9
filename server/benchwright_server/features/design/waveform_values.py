"""The values of a waveform in the source: at the cursor's time, behind the names of signals."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_attempts.standing import Standing
from benchwright_problems.aids import Aid
from benchwright_server.errors import FORESEEN, ServerError, WaveformError
from benchwright_server.features.attempt import aids
from benchwright_server.features.design.module_views import (
    file_range,
    module_name_at_or_first,
    requested_or_chosen_instance,
)
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.protocol.design import Point
from benchwright_server.protocol.waveforms import WaveformSignal, WaveformSource
from benchwright_server.waveforms.design_paths import design_paths_for, waveform_paths_for
from benchwright_server.waveforms.reader_processes import Readers
from benchwright_server.waveforms.value_text import verilog_literal
from benchwright_server.waveforms.waves_folder import hidden_run_number

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.compilation.instances import InstanceTree
    from benchwright_verilog.semantics.names.occurrence import Occurrence
    from benchwright_verilog.syntax.documents import Document

_MOST_HINTS = 300
_LONGEST = 24
_SAVED_BY = ".benchwright"
"""The folder in a project that own runs keep their waveforms in."""


@dataclass(frozen=True)
class _WaveformCursor:
    waveform_uri: str
    waveform_file: Path
    tick: int


class WaveformValuesAtCursor:
    """The values of waveforms' signals at the cursor, and the names of these signals in the source.

    Args:
        server: The server of the client.
        readers: The open waveforms.
    """

    def __init__(self, server: EditorServer, readers: Readers) -> None:
        self._server = server
        self._readers = readers
        self._cursor: _WaveformCursor | None = None

    def move_or_remove_cursor(self, waveform_uri: str, waveform_file: Path, tick: int | None) -> None:
        """Puts the cursor at a time; None takes it away from this waveform."""
        old_cursor = self._cursor
        if tick is not None:
            self._cursor = _WaveformCursor(waveform_uri, waveform_file, tick)
        elif old_cursor is not None and old_cursor.waveform_file == waveform_file:
            self._cursor = None
        if self._cursor != old_cursor and self._server.client.supports("workspace.inlayHint.refreshSupport"):
            self._server.workspace_inlay_hint_refresh(None)

    async def source_of_signal(self, waveform_file: Path, waveform_signal: str) -> WaveformSource:
        """The part of the design that a signal of a waveform is.

        Raises:
            WaveformError: The design has no such signal.
        """
        signal_source = await asyncio.to_thread(self._source_if_found, waveform_file, waveform_signal)
        if signal_source is None:
            raise WaveformError(
                f"The source of {waveform_signal} was not found: the design may have changed since it was run."
            )
        return signal_source

    def _source_if_found(self, waveform_file: Path, waveform_signal: str) -> WaveformSource | None:
        from benchwright_verilog.semantics.behaviour.signal_flow import SignalFlow

        design = self._design_of_waveform(waveform_file)
        flow = SignalFlow(design)
        for signal_path in design_paths_for(design, waveform_signal):
            design_signal = flow.signal(signal_path)
            declaring_range = (
                file_range(Locations(self._server), design_signal.declaration) if design_signal is not None else None
            )
            if declaring_range is not None:
                return WaveformSource(path=signal_path, declared=declaring_range)
        return None

    async def signal_at_source_position(self, waveform_file: Path, source_uri: str, position: Point) -> WaveformSignal:
        """The signal of a waveform that a name in the source is.

        Raises:
            WaveformError: The position has no signal, or the waveform has none of it.
        """
        candidates = await asyncio.to_thread(
            self._waveform_paths_at, source_uri, position, await self._waveform_tops(waveform_file)
        )
        known_signals = await self._readers.call_method(waveform_file, "known_signals", signal_paths=candidates)
        if not known_signals:
            raise WaveformError("The waveform has no signal of this name. Put the cursor on a signal that was dumped.")
        return WaveformSignal(path=known_signals[0])

    def _waveform_paths_at(self, source_uri: str, position: Point, waveform_tops: list[str]) -> list[str]:
        project, file = project_and_inner_path(self._server, source_uri)
        analysis = project.analysis_of(file)
        if analysis is None:
            raise WaveformError("Put the cursor on the name of a signal in a design file.")
        lsp_position = types.Position(position.line, position.character)
        byte = min(Locations(self._server).lines_of_file(file).byte_at(lsp_position), len(analysis.data))
        names = [occurrence.target.name for occurrence in analysis.occurrences_at(byte)]
        design = project.instance_tree_of(file)
        instance = requested_or_chosen_instance(
            project, design, module_name_at_or_first(self._server, project, file, position), None
        )
        return [path for name in names for path in waveform_paths_for(design, f"{instance.path}.{name}", waveform_tops)]

    async def value_hints_if_allowed(
        self, document: Document, analysis: FileAnalysis, start_byte: int, end_byte: int
    ) -> list[types.InlayHint]:
        """The values at the cursor between two bytes of a file; none without a cursor, or where aids are forbidden.

        Nor of a run of the hidden tests that is not the newest, or whose files have changed since.
        """
        cursor = self._cursor
        if cursor is None:
            return []
        try:
            await aids.require_aid_allowed_now(self._server, document.uri, Aid.WAVEFORMS)
            session = await aids.require_aid_allowed_now(self._server, cursor.waveform_uri, Aid.WAVEFORMS)
            run = hidden_run_number(cursor.waveform_file)
            if run is not None and session is not None:
                view = await session.current_attempt_view()
                if view.run != run or view.standing is Standing.STALE:
                    return []
            tops = await self._waveform_tops(cursor.waveform_file)
            occurrence_paths = await asyncio.to_thread(
                self._occurrences_with_waveform_paths, document.uri, analysis, start_byte, end_byte, tops
            )
            signals = sorted({path for _, paths in occurrence_paths for path in paths})
            signal_values = await self._readers.call_method(
                cursor.waveform_file, "values_at", signal_paths=signals, tick=cursor.tick
            )
        except FORESEEN:
            return []
        values = {
            path: signal_value
            for path, signal_value in zip(signals, signal_values, strict=True)
            if signal_value is not None
        }
        lines, hints = document.lines, []
        for occurrence, paths in occurrence_paths:
            path = next((candidate for candidate in paths if candidate in values), None)
            if path is None or values[path]["value"] is None:
                continue
            text = verilog_literal(values[path]["value"], values[path]["bits"])
            label = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            tooltip = f"{path} at {cursor.tick} in {cursor.waveform_file.name}"
            position = lines.position(lines.from_byte(occurrence.end))
            hints.append(types.InlayHint(position, f"= {label}", tooltip=tooltip, padding_left=True))
        return hints

    def _occurrences_with_waveform_paths(
        self, file_uri: str, analysis: FileAnalysis, start_byte: int, end_byte: int, waveform_tops: list[str]
    ) -> list[tuple[Occurrence, list[str]]]:
        project, file = project_and_inner_path(self._server, file_uri)
        design = project.instance_tree_of(file)
        arounds: dict[str, str | None] = {}
        occurrence_paths = []
        for module, occurrence in _modules_and_signals_between(analysis, start_byte, end_byte):
            if module not in arounds:
                try:
                    arounds[module] = requested_or_chosen_instance(project, design, module, None).path
                except ServerError:
                    arounds[module] = None
            instance_path = arounds[module]
            if instance_path is not None:
                occurrence_paths.append(
                    (occurrence, waveform_paths_for(design, f"{instance_path}.{occurrence.target.name}", waveform_tops))
                )
            if len(occurrence_paths) == _MOST_HINTS:
                break
        return occurrence_paths

    async def _waveform_tops(self, waveform_file: Path) -> list[str]:
        tops: list[str] = (await self._readers.call_method(waveform_file, "summary"))["tops"]
        if "TOP" in tops:
            inner = (
                await self._readers.call_method(
                    waveform_file, "scope_or_search_page", scope="TOP", searched_words=[], offset=0, max_items=50
                )
            )["items"]
            tops = [*tops, *(inner_scope["name"] for inner_scope in inner if inner_scope["kind"] == "scope")]
        return tops

    def _design_of_waveform(self, waveform_file: Path) -> InstanceTree:
        path_parts = waveform_file.parts
        folder = Path(*path_parts[: path_parts.index(_SAVED_BY)]) if _SAVED_BY in path_parts else waveform_file.parent
        project, design_path = project_and_inner_path(self._server, folder.as_uri())
        return project.instance_tree_of(design_path)


def _modules_and_signals_between(
    analysis: FileAnalysis, start_byte: int, end_byte: int
) -> Iterable[tuple[str, Occurrence]]:
    """The signals between two bytes with the modules around them; each once a line."""
    from benchwright_verilog.semantics.names.occurrence import NameRole, TargetKind

    signal_kinds = {TargetKind.NET, TargetKind.VARIABLE, TargetKind.PORT}
    roles = {NameRole.DECLARATION, NameRole.READ, NameRole.WRITE}
    modules = sorted(analysis.declared_modules, key=lambda module_name: module_name.start)
    seen_names: set[tuple[int, str]] = set()
    for occurrence in analysis.occurrences(start_byte, end_byte):
        if occurrence.target.target_kind not in signal_kinds or occurrence.role not in roles:
            continue
        modules_above = [module for module in modules if module.start <= occurrence.start]
        line = analysis.data.count(b"\n", 0, occurrence.start)
        if modules_above and (line, occurrence.target.name) not in seen_names:
            seen_names.add((line, occurrence.target.name))
            yield modules_above[-1].name, occurrence
